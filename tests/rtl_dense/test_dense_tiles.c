/* Tiles of the dense fabric, configured by words over the bus: cycle for cycle the model of the decoded
 * words, on random settings of every unit. An argument is the number of random cases. */
#include "dense/load.h"
#include "rtl_models/soc/dense_rtl.h"
#include "tests/dense/board.h"
#include "tests/quota.h"
#include "tests/rtl_dense/random_units.h"

enum { CASES = 100, CYCLES = 150, FIRST = 2, FLUSH = 8, SPACE_WORDS = 46 };

static uint32_t cases = CASES;

/* ---- words ------------------------------------------------------------------------------------- */

typedef struct {
    dense_board on;
    bits_stream bits;
    fixture *f;
} words;

static void add_word(words *w, uint32_t site, uint32_t feature, uint32_t reg, uint32_t data) {
    vec_push(&w->f->mem, &w->bits.words, ((bits_word){reg << 24 | feature << 16 | site, data, {0}}));
}

/* Adds words of CONFIG_SPACE at the registers of their names. */
static void add_space(words *w, uint32_t site, uint32_t feature, const uint32_t *from, uint32_t n) {
    for (uint32_t k = 0; k < n; k++) {
        const bits_field *word = bits_find(w->on.map, bits_tile(w->on.map, site), feature,
                                           arena_printf(&w->f->mem, "CONFIG_SPACE_%u", k));
        add_word(w, site, feature, word->reg, from[k]);
    }
}

static void add_pe(words *w, uint32_t site) {
    uint32_t pe[3] = {0}, pond[17] = {0};
    space a = {pe, PE_BITS}, b = {pond, POND_BITS};
    dense_instruction instruction;
    dense_pond settings;
    random_instruction(&instruction);
    random_pond(&settings);
    put_instruction(&a, &instruction);
    put_pond_port(&b, settings.write);
    put_pond_port(&b, settings.read);
    pe[0] |= 1;
    add_space(w, site, 0, pe, 3);
    add_space(w, site, 1, pond, 17);
    add_word(w, site, 0, 3, 0x000B0000 | random_below(64)); /* bits in place of wires */
    add_word(w, site, 1, 17, 1);
}

/* A RAM whose write enable is 1 by a constant would write while the words arrive: its state machine knows no
 * stall. */
static void add_mem(words *w, uint32_t site) {
    uint32_t mem[SPACE_WORDS] = {0};
    space a = {mem, MEM_BITS};
    const dense_generator valid = random_generator(6, 0, 0);
    const uint32_t mode = 1 + random_below(2);
    dense_ub buffer;
    random_buffer(&buffer);
    put_nest(&a, &valid.nest, 6, 4);
    put_schedule(&a, &valid, 6, false);
    if (mode == 1)
        put_buffer(&a, &buffer);
    add_space(w, site, 0, mem, SPACE_WORDS);
    add_word(w, site, 0, 46, 1u << 24 | random_below(2) << 23 | mode << 21 | random_below(8) << 8);
    for (uint32_t i = 0; mode == 2 && i < 64; i++) /* 16 lines of contents */
        add_word(w, site, 1 + i / 4 % 2, i / 4, random_below(65536));
}

static const char *any(const char *const *names, uint32_t n) {
    return names[random_below(n)];
}

/* A PE tile and a MEM tile, each fed by the IO tile above on all inputs, with a word and a bit for the IO
 * tile. */
static const char *routes(arena *mem) {
    static const char
        *const pe_words[] = {"out0", "pond"},
               *const pe_bits[] = {"bit", "pond_bit0", "pond_bit1"}, *const mem_words[] = {"out0", "out1"},
               *const mem_bits[] = {"bit0", "bit1", "bit2"}, *const pe_in[] = {"NORTH 0", "NORTH 3", "pond"},
               *const pond_in[] = {"NORTH 1", "out0"};
    return arena_printf(
        mem,
        "dense onyx\ntile x1y0 IO\n  stream\ntile x1y1 PE\n  in0 <- %s\n  in1 <- NORTH 1\n  in2 <- %s\n"
        "  bit0 <- NORTH 0\n  bit1 <- NORTH 1\n  bit2 <- NORTH 2\n  pond0 <- %s\n  pond1 <- NORTH 2\n"
        "  T0 NORTH <- %s\n  B0 NORTH <- %s\ntile x3y0 IO\n  stream\ntile x3y1 MEM\n"
        "  in0 <- NORTH 0\n  in1 <- NORTH 1\n  in2 <- NORTH 2\n  in3 <- NORTH 3\n  bit0 <- NORTH 0\n"
        "  bit1 <- NORTH 1\n  T0 NORTH <- %s%s\n  B0 NORTH <- %s\n",
        any(pe_in, 3), any(pe_in, 3), any(pond_in, 2), any(pe_words, 2), any(pe_bits, 3), any(mem_words, 2),
        random_below(2) ? " register" : "", any(mem_bits, 3));
}

/* ---- model beside RTL -------------------------------------------------------------------------- */

static void make(words *w, dense_design *design, dense_array *array) {
    fixture *f = w->f;
    dense_design routed;
    if (!dense_parse("routes.dense", routes(&f->mem), &w->on.board, w->on.map, &f->diag, &routed))
        fail_msg("%s", fixture_printed(f));
    w->bits = dense_encode(&routed, &f->mem);
    add_pe(w, 0x101);
    add_mem(w, 0x301);
    if (!dense_decode(&w->bits, &w->on.board, w->on.map, &f->diag, design) ||
        !dense_load(design, &f->diag, array))
        fail_msg("%s", fixture_printed(f));
}

/* In the cycle behind the flush the FIFO of an output is empty. A RAM with a constant read enable has read
 * before the first cycle, as its state machine knows no stall. Returns whether all outputs were 0. */
static bool play(dense_model *model, const dense_machine *rtl, const dense_array *array, uint32_t number) {
    bool trivial = true;
    for (uint32_t c = 0; c < CYCLES; c++) {
        for (uint32_t i = 0; i < array->nodes.len; i++) {
            const uint16_t word = (uint16_t)(c > FLUSH ? random_below(65536) : 0);
            const uint32_t want = dense_taken(model, i);
            if (array->nodes.at[i].kind == DENSE_NODE_INPUT) {
                dense_drive(model, i, word, word & 1);
                rtl->drive(rtl->of, i, word, word & 1);
            }
            if (array->nodes.at[i].kind != DENSE_NODE_OUTPUT || c < FIRST || c == FLUSH + 1)
                continue;
            if (rtl->taken(rtl->of, i) != want)
                fail_msg("case %u, cycle %u, column %u: RTL %05x, model %05x", number, c,
                         array->nodes.at[i].x, rtl->taken(rtl->of, i), want);
            trivial = trivial && !want;
        }
        dense_cycle(model, c == FLUSH);
        rtl->cycle(rtl->of, c == FLUSH);
    }
    return trivial;
}

static void test_tiles(void **state) {
    quota q = {0};
    uint32_t rings = 0;
    (void)state;
    for (uint32_t i = 0; i < cases; i++) {
        fixture f = {0};
        uint32_t ring = 0;
        fixture_begin(&f);
        words w = {.f = &f};
        dense_design design;
        dense_array array;
        open_board(&f, &w.on);
        make(&w, &design, &array);
        dense_model *model = dense_build(&array, &f.mem, &ring);
        dense_rtl *rtl = dense_rtl_create(&array, &w.bits, &f.mem, &ring);
        assert_int_equal(!model, !rtl);
        rings += !model;
        if (model) {
            const dense_machine machine = dense_rtl_machine(rtl);
            quota_add(&q, true, play(model, &machine, &array, i));
            dense_rtl_destroy(rtl);
        }
        pnr_board_free(&w.on.board);
        arena_free(&f.mem);
    }
    print_message("%u random configurations of %u cycles: RTL and model are the same; %u rings\n", cases,
                  CYCLES, rings);
    assert_false(quota_failed(&q));
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {TEST(test_tiles)};
    cases = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : CASES;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
