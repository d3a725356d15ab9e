/* Timing of designs small enough to be added up by hand from boards/onyx-8x8.json. */
#include "tests/pnr/design.h"

static void time_design(fixture *f, const netlist *n, const pnr_board *b, const pnr_site *fixed,
                        bool pipeline, pnr_design *design, pnr_timing *t) {
    pnr_options o = pnr_options_default();
    o.fixed = fixed;
    o.pipeline = pipeline;
    o.moves = 2000;
    place_and_route(f, n, b, &o, design);
    assert_true(pnr_sta(design, &f->mem, &f->diag, t));
}

/* A net from one cell to another. */
static netlist *pair_netlist(fixture *f, char from, char to, uint8_t port) {
    netlist *n = new_netlist(f);
    net_cell source = add_cell(f, n, from), sink = add_cell(f, n, to);
    connect_cells(f, n, source, 0, sink, port);
    return n;
}

/* A net from one PE to two. */
static netlist *fork_netlist(fixture *f) {
    netlist *n = new_netlist(f);
    net_cell from = add_cell(f, n, 'p'), one = add_cell(f, n, 'p'), two = add_cell(f, n, 'p');
    net_data *net = add_net(f, n, from, 0);
    add_sink(f, net, one, 0);
    add_sink(f, net, two, 0);
    return n;
}

/* PE at (0,4), PE at (1,4): launch 486, ready through one switch box 208, capture 450. */
static void adjacent_tiles_are_at_the_floor(void **state) {
    fixture *f = *state;
    pnr_board b = read_board(f, "onyx-8x8");
    netlist *n = pair_netlist(f, 'p', 'p', 0);
    pnr_site fixed[2] = {{0, 4}, {1, 4}};
    pnr_design design;
    pnr_timing t;
    time_design(f, n, &b, fixed, true, &design, &t);
    assert_int_equal(t.period_ps, 486 + 208 + 450);
    assert_int_equal(t.floor_ps, t.period_ps);
    assert_int_equal(t.paths.at[t.worst_net].kind, PNR_PATH_LOOP);
    assert_int_equal(t.core_ps, 700);
    pnr_board_free(&b);
}

/* Three hops between PEs. Without FIFOs: three times ready, launch, twice valid, capture. With a pair: the
 * tile's loop ends at the pair, the last stretch is register mux, one switch box, capture. */
static void a_pair_cuts_the_path(void **state) {
    fixture *f = *state;
    pnr_board b = read_board(f, "onyx-8x8");
    netlist *n = pair_netlist(f, 'p', 'p', 0);
    pnr_site fixed[2] = {{0, 4}, {0, 7}};
    pnr_design design;
    pnr_timing t;
    time_design(f, n, &b, fixed, false, &design, &t);
    assert_int_equal(t.period_ps, 3 * 208 + 486 + 2 * 182 + 450);
    assert_int_equal(t.paths.at[0].steps.len, 3 + 1 + 3 + 1);
    time_design(f, n, &b, fixed, true, &design, &t);
    assert_int_equal(t.period_ps, 208 + 486 + 182);
    assert_true(t.period_ps <= t.floor_ps);
    pnr_board_free(&b);
}

/* An input is not gated by ready: io_core, then capture. */
static void an_input_above_its_tile_takes_no_hop(void **state) {
    fixture *f = *state;
    pnr_board b = read_board(f, "onyx-8x8");
    netlist *n = pair_netlist(f, '<', 'p', 0);
    pnr_site fixed[2] = {{0, 0}, {0, 1}};
    pnr_design design;
    pnr_timing t;
    time_design(f, n, &b, fixed, true, &design, &t);
    assert_int_equal(t.period_ps, 1000 + 450);
    assert_int_equal(t.paths.at[0].kind, PNR_PATH_DATA);
    pnr_board_free(&b);
}

/* PE feeds two PEs in a row behind it: the trunk is shared, the report says so. */
static void a_shared_trunk_is_explained(void **state) {
    fixture *f = *state;
    pnr_board b = read_board(f, "onyx-8x8");
    netlist *n = fork_netlist(f);
    pnr_site fixed[3] = {{0, 1}, {0, 6}, {0, 7}};
    pnr_design design;
    pnr_timing t;
    time_design(f, n, &b, fixed, true, &design, &t);
    assert_true(t.paths.at[0].shared_trunk);
    assert_true(t.period_ps > t.floor_ps * 21 / 20);
    cJSON *json = pnr_report(&design), *timing = cJSON_GetObjectItem(json, "timing");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(timing, "exceptions")), 1);
    assert_non_null(strstr(cJSON_GetObjectItem(cJSON_GetObjectItem(timing, "limited_by"), "why")->valuestring,
                           "no FIFO may stand before a fork"));
    assert_true(cJSON_GetObjectItem(json, "fmax_mhz")->valuedouble < 870);
    cJSON_Delete(json);
    pnr_board_free(&b);
}

static uint32_t count_pairs(const pnr_design *d) {
    uint32_t pairs = 0;
    for (uint32_t n = 0; n < d->route.len; n++)
        for (uint32_t i = 0; i < d->route.at[n].hops.len; i++)
            pairs += d->route.at[n].hops.at[i].fifo_start;
    return pairs;
}

/* Fifteen PEs below each other and a net from the first to the last: room for seven pairs. The next net is at
 * the floor, 1144 ps, which the long one reaches with fewer: every stretch may cross a few switch boxes. */
static void midpoint_pairs_keep_the_period_with_fewer(void **state) {
    fixture *f = *state;
    pnr_board b = read_board(f, "onyx");
    netlist *n = new_netlist(f);
    net_cell from = add_cell(f, n, 'p'), to = add_cell(f, n, 'p'), near = add_cell(f, n, 'p');
    connect_cells(f, n, from, 0, to, 0);
    connect_cells(f, n, to, 0, near, 0);
    pnr_site fixed[3] = {{0, 1}, {0, 16}, {1, 16}};
    pnr_options o = pnr_options_default();
    pnr_design all, few;
    pnr_timing t_all, t_few;
    o.fixed = fixed;
    place_and_route(f, n, &b, &o, &all);
    o.pipeline = PNR_PIPELINE_MIDPOINT;
    place_and_route(f, n, &b, &o, &few);
    assert_true(pnr_sta(&all, &f->mem, &f->diag, &t_all) && pnr_sta(&few, &f->mem, &f->diag, &t_few));
    assert_int_equal(t_all.period_ps, 1144);
    assert_int_equal(t_few.period_ps, 1144);
    assert_int_equal(count_pairs(&all), 7);
    assert_true(count_pairs(&few) >= 2 && count_pairs(&few) <= 6);
    pnr_board_free(&b);
}

/* The netlist of a_shared_trunk_is_explained is led again: each branch has a way of its own. */
static void timing_leads_branches_apart(void **state) {
    fixture *f = *state;
    pnr_board b = read_board(f, "onyx-8x8");
    netlist *n = fork_netlist(f);
    pnr_site fixed[3] = {{0, 1}, {0, 6}, {0, 7}};
    pnr_options o = pnr_options_default();
    pnr_design design;
    pnr_timing t;
    o.fixed = fixed;
    o.timing = 1;
    place_and_route(f, n, &b, &o, &design);
    assert_true(pnr_sta(&design, &f->mem, &f->diag, &t));
    assert_int_equal(design.stats.repaired_nets, 1);
    assert_true(t.period_ps <= t.floor_ps * 21 / 20);
    pnr_board_free(&b);
}

/* An input above a MEM column whose sink is the MEM below the first: the single hop, 1000 + 300 + 490 ps, has
 * no room for a pair; three hops have. */
static void timing_makes_room_for_a_pair_behind_an_input(void **state) {
    fixture *f = *state;
    pnr_board b = read_board(f, "onyx-8x8");
    netlist *n = pair_netlist(f, '<', 'm', 2);
    pnr_site fixed[2] = {{3, 0}, {3, 2}};
    pnr_options o = pnr_options_default();
    pnr_design design;
    pnr_timing t;
    o.fixed = fixed;
    o.fabric_only = true;
    place_and_route(f, n, &b, &o, &design);
    assert_true(pnr_sta(&design, &f->mem, &f->diag, &t));
    assert_int_equal(t.period_ps, 1000 + 300 + 490);
    o.timing = 1;
    place_and_route(f, n, &b, &o, &design);
    assert_true(pnr_sta(&design, &f->mem, &f->diag, &t));
    assert_int_equal(pnr_hops(&design), 3);
    assert_int_equal(t.period_ps, 1000 + 300 + 185);
    pnr_board_free(&b);
}

/* A MEM feeds a PE directly and over a chain of PEs: after `chain` of them, 3 cycles each, the direct path
 * must hold as many tokens; its FIFOs hold 4. */
static void a_join_after_a_long_chain_is_named(void **state) {
    fixture *f = *state;
    pnr_board b = read_board(f, "onyx-8x8");
    for (uint32_t chain = 1; chain < 4; chain++) {
        netlist *n = new_netlist(f);
        net_cell from = add_cell(f, n, 'm'), last = from, join;
        for (uint32_t i = 0; i < chain; i++) {
            net_cell next = add_cell(f, n, 'p');
            connect_cells(f, n, last, 0, next, 0);
            last = next;
        }
        join = add_cell(f, n, 'p');
        connect_cells(f, n, from, 1, join, 0);
        connect_cells(f, n, last, 0, join, 1);
        pnr_options o = pnr_options_default();
        o.pipeline = PNR_PIPELINE_NONE;
        pnr_design design;
        pnr_imbalance_vec starved = {0};
        place_and_route(f, n, &b, &o, &design);
        pnr_balance(&design, &f->mem, &starved);
        assert_int_equal(starved.len, 3 * chain > 4);
        if (starved.len) {
            assert_int_equal(starved.at[0].fork, from.v - 1);
            assert_int_equal(starved.at[0].join, join.v - 1);
            assert_int_equal(starved.at[0].latency, 3 * chain);
            assert_int_equal(starved.at[0].room, 4);
        }
    }
    pnr_board_free(&b);
}

/* A net of four hops beside a chain of two PEs: without pairs the join starves, midpoint pipelining sees to
 * it. */
static void midpoint_fills_the_short_path_of_a_join(void **state) {
    fixture *f = *state;
    pnr_board b = read_board(f, "onyx");
    netlist *n = new_netlist(f);
    net_cell from = add_cell(f, n, 'p'), one = add_cell(f, n, 'p'), two = add_cell(f, n, 'p');
    net_cell join = add_cell(f, n, 'p');
    connect_cells(f, n, from, 0, one, 0);
    connect_cells(f, n, one, 0, two, 0);
    connect_cells(f, n, two, 0, join, 0);
    connect_cells(f, n, from, 1, join, 1);
    pnr_site fixed[4] = {{0, 1}, {1, 1}, {1, 2}, {0, 5}};
    pnr_options o = pnr_options_default();
    o.fixed = fixed;
    o.pipeline = PNR_PIPELINE_NONE;
    pnr_design design;
    pnr_imbalance_vec starved = {0};
    place_and_route(f, n, &b, &o, &design);
    pnr_balance(&design, &f->mem, &starved);
    assert_int_equal(starved.len, 1);
    assert_int_equal(starved.at[0].latency - starved.at[0].room, 2);
    o.pipeline = PNR_PIPELINE_MIDPOINT;
    place_and_route(f, n, &b, &o, &design);
    pnr_balance(&design, &f->mem, &starved);
    assert_int_equal(starved.len, 0);
    pnr_board_free(&b);
}

static uint32_t pairs_before(const pnr_route *r, uint32_t sink) {
    uint32_t pairs = 0;
    for (uint32_t h = r->sinks.at[sink].hop; h != PNR_NO_HOP; h = r->hops.at[h].parent)
        pairs += r->hops.at[h].fifo_start;
    return pairs;
}

/* Every sink is wanted to have six pairs: between tiles it gets them; or more than a small array has room
 * for, and some stay as they were. Either way the design is legal and no sink loses pairs. */
static void stretched_ways_hold_the_pairs_wanted(void **state) {
    fixture *f = *state;
    static const char *const boards[] = {"onyx", "onyx-8x8", "onyx-4x2"};
    static const uint32_t most[] = {6, 6, 60};
    for (uint32_t k = 0; k < 3; k++) {
        pnr_board b = read_board(f, boards[k]);
        netlist *n = diamond_netlist(f, k < 2 ? 4 : 1);
        pnr_options o = pnr_options_default();
        pnr_design design;
        VEC(pnr_want) wants = {0};
        u32_vec before = {0};
        uint32_t got = 0, between = 0;
        place_and_route(f, n, &b, &o, &design);
        for (uint32_t i = 0; i < n->nets.len; i++)
            for (uint32_t s = 0; s < n->nets.at[i].sinks.len; s++) {
                const pnr_want want = {i, s, most[k]};
                vec_push(&f->mem, &wants, want);
                vec_push(&f->mem, &before, pairs_before(&design.route.at[i], s));
            }
        pnr_stretch(&design, wants.at, wants.len, &f->mem);
        if (!pnr_check(&design, &f->diag))
            fail_msg("%s", fixture_printed(f));
        for (uint32_t w = 0; w < wants.len; w++) {
            const net_data *net = &n->nets.at[wants.at[w].net];
            uint32_t pairs = pairs_before(&design.route.at[wants.at[w].net], wants.at[w].sink);
            bool io = net_cell_at(n, net->source.cell)->tag == 'I' ||
                      net_cell_at(n, net->sinks.at[wants.at[w].sink].cell)->tag == 'I';
            assert_true(pairs >= before.at[w]);
            assert_true(!io || pairs == before.at[w]);
            between += !io;
            got += !io && pairs >= most[k];
        }
        assert_true(k == 2 ? got < between : got == between);
        pnr_board_free(&b);
    }
}

static void a_board_without_a_delay_is_refused(void **state) {
    fixture *f = *state;
    pnr_board b = read_board(f, "onyx-8x8"), copy = b;
    netlist *n = pair_netlist(f, 'p', 'p', 0);
    pnr_design design;
    pnr_timing t;
    time_design(f, n, &b, NULL, true, &design, &t);
    copy.json = NULL;
    design.board = &copy;
    assert_false(pnr_sta(&design, &f->mem, &f->diag, &t));
    assert_true(has_code(f, "E0550-no-delay"));
    pnr_board_free(&b);
}

RUN_TESTS(TEST(adjacent_tiles_are_at_the_floor), TEST(a_pair_cuts_the_path),
          TEST(an_input_above_its_tile_takes_no_hop), TEST(a_shared_trunk_is_explained),
          TEST(midpoint_pairs_keep_the_period_with_fewer), TEST(timing_leads_branches_apart),
          TEST(timing_makes_room_for_a_pair_behind_an_input), TEST(a_board_without_a_delay_is_refused),
          TEST(a_join_after_a_long_chain_is_named), TEST(midpoint_fills_the_short_path_of_a_join),
          TEST(stretched_ways_hold_the_pairs_wanted))
