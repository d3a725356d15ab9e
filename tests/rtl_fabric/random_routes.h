/* random_routes.h - random configurations of an array: routes with every kind of register, cores that hear
 * something switched on; and random traffic at its edge. */
#ifndef ONYX_TESTS_RANDOM_ROUTES_H
#define ONYX_TESTS_RANDOM_ROUTES_H

#include <array>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "boards/onyx/fabric.h"

namespace random_routes {

enum { EAST, SOUTH, WEST, NORTH, SIDES, TRACKS = ONYX_TRACKS, OUTPUTS = 3, INPUTS = 4 };
static const unsigned OPPOSITE[SIDES] = {WEST, NORTH, EAST, SOUTH};
/* Constants of the board, set by CMakeLists.txt: MEM tiles stand in columns x with x % MEM_PERIOD ==
 * MEM_PHASE. */
static const unsigned MEM_PERIOD = ONYX_MEM_PERIOD, MEM_PHASE = ONYX_MEM_PHASE;
static const uint32_t RSG = 5, PE_ON = 1u << 19, MEM_ON = 1u << 24, IO_ON = 1u << 23;

struct Site {
    unsigned x, y;
    uint32_t id() const { return x << 8 | y; }
    bool mem() const { return x % MEM_PERIOD == MEM_PHASE; }
    Site next(unsigned side) const {
        return {x + (side == EAST) - (side == WEST), y + (side == SOUTH) - (side == NORTH)};
    }
};

struct Wire {
    unsigned side, track;
};

/* The arriving wire of output (b, u) with select k. */
inline Wire selected(unsigned b, unsigned u, unsigned k) {
    unsigned wire = onyx_switch_input[TRACKS * b + u][k];
    return {wire / TRACKS, wire % TRACKS};
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
    unsigned width, height;
    std::vector<Tile> tiles;
    std::mt19937 random;

    Design(unsigned w, unsigned h, uint32_t seed)
        : width(w), height(h), tiles(static_cast<size_t>(w) * (h + 1)), random(seed) {}
    Tile &at(Site s) { return tiles[s.y * width + s.x]; }
    bool inside(Site s) const { return s.x < width && s.y <= height; }
    bool chance(unsigned percent) { return random() % 100 < percent; }

    void set_bits(Site s, unsigned bit, unsigned bits, uint32_t value) {
        for (unsigned i = 0; i < bits; i++)
            if ((value >> i & 1) != 0)
                at(s).box[(bit + i) / 32] |= 1u << (bit + i) % 32;
    }
    struct Fields {
        bool enabled, registered;
        uint32_t end_fifo_start; /* of the register: bits 0, 1, 2 */
    };
    void set_output(Site s, Wire out, unsigned select, Fields f) {
        const onyx_switch_bits &bit = onyx_switch_bit[TRACKS * out.side + out.track];
        at(s).exists = at(s).used[TRACKS * out.side + out.track] = true;
        set_bits(s, bit.enable, 1, f.enabled);
        set_bits(s, bit.select, 3, select);
        set_bits(s, bit.rmux, 1, f.registered);
        set_bits(s, bit.end, 3, f.registered ? f.end_fifo_start : 0);
    }
    /* Mostly FIFOs, sometimes a plain register, or a disabled output. */
    void pave(Site s, Wire out, unsigned select) {
        uint32_t bits = random() % 8;
        bool registered = chance(25), fifo = chance(95), enabled = chance(fifo ? 99 : 70);
        set_output(s, out, select, {enabled, registered, fifo ? bits | 2 : bits & ~2u});
    }
    void listen(Site s, Wire from) {
        unsigned port = random() % INPUTS, code = 0;
        while (onyx_box_side[code] != from.side)
            code++;
        if (at(s).cb[port] == 0)
            at(s).cb[port] = (4 * from.track + code) << 1 | 1;
    }
    /* From a wire arriving at s: to core inputs and on, for a number of hops. */
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
        if (at(s).used[TRACKS * out.side + out.track] || (!inside(s.next(out.side)) && !chance(3)))
            return;
        pave(s, out, select);
        if (inside(s.next(out.side)))
            walk(s.next(out.side), {OPPOSITE[out.side], out.track}, hops - 1);
    }
    /* Enables every core with inputs, and uses its outputs. */
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
        for (unsigned x = 0; x < width; x++)
            for (unsigned track = 0; track < TRACKS; track++)
                if (chance(40))
                    walk({x, 1}, {NORTH, track}, 3 + random() % 12);
        for (unsigned round = 0; round < 3; round++)
            for (unsigned y = 1; y <= height; y++)
                for (unsigned x = 0; x < width; x++)
                    if (at({x, y}).cb != std::array<uint32_t, INPUTS>{} && at({x, y}).core[0] == 0)
                        add_core({x, y});
    }
    std::vector<std::pair<uint32_t, uint32_t>> words() {
        std::vector<std::pair<uint32_t, uint32_t>> out;
        for (unsigned x = 0; x < width; x++)
            if (chance(95))
                out.emplace_back(x << 8, IO_ON | (chance(5) ? random() & 0x1FFFFF : 0));
        for (unsigned y = 1; y <= height; y++)
            for (unsigned x = 0; x < width; x++) {
                Site s = {x, y};
                const Tile &t = at(s);
                if (!t.exists)
                    continue;
                const uint32_t pe_reg[] = {0, 1, 2, 3}, mem_reg[] = {0, 1, 12, 23, 46};
                const uint32_t box_feature = s.mem() ? ONYX_MEM_SWITCH_FEATURE : ONYX_PE_SWITCH_FEATURE;
                for (uint32_t i = 0; i < 6; i++)
                    out.emplace_back(i << 24 | box_feature << 16 | s.id(), t.box[i]);
                for (uint32_t i = 0; i < INPUTS; i++)
                    out.emplace_back((ONYX_BOX_FEATURE + i) << 16 | s.id(), t.cb[i]);
                for (unsigned i = 0; i < (s.mem() ? 5u : 4u); i++)
                    out.emplace_back((s.mem() ? mem_reg : pe_reg)[i] << 24 | s.id(), t.core[i]);
            }
        return out;
    }
};

/* Arrays under test: all() passes a call to every array, step() ends their cycle. The arrays get a random
 * design, and run. */
template <class Arrays> void configure(Design &d, Arrays &arrays) {
    d.build();
    arrays.all([](auto &array) { array.set_stall(0xFFFFFFFFu); });
    for (const auto &word : d.words()) {
        arrays.all([&](auto &array) { array.config_write(word.first, word.second); });
        arrays.step();
    }
    arrays.step();
    arrays.all([](auto &array) { array.set_stall(0); });
}

/* Stimulus of a cycle at the edge: busy phases with changes in all columns, and quiet phases. */
template <class Arrays> void traffic(Design &d, int cycle, Arrays &arrays) {
    auto all = [&](auto call) { arrays.all(call); };
    std::mt19937 &random = d.random;
    unsigned busy = cycle % 200 < 100 ? 100 : 3; /* percent of the columns */
    for (unsigned x = 0; x < d.width; x++) {
        if (random() % 100 < busy) {
            uint16_t data = static_cast<uint16_t>(random() % 4 == 0 ? random() : random() % 8);
            bool valid = random() % 3 != 0, ready = random() % 4 != 0;
            all([&](auto &array) {
                array.to_array(x, valid, data);
                array.from_array_ready(x, ready);
            });
        }
    }
    if (random() % 64 == 0) {
        uint32_t columns = random() % 2 == 0 ? 0 : static_cast<uint32_t>(random());
        all([&](auto &array) { array.set_stall(columns); });
    }
    if (random() % 256 == 0) {
        uint32_t groups = static_cast<uint32_t>(random() % 4);
        all([&](auto &array) { array.flush(groups); });
    }
}

} // namespace random_routes

#endif
