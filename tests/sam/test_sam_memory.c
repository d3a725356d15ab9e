/* The clock of a finite memory: cycles of a few runs by hand, then bounds that hold whatever runs. */
#include "engines/memory.h"
#include "support/prng.h"
#include "tests/quota.h"
#include "tests/test.h"

enum { MOST_RUNS = 6, OPERANDS = 2, RANDOM_CASES = 400, RANDOM_RUNS = 40 };

/* A run: the sub-tiles of both operands, with as many words as their numbers, and what the graph does. */
typedef struct {
    uint32_t sub_tile[OPERANDS];
    uint32_t cycles, stored;
} run;

/* Rates of a word a cycle, but for DRAM, whose words take `dram` cycles. */
typedef struct {
    const char *about;
    double sets, buffer_words, dram, latency;
    run runs[MOST_RUNS]; /* a run without cycles ends them */
    uint64_t cycles, fetched, moved;
} memory_case;

static const memory_case cases[] = {
    /* fetched 0-30, loaded -33, run -43, stored -45, in DRAM -65 */
    {"a run is fetched, loaded, runs and is stored", 1, 100, 10, 0, {{{3, 0}, 10, 2}}, 65, 3, 3},
    {"a latency is waited for on every way", 1, 100, 10, 7, {{{3, 0}, 10, 2}}, 93, 3, 3},
    /* the second run loads nothing, and waits for the first to leave: run 33-43, 45-55, in DRAM 65, 85 */
    {"what the run before read stays", 1, 100, 10, 0, {{{3, 0}, 10, 2}, {{3, 0}, 10, 2}}, 85, 3, 3},
    /* 4 is fetched 43-83 after the request at 43, loaded -87, run -97, 3 comes from the buffer: 97-100-110 */
    {"the buffer keeps", 1, 100, 10, 0, {{{3, 0}, 10, 0}, {{4, 0}, 10, 0}, {{3, 0}, 10, 0}}, 110, 7, 10},
    /* 97-127 fetched again, loaded -130, run -140 */
    {"the buffer is too small",
     1,
     6,
     10,
     0,
     {{{3, 0}, 10, 0}, {{4, 0}, 10, 0}, {{3, 0}, 10, 0}},
     140,
     10,
     10},
    /* fetched 0-30-70-120, and each loaded and run meanwhile: 120+5+10 */
    {"two sets overlap", 2, 100, 10, 0, {{{3, 0}, 10, 0}, {{4, 0}, 10, 0}, {{5, 0}, 10, 0}}, 135, 12, 12},
    /* a graph of 100 cycles is the longest part: 33, 133, 233, 333 */
    {"and the graph is never idle",
     2,
     100,
     10,
     0,
     {{{3, 0}, 100, 0}, {{4, 0}, 100, 0}, {{5, 0}, 100, 0}},
     333,
     12,
     12},
    /* the third run is requested at 43, the first result is ready at 45: fetched 70-120, result 120-140 */
    {"a request goes before a later result",
     2,
     100,
     10,
     0,
     {{{3, 0}, 10, 2}, {{4, 0}, 10, 0}, {{5, 0}, 10, 0}},
     140,
     12,
     12},
    /* the second run is requested at 43: fetched -83, the result of 45 goes 83-103 */
    {"and with a single set", 1, 100, 10, 0, {{{3, 0}, 10, 2}, {{4, 0}, 10, 0}}, 103, 7, 7},
    {"both operands", 1, 100, 1, 0, {{{3, 2}, 10, 0}, {{3, 4}, 10, 0}}, 38, 9, 9},
    {"words of no sub-tile", 1, 100, 1, 0, {{{0, 0}, 10, 0}}, 10, 0, 0},
};

static compile_memory machine_of(const memory_case *c) {
    return (compile_memory){.dram_rate = 1 / c->dram,
                            .dram_latency = c->latency,
                            .buffer_rate = 1,
                            .buffer_latency = c->latency,
                            .buffer_bytes = c->buffer_words,
                            .element_bytes = 1000,
                            .element_sets = c->sets,
                            .element_word = 1};
}

static compile_memory_counts count(const compile_memory *m, const run *runs, uint32_t n, arena *mem) {
    compile_memory_clock *clock = compile_memory_begin(m, OPERANDS, mem);
    for (uint32_t r = 0; r < n; r++) {
        for (uint32_t o = 0; o < OPERANDS; o++)
            compile_memory_load(clock, o, runs[r].sub_tile[o], runs[r].sub_tile[o]);
        compile_memory_run(clock, runs[r].cycles, runs[r].stored);
    }
    return compile_memory_end(clock);
}

static void test_cases(void **state) {
    fixture *f = *state;
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const memory_case *c = &cases[i];
        const compile_memory m = machine_of(c);
        uint32_t n = 0;
        while (n < MOST_RUNS && c->runs[n].cycles)
            n++;
        const compile_memory_counts got = count(&m, c->runs, n, &f->mem);
        if ((uint64_t)got.cycles != c->cycles || got.fetched != c->fetched || got.moved != c->moved)
            print_error("%s: %g cycles, %llu words fetched, %llu loaded\n", c->about, got.cycles,
                        (unsigned long long)got.fetched, (unsigned long long)got.moved);
        assert_int_equal((uint64_t)got.cycles, c->cycles);
        assert_int_equal(got.fetched, c->fetched);
        assert_int_equal(got.moved, c->moved);
    }
}

/* Every path and the graph are busy for their own part at least; together no longer than all in turn. A
 * buffer that holds everything fetches each sub-tile once, and none at all as often as the element asks. */
static void test_bounds(void **state) {
    fixture *f = *state;
    quota shown = {0};
    for (uint64_t seed = 1; seed <= RANDOM_CASES; seed++) {
        prng random = prng_seed(seed);
        run runs[RANDOM_RUNS];
        uint64_t once = 0, stored = 0;
        bool seen[OPERANDS][8] = {{false}};
        for (uint32_t r = 0; r < RANDOM_RUNS; r++) {
            runs[r] = (run){{prng_below(&random, 8), prng_below(&random, 8)},
                            1 + prng_below(&random, 30),
                            prng_below(&random, 9)};
            stored += runs[r].stored;
            for (uint32_t o = 0; o < OPERANDS; o++) {
                once += seen[o][runs[r].sub_tile[o]] ? 0 : runs[r].sub_tile[o];
                seen[o][runs[r].sub_tile[o]] = true;
            }
        }
        const memory_case some = {.sets = 1 + prng_below(&random, 4),
                                  .buffer_words = prng_below(&random, 60),
                                  .dram = 1 + prng_below(&random, 4),
                                  .latency = prng_below(&random, 20)};
        compile_memory m = machine_of(&some);
        const compile_memory_counts got = count(&m, runs, RANDOM_RUNS, &f->mem);
        const double dram = (double)(got.fetched + got.stored) * some.dram,
                     all = dram + (double)(got.kernel + got.moved + got.stored) +
                           4 * some.latency * RANDOM_RUNS;
        assert_int_equal(got.stored, stored);
        assert_true(got.cycles >= dram && got.cycles >= (double)got.kernel &&
                    got.cycles >= (double)got.moved);
        assert_true(got.cycles <= all);
        assert_true(got.fetched >= once && got.fetched <= got.moved);
        quota_add(&shown, true, got.fetched == got.moved);
        m.buffer_bytes = 1000;
        assert_int_equal(count(&m, runs, RANDOM_RUNS, &f->mem).fetched, once);
        m.buffer_bytes = 0;
        assert_int_equal(count(&m, runs, RANDOM_RUNS, &f->mem).fetched, got.moved);
    }
    assert_false(quota_failed(&shown));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cases, fixture_set_up, fixture_tear_down),
        cmocka_unit_test_setup_teardown(test_bounds, fixture_set_up, fixture_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
