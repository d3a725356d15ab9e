/* Steps of the self test: debug port, memories, clocks, registers, buffer, array, a loop a column. */
#include "host/selftest.h"
#include "firmware/registers.h"
#include "host/accesses.h"
#include "host/loopback.h"
#include "host/ready.h"

enum { CONFIG_CYCLES = 32, READ_CYCLES = 128 }; /* of the array: equal to target/configure.c */
enum { LOOP_WORDS = 32, LOOP_LENGTH = LOOP_WORDS - 1 };

typedef struct {
    host_link *l;
    const pnr_board *b;
    arena *mem;
    const char *found; /* the step's failure; NULL: none yet */
    bool differs;      /* the failure is none of the chip */
} test;

/* A word that must keep what is written, and the component that has the word. */
typedef struct {
    uint32_t address, mask;
    const char *component;
} cell;
typedef VEC(cell) cells;

/* ---- helpers ------------------------------------------------------------------------------------- */

static bool make(test *t, host_access_list *all) {
    const char *refused;
    if (!host_make_accesses(t->l, all, &refused))
        return false;
    if (refused && !t->found)
        t->found = refused;
    return true;
}

static void note_difference(test *t, const char *component, uint32_t address, uint32_t want, uint32_t got) {
    if (!t->found)
        t->found = arena_printf(t->mem, "%s: 0x%08x holds 0x%08x after a write of 0x%08x, bits 0x%08x",
                                component, address, got, want, got ^ want);
}

/* Writes a pattern by address to all words, and reads all back; in a second turn the complement. */
static bool keep_cells(test *t, const cells *all, uint32_t turns) {
    for (uint32_t turn = 0; turn < turns && !t->found; turn++) {
        host_access_list accesses = {0};
        const uint32_t flips = turn ? UINT32_MAX : 0;
        for (uint32_t i = 0; i < all->len; i++)
            host_add_write(&accesses, all->at[i].address,
                           (host_pattern(all->at[i].address) ^ flips) & all->at[i].mask, t->mem);
        for (uint32_t i = 0; i < all->len; i++)
            host_add_read(&accesses, all->at[i].address, t->mem);
        if (!make(t, &accesses))
            return false;
        for (uint32_t i = 0; i < all->len && !t->found; i++) {
            const uint32_t want = accesses.at[i].value, got = accesses.at[all->len + i].value;
            if (got != want)
                note_difference(t, all->at[i].component, all->at[i].address, want, got);
        }
    }
    return true;
}

/* Writes a whole memory with a pattern, and its complement, by the fastest path. */
static bool keep_all(test *t, const char *component, uint32_t first, uint32_t bytes) {
    arena mem = {0};
    uint32_t *words = arena_alloc(&mem, bytes), bad = 0;
    bool ok = true;
    for (uint32_t turn = 0; turn < 2 && ok && !t->found; turn++) {
        const uint32_t flips = turn ? UINT32_MAX : 0;
        ok = host_target_keeps(t->l, first, words, bytes / 4, flips, &bad);
        if (ok && bad < bytes / 4)
            note_difference(t, component, first + 4 * bad, host_pattern(first + 4 * bad) ^ flips, words[bad]);
    }
    arena_free(&mem);
    return ok;
}

static uint32_t glb_register(const test *t, uint32_t tile, uint32_t offset) {
    return t->b->map.cgra_reg + GLB_FROM_GLC + GLB_TILE_STRIDE * tile + offset;
}

/* ---- steps --------------------------------------------------------------------------------------- */

static bool test_port(test *t) {
    uint32_t idcode;
    if (!host_link_idcode(t->l, &idcode))
        return false;
    t->differs = idcode != t->b->link.idcode;
    if (t->differs)
        t->found = arena_printf(t->mem, "the TAP's IDCODE is 0x%08x, the board's document has 0x%08x", idcode,
                                t->b->link.idcode);
    return true;
}

static bool test_platform(test *t) {
    bool failed;
    uint32_t id;
    if (!host_command(t->l, NULL, &failed, "reset halt"))
        return false;
    if (failed)
        t->found = "the processor cannot be halted";
    if (!host_read_words(t->l, t->b->map.platform + PLATFORM_ID, &id, 1))
        return false;
    if (id != PLATFORM_ID_VALUE && !t->found)
        t->found = arena_printf(t->mem, "PLATFORM_ID is 0x%08x, expected 0x%08x", id, PLATFORM_ID_VALUE);
    return true;
}

static bool test_code(test *t) {
    return keep_all(t, "program memory", t->b->map.code, t->b->map.code_bytes);
}

static bool test_sram(test *t) {
    return keep_all(t, "SRAM", t->b->map.sram, t->b->map.sram_bytes);
}

/* A program of five words counts in SRAM. */
static bool test_processor(test *t) {
    const uint32_t counter = t->b->map.sram + 0x100, top = t->b->map.sram + 0x1000;
    const uint32_t program[] = {top, 9, 0x31014801, 0xe7fc6001, counter}; /* ldr r0; adds r1; str; b */
    uint32_t then = 0, now = 0;
    bool failed;
    if (!host_write(t->l, t->b->map.code, program, sizeof program) ||
        !host_command(t->l, NULL, &failed, "reset run"))
        return false;
    for (uint32_t i = 0; i < 20 && then == now; i++) {
        host_pause(i);
        if (!host_read_words(t->l, counter, i ? &now : &then, 1))
            return false;
        now = i ? now : then;
    }
    if (then == now)
        t->found = "the processor does not run: a loop of four instructions in program memory counts nothing";
    return host_command(t->l, NULL, &failed, "reset halt");
}

static bool test_clock(test *t) {
    const uint32_t bit = 1u << PLATFORM_CLK_GATE_EN_CGRA_LSB, at = t->b->map.platform;
    uint32_t gated, reset;
    if (!host_array_on(t->l) || !host_read_words(t->l, at + PLATFORM_CLK_GATE_EN, &gated, 1) ||
        !host_read_words(t->l, at + PLATFORM_RESET_ACK, &reset, 1))
        return false;
    if (gated & bit)
        t->found = arena_printf(t->mem, "the array's clock stays off: PLATFORM_CLK_GATE_EN is 0x%08x", gated);
    else if (reset & bit)
        t->found = arena_printf(t->mem, "the array stays in reset: PLATFORM_RESET_ACK is 0x%08x", reset);
    return true;
}

static bool test_controller(test *t) {
    cells all = {0};
    const uint32_t offsets[] = {GLC_TEST, GLC_FLUSH_CROSSBAR, GLC_CFG_ADDRESS, GLC_CFG_DATA};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        vec_push(t->mem, &all,
                 ((cell){t->b->map.cgra_reg + offsets[i], UINT32_MAX, "controller of array and buffer"}));
    return keep_cells(t, &all, 2);
}

/* Addresses have 22 bits. */
static bool test_tile_registers(test *t) {
    cells all = {0};
    for (uint32_t g = 0; g < t->b->glb_tiles; g++) {
        const char *component = arena_printf(t->mem, "registers of GLB tile %u", g);
        const uint32_t offsets[] = {GLB_LD_START_ADDR, GLB_ST_START_ADDR, GLB_PCFG_START_ADDR};
        for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
            vec_push(t->mem, &all, ((cell){glb_register(t, g, offsets[i]), 0x3ffff8, component}));
    }
    return keep_cells(t, &all, 2);
}

/* First the words at powers of two of all banks at once, through the processor's bus; then every word. */
static bool test_banks(test *t) {
    const pnr_board *b = t->b;
    cells lines = {0};
    const uint32_t banks = b->glb_tiles * b->glb_banks_per_tile;
    for (uint32_t i = 0; i < banks; i++) {
        const char *component = arena_printf(t->mem, "GLB tile %u, bank %u", i / b->glb_banks_per_tile,
                                             i % b->glb_banks_per_tile);
        const uint32_t first = b->map.cgra_data + i * b->glb_bank_bytes;
        vec_push(t->mem, &lines, ((cell){first, UINT32_MAX, component}));
        for (uint32_t at = 4; at < b->glb_bank_bytes; at *= 2)
            vec_push(t->mem, &lines, ((cell){first + at, UINT32_MAX, component}));
    }
    bool ok = keep_cells(t, &lines, 1);
    for (uint32_t i = 0; i < banks && ok && !t->found; i++)
        ok = keep_all(t, lines.at[i * lines.len / banks].component, b->map.cgra_data + i * b->glb_bank_bytes,
                      b->glb_bank_bytes);
    return ok;
}

/* ---- the array ----------------------------------------------------------------------------------- */

static uint32_t glc(const test *t, uint32_t offset) {
    return t->b->map.cgra_reg + offset;
}

static void write_config(test *t, host_access_list *all, uint32_t address, uint32_t data) {
    host_add_write(all, glc(t, GLC_CFG_ADDRESS), address, t->mem);
    host_add_write(all, glc(t, GLC_CFG_DATA), data, t->mem);
    host_add_write(all, glc(t, GLC_CFG_WRITE), CONFIG_CYCLES, t->mem);
}

static void hold_array(test *t, host_access_list *all) {
    const uint32_t tiles = (1u << t->b->glb_tiles) - 1;
    host_add_write(all, glc(t, GLC_GLB_CLK_EN_MASTER), tiles, t->mem);
    host_add_write(all, glc(t, GLC_GLB_CLK_EN_BANK), tiles, t->mem);
    host_add_write(all, glc(t, GLC_CGRA_STALL), UINT32_MAX, t->mem);
}

/* Register 0 of feature 0: 32 bits of a PE or MEM tile, 23 bits of an IO tile besides its enable. */
static uint32_t tile_mask(uint32_t address) {
    return address & 0xff ? UINT32_MAX : 0x7fffff;
}

static bool keep_tiles(test *t, uint32_t flips) {
    const uint32_t n = t->b->width * t->b->height;
    host_access_list all = {0};
    hold_array(t, &all);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t address = i / t->b->height << 8 | i % t->b->height;
        write_config(t, &all, address, (host_pattern(address + 1) ^ flips) & tile_mask(address));
    }
    const uint32_t before = all.len;
    for (uint32_t i = 0; i < n; i++) {
        host_add_write(&all, glc(t, GLC_CFG_ADDRESS), i / t->b->height << 8 | i % t->b->height, t->mem);
        host_add_write(&all, glc(t, GLC_CFG_READ), READ_CYCLES, t->mem);
        host_add_read(&all, glc(t, GLC_CFG_READ_DATA), t->mem);
    }
    if (!make(t, &all))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t address = i / t->b->height << 8 | i % t->b->height,
                       want = (host_pattern(address + 1) ^ flips) & tile_mask(address),
                       got = all.at[before + 3 * i + 2].value;
        if (got != want)
            note_difference(t, arena_printf(t->mem, "tile x%uy%u", address >> 8, address & 0xff), address,
                            want, got);
    }
    return true;
}

static bool test_tiles(test *t) {
    return keep_tiles(t, 0) && (t->found || keep_tiles(t, UINT32_MAX));
}

/* ---- loops --------------------------------------------------------------------------------------- */

/* A block: its length, one bit in turn, all but one bit in turn. */
static uint16_t loop_word(uint32_t i) {
    return (uint16_t)(i == 0 ? LOOP_LENGTH : i <= 16 ? 1u << (i - 1) : ~(1u << (i - 17)));
}

static bool reset_array(test *t) {
    const uint32_t bit = 1u << PLATFORM_RESET_REQ_CGRA_LSB, at = t->b->map.platform + PLATFORM_RESET_REQ;
    uint32_t value;
    return host_read_words(t->l, at, &value, 1) && host_write_word(t->l, at, value | bit) &&
           host_write_word(t->l, at, value & ~bit);
}

static bool configure(test *t, const bits_stream *bits) {
    host_access_list all = {0};
    hold_array(t, &all);
    for (uint32_t i = 0; i < bits->words.len; i++)
        write_config(t, &all, bits->words.at[i].address, bits->words.at[i].data);
    host_add_write(&all, glc(t, GLC_F2G_IER), UINT32_MAX >> 16, t->mem);
    host_add_write(&all, glc(t, GLC_G2F_IER), UINT32_MAX >> 16, t->mem);
    host_add_write(&all, glc(t, GLC_CGRA_STALL), 0, t->mem);
    return make(t, &all);
}

static void set_load(test *t, host_access_list *all, uint32_t g, uint32_t from, bool odd) {
    const uint32_t mux = odd ? GLB_COLUMN_ODD : GLB_COLUMN_EVEN;
    host_add_write(all, glb_register(t, g, GLB_LD_CTRL),
                   FIELD(GLB_LD_CTRL_MODE, DMA_ONCE) | FIELD(GLB_LD_CTRL_VALID_MODE, LD_READY_VALID) |
                       FIELD(GLB_LD_CTRL_DATA_MUX, mux),
                   t->mem);
    host_add_write(all, glb_register(t, g, GLB_LD_DIM), 1, t->mem);
    host_add_write(all, glb_register(t, g, GLB_LD_START_ADDR), from, t->mem);
    host_add_write(all, glb_register(t, g, GLB_LD_RANGE), LOOP_WORDS - 2, t->mem);
    host_add_write(all, glb_register(t, g, GLB_LD_STRIDE), 2, t->mem);
}

static void set_store(test *t, host_access_list *all, uint32_t g, uint32_t to, bool odd) {
    const uint32_t mux = odd ? GLB_COLUMN_ODD : GLB_COLUMN_EVEN;
    host_add_write(all, glb_register(t, g, GLB_ST_NUM_BLOCKS), 1, t->mem);
    host_add_write(all, glb_register(t, g, GLB_ST_DIM), 1, t->mem);
    host_add_write(all, glb_register(t, g, GLB_ST_START_ADDR), to, t->mem);
    host_add_write(all, glb_register(t, g, GLB_ST_RANGE), t->b->glb_bank_bytes / 2 - 2, t->mem);
    host_add_write(all, glb_register(t, g, GLB_ST_STRIDE), 2, t->mem);
    host_add_write(all, glb_register(t, g, GLB_ST_CTRL),
                   FIELD(GLB_ST_CTRL_MODE, DMA_ONCE) | FIELD(GLB_ST_CTRL_VALID_MODE, ST_READY_VALID) |
                       FIELD(GLB_ST_CTRL_DATA_MUX, mux),
                   t->mem);
}

/* Words of the loop in, zeros where they go; streams, start, done bits, words. */
static uint32_t list_loop(test *t, uint32_t g, bool odd, host_access_list *all) {
    const uint32_t from = 2 * g * t->b->glb_bank_bytes, to = from + t->b->glb_bank_bytes,
                   group = 2 * g / t->b->flush_columns;
    for (uint32_t i = 0; i < LOOP_WORDS; i += 2)
        host_add_write(all, t->b->map.cgra_data + from + 2 * i,
                       loop_word(i) | (uint32_t)loop_word(i + 1) << 16, t->mem);
    for (uint32_t i = 0; i < LOOP_WORDS; i += 2)
        host_add_write(all, t->b->map.cgra_data + to + 2 * i, 0, t->mem);
    set_load(t, all, g, from, odd);
    set_store(t, all, g, to, !odd);
    host_add_write(all, glc(t, GLC_FLUSH_CROSSBAR), g << 4 * group, t->mem);
    host_add_write(all, glc(t, GLC_STREAM_START), 0x10001u << g, t->mem);
    const uint32_t answers = all->len;
    host_add_read(all, glc(t, GLC_G2F_ISR), t->mem);
    host_add_read(all, glc(t, GLC_F2G_ISR), t->mem);
    for (uint32_t i = 0; i < LOOP_WORDS; i += 2)
        host_add_read(all, t->b->map.cgra_data + to + 2 * i, t->mem);
    return answers;
}

static void judge_loop(test *t, uint32_t g, bool odd, const host_access_of *answer) {
    const char *component =
        arena_printf(t->mem, "the loop from column %u to column %u", 2 * g + odd, 2 * g + !odd);
    if (!(answer[0].value >> g & 1))
        t->found = arena_printf(t->mem, "%s: the load of GLB tile %u does not end", component, g);
    else if (!(answer[1].value >> g & 1))
        t->found = arena_printf(t->mem, "%s: the store of GLB tile %u does not end", component, g);
    for (uint32_t i = 0; i < LOOP_WORDS && !t->found; i++) {
        const uint32_t got = answer[2 + i / 2].value >> 16 * (i % 2) & 0xffff;
        if (got != loop_word(i))
            t->found = arena_printf(t->mem, "%s: word %u is 0x%04x, sent was 0x%04x, bits 0x%04x", component,
                                    i, got, loop_word(i), got ^ loop_word(i));
    }
}

static bool run_loops(test *t, bool odd) {
    bits_stream bits = {0};
    if (!host_loopback(t->b, odd, t->mem, t->l->d, &bits) || !reset_array(t) || !configure(t, &bits))
        return false;
    for (uint32_t g = 0; g < t->b->glb_tiles && !t->found; g++) {
        host_access_list all = {0};
        const uint32_t answers = list_loop(t, g, odd, &all);
        if (!make(t, &all))
            return false;
        if (!t->found)
            judge_loop(t, g, odd, &all.at[answers]);
    }
    return true;
}

static bool test_loops(test *t) {
    return run_loops(t, false) && (t->found || run_loops(t, true)) && reset_array(t);
}

/* ---- all of them --------------------------------------------------------------------------------- */

static const struct {
    const char *step, *what;
    bool (*run)(test *t);
} steps[] = {
    {"debug port", "the TAP has the IDCODE of the board's document", test_port},
    {"platform controller", "its identification is right", test_platform},
    {"program memory", "every word keeps a pattern and its complement", test_code},
    {"SRAM", "every word keeps a pattern and its complement", test_sram},
    {"processor", "runs a loop from program memory", test_processor},
    {"array clock", "the array has its clock, and left its reset", test_clock},
    {"controller", "four registers keep a pattern and its complement", test_controller},
    {"buffer registers", "three registers of every GLB tile keep a pattern and its complement",
     test_tile_registers},
    {"buffer banks", "every word of every bank keeps a pattern and its complement", test_banks},
    {"array registers", "a register of every tile keeps a pattern and its complement", test_tiles},
    {"loops", "each column loads words that come back through its neighbour", test_loops},
};

bool host_selftest(const pnr_board *board, const host_options *o, const host_selftest_job *job, arena *mem,
                   diagnostics *d) {
    host_link l;
    host_options any = *o;
    any.idcode = HOST_IDCODE_OFF; /* a step looks */
    bool ok = host_link_open(&l, board, &any, job->folder, mem, d), failed = false;
    for (size_t i = 0; !l.other_release && i < sizeof steps / sizeof *steps; i++) {
        test t = {.l = &l, .b = board, .mem = mem};
        host_finding f = {steps[i].step, steps[i].what, HOST_TEST_OMITTED};
        if (!failed) {
            ok = ok && steps[i].run(&t);
            failed = !ok || (t.found && (!t.differs || o->idcode == HOST_IDCODE_ERROR));
            f.result = failed ? HOST_TEST_FAILED : t.found ? HOST_TEST_DIFFERS : HOST_TEST_GOOD;
            f.text = t.found ? t.found : ok ? f.text : "the link to the chip fails";
        }
        job->tell(job->context, &f);
    }
    host_link_close(&l);
    return ok;
}
