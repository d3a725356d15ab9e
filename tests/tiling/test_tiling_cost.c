/* The model of the chip's cycles for pairs of sub-tiles, against cycles of the co-simulated chip. */
#include "tests/quota.h"
#include "tests/test.h"
#include "tiling/choose.h"

enum { RATIO = 2 }; /* board onyx: 970 MHz by 500 MHz */

static void expect(tile_forecast *f, uint32_t bin, uint64_t runs, double cycles) {
    f->runs += runs;
    f->cycles += cycles;
    f->alike[bin].runs += runs;
    f->alike[bin].cycles += cycles;
    if (runs && cycles / (double)runs > f->alike[bin].longest)
        f->alike[bin].longest = cycles / (double)runs;
}

/* `pairs` alike, of `pair` cycles. */
static tile_forecast alike(uint64_t pairs, double pair) {
    tile_forecast f = {0};
    expect(&f, 10, pairs, (double)pairs * pair);
    return f;
}

/* Array cycles of a start pulse in the long run: a single copy, two copies with a common start, and a pair of
 * two copies with independent starts. Pairs are short (the processor is the bottleneck) or long. */
static void measured_kernels(void **state) {
    (void)state;
    static const struct {
        const char *kernel;
        uint32_t loads, stores;
        double pair, one, lockstep, independent, percent;
    } rows[] = {{"2 b, short", 2, 2, 78, 941, 1175, 895, 10},
                {"b c, short", 4, 2, 82, 1138, 1676, 1071, 10},
                {"SpMV, short", 5, 2, 177, 1317, 1848, 1200, 10},
                {"SpM*SpM, short", 6, 3, 314, 1473, 2015, 1310, 12},
                {"A + B, short", 6, 3, 150, 1522, 2373, 1407, 10},
                {"2 b, long", 2, 2, 3472, 3994, 4150, 1988, 6},
                {"b c, long", 4, 2, 3453, 3991, 4157, 2000, 6},
                {"SpMV, long", 5, 2, 2284, 2821, 3013, 1427, 6},
                {"SpM*SpM, long", 6, 3, 3622, 4242, 4500, 2103, 6},
                {"A + B, long", 6, 3, 3071, 3672, 3947, 1947, 6}};
    enum { PAIRS = 1000 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const tile_forecast f = alike(PAIRS, rows[i].pair);
        const tile_driver by = {.loads = rows[i].loads, .stores = rows[i].stores, .ratio = RATIO};
        const double got[] = {tile_chip_cycles(&f, &by, 1, false) / PAIRS,
                              tile_chip_cycles(&f, &by, 2, false) / (PAIRS / 2),
                              tile_chip_cycles(&f, &by, 2, true) / PAIRS},
                     want[] = {rows[i].one, rows[i].lockstep, rows[i].independent};
        for (int k = 0; k < 3; k++)
            if (got[k] < want[k] * (1 - rows[i].percent / 100) ||
                got[k] > want[k] * (1 + rows[i].percent / 100))
                fail_msg("%s, %d: %.0f cycles, measured %.0f", rows[i].kernel, k, got[k], want[k]);
    }
}

/* A processor by the table of instructions is slower, and by as much as its memories and the bus wait. */
static void a_slower_processor(void **state) {
    (void)state;
    const tile_forecast f = alike(100, 80);
    tile_driver by = {.loads = 6, .stores = 3, .ratio = RATIO};
    const double counted = tile_chip_cycles(&f, &by, 1, false), least = tile_processor_pace(false, 0, 0, 0),
                 most = tile_processor_pace(true, 1, 4, 7);
    assert_true(least > 1 && tile_processor_pace(true, 0, 0, 0) > least);
    assert_true(most > tile_processor_pace(true, 1, 4, 0) && most > tile_processor_pace(true, 1, 0, 7) &&
                most > tile_processor_pace(true, 0, 4, 7));
    by.pace = most;
    const double slow = tile_chip_cycles(&f, &by, 1, false);
    assert_true(slow > counted * most * 0.99 &&
                slow < counted * most * 1.01); /* short pairs are the processor's */
}

/* Properties for any work: at least the array's own cycles, and the processor's cycles once for each pair. */
static void copies_and_pairs(void **state) {
    (void)state;
    prng p = prng_seed(1);
    quota shown = {0}; /* trivial: no work */
    const tile_forecast none = {0};
    const tile_driver few = {.loads = 3, .stores = 2, .ratio = RATIO}, nothing = {.loads = 3, .stores = 2};
    assert_true(tile_chip_cycles(&none, &few, 2, false) < 1 && tile_chip_cycles(&none, &few, 2, true) < 1);
    for (int round = 0; round < 1000; round++) {
        const tile_driver by = {.loads = 1 + prng_below(&p, 8),
                                .stores = 1 + prng_below(&p, 8),
                                .ratio = RATIO},
                          more = {.loads = 2 * by.loads, .stores = by.stores, .ratio = RATIO};
        tile_forecast f = {0};
        for (uint32_t i = 0; i < 20; i++) {
            uint64_t here = prng_below(&p, 4) ? 0 : prng_below(&p, 100);
            expect(&f, i, here, (double)here * (double)(1u << i));
        }
        quota_add(&shown, true, f.runs == 0);
        for (uint32_t copies = 1; copies <= 4; copies++) {
            double lockstep = tile_chip_cycles(&f, &by, copies, false),
                   independent = tile_chip_cycles(&f, &by, copies, true);
            assert_true(lockstep >= f.cycles / copies && independent >= f.cycles / copies);
            assert_true(independent >= RATIO * 220.0 * (double)f.runs);
            assert_true(tile_chip_cycles(&f, &more, copies, false) >= lockstep);
            assert_true(tile_chip_cycles(&f, &more, copies, true) >= independent);
        }
        double alone = tile_chip_cycles(&f, &nothing, 1, false);
        assert_true(alone >= f.cycles * 0.999 && alone < f.cycles * 1.001 + 1);
    }
    assert_false(quota_failed(&shown));
}

/* The faster dispatch by the model is the faster dispatch on the chip: docs/notebook/studies.md, Figure 5.16;
 * pairs have the mean length, or half of the pairs are three times as long as the rest. */
static void the_faster_way(void **state) {
    (void)state;
    static const struct {
        uint64_t pairs;
        double pair;
        bool independent;
    } rows[] = {{17, 3723, true}, {512, 817, false}, {511, 1327, false}, {878, 7086, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const tile_driver by = {.loads = 6, .stores = 3, .ratio = RATIO};
        const tile_forecast same = alike(rows[i].pairs, rows[i].pair);
        uint64_t half = rows[i].pairs / 2;
        tile_forecast halves = {0};
        expect(&halves, 10, half, (double)half * rows[i].pair / 2);
        expect(&halves, 11, half, (double)half * rows[i].pair * 3 / 2);
        assert_int_equal(tile_chip_cycles(&same, &by, 2, true) < tile_chip_cycles(&same, &by, 2, false),
                         rows[i].independent);
        assert_int_equal(tile_chip_cycles(&halves, &by, 2, true) < tile_chip_cycles(&halves, &by, 2, false),
                         rows[i].independent);
    }
}

/* Copies with a common start end with their longest run, whatever the classes of the rest; in a class the
 * longest run may be much longer than the average. */
static void a_pass_takes_as_long_as_its_longest_run(void **state) {
    (void)state;
    const tile_driver nothing = {.ratio = 0};
    tile_forecast f = {0}, ramp = {0};
    expect(&f, 12, 1, 5000);
    expect(&f, 11, 1, 2500);
    expect(&f, 9, 1, 600);
    expect(&f, 9, 3, 1800);
    const double three = tile_chip_cycles(&f, &nothing, 3, false),
                 two = tile_chip_cycles(&f, &nothing, 2, false);
    assert_true(three > 5600 * 0.99 && three < 5600 * 1.06);
    assert_true(two > 6200 * 0.99 && two < 6200 * 1.06);
    expect(&ramp, 10, 1, 2000);
    expect(&ramp, 10, 3, 1100 + 1400 + 1700);
    const double pair = tile_chip_cycles(&ramp, &nothing, 2, false);
    assert_true(pair > 3400 * 0.99 && pair < 3400 * 1.06);
}

/* Runs of a few lengths, pass by pass: the longest runs come first, and a pass takes the time of its first
 * run. */
static void passes_are_those_of_a_list(void **state) {
    (void)state;
    enum { CLASSES = 5, MOST = 6 };
    const tile_driver nothing = {.ratio = 0};
    uint32_t random = 7;
    for (uint32_t trial = 0; trial < 300; trial++) {
        const uint32_t copies = 1 + trial % 7;
        tile_forecast f = {0}, one = {0};
        double length[CLASSES * MOST], want = 0;
        uint32_t n = 0;
        for (uint32_t c = CLASSES; c-- > 0;) {
            random = random * 1664525 + 1013904223;
            const double each = (double)(96 << c);
            const uint32_t runs = (random >> 16) % MOST;
            expect(&f, 5 + c, runs, runs * each);
            for (uint32_t r = 0; r < runs; r++)
                length[n++] = each;
        }
        for (uint32_t r = 0; r < n; r += copies)
            want += length[r];
        expect(&one, 5, copies, copies * 1000.0); /* a pass: loss of copies with a common start */
        const double lost = tile_chip_cycles(&one, &nothing, copies, false) / 1000,
                     got = tile_chip_cycles(&f, &nothing, copies, false);
        assert_true(got > want * lost - 0.001 && got < want * lost + 0.001);
    }
}

/* Little work does not pay for configuring another copy, much work does, and on request all copies are
 * used. */
static void copies_are_as_many_as_pay(void **state) {
    (void)state;
    const tile_driver by = {.loads = 6, .stores = 3, .ratio = RATIO};
    tile_room room = {.lockstep = 4, .independent = 2, .cells = 27};
    const tile_forecast little = alike(4, 300), much = alike(1000, 3000), none = {0};
    assert_int_equal(tile_best_share(&little, &by, &room).copies, 1);
    assert_int_equal(tile_best_share(&none, &by, &room).copies, 1);
    const tile_share best = tile_best_share(&much, &by, &room);
    assert_true(best.copies == 4 && !best.alone);
    assert_true(best.cycles < tile_chip_cycles(&much, &by, 1, false));
    room.all = true;
    assert_true(tile_best_share(&little, &by, &room).copies >= 2);
    const tile_share alone = tile_best_share(&much, &by, &(tile_room){0});
    assert_int_equal(alone.copies, 1);
}

/* Partial sums, pieces of results and words of the host count as stated: sums and pieces by the processor, or
 * by the host if sooner. */
static void parts_and_words_count_where_their_time_does(void **state) {
    (void)state;
    tile_forecast f = alike(10, 1000);
    tile_driver by = {.loads = 3, .stores = 1, .ratio = RATIO};
    const tile_room room = {.lockstep = 1};
    const double array = tile_best_share(&f, &by, &room).cycles;
    f.partials = 100;
    f.words = 500;
    assert_true(tile_best_share(&f, &by, &room).cycles == array);
    by.join = tile_join_cycles(TILE_DTYPE_BF16);
    by.asked = 7000;
    by.put = 14;
    assert_true(tile_best_share(&f, &by, &room).cycles == array + fmin(100 * by.join, 7000 + 100 * 7));
    f.partials = 10;
    assert_true(tile_best_share(&f, &by, &room).cycles == array + 10 * by.join);
    by.piece = tile_piece_cycles();
    assert_true(tile_best_share(&f, &by, &room).cycles ==
                array + fmin(10 * by.join + 10 * by.piece, 7000 + 10 * 7));
    f = alike(1, 1000);
    const double with = tile_best_share(&f, &by, &room).cycles;
    by.piece = 0;
    assert_true(tile_best_share(&f, &by, &room).cycles == with); /* a single piece stays where it is */
    f = alike(10, 1000);
    f.partials = 10;
    f.words = 500;
    by.word = 100;
    assert_true(tile_best_share(&f, &by, &room).cycles == array + 10 * by.join + 100 * (500 + 10 * 7));
}

RUN_TESTS(TEST(a_slower_processor), TEST(parts_and_words_count_where_their_time_does),
          TEST(copies_are_as_many_as_pay), TEST(measured_kernels), TEST(copies_and_pairs),
          TEST(the_faster_way), TEST(a_pass_takes_as_long_as_its_longest_run),
          TEST(passes_are_those_of_a_list))
