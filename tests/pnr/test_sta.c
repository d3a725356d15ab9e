/* Timing of designs small enough to be added up by hand from boards/onyx-8x8.json. */
#include "tests/pnr/design.h"

static void time_design(pnr_bench *p, const netlist *n, const pnr_site *fixed, bool pipeline) {
    p->o.fixed = fixed;
    p->o.pipeline = pipeline;
    p->o.moves = 2000;
    bench_design(p, n);
    assert_true(pnr_sta(&p->design, &p->f.mem, &p->f.diag, &p->t));
}

/* A net between two cells. */
static netlist *pair_netlist(fixture *f, char from, char to, uint8_t port) {
    netlist *n = new_netlist(f);
    net_cell source = add_cell(f, n, from), sink = add_cell(f, n, to);
    connect_cells(f, n, source, 0, sink, port);
    return n;
}

/* A net from a PE to two PEs. */
static netlist *fork_netlist(fixture *f) {
    netlist *n = new_netlist(f);
    net_cell from = add_cell(f, n, 'p'), one = add_cell(f, n, 'p'), two = add_cell(f, n, 'p');
    net_data *net = add_net(f, n, from, 0);
    add_sink(f, net, one, 0);
    add_sink(f, net, two, 0);
    return n;
}

/* PE at (0,4), PE at (1,4): launch 486, ready through one switch box 208, capture 450. Without pairs no
 * design is faster; with a pair a larger distance is faster: 486 + 208 + 182. */
static void adjacent_tiles_are_fastest_without_pairs(void **state) {
    pnr_bench *p = *state;
    netlist *n = pair_netlist(&p->f, 'p', 'p', 0);
    pnr_site fixed[2] = {{0, 4}, {1, 4}};
    time_design(p, n, fixed, false);
    assert_int_equal(p->t.period_ps, 486 + 208 + 450);
    assert_int_equal(p->t.floor_ps, p->t.period_ps);
    assert_int_equal(p->t.paths.at[p->t.worst_net].kind, PNR_PATH_LOOP);
    assert_int_equal(p->t.core_ps, 700);
    time_design(p, n, fixed, true);
    assert_int_equal(p->t.period_ps, 486 + 208 + 450);
    assert_int_equal(p->t.floor_ps, 486 + 208 + 182);
}

/* Three hops between PEs. Without FIFOs: three times ready, launch, twice valid, capture. With a pair: the
 * tile's loop ends at the pair, the last stretch is register mux, one switch box, capture. */
static void a_pair_cuts_the_path(void **state) {
    pnr_bench *p = *state;
    netlist *n = pair_netlist(&p->f, 'p', 'p', 0);
    pnr_site fixed[2] = {{0, 4}, {0, 7}};
    time_design(p, n, fixed, false);
    assert_int_equal(p->t.period_ps, 3 * 208 + 486 + 2 * 182 + 450);
    assert_int_equal(p->t.paths.at[0].steps.len, 3 + 1 + 3 + 1);
    time_design(p, n, fixed, true);
    assert_int_equal(p->t.period_ps, 208 + 486 + 182);
    assert_int_equal(p->t.period_ps, p->t.floor_ps);
}

/* Ready does not gate an input: io_core, capture. */
static void an_input_above_its_tile_takes_no_hop(void **state) {
    pnr_bench *p = *state;
    netlist *n = pair_netlist(&p->f, '<', 'p', 0);
    pnr_site fixed[2] = {{0, 0}, {0, 1}};
    time_design(p, n, fixed, true);
    assert_int_equal(p->t.period_ps, 1000 + 450);
    assert_int_equal(p->t.paths.at[0].kind, PNR_PATH_DATA);
    assert_false(p->t.paths.at[0].shared_trunk);
}

/* A PE feeds two PEs in a row: the nets share a trunk, and the report names the trunk. */
static void a_shared_trunk_is_explained(void **state) {
    pnr_bench *p = *state;
    netlist *n = fork_netlist(&p->f);
    pnr_site fixed[3] = {{0, 1}, {0, 6}, {0, 7}};
    time_design(p, n, fixed, true);
    assert_true(p->t.paths.at[0].shared_trunk);
    assert_true(p->t.period_ps > p->t.floor_ps);
    cJSON *json = pnr_report(&p->design), *timing = cJSON_GetObjectItem(json, "timing");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(timing, "exceptions")), 1);
    assert_non_null(strstr(cJSON_GetObjectItem(cJSON_GetObjectItem(timing, "limited_by"), "why")->valuestring,
                           "no FIFO may stand before a fork"));
    assert_true(cJSON_GetObjectItem(json, "fmax_mhz")->valuedouble < 870);
    cJSON_Delete(json);
}

/* Fifteen PEs below each other and a net from the first to the last: room for seven pairs. The next net is at
 * the bound, 1144 ps, which the long net reaches with fewer pairs: every stretch may cross a few switch
 * boxes. */
static void midpoint_pairs_keep_the_period_with_fewer(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    netlist *n = new_netlist(f);
    net_cell from = add_cell(f, n, 'p'), to = add_cell(f, n, 'p'), near = add_cell(f, n, 'p');
    connect_cells(f, n, from, 0, to, 0);
    connect_cells(f, n, to, 0, near, 0);
    pnr_site fixed[3] = {{0, 1}, {0, 16}, {1, 16}};
    pnr_design all, few;
    pnr_timing t_all, t_few;
    p->o.fixed = fixed;
    place_and_route(f, n, &p->b, &p->o, &all);
    p->o.pipeline = PNR_PIPELINE_MIDPOINT;
    place_and_route(f, n, &p->b, &p->o, &few);
    assert_true(pnr_sta(&all, &f->mem, &f->diag, &t_all) && pnr_sta(&few, &f->mem, &f->diag, &t_few));
    assert_int_equal(t_all.period_ps, 1144);
    assert_int_equal(t_few.period_ps, 1144);
    assert_int_equal(count_ways(&all).pairs, 7);
    assert_true(count_ways(&few).pairs >= 2 && count_ways(&few).pairs <= 6);
}

/* The netlist of a_shared_trunk_is_explained: each branch has a way of its own. */
static void timing_leads_branches_apart(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    netlist *n = fork_netlist(f);
    pnr_site fixed[3] = {{0, 1}, {0, 6}, {0, 7}};
    p->o.fixed = fixed;
    p->o.timing = 1;
    bench_design(p, n);
    assert_true(pnr_sta(&p->design, &f->mem, &f->diag, &p->t));
    assert_int_equal(p->t.period_ps, p->t.floor_ps);
}

/* An input above a MEM column whose sink is the MEM below the first: the single hop, 1000 + 300 + 490 ps, has
 * no room for a pair; three hops have. No other place is better than over a PE column, 1000 + 185 + 185. */
static void timing_makes_room_for_a_pair_behind_an_input(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    netlist *n = pair_netlist(f, '<', 'm', 2);
    pnr_site fixed[2] = {{3, 0}, {3, 2}};
    p->o.fixed = fixed;
    p->o.fabric_only = true;
    bench_design(p, n);
    assert_true(pnr_sta(&p->design, &f->mem, &f->diag, &p->t));
    assert_int_equal(p->t.period_ps, 1000 + 300 + 490);
    p->o.timing = 1;
    bench_design(p, n);
    assert_true(pnr_sta(&p->design, &f->mem, &f->diag, &p->t));
    assert_int_equal(pnr_hops(&p->design), 3);
    assert_int_equal(p->t.period_ps, 1000 + 300 + 185);
}

/* A MEM feeds a PE directly and over a chain of PEs: after `chain` of them, 3 cycles each, the direct path
 * must hold as many tokens; its FIFOs hold 4. */
static void a_join_after_a_long_chain_is_named(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
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
        place_and_route(f, n, &p->b, &o, &design);
        pnr_balance(&design, &f->mem, &starved);
        assert_int_equal(starved.len, 3 * chain > 4);
        if (starved.len) {
            cJSON *report = pnr_report(&design);
            char *told = cJSON_PrintUnformatted(cJSON_GetObjectItem(report, "starved_joins"));
            assert_non_null(
                strstr(told, chain == 2 ? "\"latency\":6,\"room\":4" : "\"latency\":9,\"room\":4"));
            cJSON_free(told);
            cJSON_Delete(report);
            assert_int_equal(starved.at[0].fork, from.v - 1);
            assert_int_equal(starved.at[0].join, join.v - 1);
            assert_int_equal(starved.at[0].latency, 3 * chain);
            assert_int_equal(starved.at[0].room, 4);
        }
    }
}

/* A net of four hops next to a chain of two PEs: without pairs the join starves, and midpoint pipelining adds
 * pairs. */
static void midpoint_fills_the_short_path_of_a_join(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    netlist *n = new_netlist(f);
    net_cell from = add_cell(f, n, 'p'), one = add_cell(f, n, 'p'), two = add_cell(f, n, 'p');
    net_cell join = add_cell(f, n, 'p');
    connect_cells(f, n, from, 0, one, 0);
    connect_cells(f, n, one, 0, two, 0);
    connect_cells(f, n, two, 0, join, 0);
    connect_cells(f, n, from, 1, join, 1);
    pnr_site fixed[4] = {{0, 1}, {1, 1}, {1, 2}, {0, 5}};
    p->o.fixed = fixed;
    p->o.pipeline = PNR_PIPELINE_NONE;
    pnr_imbalance_vec starved = {0};
    bench_design(p, n);
    pnr_balance(&p->design, &f->mem, &starved);
    assert_int_equal(starved.len, 1);
    assert_int_equal(starved.at[0].latency - starved.at[0].room, 2);
    p->o.pipeline = PNR_PIPELINE_MIDPOINT;
    bench_design(p, n);
    pnr_balance(&p->design, &f->mem, &starved);
    assert_int_equal(starved.len, 0);
}

static uint32_t pairs_before(const pnr_route *r, uint32_t sink) {
    uint32_t pairs = 0;
    for (uint32_t h = r->sinks.at[sink].hop; h != PNR_NO_HOP; h = r->hops.at[h].parent)
        pairs += r->hops.at[h].fifo_start;
    return pairs;
}

/* Requests six pairs for every sink: between tiles each sink gets six; a small array lacks room, and some
 * sinks keep their pairs. Either way the design is legal and no sink loses pairs. */
static void stretched_ways_hold_the_pairs_wanted(void **state) {
    fixture *f = *state;
    static const char *const boards[] = {"onyx", "onyx-8x8", "onyx-4x2"};
    static const uint32_t most[] = {6, 6, 60};
    for (uint32_t k = 0; k < 3; k++) {
        pnr_board b = read_board(f, boards[k]);
        netlist *n = diamond_netlist(f, k < 2 ? 4 : 1);
        pnr_options o = pnr_options_default();
        pnr_design design;
        VEC(pnr_longer) wants = {0};
        u32_vec before = {0};
        uint32_t got = 0, between = 0;
        place_and_route(f, n, &b, &o, &design);
        for (uint32_t i = 0; i < n->nets.len; i++)
            for (uint32_t s = 0; s < n->nets.at[i].sinks.len; s++) {
                const pnr_longer want = {i, s, most[k]};
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
    pnr_bench *p = *state;
    pnr_board copy = p->b;
    time_design(p, pair_netlist(&p->f, 'p', 'p', 0), NULL, true);
    copy.json = NULL;
    p->design.board = &copy;
    assert_false(pnr_sta(&p->design, &p->f.mem, &p->f.diag, &p->t));
    assert_true(has_code(&p->f, "E0550-no-delay"));
}

RUN_TESTS(ON_BOARD("onyx-8x8", adjacent_tiles_are_fastest_without_pairs),
          ON_BOARD("onyx-8x8", a_pair_cuts_the_path),
          ON_BOARD("onyx-8x8", an_input_above_its_tile_takes_no_hop),
          ON_BOARD("onyx-8x8", a_shared_trunk_is_explained),
          ON_BOARD("onyx", midpoint_pairs_keep_the_period_with_fewer),
          ON_BOARD("onyx-8x8", timing_leads_branches_apart),
          ON_BOARD("onyx-8x8", timing_makes_room_for_a_pair_behind_an_input),
          ON_BOARD("onyx-8x8", a_board_without_a_delay_is_refused),
          ON_BOARD("onyx-8x8", a_join_after_a_long_chain_is_named),
          ON_BOARD("onyx", midpoint_fills_the_short_path_of_a_join),
          TEST(stretched_ways_hold_the_pairs_wanted))
