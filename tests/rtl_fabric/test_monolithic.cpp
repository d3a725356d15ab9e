/* test_monolithic.cpp - the forms of the array in RTL are one array:
 * - the fast view (sim/onyx_array.sv) has at every pin, in every cycle, what the tiles wired in
 *   rtl_models/rtl/onyx_array.sv have, on random routes, cores, traffic, stalls, flushes, reads and changes
 * of the configuration, and raises the monitors of the tile library;
 * - the fast view of the whole chip gives every word of the golden kernels in the cycle of the tile library,
 *   and raises the same monitors. */
#include "golden.h"
#include "random_routes.h"
#include "rtl_models/soc/array_glue.h"
#include "whole_array.h"

#include "Vonyx_fast.h"
#include "Vonyx_fast___024root.h"
#include "Vonyx_wired.h"

#include "golden_judge.h"

using namespace random_routes;

/* ---- fast view and wired tiles --------------------------------------------------------------- */

enum { WIDTH = ONYX_SMALL_COLUMNS, HEIGHT = ONYX_SMALL_ROWS };
using Fast = Monolithic<Vonyx_fast, WIDTH>;
using Wired = Monolithic<Vonyx_wired, WIDTH>;

/* The hazards of all tiles in turn. */
template <class Array> static std::vector<uint32_t> hazards_of(const Array &array, unsigned w, unsigned h) {
    std::vector<uint32_t> raised;
    for (unsigned y = 0; y <= h; y++)
        for (unsigned x = 0; x < w; x++)
            raised.push_back(array.hazards(x, y));
    return raised;
}

/* All under the same calls; stops the test at the first difference. */
struct Three {
    Fast fast;
    Wired wired;
    onyx::Array library{WIDTH, HEIGHT, MEM_PERIOD, MEM_PHASE};
    uint64_t moved = 0; /* words out */

    template <class Call> void all(Call call) {
        call(fast);
        call(wired);
        call(library);
    }
    /* False if the routes close a loop, which only the library supports. */
    bool step() {
        if (!library.step())
            return false;
        fast.step();
        wired.step();
        assert_int_equal(fast.config_answer(), wired.config_answer());
        for (unsigned x = 0; x < WIDTH; x++) {
            assert_int_equal(fast.to_array_ready(x), wired.to_array_ready(x));
            assert_int_equal(fast.from_array_valid(x), wired.from_array_valid(x));
            assert_int_equal(fast.from_array_data(x), wired.from_array_data(x));
            moved += wired.from_array_valid(x);
        }
        return true;
    }
    /* A register of some tile, or a word of its SRAM. */
    void ask(std::mt19937 &random) {
        uint32_t address = static_cast<uint32_t>(random() % 48 << 24 | random() % 15 << 16 |
                                                 random() % WIDTH << 8 | random() % (HEIGHT + 1));
        fast.config_ask(address);
        wired.config_ask(address);
        assert_int_equal(fast.config_answer(), wired.config_answer());
    }
};

/* While running: another core or connection box of some tile, or an IO tile on or off. */
static void change(Three &p, std::mt19937 &random) {
    uint32_t x = random() % WIDTH, y = random() % (HEIGHT + 1), data = static_cast<uint32_t>(random());
    uint32_t feature = random() % 2 == 0 ? 0 : 3 + random() % INPUTS; /* connection boxes from 3 on */
    if (y == 0) {
        feature = 0;
        data = random() % 2 == 0 ? 0 : IO_ON;
    }
    uint32_t reg = feature == 0 && y > 0 ? random() % 4 : 0;
    p.all([&](auto &array) { array.config_write(reg << 24 | feature << 16 | x << 8 | y, data); });
}

/* Words out of the array and monitors raised; none for a design with a loop. */
struct Played {
    uint64_t moved, hazards;
};

static Played play(uint32_t seed) {
    Design d(WIDTH, HEIGHT, seed);
    Three p;
    configure(d, p);
    for (int cycle = 0; cycle < 300; cycle++) {
        traffic(d, cycle, p);
        if (d.random() % 8 == 0)
            p.ask(d.random);
        else if (cycle > 150 && d.random() % 8 == 0)
            change(p, d.random);
        if (!p.step())
            return {0, 0};
    }
    const std::vector<uint32_t> raised = hazards_of(p.fast, WIDTH, HEIGHT);
    assert_true(raised == hazards_of(p.library, WIDTH, HEIGHT));
    uint64_t hazards = 0;
    for (uint32_t kinds : raised)
        hazards += kinds != 0;
    return {p.moved, hazards};
}

static void fast_view_is_the_wired_array_at_every_pin(void **) {
    uint64_t moved = 0, hazards = 0;
    unsigned idle = 0;
    const unsigned cases = 72, enough = 20; /* tiles whose monitors were raised */
    for (uint32_t seed = 1; seed <= cases; seed++) {
        Played p = play(seed);
        moved += p.moved;
        hazards += p.hazards;
        idle += p.moved == 0;
    }
    print_message("%u designs, %lu words out, %u without any, hazards at %lu tiles\n", cases,
                  static_cast<unsigned long>(moved), idle, static_cast<unsigned long>(hazards));
    assert_true(moved > 20 * cases && hazards > enough);
}

/* ---- whole chip and tile library ------------------------------------------------------------- */

/* False after a difference; *count = kernels found. (In a function of its own: skip() jumps past the
 * destructors of the test's locals.) */
static bool run_kernels(int *count) {
    const std::string folder = std::string(ONYX_SHARED_DIR) + "/data/onyx_bitstreams/golden_array/";
    bool right = true;
    for (const char *name : golden::KERNELS) {
        golden::Kernel k;
        if (!golden::load(folder + name, k))
            continue;
        if (++*count == 1)
            printf("%-24s %8s %18s %14s %16s\n", "kernel", "cycles", "words, cycles", "whole, a second",
                   "library, a second");
        WholeArray whole;
        onyx::Array library(ONYX_COLUMNS, ONYX_ROWS, MEM_PERIOD, MEM_PHASE);
        const long limit = 4 * k.total_cycles + 1000;
        golden::Run w = golden::run(whole, k, limit), l = golden::run(library, k, limit);
        const char *verdict = golden::verdict(k, w);
        if (*verdict == 0 && w.trace != l.trace)
            verdict = "  OTHER CYCLES";
        else if (*verdict == 0 &&
                 hazards_of(whole, ONYX_COLUMNS, ONYX_ROWS) != hazards_of(library, ONYX_COLUMNS, ONYX_ROWS))
            verdict = "  OTHER HAZARDS";
        right = right && *verdict == 0;
        printf("%-24s %8ld %18lx %14.0f %16.0f%s\n", name, w.cycles, static_cast<unsigned long>(w.trace),
               golden::cycles_a_second(w), golden::cycles_a_second(l), verdict);
    }
    return right;
}

static void whole_chip_has_the_cycles_of_the_library(void **) {
    int count = 0;
    bool right = run_kernels(&count);
    golden::judge(right, count);
}

int main() {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_view_is_the_wired_array_at_every_pin),
        cmocka_unit_test(whole_chip_has_the_cycles_of_the_library),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
