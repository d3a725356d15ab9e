/* test_routes.cpp - the compiled interconnect of onyx::Array against whole verilated tiles: on random routes
 * with registers, random cores, random traffic and stalls, the edge of the array is the same in every cycle.
 */
#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "rtl_models/array_glue.h"
#include "tile_array.h"

#include "cmocka_cpp.h"

enum { EAST, SOUTH, WEST, NORTH, SIDES, TRACKS = 5, OUTPUTS = 3, INPUTS = 4 };
static const unsigned WIDTH = 8, HEIGHT = 10; /* two columns of MEM, two rows of the far bus */
static const unsigned OPPOSITE[SIDES] = {WEST, NORTH, EAST, SOUTH};
static const uint32_t RSG = 5, PE_ON = 1u << 19, MEM_ON = 1u << 24, IO_ON = 1u << 23;

struct Site {
    unsigned x, y;
    uint32_t id() const { return x << 8 | y; }
    bool mem() const { return x % 4 == 3; }
    Site next(unsigned side) const {
        return {x + (side == EAST) - (side == WEST), y + (side == SOUTH) - (side == NORTH)};
    }
    bool inside() const { return x < WIDTH && y <= HEIGHT; }
};

struct Wire {
    unsigned side, track;
};

/* The arriving wire that output (b, u) takes with select k; the pairs as the header of onyx_switch_box.sv
 * lists them. */
static Wire selected(unsigned b, unsigned u, unsigned k) {
    for (unsigned t = 0; t < TRACKS; t++) {
        const struct {
            unsigned a, ta, b, tb;
        } pairs[] = {{WEST, t, NORTH, (5 - t) % 5},
                     {NORTH, t, EAST, (t + 1) % 5},
                     {SOUTH, t, EAST, (8 - t) % 5},
                     {WEST, t, SOUTH, (t + 4) % 5},
                     {WEST, t, EAST, t},
                     {SOUTH, t, NORTH, t}};
        for (const auto &p : pairs) {
            if (p.b == b && p.tb == u && k-- == 0)
                return {p.a, p.ta};
            if (p.a == b && p.ta == u && k-- == 0)
                return {p.b, p.tb};
        }
    }
    fail();
    return {};
}

/* A configuration under construction. */
struct Design {
    struct Tile {
        std::array<uint32_t, 6> box{};
        std::array<bool, SIDES * TRACKS> used{};
        std::array<uint32_t, INPUTS> cb{};
        uint32_t core[5] = {};
        bool exists = false;
    };
    std::vector<Tile> tiles = std::vector<Tile>(WIDTH * (HEIGHT + 1));
    std::mt19937 random;

    explicit Design(uint32_t seed) : random(seed) {}
    Tile &at(Site s) { return tiles[s.y * WIDTH + s.x]; }
    bool chance(unsigned percent) { return random() % 100 < percent; }

    void set_bits(Site s, unsigned bit, unsigned width, uint32_t value) {
        for (unsigned i = 0; i < width; i++)
            if ((value >> i & 1) != 0)
                at(s).box[(bit + i) / 32] |= 1u << (bit + i) % 32;
    }
    void set_output(Site s, Wire out, unsigned select, bool registered, uint32_t end_fifo_start) {
        static const unsigned by_name[SIDES] = {0, 2, 3, 1};
        unsigned n = 4 * out.track + by_name[out.side];
        at(s).exists = at(s).used[TRACKS * out.side + out.track] = true;
        set_bits(s, 81 + 5 * n + (n < 10 ? 0 : n < 16 ? 1 : 3), 1, 1);
        set_bits(s, 82 + 5 * n + (n < 9 ? 0 : n < 15 ? 1 : 3), 3, select);
        set_bits(s, 60 + n, 1, registered);
        set_bits(s, 3 * n, 3, registered ? end_fifo_start : 0);
    }
    /* Mostly FIFOs, now and then a plain register. */
    void pave(Site s, Wire out, unsigned select) {
        uint32_t bits = random() % 8;
        set_output(s, out, select, chance(25), chance(95) ? bits | 2 : bits & ~2u);
    }
    void listen(Site s, Wire from) {
        static const unsigned code[SIDES] = {2, 1, 3, 0};
        unsigned port = random() % INPUTS;
        if (at(s).cb[port] == 0)
            at(s).cb[port] = (4 * from.track + code[from.side]) << 1 | 1;
    }
    /* From a wire that arrives at s: to core inputs and on, until it has gone far enough. */
    void walk(Site s, Wire from, unsigned hops) {
        if (s.y == 0)
            return;
        at(s).exists = true;
        if (chance(35) || hops == 0)
            listen(s, from);
        for (unsigned side = 0; side < SIDES && hops > 0; side++)
            for (unsigned track = 0; track < TRACKS; track++)
                for (unsigned k = 0; k < 3; k++) {
                    Wire w = selected(side, track, k);
                    if (w.side == from.side && w.track == from.track && chance(45))
                        leave(s, {side, track}, k, hops);
                }
    }
    void leave(Site s, Wire out, unsigned select, unsigned hops) {
        if (at(s).used[TRACKS * out.side + out.track] || (!s.next(out.side).inside() && !chance(3)))
            return;
        pave(s, out, select);
        if (s.next(out.side).inside())
            walk(s.next(out.side), {OPPOSITE[out.side], out.track}, hops - 1);
    }
    /* Every core that hears something is switched on and heard. */
    void add_core(Site s) {
        Tile &t = at(s);
        t.core[0] = random();
        t.core[1] = random();
        t.core[2] = random() & 0x003FFFFF;
        t.core[3] = random();
        if (s.mem()) {
            t.core[0] |= 1u << 22 | 1u << 23 | 1;
            t.core[2] = random() | 1u << 31;
            t.core[4] = MEM_ON | (chance(5) ? random() & 0xFFFFF : 0);
        } else {
            t.core[0] |= 1;
            t.core[2] |= chance(5) ? random() & 0xFFC00000 : 0;
            t.core[3] = PE_ON | (chance(50) ? RSG : random() % 7) << 16 | (chance(5) ? random() & 0xFFFF : 0);
        }
        for (unsigned port = 0; port < OUTPUTS; port++)
            leave(s, {static_cast<unsigned>(random() % SIDES), static_cast<unsigned>(random() % TRACKS)},
                  3 + port, 6);
    }
    void build() {
        for (unsigned x = 0; x < WIDTH; x++)
            for (unsigned track = 0; track < TRACKS; track++)
                if (chance(40))
                    walk({x, 1}, {NORTH, track}, 3 + random() % 12);
        for (unsigned round = 0; round < 3; round++)
            for (unsigned y = 1; y <= HEIGHT; y++)
                for (unsigned x = 0; x < WIDTH; x++)
                    if (at({x, y}).cb != std::array<uint32_t, INPUTS>{} && at({x, y}).core[0] == 0)
                        add_core({x, y});
    }
    std::vector<std::pair<uint32_t, uint32_t>> words() {
        std::vector<std::pair<uint32_t, uint32_t>> out;
        for (unsigned x = 0; x < WIDTH; x++)
            if (chance(95))
                out.emplace_back(x << 8, IO_ON | (chance(5) ? random() & 0x1FFFFF : 0));
        for (unsigned y = 1; y <= HEIGHT; y++)
            for (unsigned x = 0; x < WIDTH; x++) {
                Site s = {x, y};
                const Tile &t = at(s);
                if (!t.exists)
                    continue;
                const uint32_t pe_reg[] = {0, 1, 2, 3}, mem_reg[] = {0, 1, 12, 23, 46};
                const uint32_t box_feature = s.mem() ? 11 : 14;
                for (uint32_t i = 0; i < 6; i++)
                    out.emplace_back(i << 24 | box_feature << 16 | s.id(), t.box[i]);
                for (uint32_t i = 0; i < INPUTS; i++)
                    out.emplace_back((3 + i) << 16 | s.id(), t.cb[i]);
                for (unsigned i = 0; i < (s.mem() ? 5u : 4u); i++)
                    out.emplace_back((s.mem() ? mem_reg : pe_reg)[i] << 24 | s.id(), t.core[i]);
            }
        return out;
    }
};

/* Both arrays under the same calls; stops the test at the first difference. */
struct Pair {
    onyx::Array a{WIDTH, HEIGHT};
    onyx::TileArray b{WIDTH, HEIGHT};
    uint64_t moved = 0; /* words out */

    template <class Call> void both(Call call) {
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
    void traffic(std::mt19937 &random, unsigned busy) {
        for (unsigned x = 0; x < WIDTH; x++) {
            if (random() % 100 < busy) {
                uint16_t data = static_cast<uint16_t>(random() % 4 == 0 ? random() : random() % 8);
                bool valid = random() % 3 != 0, ready = random() % 4 != 0;
                both([&](auto &array) {
                    array.to_array(x, valid, data);
                    array.from_array_ready(x, ready);
                });
            }
        }
        if (random() % 64 == 0) {
            uint32_t columns = random() % 2 == 0 ? 0 : static_cast<uint32_t>(random());
            both([&](auto &array) { array.set_stall(columns); });
        }
        if (random() % 256 == 0) {
            uint32_t groups = static_cast<uint32_t>(random() % 4);
            both([&](auto &array) { array.flush(groups); });
        }
    }
};

static uint64_t play(uint32_t seed) {
    Design d(seed);
    d.build();
    Pair p;
    p.both([](auto &array) { array.set_stall(0xFFFFFFFFu); });
    for (const auto &word : d.words()) {
        p.both([&](auto &array) { array.config_write(word.first, word.second); });
        p.step();
    }
    p.step();
    p.both([](auto &array) { array.set_stall(0); });
    for (int cycle = 0; cycle < 300; cycle++) {
        p.traffic(d.random, cycle % 200 < 100 ? 100 : 3);
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

/* Round and round over four tiles, until the wire is the one it started from. */
static void a_loop_is_reported(void **) {
    Design d(1);
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
            d.set_output(site, {side, track}, k, false, 0);
            site = site.next(side);
            wire = {OPPOSITE[side], track};
        }
    } while (wire.track != 0);
    onyx::Array array(WIDTH, HEIGHT);
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
