/* The cycle model alone: accounts, hangs, hazards, sleeping; designs small enough to know the answer. */
#include "rtl_models/cycle.h"
#include "rtl_models/rtl_models.h"
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

/* Words of a run, ending in what a read-out looks like: {n, n words}. */
static cycle_stream input(uint32_t cell, const uint16_t *words, uint32_t length) {
    return (cycle_stream){.cell = cell, .words = words, .length = length};
}

static const uint16_t five[] = {5, 1, 2, 3, 4, 5};

/* in -> pairs -> rsg -> out: with words alone, a repeat signal generator sends ones, so blocks of one word.
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
        cycle_design d = {{0}, {0}};
        uint64_t cycles;
        make_chain(&f->mem, &d, pairs);
        cycle_model *m = cycle_build(&d, &f->mem);
        for (int again = 0; again < 3; again++) {
            cycle_stream s[2] = {input(0, five, 6), {.cell = 2, .blocks = 3}};
            assert_int_equal(cycle_run(m, s, 2, true, &f->mem, &cycles), CYCLE_DONE);
            assert_int_equal(s[1].got.len, 6);
            /* IO FIFO, two port FIFOs, IO FIFO: a cycle each; a pair one more; then a word a cycle. */
            for (uint32_t i = 0; i < 6; i++) {
                assert_int_equal(s[1].got.at[i], 1);
                assert_int_equal(s[1].stamp.at[i], 4 + pairs + i);
                assert_int_equal(s[0].stamp.at[i], i);
            }
            assert_int_equal(cycles, 4 + pairs + 6);
        }
    }
}

/* Every cycle of a channel is in one account. */
static void test_accounts_are_complete(void **state) {
    fixture *f = *state;
    cycle_design d = {{0}, {0}};
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

/* One branch of a fan-out goes through a reducer, which needs a whole fiber before it gives a value; the
 * other waits for that value. A stream without stops never ends a fiber: a circle. */
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
    cycle_design d = {{0}, {0}};
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

static void test_bottleneck(void **state) {
    fixture *f = *state;
    cycle_design d = {{0}, {0}};
    cycle_bottlenecks list;
    uint64_t cycles;
    uint16_t words[MOST_WORDS] = {0};
    uint32_t in = add_cell(&f->mem, &d, (cycle_cell){.kind = CYCLE_IO_IN, .name = "in"});
    /* A writer that copies its blocks takes five cycles for four words. */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_latency_and_pairs),
        TEST(test_accounts_are_complete),
        TEST(test_hang_names_the_circle),
        TEST(test_bottleneck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
