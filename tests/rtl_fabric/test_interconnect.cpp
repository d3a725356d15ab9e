/* test_interconnect.cpp - switch box, connection box and SplitFIFO against their written rules, built here a
 * second time and literally: the list of wires, the packing of fields by name, a queue of two. */
#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "Vonyx_cb.h"
#include "Vonyx_split_fifo.h"
#include "Vonyx_switch_box.h"
#include "Vonyx_tile_io.h"
#include "Vonyx_tile_pe.h"
#include "cmocka_cpp.h"
#include "rtl_models/soc/pins.h"

enum { EAST, SOUTH, WEST, NORTH, SIDES, TRACKS = 5 };
static const char *const SIDE_NAME[SIDES] = {"EAST", "SOUTH", "WEST", "NORTH"};

/* A side, onyx_pkg::side_t: bits [17 * track +: 17] are the track's data, the five from 85 on the valids. */
static uint32_t get_track(const EData *bundle, unsigned track) {
    uint32_t token = 0;
    for (unsigned i = 0; i < 17; i++)
        token |= (bundle[(17 * track + i) / 32] >> ((17 * track + i) % 32) & 1) << i;
    return token;
}
static void set_track(EData *bundle, unsigned track, uint32_t token) {
    for (unsigned i = 0; i < 17; i++) {
        unsigned bit = 17 * track + i;
        bundle[bit / 32] = (bundle[bit / 32] & ~(1u << bit % 32)) | (token >> i & 1) << bit % 32;
    }
}

static uint32_t get_valid(const EData *bundle) {
    return bundle[2] >> (85 - 64) & 0x1F;
}
static void set_valid(EData *bundle, uint32_t tracks) {
    bundle[2] = (bundle[2] & ~(0x1Fu << (85 - 64))) | tracks << (85 - 64);
}

template <class Model> struct Sides {
    EData *in[SIDES], *out[SIDES];
    CData *ready_in[SIDES], *ready_out[SIDES];
    explicit Sides(Model &m)
        : in{m.east_i.data(), m.south_i.data(), m.west_i.data(), m.north_i.data()}, out{m.east_o.data(),
                                                                                        m.south_o.data(),
                                                                                        m.west_o.data(),
                                                                                        m.north_o.data()},
          ready_in{&m.east_ready_i, &m.south_ready_i, &m.west_ready_i, &m.north_ready_i},
          ready_out{&m.east_ready_o, &m.south_ready_o, &m.west_ready_o, &m.north_ready_o} {
        for (unsigned s = 0; s < SIDES; s++) {
            *ready_in[s] = 0x1F;
            for (unsigned t = 0; t < TRACKS; t++)
                set_track(in[s], t, token_of(s, t));
        }
    }
    static uint32_t token_of(unsigned side, unsigned track) { return 0x10000 + 0x100 * side + 7 * track; }
};

template <class Model> static void clock(Model &m) {
    m.clk_i = 1;
    m.eval();
    m.clk_i = 0;
    m.eval();
}
template <class Model> static void power_up(Model &m) {
    for (int level : {1, 0, 1}) {
        m.rst_ni = static_cast<CData>(level);
        m.eval();
    }
}

/* ---- the switch box -------------------------------------------------------------------------- */

struct Wire {
    unsigned side, track;
};

/* Per output, its arriving wires in the order of their select values. An independent statement: the generated
 * tables of boards/onyx are tested against this list. */
static std::array<std::array<std::vector<Wire>, TRACKS>, SIDES> wire_list() {
    std::array<std::array<std::vector<Wire>, TRACKS>, SIDES> ends;
    auto pair = [&](unsigned a, unsigned ta, unsigned b, unsigned tb) {
        ends[b][tb].push_back({a, ta});
        ends[a][ta].push_back({b, tb});
    };
    for (unsigned t = 0; t < TRACKS; t++) {
        pair(WEST, t, NORTH, (5 - t) % 5);
        pair(NORTH, t, EAST, (t + 1) % 5);
        pair(SOUTH, t, EAST, (3 + 5 - t) % 5);
        pair(WEST, t, SOUTH, (t + 5 - 1) % 5);
        pair(WEST, t, EAST, t);
        pair(SOUTH, t, NORTH, t);
    }
    return ends;
}

/* The chip's packing: fields sorted by name, placed from bit 0, a new word when a field does not fit. */
struct Field {
    std::string name;
    unsigned width, bit = 0;
};
static std::vector<Field> packed_fields() {
    std::vector<Field> fields;
    for (unsigned t = 0; t < TRACKS; t++) {
        for (const char *side : SIDE_NAME) {
            std::string place = "T" + std::to_string(t) + "_" + side;
            for (const char *flag : {"end", "fifo", "start"})
                fields.push_back({"REG_" + place + "_B17_" + flag, 1});
            fields.push_back({"RMUX_" + place + "_B17_sel", 1});
            fields.push_back({"SB_" + place + "_SB_IN_B17_enable", 1});
            fields.push_back({"SB_" + place + "_SB_OUT_B17_enable", 1});
            fields.push_back({"SB_" + place + "_SB_OUT_B17_sel", 3});
        }
    }
    std::sort(fields.begin(), fields.end(), [](const Field &a, const Field &b) { return a.name < b.name; });
    unsigned bit = 0;
    for (Field &f : fields) {
        if (bit % 32 + f.width > 32)
            bit += 32 - bit % 32;
        f.bit = bit;
        bit += f.width;
    }
    return fields;
}

static void set_field(EData *words, const std::string &name, uint32_t value) {
    for (const Field &f : packed_fields())
        if (f.name == name) {
            uint32_t mask = (1u << f.width) - 1;
            words[f.bit / 32] = (words[f.bit / 32] & ~(mask << f.bit % 32)) | value << f.bit % 32;
            return;
        }
    fail_msg("no field %s", name.c_str());
}
static void set_output(EData *words, unsigned side, unsigned track, unsigned select) {
    std::string place = "SB_T" + std::to_string(track) + "_" + SIDE_NAME[side] + "_SB_OUT_B17_";
    set_field(words, place + "enable", 1);
    set_field(words, place + "sel", select);
}

static void switch_box_takes_the_wire_of_its_select(void **) {
    auto ends = wire_list();
    for (unsigned side = 0; side < SIDES; side++) {
        for (unsigned track = 0; track < TRACKS; track++) {
            assert_int_equal(ends[side][track].size(), 3);
            for (unsigned select = 0; select < 8; select++) {
                Vonyx_switch_box box;
                Sides<Vonyx_switch_box> io(box);
                power_up(box);
                box.core_i =
                    onyx::VALID | 0x3333 | (onyx::VALID | 0x4444ull) << 18 | (onyx::VALID | 0x5555ull) << 36;
                for (unsigned s = 0; s < SIDES; s++)
                    set_valid(io.in[s], 0x1F);
                set_output(box.words_i.data(), side, track, select);
                *io.ready_in[side] = static_cast<CData>(0x1F & ~(1u << track));
                box.eval();

                const uint32_t core[] = {0x3333, 0x4444, 0x5555};
                uint32_t expected = 0;
                if (select < 3)
                    expected = Sides<Vonyx_switch_box>::token_of(ends[side][track][select].side,
                                                                 ends[side][track][select].track);
                else if (select < 6)
                    expected = core[select - 3];
                assert_int_equal(get_track(io.out[side], track), expected);
                for (unsigned s = 0; s < SIDES; s++) { /* valid only there; ready missing there */
                    assert_int_equal(get_valid(io.out[s]), s == side && select < 6 ? 1u << track : 0);
                    unsigned waits = 0;
                    if (select < 3 && ends[side][track][select].side == s)
                        waits = 1u << ends[side][track][select].track;
                    assert_int_equal(*io.ready_out[s], 0x1F & ~waits);
                }
                assert_int_equal(box.core_ready_o,
                                 select >= 3 && select < 6 ? 7u & ~(1u << (select - 3)) : 7);
            }
        }
    }
}

static void ready_is_the_join_of_enabled_sinks(void **) {
    Vonyx_switch_box box;
    Sides<Vonyx_switch_box> io(box);
    power_up(box);
    auto ends = wire_list();
    /* WEST track 2 to all its three outputs. */
    std::vector<Wire> sinks;
    for (unsigned s = 0; s < SIDES; s++)
        for (unsigned t = 0; t < TRACKS; t++)
            for (unsigned k = 0; k < 3; k++)
                if (ends[s][t][k].side == WEST && ends[s][t][k].track == 2) {
                    set_output(box.words_i.data(), s, t, k);
                    sinks.push_back({s, t});
                }
    assert_int_equal(sinks.size(), 3);
    set_valid(io.in[WEST], 1u << 2);
    for (unsigned stalled = 0; stalled < 16; stalled++) {
        for (unsigned s = 0; s < SIDES; s++)
            *io.ready_in[s] = 0x1F;
        for (unsigned i = 0; i < 3; i++)
            if ((stalled >> i & 1) != 0)
                *io.ready_in[sinks[i].side] &= static_cast<CData>(~(1u << sinks[i].track));
        box.cb_wait_i = (stalled & 8) != 0 ? 1u << (4 * 2 + 3) : 0; /* a connection box on WEST track 2 */
        box.eval();
        assert_int_equal(*io.ready_out[WEST] >> 2 & 1, stalled == 0);
        for (const Wire &sink : sinks) /* nothing gates valid at an arriving wire */
            assert_int_equal(get_valid(io.out[sink.side]) >> sink.track & 1, 1);
    }
    /* A disabled output requests nothing. */
    set_field(box.words_i.data(),
              "SB_T" + std::to_string(sinks[0].track) + "_" + SIDE_NAME[sinks[0].side] + "_SB_OUT_B17_enable",
              0);
    box.cb_wait_i = 0;
    for (unsigned s = 0; s < SIDES; s++)
        *io.ready_in[s] = 0x1F;
    *io.ready_in[sinks[0].side] &= static_cast<CData>(~(1u << sinks[0].track));
    box.eval();
    assert_int_equal(*io.ready_out[WEST], 0x1F);
}

static void switch_box_register_is_where_its_fields_say(void **) {
    for (unsigned side = 0; side < SIDES; side++) {
        for (unsigned track = 0; track < TRACKS; track++) {
            Vonyx_switch_box box;
            Sides<Vonyx_switch_box> io(box);
            power_up(box);
            std::string place = "T" + std::to_string(track) + "_" + SIDE_NAME[side] + "_B17_";
            set_output(box.words_i.data(), side, track, 3);
            set_field(box.words_i.data(), "RMUX_" + place + "sel", 1);
            set_field(box.words_i.data(), "REG_" + place + "fifo", 1);
            set_field(box.words_i.data(), "REG_" + place + "end", 1);
            box.core_i = onyx::VALID | 0x1234;
            box.eval();
            assert_int_equal(get_valid(io.out[side]), 0);
            box.stall_i = 1;
            clock(box);
            assert_int_equal(get_valid(io.out[side]), 0);
            box.stall_i = 0;
            clock(box);
            box.core_i = 0;
            *io.ready_in[side] = 0;
            box.eval();
            assert_int_equal(get_valid(io.out[side]), 1u << track);
            assert_int_equal(get_track(io.out[side], track), 0x1234);
            assert_int_equal(box.core_ready_o, 6); /* full, and the sink is not ready */
            *io.ready_in[side] = 0x1F;
            box.eval();
            assert_int_equal(box.core_ready_o, 7); /* end lets ready through ... */
            set_field(box.words_i.data(), "REG_" + place + "start", 1);
            box.eval();
            assert_int_equal(box.core_ready_o, 6); /* ... start cuts it */
        }
    }
}

/* ---- the connection box ---------------------------------------------------------------------- */

static void connection_box_takes_the_wire_of_its_select(void **) {
    Vonyx_cb box;
    EData *sides[SIDES] = {box.east_i.data(), box.south_i.data(), box.west_i.data(), box.north_i.data()};
    const unsigned code[SIDES] = {2, 1, 3, 0};
    for (unsigned s = 0; s < SIDES; s++)
        for (unsigned t = 0; t < TRACKS; t++)
            set_track(sides[s], t, 0x10000 + 0x100 * s + t);
    for (unsigned s = 0; s < SIDES; s++) {
        for (unsigned t = 0; t < TRACKS; t++) {
            for (unsigned enable = 0; enable < 2; enable++) {
                box.sel_i = static_cast<CData>(4 * t + code[s]);
                box.enable_i = static_cast<CData>(enable);
                for (EData *side : sides)
                    set_valid(side, 0x1F);
                box.out_ready_i = 0;
                box.eval();
                assert_int_equal(box.out_o, enable * (onyx::VALID | (0x10000 + 0x100 * s + t)));
                assert_int_equal(box.wait_o, enable << box.sel_i);
                set_valid(sides[s], 0x1F & ~(1u << t));
                box.out_ready_i = 1;
                box.eval();
                assert_int_equal(box.out_o & onyx::VALID, 0);
                assert_int_equal(box.wait_o, 0);
            }
        }
    }
    for (unsigned select = 20; select < 32; select++) {
        box.sel_i = static_cast<CData>(select);
        box.enable_i = 1;
        box.out_ready_i = 0;
        for (EData *side : sides)
            set_valid(side, 0x1F);
        box.eval();
        assert_int_equal(box.out_o, 0);
        assert_int_equal(box.wait_o, 0);
    }
}

/* ---- SplitFIFO ------------------------------------------------------------------------------- */

/* A chain of SplitFIFOs with the given start and end bits, wired combinationally. */
struct Chain {
    std::vector<std::unique_ptr<Vonyx_split_fifo>> stage;
    Chain(std::initializer_list<std::pair<int, int>> start_end) {
        for (auto bits : start_end) {
            stage.push_back(std::make_unique<Vonyx_split_fifo>());
            Vonyx_split_fifo &f = *stage.back();
            f.ce_i = f.fifo_i = 1;
            f.start_i = static_cast<CData>(bits.first);
            f.end_i = static_cast<CData>(bits.second);
            power_up(f);
        }
    }
    void settle() {
        for (size_t round = 0; round < 2 * stage.size(); round++)
            for (size_t i = 0; i < stage.size(); i++) {
                if (i > 0) {
                    stage[i]->in_i = stage[i - 1]->out_o;
                    stage[i - 1]->out_ready_i = stage[i]->in_ready_o;
                }
                stage[i]->eval();
            }
    }
    Vonyx_split_fifo &front() { return *stage.front(); }
    Vonyx_split_fifo &back() { return *stage.back(); }
    void edge() {
        settle();
        for (auto &f : stage)
            f->clk_i = 1;
        for (auto &f : stage)
            f->eval();
        for (auto &f : stage) {
            f->clk_i = 0;
            f->eval();
        }
        settle();
    }
};

static void split_fifo_pair_is_a_queue_of_two(void **) {
    for (unsigned gaps = 0; gaps < 4; gaps++) {
        Chain pair{{1, 0}, {0, 1}};
        std::deque<uint32_t> model;
        std::mt19937 random(gaps);
        uint32_t next = 1;
        unsigned passed = 0;
        const unsigned cycles = 4000;
        for (unsigned cycle = 0; cycle < cycles; cycle++) {
            bool offer = (gaps & 1) == 0 || random() % 3 != 0, take = (gaps & 2) == 0 || random() % 3 != 0;
            pair.front().in_i = (offer ? onyx::VALID : 0) | next;
            pair.back().out_ready_i = take;
            pair.settle();
            /* Cut paths on both sides: ready and valid depend on the contents only, not on this cycle. */
            assert_int_equal(pair.back().out_o >> 17, !model.empty());
            assert_int_equal(pair.front().in_ready_o, model.size() < 2);
            if (!model.empty())
                assert_int_equal(pair.back().out_o, onyx::VALID | model.front());
            if (take && !model.empty()) {
                model.pop_front();
                passed++;
            }
            if (offer && pair.front().in_ready_o) {
                model.push_back(next);
                next = next % 0x1FFFF + 1;
            }
            pair.edge();
        }
        if (gaps == 0)
            assert_int_equal(passed, cycles - 1); /* a token a cycle after a cycle of latency */
        assert_true(passed > cycles / 3);
    }
}

static void one_split_fifo_alone_runs_at_half_rate(void **) {
    Chain one{{1, 1}};
    unsigned passed = 0;
    one.front().in_i = onyx::VALID;
    one.front().out_ready_i = 1;
    for (unsigned cycle = 0; cycle < 100; cycle++) {
        one.settle();
        passed += one.front().out_o >> 17;
        one.edge();
    }
    assert_int_equal(passed, 50);
}

/* ---- core outputs ---------------------------------------------------------------------------- */

template <class Model>
static void write_word(Model &tile, onyx::Control &control, uint32_t address, uint32_t data) {
    control.write(address, data);
    clock(tile);
    control.idle();
}

/* A repeat-signal generator whose output goes to EAST 0 and SOUTH 1: valid on both or on none. */
static void core_output_waits_for_all_its_sinks(void **) {
    Vonyx_tile_pe tile;
    Sides<Vonyx_tile_pe> io(tile);
    power_up(tile);
    onyx::Control control;
    control.bind(tile.control_i.data(), 2, 1);
    EData words[6] = {};
    set_output(words, EAST, 0, 3);
    set_output(words, SOUTH, 1, 3);
    for (uint32_t w = 0; w < 6; w++)
        write_word(tile, control, w << 24 | 14u << 16 | 0x0201, words[w]);
    write_word(tile, control, 0x00030201, 1 | (4 * 1 + 3) << 1); /* in0 <- WEST track 1 */
    write_word(tile, control, 0x00000201, 1);
    write_word(tile, control, 0x03000201, 1u << 19 | 5u << 16); /* tile_en, mode rsg */
    set_track(io.in[WEST], 1, 0x00042);
    set_valid(io.in[WEST], 1u << 1);
    *io.ready_in[EAST] = 0x1E; /* EAST 0 stalls */
    tile.eval();
    assert_int_equal(*io.ready_out[WEST] >> 1 & 1, 1);
    clock(tile);
    set_valid(io.in[WEST], 0);
    for (int i = 0; i < 10; i++) {
        clock(tile);
        assert_int_equal(get_valid(io.out[EAST]) & 1, 0);
        assert_int_equal(get_valid(io.out[SOUTH]) >> 1 & 1, 0);
    }
    *io.ready_in[EAST] = 0x1F;
    tile.eval();
    assert_int_equal(get_valid(io.out[EAST]) & 1, 1);
    assert_int_equal(get_valid(io.out[SOUTH]) >> 1 & 1, 1);
    assert_int_equal(get_track(io.out[EAST], 0), 1);
    assert_int_equal(get_track(io.out[SOUTH], 1), 1);
    clock(tile);
    assert_int_equal(get_valid(io.out[EAST]) & 1, 0);
}

static void io_tile_offers_all_tracks_and_hears_track_0(void **) {
    Vonyx_tile_io tile;
    power_up(tile);
    onyx::Control control;
    control.bind(tile.control_i.data(), 5, 0);
    write_word(tile, control, 0x00000500, 1u << 23);
    tile.glb2io_data_i = 0xBEEF;
    tile.glb2io_valid_i = 1;
    tile.south_ready_i = 0x1B;
    tile.eval();
    assert_int_equal(tile.glb2io_ready_o, 1);
    clock(tile);
    clock(tile);
    assert_int_equal(tile.glb2io_ready_o, 0);            /* two words inside */
    assert_int_equal(get_valid(tile.south_o.data()), 0); /* one track is not ready */
    tile.south_ready_i = 0x1F;
    tile.eval();
    assert_int_equal(get_valid(tile.south_o.data()), 0x1F);
    for (unsigned t = 0; t < TRACKS; t++)
        assert_int_equal(get_track(tile.south_o.data(), t), 0x0BEEF);

    set_track(tile.south_i.data(), 0, 0x1CAFE);
    set_track(tile.south_i.data(), 3, 0x00BAD);
    set_valid(tile.south_i.data(), 0x08);
    clock(tile);
    assert_int_equal(tile.io2glb_valid_o, 0);
    set_valid(tile.south_i.data(), 0x09);
    tile.eval();
    assert_int_equal(tile.south_ready_o, 1);
    clock(tile);
    assert_int_equal(tile.io2glb_valid_o, 1);
    assert_int_equal(tile.io2glb_data_o, 0xCAFE); /* bit 16 is dropped */
}

int main() {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switch_box_takes_the_wire_of_its_select),
        cmocka_unit_test(ready_is_the_join_of_enabled_sinks),
        cmocka_unit_test(switch_box_register_is_where_its_fields_say),
        cmocka_unit_test(connection_box_takes_the_wire_of_its_select),
        cmocka_unit_test(split_fifo_pair_is_a_queue_of_two),
        cmocka_unit_test(one_split_fifo_alone_runs_at_half_rate),
        cmocka_unit_test(core_output_waits_for_all_its_sinks),
        cmocka_unit_test(io_tile_offers_all_tracks_and_hears_track_0),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
