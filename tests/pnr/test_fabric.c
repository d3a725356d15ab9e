/* The fabric: the switch box as a graph, the numbering of its inputs, the kinds of tiles. */
#include "pnr/pnr.h"
#include "tests/test.h"

static pnr_board small_board(uint32_t tracks) {
    return (pnr_board){.name = "test",
                       .width = 8,
                       .height = 5,
                       .tracks = tracks,
                       .mem_period = 4,
                       .mem_phase = 3,
                       .glb_tiles = 4,
                       .columns_per_glb_tile = 2};
}

static void switch_box_is_a_bijection_between_any_two_sides(void **state) {
    (void)state;
    for (uint32_t tracks = 1; tracks <= 8; tracks++) {
        pnr_board b = small_board(tracks);
        for (pnr_side in = PNR_EAST; in <= PNR_NORTH; in++)
            for (pnr_side out = PNR_EAST; out <= PNR_NORTH; out++) {
                uint32_t seen = 0, to = 0;
                for (uint32_t t = 0; t < tracks; t++) {
                    assert_int_equal(pnr_switch_track(&b, in, t, out, &to), in != out);
                    if (in == out)
                        continue;
                    assert_true(to < tracks);
                    seen |= 1u << to;
                }
                assert_int_equal(seen, in == out ? 0 : (1u << tracks) - 1);
            }
    }
}

static void switch_box_is_symmetrical(void **state) {
    (void)state;
    for (uint32_t tracks = 1; tracks <= 8; tracks++) {
        pnr_board b = small_board(tracks);
        for (pnr_side in = PNR_EAST; in <= PNR_NORTH; in++)
            for (pnr_side out = PNR_EAST; out <= PNR_NORTH; out++)
                for (uint32_t t = 0; t < tracks && in != out; t++) {
                    uint32_t there = 0, back = 0;
                    assert_true(pnr_switch_track(&b, in, t, out, &there));
                    assert_true(pnr_switch_track(&b, out, there, in, &back));
                    assert_int_equal(back, t);
                }
    }
}

/* Drivers of each output of the chip's 5-track switch box, in mux order, from the published list for t =
 * 0..4: side letter and track. Rows: side (E, S, W, N), track. */
static const char *const chip_inputs[4][5] = {
    {"W0 S3 N4", "N0 W1 S2", "N1 S1 W2", "S0 N2 W3", "N3 S4 W4"},
    {"E3 N0 W1", "E2 N1 W2", "E1 N2 W3", "E0 N3 W4", "W0 E4 N4"},
    {"N0 S4 E0", "N4 S0 E1", "N3 S1 E2", "N2 S2 E3", "N1 S3 E4"},
    {"W0 E1 S0", "E2 S1 W4", "E3 S2 W3", "W2 E4 S3", "W1 E0 S4"},
};

static void selects_follow_the_chips_wire_list(void **state) {
    (void)state;
    pnr_board b = small_board(5);
    for (pnr_side out = PNR_EAST; out <= PNR_NORTH; out++)
        for (uint32_t track = 0; track < 5; track++)
            for (uint32_t k = 0; k < 3; k++) {
                const char *name = chip_inputs[out][track] + 3 * k;
                pnr_side in = (pnr_side)(strchr("ESWN", name[0]) - "ESWN");
                uint32_t from = (uint32_t)(name[1] - '0'), to = 0, select = 99;
                assert_true(pnr_switch_track(&b, in, from, out, &to));
                assert_int_equal(to, track);
                assert_true(pnr_switch_select(&b, in, from, out, track, &select));
                if (select != k)
                    fail_msg("output %c%u: %.2s is select %u, not %u", "ESWN"[out], track, name, select, k);
            }
}

static void selects_exist_only_for_wires_of_the_box(void **state) {
    (void)state;
    for (uint32_t tracks = 1; tracks <= 8; tracks++) {
        pnr_board b = small_board(tracks);
        for (pnr_side out = PNR_EAST; out <= PNR_NORTH; out++)
            for (uint32_t track = 0; track < tracks; track++) {
                uint32_t used = 0, wires = 0;
                for (pnr_side in = PNR_EAST; in <= PNR_NORTH; in++)
                    for (uint32_t t = 0; t < tracks; t++) {
                        uint32_t to = 0, select = 0;
                        bool joined = pnr_switch_track(&b, in, t, out, &to) && to == track;
                        assert_int_equal(pnr_switch_select(&b, in, t, out, track, &select), joined);
                        if (joined) {
                            used |= 1u << select;
                            wires++;
                        }
                    }
                assert_int_equal(wires, 3);
                assert_int_equal(used, 7);
            }
    }
}

static void sites_and_neighbours(void **state) {
    (void)state;
    pnr_board b = small_board(5);
    for (uint32_t y = 0; y < b.height; y++)
        for (uint32_t x = 0; x < b.width; x++) {
            net_tile want = y == 0 ? NET_TILE_IO : x == 3 || x == 7 ? NET_TILE_MEM : NET_TILE_PE;
            assert_int_equal(pnr_site_tile(&b, x, y), want);
            for (pnr_side side = PNR_EAST; side <= PNR_NORTH; side++) {
                uint32_t nx = 0, ny = 0, bx = 0, by = 0;
                bool inside = !(side == PNR_EAST && x == 7) && !(side == PNR_WEST && x == 0) &&
                              !(side == PNR_NORTH && y == 0) && !(side == PNR_SOUTH && y == 4);
                assert_int_equal(pnr_neighbour(&b, x, y, side, &nx, &ny), inside);
                if (inside) {
                    assert_true(pnr_neighbour(&b, nx, ny, pnr_opposite(side), &bx, &by));
                    assert_true(bx == x && by == y);
                }
            }
        }
    assert_int_equal(pnr_site_tile(&b, 8, 1), NET_TILE_NONE);
    assert_int_equal(pnr_site_tile(&b, 0, 5), NET_TILE_NONE);
}

RUN_TESTS(TEST(switch_box_is_a_bijection_between_any_two_sides), TEST(switch_box_is_symmetrical),
          TEST(selects_follow_the_chips_wire_list), TEST(selects_exist_only_for_wires_of_the_box),
          TEST(sites_and_neighbours))
