/* The lower bound of the period: computed by hand for small netlists, never above a design's period, and met
 * by designs placed and routed for speed. */
#include "tests/pnr/made.h"

static pnr_timing time_netlist(fixture *f, const netlist *n, const pnr_board *b, const pnr_options *o) {
    pnr_design design;
    pnr_timing t;
    place_and_route(f, n, b, o, &design);
    if (!pnr_sta(&design, &f->mem, &f->diag, &t))
        fail_msg("%s", fixture_printed(f));
    assert_true(t.period_ps >= t.floor_ps);
    return t;
}

static netlist *net_between(fixture *f, char from, char to, uint32_t sinks) {
    netlist *n = new_netlist(f);
    net_cell source = add_cell(f, n, from);
    net_data *net = add_net(f, n, source, 0);
    for (uint32_t i = 0; i < sinks; i++)
        add_sink(f, net, add_cell(f, n, to), 2);
    return n;
}

typedef struct {
    char from, to;
    uint32_t sinks;
    uint32_t paired, plain; /* the floor with and without pairs */
} known_floor;

/* Launch from PE, MEM and IO 486, 826, 1000; a switch box of a PE tile 185 (valid 182, ready 208), of a MEM
 * tile 300; capture 450, 490 at MEM and IO. */
static const known_floor known[] = {
    {'p', 'p', 1, 486 + 208 + 182, 486 + 208 + 450},
    {'m', 'p', 1, 826 + 300 + 182, 826 + 300 + 450},
    {'m', 'm', 1, 826 + 300 + 182, 826 + 300 + 490},
    {'m', '>', 1, 826 + 300 + 182, 826 + 300 + 490},
    {'<', 'm', 1, 1000 + 185 + 185, 1000 + 185 + 490},
    /* a PE below an input */
    {'<', 'p', 1, 1000 + 185 + 185, 1000 + 450},
    /* two PEs stand beside a MEM, and two at a distance of two in the row */
    {'m', 'p', 3, 826 + 300 + 182, 826 + 300 + 208 + 182 + 450},
};

static void floors_are_known_by_hand(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const known_floor *k = &known[i];
        netlist *n = net_between(f, k->from, k->to, k->sinks);
        p->o.timing = PNR_TIMING_OF_RUN;
        p->o.pipeline = PNR_PIPELINE_EXHAUSTIVE;
        pnr_timing t = time_netlist(f, n, &p->b, &p->o);
        /* logic inside a MEM or IO tile takes as long as a core: 1000 */
        uint32_t core = k->from == 'p' && k->to == 'p' ? 700 : 1000;
        assert_int_equal(t.floor_ps, k->paired > core ? k->paired : core);
        assert_int_equal(t.period_ps, t.floor_ps);
        p->o.pipeline = PNR_PIPELINE_NONE;
        t = time_netlist(f, n, &p->b, &p->o);
        assert_int_equal(t.floor_ps, k->plain);
        assert_int_equal(t.period_ps, t.floor_ps);
    }
}

/* Ten first hops lead from an input over the PEs below and next to the input, five over the MEM; more sinks
 * share hops, unless a sink stands below. */
static void an_input_has_few_fast_first_hops(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    static const uint32_t floor_of[][2] = {{10, 1370}, {11, 1450}, {16, 1485}, {21, 1555}};
    p->o.io_fan_out = true;
    p->o.timing = PNR_TIMING_OF_RUN;
    for (size_t i = 0; i < sizeof floor_of / sizeof floor_of[0]; i++) {
        netlist *n = net_between(f, '<', 'p', floor_of[i][0]);
        pnr_timing t = time_netlist(f, n, &p->b, &p->o);
        assert_int_equal(t.floor_ps, floor_of[i][1]);
    }
}

/* On a board whose MEM tiles are as fast as its PEs, and whose IO tiles launch late, other floors hold. */
static void floors_come_from_the_table(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    static const struct {
        const char *name;
        double ps;
    } change[] = {{"sb_mem", 150}, {"fifo_to_sb_mem", 486}, {"io_core", 1500}, {"rmux", 900}};
    pnr_board b = p->b;
    cJSON *json = cJSON_Duplicate(p->b.json, true), *table = cJSON_GetObjectItem(json, "delays_ps");
    b.json = json;
    for (size_t i = 0; i < sizeof change / sizeof change[0]; i++)
        cJSON_SetNumberValue(cJSON_GetArrayItem(cJSON_GetObjectItem(table, change[i].name), 1), change[i].ps);
    p->o.timing = PNR_TIMING_OF_RUN;
    pnr_timing t = time_netlist(f, net_between(f, 'm', 'p', 1), &b, &p->o);
    assert_int_equal(t.floor_ps, 486 + 150 + 450); /* a pair: 900 + 450 after the pair */
    assert_int_equal(t.period_ps, t.floor_ps);
    t = time_netlist(f, net_between(f, '<', 'm', 1), &b, &p->o);
    assert_int_equal(t.floor_ps, 1500 + 185 + 150);
    assert_int_equal(t.period_ps, t.floor_ps);
    cJSON_Delete(json);
}

/* A corner's delays count in addition to the board's own delays, and the board's clock stays unchanged: in
 * the corner the ready of a MEM tile comes later, and a SplitFIFO's launch takes longer in a PE tile than in
 * a MEM tile. */
static void a_corner_is_measured_beside(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    pnr_board alone = p->b;
    cJSON *json = cJSON_Duplicate(p->b.json, true);
    p->o.timing = PNR_TIMING_OF_RUN;
    p->o.pipeline = PNR_PIPELINE_NONE;
    pnr_timing t = time_netlist(f, net_between(f, 'p', 'm', 1), &p->b, &p->o);
    assert_int_equal(t.period_ps, 208 + 486 + 490); /* ready, launch, capture */
    assert_int_equal(t.corner_ps, 635 + 208 + 486 + 490);
    assert_string_equal(t.corner, "archipelago");
    t = time_netlist(f, net_between(f, 'p', 'p', 1), &p->b, &p->o);
    assert_int_equal(t.corner_ps, t.period_ps);
    p->o.pipeline = PNR_PIPELINE_EXHAUSTIVE;
    t = time_netlist(f, net_between(f, '<', 'm', 1), &p->b, &p->o);
    assert_int_equal(t.period_ps, 1370);
    assert_true(t.corner_ps >= 1370);
    cJSON_DeleteItemFromObject(json, "corner");
    alone.json = json;
    t = time_netlist(f, net_between(f, 'p', 'm', 1), &alone, &p->o);
    assert_true(!t.corner && !t.corner_ps);
    cJSON_Delete(json);
}

enum { MADE = 20 };

/* Netlists like those of kernels: nine of ten meet the bound, and no netlist of any kind beats the bound. */
static void made_netlists_meet_the_floor(void **state) {
    fixture *f = *state;
    pnr_board b = read_board(f, "onyx");
    uint32_t met = 0;
    for (uint32_t seed = 1; seed <= MADE; seed++) {
        const netlist *n = made_netlist(f, 6 + seed * 2, 4 + seed, 3 + seed / 4, seed);
        pnr_options o = pnr_options_default();
        o.effort = 3;
        time_netlist(f, n, &b, &o);
        o.timing = PNR_TIMING_OF_RUN;
        o.pipeline = seed % 2 ? PNR_PIPELINE_EXHAUSTIVE : PNR_PIPELINE_MIDPOINT;
        pnr_timing t = time_netlist(f, n, &b, &o);
        assert_true(t.floor_ps == 1370);
        met += t.period_ps == t.floor_ps;
        o.pipeline = PNR_PIPELINE_NONE;
        time_netlist(f, n, &b, &o);
    }
    print_message("%u of %u at the floor\n", met, MADE);
    assert_true(met * 10 >= MADE * 9);
    pnr_board_free(&b);
}

/* A small, full array never beats its bound. */
static void no_design_beats_the_floor(void **state) {
    fixture *f = *state;
    pnr_board b = read_board(f, "onyx-8x8");
    for (uint32_t seed = 1; seed <= 3 * MADE; seed++) {
        const netlist *n = made_netlist(f, 4 + seed % 30, 3 + seed % 9, 1 + seed % 3, seed);
        pnr_options o = pnr_options_default();
        o.seed = seed;
        o.moves = 200 * (seed % 7);
        o.timing = seed % 3 ? PNR_TIMING_OF_RUN : 0;
        o.pipeline = seed % 4 ? PNR_PIPELINE_EXHAUSTIVE : PNR_PIPELINE_NONE;
        time_netlist(f, n, &b, &o);
    }
    pnr_board_free(&b);
}

/* A netlist of many long nets is at its floor with three seeds on a square array. */
static void check_long_nets(pnr_bench *p, uint32_t width, uint32_t tracks) {
    p->b.width = width;
    p->b.height = width + 1;
    p->b.glb_tiles = width / 2;
    p->b.tracks = tracks;
    p->o.timing = PNR_TIMING_OF_RUN;
    p->o.pipeline = (pnr_pipelining)PNR_PIPELINE_OF_RUN;
    for (p->o.seed = 1; p->o.seed < 4; p->o.seed++) {
        const netlist *n = far_netlist(&p->f, 345, 115, 4, 1);
        const pnr_timing t = time_netlist(&p->f, n, &p->b, &p->o);
        assert_int_equal(t.period_ps, t.floor_ps);
    }
}

/* Where wires are scarce, slow nets without a fast way of free wires move others: 3302 and 1924 ps otherwise.
 */
static void slow_nets_move_others(void **state) {
    check_long_nets(*state, 24, 3);
}

/* Cells that crowd in a part of the array, where wires would not be enough, are moved apart. Otherwise no
 * seed has legal routes after 60 rounds. */
static void crowded_cells_get_room(void **state) {
    check_long_nets(*state, 40, 2);
}

RUN_TESTS(ON_BOARD("onyx", slow_nets_move_others), ON_BOARD("onyx", crowded_cells_get_room),
          ON_BOARD("onyx", floors_are_known_by_hand), ON_BOARD("onyx", an_input_has_few_fast_first_hops),
          ON_BOARD("onyx", floors_come_from_the_table), ON_BOARD("onyx", a_corner_is_measured_beside),
          TEST(made_netlists_meet_the_floor), TEST(no_design_beats_the_floor))
