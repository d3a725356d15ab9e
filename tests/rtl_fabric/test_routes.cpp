/* test_routes.cpp - the compiled interconnect of onyx::Array against whole verilated tiles: on random routes
 * with registers, random cores, random traffic and stalls, the edge of the array is the same in every cycle.
 */
#include <string>

#include "random_routes.h"
#include "rtl_models/soc/array_glue.h"
#include "tile_array.h"

#include "cmocka_cpp.h"

using namespace random_routes;

static const unsigned WIDTH = 8, HEIGHT = 10; /* two columns of MEM, two rows of the far bus */

/* Both arrays under the same calls; stops the test at the first difference. */
struct Pair {
    onyx::Array a{WIDTH, HEIGHT, MEM_PERIOD, MEM_PHASE};
    std::unique_ptr<onyx::ArrayPins> tiles = onyx::tile_array(WIDTH, HEIGHT, MEM_PERIOD, MEM_PHASE);
    onyx::ArrayPins &b = *tiles;
    uint64_t moved = 0; /* words out */

    template <class Call> void all(Call call) {
        call(a);
        call(b);
    }
    bool step() {
        bool ran = a.step();
        assert_int_equal(b.step(), ran);
        for (unsigned x = 0; x < WIDTH; x++) {
            assert_int_equal(a.to_array_ready(x), b.to_array_ready(x));
            assert_int_equal(a.from_array_valid(x), b.from_array_valid(x));
            if (b.from_array_valid(x))
                assert_int_equal(a.from_array_data(x), b.from_array_data(x));
            moved += b.from_array_valid(x);
        }
        return ran;
    }
};

static uint64_t play(uint32_t seed) {
    Design d(WIDTH, HEIGHT, seed);
    Pair p;
    configure(d, p);
    for (int cycle = 0; cycle < 300; cycle++) {
        traffic(d, cycle, p);
        if (!p.step())
            return 0;
        if (cycle % 97 == 0) { /* reading a register disturbs nothing */
            uint32_t address = static_cast<uint32_t>(d.random() % 4 << 24 | d.random() % WIDTH << 8 |
                                                     d.random() % (HEIGHT + 1));
            assert_int_equal(p.a.config_read(address), p.b.config_read(address));
        }
    }
    return p.moved;
}

static void random_routes_have_the_cycles_of_the_tiles(void **) {
    uint64_t moved = 0;
    unsigned idle = 0;
    const unsigned cases = 40;
    for (uint32_t seed = 1; seed <= cases; seed++) {
        uint64_t words = play(seed);
        moved += words;
        idle += words == 0;
    }
    print_message("%u designs, %lu words out, %u without any\n", cases, static_cast<unsigned long>(moved),
                  idle);
    assert_true(moved > 20 * cases);
}

/* Round and round over four tiles, back to the first wire. */
static void a_loop_is_reported(void **) {
    Design d(WIDTH, HEIGHT, 1);
    const unsigned turns[] = {EAST, SOUTH, WEST, NORTH};
    Wire wire = {SOUTH, 0};
    Site site = {1, 1};
    do {
        for (unsigned side : turns) {
            unsigned track = 0, k = 0;
            while (selected(side, track, k).side != wire.side ||
                   selected(side, track, k).track != wire.track) {
                k = (k + 1) % 3;
                track += k == 0;
            }
            d.set_output(site, {side, track}, k, {true, false, 0});
            site = site.next(side);
            wire = {OPPOSITE[side], track};
        }
    } while (wire.track != 0);
    onyx::Array array(WIDTH, HEIGHT, MEM_PERIOD, MEM_PHASE);
    array.set_stall(0xFF);
    for (const auto &word : d.words()) {
        array.config_write(word.first, word.second);
        assert_true(array.step()); /* stalled, nothing has gone wrong yet */
    }
    array.set_stall(0);
    assert_false(array.step());
    assert_true(array.error().find("loop through tile x") != std::string::npos);
    array.reset();
    assert_true(array.step());
}

int main() {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_routes_have_the_cycles_of_the_tiles),
        cmocka_unit_test(a_loop_is_reported),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
