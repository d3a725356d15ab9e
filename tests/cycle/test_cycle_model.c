/* The cycle model alone: accounts, hangs, hazards, sleeping; designs small enough to know the answer. */
#include "engines/cycle_load.h"
#include "rtl_models/cycle/accounts.h"
#include "rtl_models/cycle/cycle.h"
#include "rtl_models/cycle/primitives.h"
#include "tests/cycle/one_tile.h"
#include "tests/test.h"

enum { MOST_WORDS = 64 };

/* ---- small designs --------------------------------------------------------------------------- */

static uint32_t add_cell(arena *mem, cycle_design *d, cycle_cell cell) {
    vec_push(mem, &d->cells, cell);
    return d->cells.len - 1;
}

static uint32_t add_pe(arena *mem, cycle_design *d, uint32_t mode, uint32_t space0, const char *name) {
    return add_cell(
        mem, d,
        (cycle_cell){.kind = CYCLE_PE, .tile_en = true, .mode = mode, .space = {space0}, .name = name});
}

/* A net to up to two sinks; `pairs` SplitFIFO pairs stand in front of the first. */
static void add_net(arena *mem, cycle_design *d, uint32_t cell, uint32_t port, uint32_t pairs, int sinks,
                    const uint32_t to[][2]) {
    cycle_net net = {.cell = cell, .port = port};
    uint32_t last = CYCLE_SOURCE;
    for (uint32_t r = 0; r < 2 * pairs; r++) {
        vec_push(mem, &net.registers, (cycle_register){last, .start = r % 2 == 0, .end = r % 2 == 1});
        last = r;
    }
    for (int s = 0; s < sinks; s++)
        vec_push(mem, &net.sinks, (cycle_sink){to[s][0], to[s][1], s == 0 ? last : CYCLE_SOURCE});
    vec_push(mem, &d->nets, net);
}

#define TO(...)                                                                                              \
    (const uint32_t[][2]) {                                                                                  \
        __VA_ARGS__                                                                                          \
    }

/* Words of a run, ending in a read-out: {n, n words}. */
static cycle_stream input(uint32_t cell, const uint16_t *words, uint32_t length) {
    return (cycle_stream){.cell = cell, .words = words, .length = length};
}

static const uint16_t five[] = {5, 1, 2, 3, 4, 5};
static const uint16_t twelve[] = {12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

/* in -> pairs -> rsg -> out: for words alone a repeat signal generator sends ones, which are blocks of one
 word.
 */
static void make_chain(arena *mem, cycle_design *d, uint32_t pairs) {
    uint32_t in = add_cell(mem, d, (cycle_cell){.kind = CYCLE_IO_IN, .name = "in"});
    uint32_t rsg = add_pe(mem, d, RTL_PE_RSG, 1, "rsg");
    uint32_t out = add_cell(mem, d, (cycle_cell){.kind = CYCLE_IO_OUT, .name = "out"});
    add_net(mem, d, in, 0, pairs, 1, TO({rsg, 0}));
    add_net(mem, d, rsg, 0, 0, 1, TO({out, 0}));
}

static void test_latency_and_pairs(void **state) {
    fixture *f = *state;
    for (uint32_t pairs = 0; pairs < 4; pairs++) {
        cycle_design d = {.recorded = false};
        uint64_t cycles;
        make_chain(&f->mem, &d, pairs);
        cycle_model *m = cycle_build(&d, &f->mem);
        for (int again = 0; again < 3; again++) {
            cycle_stream s[2] = {input(0, five, 6), {.cell = 2, .blocks = 3}};
            assert_int_equal(cycle_run(m, s, 2, true, &f->mem, &cycles), CYCLE_DONE);
            assert_int_equal(s[1].got.len, 6);
            /* IO FIFO, two port FIFOs, IO FIFO: a cycle each; a pair adds a cycle; afterwards a word a
             * cycle. */
            for (uint32_t i = 0; i < 6; i++) {
                assert_int_equal(s[1].got.at[i], 1);
                assert_int_equal(s[1].stamp.at[i], 4 + pairs + i);
                assert_int_equal(s[0].stamp.at[i], i);
            }
            assert_int_equal(cycles, 4 + pairs + 6);
        }
    }
}

/* Every cycle of a channel is in exactly one account. */
static void test_accounts_are_complete(void **state) {
    fixture *f = *state;
    cycle_design d = {.recorded = false};
    cycle_channels channels;
    uint64_t cycles, sum = 0;
    make_chain(&f->mem, &d, 1);
    cycle_model *m = cycle_build(&d, &f->mem);
    for (int again = 0; again < 3; again++) {
        cycle_stream s[2] = {input(0, five, 6), {.cell = 2, .blocks = 3}};
        assert_int_equal(cycle_run(m, s, 2, false, &f->mem, &cycles), CYCLE_DONE);
        sum += cycles;
    }
    cycle_channels_of(m, &f->mem, &channels);
    assert_int_equal(channels.len, 2);
    for (uint32_t i = 0; i < channels.len; i++) {
        const cycle_channel *c = &channels.at[i];
        assert_int_equal(c->moved, 18);
        assert_int_equal(c->stalled + c->held + c->idle, 0);
        assert_int_equal(c->moved + c->starved, sum);
    }
}

/* One branch of a fan-out goes through a reducer, which needs a whole fiber for a value; the other branch
 * waits for this value. A stream without stops never ends a fiber: a circle. */
static void make_circle(arena *mem, cycle_design *d) {
    uint32_t in = add_cell(mem, d, (cycle_cell){.kind = CYCLE_IO_IN, .name = "in"});
    uint32_t reduce = add_pe(mem, d, RTL_PE_REDUCE, 1, "reduce");
    uint32_t alu = add_cell(mem, d,
                            (cycle_cell){.kind = CYCLE_PE,
                                         .tile_en = true,
                                         .mode = RTL_PE_ALU,
                                         .space = {0x00800001, 0x08000200, 0x90000},
                                         .name = "alu",
                                         .port_in = {"data0", "data1"}});
    uint32_t out = add_cell(mem, d, (cycle_cell){.kind = CYCLE_IO_OUT, .name = "out"});
    add_net(mem, d, in, 0, 0, 2, TO({alu, 0}, {reduce, 0}));
    add_net(mem, d, reduce, 0, 0, 1, TO({alu, 1}));
    add_net(mem, d, alu, 0, 0, 1, TO({out, 0}));
}

static void test_hang_names_the_circle(void **state) {
    fixture *f = *state;
    cycle_design d = {.recorded = false};
    uint64_t cycles;
    make_circle(&f->mem, &d);
    cycle_model *m = cycle_build(&d, &f->mem);
    cycle_stream s[2] = {input(0, five, 6), {.cell = 3, .blocks = 1}};
    assert_int_equal(cycle_run(m, s, 2, false, &f->mem, &cycles), CYCLE_STUCK);
    assert_true(cycles < 100); /* nobody is awake: no need of patience */
    assert_string_equal(cycle_wait_graph(m, &f->mem), "  in: out0 [2 3] waits for alu (data0 is full)\n"
                                                      "  reduce: waits for in (in0 is empty)\n"
                                                      "  alu: data0 [5 1] waits for reduce (data1 is empty)\n"
                                                      "  out: waits for alu (in0 is empty)\n"
                                                      "  circle: in -> alu -> reduce -> in\n");
    cycle_channels channels;
    cycle_channels_of(m, &f->mem, &channels);
    assert_int_equal(channels.at[0].moved, 2);
    assert_true(channels.at[0].stalled > 0 && channels.at[0].held == 0);
    assert_true(channels.at[1].held > 0);
    assert_int_equal(channels.at[1].held + channels.at[1].stalled, channels.at[0].stalled);
}

/* A net into a disabled tile: its driver waits for a tile without activity and without inputs to follow. */
static void test_hang_at_a_tile_that_is_off(void **state) {
    fixture *f = *state;
    cycle_design d = {.recorded = false};
    uint64_t cycles;
    uint32_t in = add_cell(&f->mem, &d, (cycle_cell){.kind = CYCLE_IO_IN, .name = "in"});
    uint32_t off = add_cell(&f->mem, &d, (cycle_cell){.kind = CYCLE_PE, .mode = RTL_PE_RSG, .name = "off"});
    uint32_t out = add_cell(&f->mem, &d, (cycle_cell){.kind = CYCLE_IO_OUT, .name = "out"});
    add_net(&f->mem, &d, in, 0, 0, 1, TO({off, 0}));
    add_net(&f->mem, &d, off, 0, 0, 1, TO({out, 0}));
    cycle_model *m = cycle_build(&d, &f->mem);
    cycle_stream s[2] = {input(in, five, 6), {.cell = out, .blocks = 1}};
    assert_int_equal(cycle_run(m, s, 2, false, &f->mem, &cycles), CYCLE_STUCK);
    assert_string_equal(cycle_wait_graph(m, &f->mem), "  in: out0 [5 1] waits for off (in0 is full)\n"
                                                      "  out: waits for off (in0 is empty)\n");
}

static void test_bottleneck(void **state) {
    fixture *f = *state;
    cycle_design d = {.recorded = false};
    cycle_bottlenecks list;
    uint64_t cycles;
    uint16_t words[MOST_WORDS] = {0};
    uint32_t in = add_cell(&f->mem, &d, (cycle_cell){.kind = CYCLE_IO_IN, .name = "in"});
    /* A writer with copied blocks takes five cycles for four words. */
    uint32_t mem = add_cell(&f->mem, &d,
                            (cycle_cell){.kind = CYCLE_MEM,
                                         .tile_en = true,
                                         .space = {0x00f40001, 1u << 27, 0xc0000000, 0x80},
                                         .name = "mem"});
    uint32_t out = add_cell(&f->mem, &d, (cycle_cell){.kind = CYCLE_IO_OUT, .name = "out"});
    add_net(&f->mem, &d, in, 0, 0, 1, TO({mem, 2}));
    add_net(&f->mem, &d, mem, 0, 0, 1, TO({out, 0}));
    words[0] = MOST_WORDS - 1;
    cycle_model *m = cycle_build(&d, &f->mem);
    cycle_stream s[2] = {input(0, words, MOST_WORDS), {.cell = 2, .blocks = 1}};
    assert_int_equal(cycle_run(m, s, 2, false, &f->mem, &cycles), CYCLE_DONE);
    assert_int_equal(s[1].got.len, MOST_WORDS);
    cycle_bottlenecks_of(m, &f->mem, &list);
    assert_int_equal(list.len, 1);
    assert_int_equal(list.at[0].cell, mem);
    assert_true(list.at[0].cycles >= MOST_WORDS / 5);
    assert_int_equal(cycle_hazards_of(m)->len, 0);
}

/* ---- hazards --------------------------------------------------------------------------------- */

/* A tile, the tokens at its inputs, and the monitors they must raise, as bits. An output in `stalled` takes
 * nothing for the first STALLED_CYCLES. */
typedef struct {
    uint32_t raises;
    cycle_cell cell;
    const char *in[CYCLE_INS];
    uint32_t stalled;
} hazard_case;
enum { STALLED_CYCLES = 200, PLAY_CYCLES = 600, NO_TOKEN = 1 << 20 };

#define RAISES(kind) (1u << CYCLE_HAZARD_##kind)
#define PE(mode_, ...)                                                                                       \
    {                                                                                                        \
        .kind = CYCLE_PE, .tile_en = true, .mode = mode_, .space = { __VA_ARGS__ }                           \
    }
#define ADD PE(RTL_PE_ALU, 0x00800001, 0x08000200, 0x90000)
/* write scanner (lowest level, compressed), reader (lookup, dense with dimension 2, to the GLB) */
#define MEM(writer, reader1, reader2, capacity)                                                              \
    {                                                                                                        \
        .kind = CYCLE_MEM, .tile_en = true, .space = {                                                       \
            0x00c00001 | writer,                                                                             \
            reader1,                                                                                         \
            0x80000000 | reader2,                                                                            \
            capacity                                                                                         \
        }                                                                                                    \
    }
#define LOWEST (1u << 18)
#define COMPRESSED (1u << 20)
#define LOOKUP (1u << 27)
#define DENSE (1u << 29 | 2u << 13)
#define TO_GLB (1u << 30)
#define ROOT (1u << 9)
/* A memory that accumulates coordinates: blocks end with stops, and the first block is empty. */
#define SUMS MEM(1u << 17 | 1u << 19 | COMPRESSED, 1u << 8, 0, 0x88)

static const hazard_case hazard_cases[] = {
    {RAISES(MAYBE_REFERENCE), PE(RTL_PE_JOINER, 1), {"1 2 S0 D", "2 S0 D", "7 8 S0 D", "N S0 D"}, 0},
    {0, PE(RTL_PE_JOINER, 3), {"1 2 S0 D", "2 S0 D", "7 8 S0 D", "N S0 D"}, 0},
    {RAISES(DROP_EMPTY), PE(RTL_PE_CRDDROP, 1), {"1 S1 S1 3 S2 D", "7 S0 S0 9 S1 D"}, 0},
    /* The inner stop passes with done: a surplus sum, invisible without a coordinate. */
    {RAISES(DROP_EMPTY), PE(RTL_PE_CRDDROP, 1), {"1 S1 3 S2 S2 D", "7 S0 9 S1 S1 D"}, 0},
    {0, PE(RTL_PE_CRDDROP, 1), {"S1 S2 D", "S0 S1 D"}, 0},
    {0, PE(RTL_PE_CRDDROP, 1), {"1 S1 S0 3 S2 D", "7 S0 8 9 S1 D"}, 0},
    {RAISES(DROP_UNEVEN), PE(RTL_PE_CRDDROP, 1), {"1 S0 2 S0 S0 S1 D", "7 8 9 10 S0 D"}, 2},
    {RAISES(DROP_UNEVEN), PE(RTL_PE_CRDDROP, 1), {"1 S1 D", "7 S0 D"}, 2},
    {0, PE(RTL_PE_CRDDROP, 1), {"1 S0 2 S0 3 S0 4 S1 D", "7 8 9 10 S0 D"}, 0},
    {RAISES(HOLD_EMPTY), PE(RTL_PE_CRDHOLD, 1), {"1 S1 S0 2 S1 D", "7 S0 8 9 S1 D"}, 0},
    {0, PE(RTL_PE_CRDHOLD, 1), {"1 S1 S1 2 S2 D", "7 S0 S0 9 S1 D"}, 0},
    {RAISES(ALU_STOP), ADD, {"1 2 S0 D", "1 S0 S0 D"}, 0},
    {0, ADD, {"1 N S0 D", "N N S1 D"}, 0},
    {RAISES(REPEAT_EMPTY), PE(RTL_PE_REPEAT, 1), {"7 S0 8 9 S1 D", "1 S1 S0 1 S2 D"}, 0},
    {RAISES(REPEAT_EMPTY), PE(RTL_PE_REPEAT, 1), {"7 8 S0 D", "S0 1 S1 D"}, 0},
    {0, PE(RTL_PE_REPEAT, 1), {"7 8 9 S0 D", "1 S0 S0 1 S1 D"}, 0},
    {RAISES(REDUCE_MAYBE), PE(RTL_PE_REDUCE, 1), {"1 N S0 D"}, 0},
    {RAISES(SECOND_BLOCK) | RAISES(VALUES_STALLED),
     MEM(LOWEST | COMPRESSED, LOOKUP, TO_GLB, 0x88),
     {NULL, NULL, NULL,
      "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 S0 D "
      "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 S0 D"},
     1},
    {0, MEM(LOWEST | COMPRESSED, LOOKUP, TO_GLB, 0x88), {NULL, NULL, NULL, "1 2 3 4 5 S0 D"}, 1},
    {RAISES(WRITE_ORDER), MEM(LOWEST, LOOKUP, TO_GLB, 0x88), {NULL, "0 4 D", NULL, "7 8 D"}, 0},
    {0, MEM(LOWEST, LOOKUP, TO_GLB, 0x88), {NULL, "1 0 2 D", NULL, "7 8 9 D"}, 0},
    {RAISES(OVERFLOW),
     MEM(LOWEST | COMPRESSED, LOOKUP, TO_GLB, 0x11),
     {NULL, NULL, NULL, "1 2 3 4 5 6 7 8 9 D"},
     0},
    {0, MEM(LOWEST | COMPRESSED, LOOKUP, TO_GLB, 0x11), {NULL, NULL, NULL, "1 2 3 4 5 6 7 8 D"}, 0},
    {RAISES(EQUAL_CRD), MEM(COMPRESSED, 0, TO_GLB, 0x88), {NULL, NULL, NULL, "3 3 S0 3 S1 D"}, 0},
    {RAISES(EMPTY_FIBER), MEM(COMPRESSED, 0, TO_GLB, 0x88), {NULL, NULL, NULL, "3 S0 S1 D"}, 0},
    {0, MEM(COMPRESSED, 0, TO_GLB, 0x88), {NULL, NULL, NULL, "3 S0 3 S1 D"}, 0},
    {RAISES(DENSE_AGAIN), MEM(0, 0, DENSE, 0x88), {"0 S0 D 0 S0 D"}, 0},
    {RAISES(DENSE_STOP), MEM(0, 0, DENSE, 0x88), {"S0 0 S1 D"}, 0},
    {RAISES(DENSE_STOP), MEM(0, 0, DENSE, 0x88), {"0 S0 S1 D"}, 0},
    {RAISES(DENSE_STOP), MEM(0, 0, DENSE, 0x88), {"N S0 0 S1 S0 2 S2 D"}, 0},
    {RAISES(DENSE_STOP), MEM(0, 0, DENSE, 0x88), {"S0 D"}, 0},
    {0, MEM(0, 0, DENSE, 0x88), {"0 S0 1 S1 D"}, 0},
    {0, MEM(0, 0, DENSE, 0x88), {"N S0 0 N S1 1 S2 D"}, 0},
    {RAISES(MAYBE_COORDINATE), PE(RTL_PE_JOINER, 3), {"N S0 D", "2 S0 D", "N S0 D", "8 S0 D"}, 0},
    {RAISES(REPEAT_MAYBE), PE(RTL_PE_REPEAT, 1), {"7 8 S0 D", "N S0 1 S1 D"}, 0},
    {0, PE(RTL_PE_REPEAT, 1), {"N 8 S0 D", "1 S0 1 S1 D"}, 0},
    {RAISES(REPEAT_LEADING), PE(RTL_PE_REPEAT, 1), {"S0 S1 D", "S1 S2 D"}, 0},
    {RAISES(REPEAT_LEADING), PE(RTL_PE_REPEAT, 1), {"S0 S0 7 S1 D", "S1 S1 1 S2 D"}, 0},
    {0, PE(RTL_PE_REPEAT, 1), {"S0 D", "S1 D"}, 0},
    {0, PE(RTL_PE_REPEAT, 1), {"S0 7 S0 S1 D", "S1 1 S1 S2 D"}, 0},
    {RAISES(LATE_DONE), SUMS, {"0 S1 - - - - - - - - - - - - - - - - D", NULL, NULL, "5 S2 D"}, 0},
    {0, SUMS, {"0 S1 D", NULL, NULL, "5 S2 D"}, 0}, /* taken with the stop */
    {0, SUMS, {"0 S1", NULL, NULL, "5 S2 D"}, 0},
};
enum { HAZARD_CASES = sizeof hazard_cases / sizeof *hazard_cases };

/* "1 S0 N D"; - is a cycle without a token. */
static void parse(arena *mem, const char *text, u32_vec *out) {
    char *copy = arena_strdup(mem, text ? text : "");
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        vec_push(mem, out,
                 *word == 'S'   ? RTL_STOP(atoi(word + 1))
                 : *word == 'N' ? RTL_MAYBE
                 : *word == 'D' ? RTL_DONE
                 : *word == '-' ? NO_TOKEN
                                : (uint32_t)atoi(word));
}

static uint32_t play_hazard(arena *mem, const hazard_case *c) {
    u32_vec in[CYCLE_INS] = {{0}};
    uint32_t taken[CYCLE_INS] = {0}, raised = 0;
    cycle_model *m = tile_build(&c->cell, mem);
    tile_pins pins = {.flush = true};
    tile_clock(m, &pins);
    pins.flush = false;
    for (int i = 0; i < CYCLE_INS; i++)
        parse(mem, c->in[i], &in[i]);
    for (int cycle = 0; cycle < PLAY_CYCLES; cycle++) {
        tile_settle(m, &pins);
        for (int i = 0; i < CYCLE_INS; i++) {
            uint32_t t = taken[i] < in[i].len ? in[i].at[taken[i]] : NO_TOKEN;
            pins.in_valid[i] = t != NO_TOKEN;
            pins.in_data[i] = pins.in_valid[i] ? t : 0;
            taken[i] += pins.in_valid[i] ? pins.in_ready[i] : taken[i] < in[i].len;
        }
        for (int o = 0; o < CYCLE_OUTS; o++)
            pins.out_ready[o] = cycle >= STALLED_CYCLES || !(c->stalled >> o & 1);
        tile_clock(m, &pins);
    }
    const cycle_hazards *met = cycle_hazards_of(m);
    for (uint32_t i = 0; i < met->len; i++)
        raised |= 1u << met->at[i].kind;
    return raised;
}

static void test_hazards(void **state) {
    fixture *f = *state;
    uint32_t all = 0;
    for (uint32_t i = 0; i < HAZARD_CASES; i++) {
        uint32_t raised = play_hazard(&f->mem, &hazard_cases[i]);
        if (raised != hazard_cases[i].raises)
            fail_msg("case %u raises %x, not %x", i, raised, hazard_cases[i].raises);
        all |= raised;
    }
    assert_int_equal(all, (1u << CYCLE_HAZARD_KINDS) - 1);
}

/* A read-out of more values than places, with a second listener that takes nothing. */
static void test_hazard_of_stalled_values(void **state) {
    fixture *f = *state;
    for (int sinks = 1; sinks <= 2; sinks++) {
        cycle_design d = {.recorded = false};
        uint64_t cycles;
        uint32_t in = add_cell(&f->mem, &d, (cycle_cell){.kind = CYCLE_IO_IN});
        uint32_t mem =
            add_cell(&f->mem, &d, (cycle_cell)MEM(LOWEST | COMPRESSED | 1u << 21, LOOKUP, TO_GLB, 0x88));
        uint32_t out = add_cell(&f->mem, &d, (cycle_cell){.kind = CYCLE_IO_OUT});
        uint32_t deaf = add_cell(&f->mem, &d, (cycle_cell){.kind = CYCLE_IO_OUT});
        add_net(&f->mem, &d, in, 0, 0, 1, TO({mem, 2}));
        add_net(&f->mem, &d, mem, 0, 0, sinks, TO({out, 0}, {deaf, 0}));
        cycle_model *m = cycle_build(&d, &f->mem);
        cycle_stream s[2] = {input(in, twelve, 13), {.cell = out, .blocks = 1}};
        cycle_end end = cycle_run(m, s, 2, false, &f->mem, &cycles);
        assert_int_equal(end, sinks == 1 ? CYCLE_DONE : CYCLE_STUCK);
        const cycle_hazards *met = cycle_hazards_of(m);
        assert_int_equal(met->len, sinks - 1);
        if (met->len)
            assert_int_equal(met->at[0].kind, CYCLE_HAZARD_VALUES_STALLED);
        cycle_forget(m); /* another account of the same begins with nothing */
        assert_int_equal(met->len, 0);
        cycle_stream again[2] = {input(in, twelve, 13), {.cell = out, .blocks = 1}};
        cycle_run(m, again, 2, false, &f->mem, &cycles);
        assert_int_equal(met->len, sinks - 1);
    }
}

/* A dense root of two coordinates straight to an output: with the stop, the coordinates look like an
 * empty block and a block of one word. Complete as two blocks, partial as three; nothing if a word must
 * come first. */
static void test_what_comes_before_any_load(void **state) {
    fixture *f = *state;
    cycle_design d = {.recorded = false};
    uint32_t root = add_cell(&f->mem, &d, (cycle_cell)MEM(0, ROOT, DENSE, 0x88));
    uint32_t out = add_cell(&f->mem, &d, (cycle_cell){.kind = CYCLE_IO_OUT, .name = "x1y0 out"});
    add_net(&f->mem, &d, root, 1, 0, 1, TO({out, 0}));
    make_chain(&f->mem, &d, 1);
    for (uint32_t blocks = 2; blocks <= 3; blocks++) {
        bool early[2];
        cycle_stream s[2] = {{.cell = out, .blocks = blocks}, {.cell = out + 3, .blocks = 1}};
        diag_init(&f->diag, &f->mem);
        assert_int_equal(cycle_find_early(&d, s, 2, early, &f->diag), blocks == 2);
        if (blocks == 2) {
            assert_true(early[0] && !early[1]);
            continue;
        }
        assert_int_equal(f->diag.list.len, 1);
        assert_string_equal(f->diag.list.at[0].code, "E0713-early-output");
        assert_non_null(strstr(f->diag.list.at[0].message, "'x1y0 out'"));
        assert_true(f->diag.list.at[0].kind == DIAG_UNMAPPABLE);
    }
}

RUN_TESTS(TEST(test_latency_and_pairs), TEST(test_accounts_are_complete), TEST(test_hang_names_the_circle),
          TEST(test_hang_at_a_tile_that_is_off), TEST(test_bottleneck), TEST(test_hazards),
          TEST(test_hazard_of_stalled_values), TEST(test_what_comes_before_any_load))
