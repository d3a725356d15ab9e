/* The model of what the chip takes for pairs of sub-tiles against what the co-simulated chip took. */
#include "firmware/firmware.h"
#include "tests/firmware/random_plan.h"

/* `pairs` alike, of `pair` cycles. */
static fw_work work_of(uint64_t pairs, double pair, uint32_t loads, uint32_t stores) {
    fw_work w = {.loads = loads, .stores = stores};
    w.of[10] = (fw_pairs){pairs, (double)pairs * pair};
    return w;
}

/* Array cycles of a start pulse in the long run: one copy, two that start together, and of a pair of two that
 * start apart. Short pairs, which the processor is not done with, and long ones. */
static void measured_kernels(void **state) {
    fixture *f = *state;
    pnr_board b = onyx_board(f);
    static const struct {
        const char *kernel;
        uint32_t loads, stores;
        double pair, one, together, apart, percent;
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
        const fw_work w = work_of(PAIRS, rows[i].pair, rows[i].loads, rows[i].stores);
        const double got[] = {fw_chip_cycles(&w, 1, false, &b) / PAIRS,
                              fw_chip_cycles(&w, 2, false, &b) / (PAIRS / 2),
                              fw_chip_cycles(&w, 2, true, &b) / PAIRS},
                     want[] = {rows[i].one, rows[i].together, rows[i].apart};
        for (int k = 0; k < 3; k++)
            if (got[k] < want[k] * (1 - rows[i].percent / 100) ||
                got[k] > want[k] * (1 + rows[i].percent / 100))
                fail_msg("%s, %d: %.0f cycles, measured %.0f", rows[i].kernel, k, got[k], want[k]);
    }
    pnr_board_free(&b);
}

/* What holds of any work: never less than the array alone takes, and the processor takes it once for each
 * pair. */
static void copies_and_pairs(void **state) {
    fixture *f = *state;
    pnr_board b = onyx_board(f);
    prng p = prng_seed(1);
    const fw_work none = {.loads = 3, .stores = 2};
    assert_true(fw_chip_cycles(&none, 2, false, &b) < 1 && fw_chip_cycles(&none, 2, true, &b) < 1);
    for (int round = 0; round < 1000; round++) {
        fw_work w = {.loads = 1 + prng_below(&p, 8), .stores = 1 + prng_below(&p, 8)};
        double alone = 0, pairs = 0;
        for (uint32_t i = 0; i < TILE_COSTS; i++) {
            uint64_t here = prng_below(&p, 4) ? 0 : prng_below(&p, 100);
            w.of[i] = (fw_pairs){here, (double)here * (double)(1u << i % 20)};
            alone += w.of[i].cycles;
            pairs += (double)here;
        }
        fw_work twice = w;
        twice.loads *= 2;
        for (uint32_t copies = 1; copies <= 4; copies++) {
            assert_true(fw_chip_cycles(&w, copies, false, &b) >= alone / copies);
            assert_true(fw_chip_cycles(&w, copies, true, &b) >= alone / copies);
            assert_true(fw_chip_cycles(&w, copies, true, &b) >= 2 * 220 * pairs);
            assert_true(fw_chip_cycles(&twice, copies, true, &b) >= fw_chip_cycles(&w, copies, true, &b));
            assert_true(fw_chip_cycles(&twice, copies, false, &b) >= fw_chip_cycles(&w, copies, false, &b));
        }
    }
    pnr_board_free(&b);
}

/* The faster way by the model is the faster one on the chip: docs/studies.md, Figure 5.16; pairs of the mean
 * length, or half of them three times as long as the others. */
static void the_faster_way(void **state) {
    fixture *f = *state;
    pnr_board b = onyx_board(f);
    static const struct {
        uint64_t pairs;
        double pair;
        bool apart;
    } rows[] = {{17, 3723, true}, {512, 817, false}, {511, 1327, false}, {878, 7086, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fw_work w = work_of(rows[i].pairs, rows[i].pair, 6, 3);
        assert_int_equal(fw_chip_cycles(&w, 2, true, &b) < fw_chip_cycles(&w, 2, false, &b), rows[i].apart);
        uint64_t half = rows[i].pairs / 2;
        w.of[10] = (fw_pairs){half, (double)half * rows[i].pair / 2};
        w.of[11] = (fw_pairs){half, (double)half * rows[i].pair * 3 / 2};
        assert_int_equal(fw_chip_cycles(&w, 2, true, &b) < fw_chip_cycles(&w, 2, false, &b), rows[i].apart);
    }
    pnr_board_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(measured_kernels),
        TEST(copies_and_pairs),
        TEST(the_faster_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
