/* test_session.c - messages of onyx-cosim when board, program or chip do not fit: its session on a scripted
 * machine, without RTL or processor. */
#include "firmware/sums.h"
#include "rtl_models/soc/machine_dense.h"
#include "rtl_models/soc/machine_memory.h"
#include "rtl_models/soc/machine_watch.h"
#include "rtl_models/soc/session.h"
#include "tests/test.h"

#include <elf.h>

/* ---- the machine ----------------------------------------------------------------------------- */

/* State after a step: array cycles, finished items of a list. */
typedef struct {
    uint64_t cycle;
    uint32_t items;
    machine_switch last;
} moment;

typedef struct {
    bool refused;                /* machine_create fails */
    const char *stop;            /* stop reason as soon as a batch is commanded */
    uint32_t output, output_len; /* values that the program writes into the first row of the run table */
    bool collides;               /* somebody touches a bank in use */
    bool idle;                   /* its program reports runs that did not start */
    const moment *moments;       /* states of its first steps, without other effects */
    uint32_t n_moments;
} behaviour;

struct machine {
    const behaviour *does;
    uint32_t sram;
    uint8_t memory[0x20000];
    uint64_t runs, forgotten;
    moment now;
    uint32_t step, checks;
};

static const behaviour *next; /* of the next machine; cosim_run makes its own */
static machine the_machine;

static uint32_t *cell(machine *m, uint32_t offset) {
    return (uint32_t *)(void *)(m->memory + offset);
}
static uint32_t *mailbox_cell(machine *m, uint32_t offset) {
    return cell(m, FW_MAILBOX_OFFSET + offset);
}
machine *machine_create(const machine_config *config) {
    the_machine = (machine){.does = next, .sram = config->sram};
    return next->refused ? NULL : &the_machine;
}
void machine_destroy(machine *m) {
    (void)m;
}
static bool in_sram(const machine *m, uint32_t address, size_t bytes) {
    return address >= m->sram && address - m->sram <= sizeof m->memory &&
           bytes <= sizeof m->memory - (address - m->sram);
}
bool machine_load(machine *m, uint32_t address, const void *from, size_t bytes) {
    if (address < m->sram)
        return address < 0x10000; /* code, which nothing reads */
    if (in_sram(m, address, bytes))
        memcpy(m->memory + (address - m->sram), from, bytes);
    return true; /* or the global buffer, which nothing reads here */
}
bool machine_dump(const machine *m, uint32_t address, void *to, size_t bytes) {
    (void)m;
    memset(to, 0, bytes);
    return address < 0x60000000;
}
uint32_t machine_word(const machine *m, uint32_t address) {
    uint32_t word = 0;
    if (in_sram(m, address, 4))
        memcpy(&word, m->memory + (address - m->sram), 4);
    return word;
}
void machine_reset(machine *m) {
    *mailbox_cell(m, 0) = FW_MAILBOX_MAGIC;
    *mailbox_cell(m, FW_MAILBOX_VERSION) = FW_PROTOCOL_VERSION;
    *mailbox_cell(m, FW_MAILBOX_STATE) = FW_STATE_READY;
}
bool machine_step(machine *m) {
    if (m->step < m->does->n_moments) {
        m->now = m->does->moments[m->step++];
        *mailbox_cell(m, FW_MAILBOX_STEPS) = m->now.items;
        return true;
    }
    uint32_t command = *mailbox_cell(m, FW_MAILBOX_COMMAND);
    if (command == *mailbox_cell(m, FW_MAILBOX_DONE))
        return true;
    if (m->does->stop)
        return false;
    if (*mailbox_cell(m, FW_MAILBOX_CALLEE) == FW_CHECK) {
        m->checks++;
        *mailbox_cell(m, FW_MAILBOX_DONE) = command;
        return true;
    }
    uint32_t row = *mailbox_cell(m, FW_MAILBOX_TABLE) - m->sram;
    *cell(m, row + 8) = m->does->output;
    *cell(m, row + 12) = m->does->output_len;
    m->runs += m->does->idle ? 0 : *mailbox_cell(m, FW_MAILBOX_RUNS);
    *mailbox_cell(m, FW_MAILBOX_DONE) = command;
    return true;
}
const char *machine_stop_reason(machine *m) {
    return m->does->stop;
}
const char *machine_refused(const machine *m) {
    return m->does->stop ? "write to 0x40000000: the array has no clock" : "";
}
machine_counters machine_count(const machine *m) {
    return (machine_counters){.runs = m->runs, .array_cycles = m->now.cycle, .last = m->now.last};
}
uint64_t machine_run_cycles(const machine *m, uint64_t run) {
    assert_true(run >= m->forgotten);
    return 100 + run;
}
void machine_forget_runs(machine *m) {
    m->forgotten = m->runs;
}
void machine_watch(machine *m, machine_watcher *watcher, void *context) {
    (void)m, (void)watcher, (void)context;
}
uint32_t machine_hazards(const machine *m, uint32_t x, uint32_t y) {
    (void)m;
    return x == 0 && y == 0;
}
bool machine_dense_stream(const machine *m, uint32_t i, dense_side_stream *out) {
    (void)m, (void)i, (void)out;
    return false;
}
bool machine_collided(const machine *m, size_t i, machine_collision *out) {
    *out = (machine_collision){3, 1, "store DMA", "host", 77};
    return i == 0 && m->does->collides;
}
char *machine_describe_stuck(const machine *m) {
    (void)m;
    return calloc(1, 1);
}

/* ---- files ----------------------------------------------------------------------------------- */

static const char *scratch(fixture *f, const char *name) {
    return arena_printf(&f->mem, ONYX_BINARY_DIR "/tests/%ld.%s", (long)getpid(), name);
}

static void write_file(const char *path, const void *bytes, size_t length) {
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
}

/* A program with a segment of four bytes at `address`. */
static const char *write_elf(fixture *f, uint32_t address) {
    struct {
        Elf32_Ehdr head;
        Elf32_Phdr segment;
        uint32_t content;
    } program = {.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB},
                          .e_machine = EM_ARM,
                          .e_phentsize = sizeof(Elf32_Phdr),
                          .e_phnum = 1},
                 .segment = {.p_type = PT_LOAD, .p_paddr = address, .p_filesz = 4}};
    program.head.e_phoff = (uint32_t)((char *)&program.segment - (char *)&program);
    program.segment.p_offset = (uint32_t)((char *)&program.content - (char *)&program);
    const char *path = scratch(f, "app.elf");
    write_file(path, &program, sizeof program);
    return path;
}

/* A batch of one run: a load of a word, and a store. */
static const char *write_batches(fixture *f, const pnr_board *b) {
    const uint32_t table = b->map.sram + FW_TABLE_OFFSET, block = b->map.cgra_data;
    const uint32_t words[] = {FW_BATCH_MAGIC,
                              FW_BATCH_VERSION,
                              1,
                              1,
                              1,
                              1,
                              0, /* inputs, outputs, batches, buffers, part */
                              1,
                              table,
                              2, /* runs, their table, segments */
                              block,
                              4,
                              7, /* address, bytes, content */
                              table,
                              24,
                              0,
                              1,
                              0,
                              0,
                              0,
                              0};
    const char *path = scratch(f, "batches.bin");
    write_file(path, words, sizeof words);
    assert_true(fw_seal(path));
    return path;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static pnr_board onyx(fixture *f) {
    pnr_board b;
    if (!pnr_board_read("onyx", &f->mem, &f->diag, &b))
        fail_msg("%s", fixture_printed(f));
    return b;
}

/* Runs the batch on a machine with this behaviour; the output must start with `message`. */
static void expect(fixture *f, const pnr_board *b, const behaviour *does, uint32_t segment, int code,
                   const char *message) {
    const cosim_options o = {.elf = write_elf(f, segment),
                             .batches = write_batches(f, b),
                             .result = scratch(f, "result.bin"),
                             .watchdog = COSIM_WATCHDOG_CYCLES};
    next = does;
    diag_init(&f->diag, &f->mem);
    assert_int_equal(cosim_run(&o, b, &f->mem, &f->diag), code);
    const char *printed = fixture_printed(f);
    if (strncmp(printed, message, strlen(message)) != 0)
        fail_msg("expected '%s', got '%s'", message, printed);
    assert_int_equal(access(o.result, F_OK) == 0, code == COSIM_OK);
    unlink(o.elf);
    unlink(o.batches);
    unlink(o.result);
}

static void a_batch_that_fits_runs(void **state) {
    fixture *f = *state;
    pnr_board b = onyx(f);
    expect(f, &b, &(behaviour){.output_len = 4}, 0, COSIM_OK, "");
    pnr_board_free(&b);
}

/* A collision is reported for any exit code, and does not change the exit code, which serves users of
 * statistics. */
static void a_collision_is_told(void **state) {
    fixture *f = *state;
    pnr_board b = onyx(f);
    const char *told = "onyx: warning: GLB tile 3, bank 1: on the chip an access of the store DMA is lost to "
                       "the host (array cycle 77) [E0805-bank-collision]\n";
    expect(f, &b, &(behaviour){.output_len = 4, .collides = true}, 0, COSIM_OK, told);
    expect(f, &b, &(behaviour){.idle = true, .collides = true}, 0, COSIM_TARGET,
           arena_printf(&f->mem,
                        "onyx: error: start pulses of a batch: 1 expected, the program says 0 [E0763-runs]\n"
                        "    help: the program does not follow docs/firmware.md\n%s",
                        told));
    pnr_board_free(&b);
}

static double member(const cJSON *of, const char *name) {
    return cJSON_GetNumberValue(cJSON_GetObjectItem(of, name));
}

/* From the last store to the start, without the time of list items in between. */
static void switches_are_counted(void **state) {
    static const moment moments[] = {
        {10, 0, {0}},
        {1000, 0, {.stored = 1000}},
        {1100, 1, {.stored = 1000}},
        {1400, 2, {.stored = 1000}},
        {2500, 2, {135, 1000, 2500, 1000}},
        {4000, 3, {135, 1000, 2500, 4000}},
        {5400, 3, {135, 4000, 5400, 4000}},
        {9000, 3, {135, 4000, 5400, 9000}},
        {9001, 4, {135, 4000, 5400, 9000}},
        {9300, 4, {583, 9000, 9300, 9000}},
        {12000, 4, {583, 9000, 9300, 12000}},
        {13300, 4, {135, 12000, 13300, 12000}},
    };
    fixture *f = *state;
    pnr_board b = onyx(f);
    const behaviour does = {
        .output_len = 4, .moments = moments, .n_moments = sizeof moments / sizeof *moments};
    const cosim_options o = {.elf = write_elf(f, 0),
                             .batches = write_batches(f, &b),
                             .result = scratch(f, "result.bin"),
                             .stats = scratch(f, "stats.json"),
                             .watchdog = COSIM_WATCHDOG_CYCLES};
    next = &does;
    assert_int_equal(cosim_run(&o, &b, &f->mem, &f->diag), COSIM_OK);
    cJSON *json = json_read(o.stats, &f->diag);
    const cJSON *all = cJSON_GetObjectItem(json, "switches"), *one = cJSON_GetArrayItem(all, 0),
                *other = cJSON_GetArrayItem(all, 1);
    assert_int_equal(cJSON_GetArraySize(all), 2);
    assert_true(member(one, "words") == 135 && member(one, "times") == 3 && member(one, "first") == 1200 &&
                member(one, "least") == 1300 && member(one, "most") == 1400);
    assert_true(member(other, "words") == 583 && member(other, "times") == 1 &&
                member(other, "first") == 300);
    assert_false(cJSON_HasObjectItem(other, "most"));
    cJSON_Delete(json);
    unlink(o.result);
    unlink(o.stats);
    pnr_board_free(&b);
}

static void another_board_is_refused(void **state) {
    fixture *f = *state;
    pnr_board b = onyx(f);
    b.tracks = 4;
    expect(
        f, &b, &(behaviour){0}, 0, COSIM_USAGE,
        "onyx: error: there is no model of board 'onyx' [E0750-board-model]\n    help: the RTL has at most "
        "32 columns, 5 tracks, ");
    b.tracks = 5;
    expect(
        f, &b, &(behaviour){.refused = true}, 0, COSIM_USAGE,
        "onyx: error: the processor model cannot be set up with the memory map of board 'onyx' "
        "[E0753-processor]\n    help: memories must not overlap, and start and end at multiples of 4096\n");
    pnr_board_free(&b);
}

static void a_program_for_other_memories_is_refused(void **state) {
    fixture *f = *state;
    pnr_board b = onyx(f);
    const char *message =
        arena_printf(&f->mem,
                     "onyx: error: '%s': 4 bytes at 0x10000000 are not inside any memory of "
                     "the board [E0752-elf-address]\n    help: build the program for this board\n",
                     scratch(f, "app.elf"));
    expect(f, &b, &(behaviour){0}, 0x10000000, COSIM_USAGE, message);
    pnr_board_free(&b);
}

static void a_program_that_does_otherwise_is_named(void **state) {
    fixture *f = *state;
    pnr_board b = onyx(f);
    expect(
        f, &b, &(behaviour){.stop = "lockup at 0x100"}, 0, COSIM_TARGET,
        "onyx: error: the machine stopped: lockup at 0x100 [E0761-stopped]\n    help: look the address up in "
        "app.map\nonyx: note: write to 0x40000000: the array has no clock\n");
    expect(
        f, &b, &(behaviour){.output_len = b.glb_bank_bytes / 2 + 1}, 0, COSIM_TARGET,
        arena_printf(&f->mem,
                     "onyx: error: the program says an output of %u words lies at 0x%08x "
                     "[E0762-output-range]\n    help: the program belongs to another board or is damaged\n",
                     b.glb_bank_bytes / 2 + 1, b.map.cgra_data));
    expect(f, &b, &(behaviour){.output = 0x60000000, .output_len = 4}, 0, COSIM_TARGET,
           "onyx: error: the program says an output of 4 words lies at 0x");
    expect(f, &b, &(behaviour){.idle = true}, 0, COSIM_TARGET,
           "onyx: error: start pulses of a batch: 1 expected, the program says 0 [E0763-runs]\n    help: the "
           "program does not "
           "follow docs/firmware.md\n");
    pnr_board_free(&b);
}

RUN_TESTS(TEST(a_batch_that_fits_runs), TEST(a_collision_is_told), TEST(switches_are_counted),
          TEST(another_board_is_refused), TEST(a_program_for_other_memories_is_refused),
          TEST(a_program_that_does_otherwise_is_named))
