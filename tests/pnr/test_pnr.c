/* Placement, routing and pipelining of small designs on small boards. */
#include "tests/pnr/made.h"
#include "tests/quota.h"

static void a_design_is_placed_and_routed_by_the_chips_rules(void **state) {
    fixture *f = *state;
    const char *const boards[] = {"onyx-4x2", "onyx-8x8", "onyx"};
    for (int i = 0; i < 3; i++) {
        pnr_board b = read_board(f, boards[i]);
        netlist *n = diamond_netlist(f, i == 0 ? 3 : 10);
        pnr_options o = pnr_options_default();
        pnr_design design;
        assert_true(pnr_fits(n, &b, &o, &f->diag));
        place_and_route(f, n, &b, &o, &design);
        assert_true(pnr_hops(&design) >= n->nets.len - 1);
        assert_int_equal(design.route.len, n->nets.len);
        for (uint32_t c = 0; c < n->cells.len; c++)
            if (n->cells.at[c].tag == 'I')
                assert_int_equal(design.site.at[c].x % 2, n->cells.at[c].output);
        pnr_board_free(&b);
    }
}

/* A random netlist of `cells` PE and MEM cells, every output to one to four inputs, also of the same cell. */
static netlist *random_netlist(fixture *f, prng *r, uint32_t cells) {
    netlist *n = new_netlist(f);
    uint8_t *inputs = arena_new_n(&f->mem, uint8_t, cells + 1); /* used inputs by cell index */
    for (uint32_t i = 0; i < cells; i++)
        add_cell(f, n, prng_below(r, 4) ? 'p' : 'm');
    for (uint32_t i = 0; i < cells; i++) {
        net_data *net = add_net(f, n, (net_cell){i + 1}, (uint8_t)prng_below(r, 3));
        uint32_t sinks = 1 + prng_below(r, 4);
        for (uint32_t k = 0; k < sinks; k++) {
            uint32_t to = prng_below(r, 3) ? prng_below(r, cells) : i;
            if (inputs[to] < 4)
                add_sink(f, net, (net_cell){to + 1}, inputs[to]++);
        }
        if (net->sinks.len == 0)
            n->nets.len--;
    }
    return n;
}

/* Whatever the number of tracks: routed legally, or refused for want of wires or tiles. */
static void random_designs_are_routed_legally_or_refused(void **state) {
    fixture *f = *state;
    pnr_board onyx = read_board(f, "onyx");
    prng r = prng_seed(5);
    uint32_t routed = 0;
    quota shown = {0}; /* trivial: no net to route */
    for (uint32_t round = 0; round < 60; round++) {
        pnr_board b = {.name = "any",
                       .width = 6,
                       .height = 6,
                       .tracks = 1 + round % 8,
                       .mem_period = 3,
                       .mem_phase = 1,
                       .glb_tiles = 3,
                       .columns_per_glb_tile = 2,
                       .json = onyx.json};
        netlist *n = random_netlist(f, &r, 2 + prng_below(&r, 24));
        pnr_options o = pnr_options_default();
        o.seed = round;
        o.moves = 20000;
        o.timing = round % 3;
        o.pipeline = round % 2 ? PNR_PIPELINE_EXHAUSTIVE : PNR_PIPELINE_MIDPOINT;
        pnr_design design;
        clear_diagnostics(f);
        if (!pnr_place(n, &b, &o, &f->mem, &f->diag, &design)) {
            assert_true(has_code(f, "E0510-too-large"));
            quota_add(&shown, false, false);
            continue;
        }
        if (!pnr_route_all(&design, &o, &f->mem, &f->diag)) {
            assert_true(has_code(f, "E0520-unroutable"));
            assert_true(b.tracks < 3);
            quota_add(&shown, false, false);
            continue;
        }
        if (!pnr_check(&design, &f->diag))
            fail_msg("round %u: %s", round, fixture_printed(f));
        quota_add(&shown, true, n->nets.len == 0);
        routed++;
    }
    assert_false(quota_failed(&shown));
    assert_true(routed >= 30);
    pnr_board_free(&onyx);
}

/* Many streams: every GLB tile is needed. */
static void io_without_fixed_sites_takes_one_load_and_one_store_a_tile(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    netlist *n = new_netlist(f);
    for (int i = 0; i < 16; i++) {
        net_cell in = add_cell(f, n, '<'), mem = add_cell(f, n, 'm'), out = add_cell(f, n, '>');
        connect_cells(f, n, in, 0, mem, 2);
        connect_cells(f, n, mem, 0, out, 0);
    }
    bench_design(p, n);
    uint32_t loads = 0, stores = 0;
    for (uint32_t c = 0; c < n->cells.len; c++)
        if (n->cells.at[c].tag == 'I')
            *(n->cells.at[c].output ? &stores : &loads) |= 1u << p->design.site.at[c].x / 2;
    assert_int_equal(loads, 0xffff);
    assert_int_equal(stores, 0xffff);
}

static void too_large_designs_say_what_is_short(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    netlist *n = diamond_netlist(f, 4); /* 8 PEs; the board has 6 */
    assert_false(pnr_fits(n, &p->b, &p->o, &f->diag));
    const char *printed = fixture_printed(f);
    assert_non_null(strstr(printed, "board 'onyx-4x2' has: 8 PE tiles of 6 [E0510-too-large]"));
    assert_non_null(
        strstr(printed, "what does fit: 2 MEM tiles of 2, 1 load streams of 2, 1 store streams of 2"));
    assert_non_null(strstr(printed, "help: "));
    assert_int_equal(f->diag.unmappable, 1);
    assert_false(pnr_place(n, &p->b, &p->o, &f->mem, &f->diag, &p->design));
    for (int i = 0; i < 2; i++)
        add_cell(f, n, '<');
    clear_diagnostics(f);
    assert_false(pnr_fits(n, &p->b, &p->o, &f->diag));
    assert_non_null(strstr(fixture_printed(f), "8 PE tiles of 6, 3 load streams of 2"));
}

/* All 24 PEs of an 8x4 array of one track, every PE with three far-flung sinks. */
static void unroutable_designs_name_wires_and_nets(void **state) {
    fixture *f = *state;
    pnr_board b = {.name = "narrow",
                   .width = 8,
                   .height = 5,
                   .tracks = 1,
                   .mem_period = 4,
                   .mem_phase = 3,
                   .glb_tiles = 4,
                   .columns_per_glb_tile = 2};
    netlist *n = new_netlist(f);
    net_cell cell[24];
    for (int i = 0; i < 24; i++)
        cell[i] = add_cell(f, n, 'p');
    for (int i = 0; i < 24; i++) {
        net_data *net = add_net(f, n, cell[i], 0);
        for (uint8_t k = 0; k < 3; k++)
            add_sink(f, net, cell[(i * (5 + 6 * k) + 7 * k + 11) % 24], k);
    }
    pnr_options o = pnr_options_default();
    pnr_design design;
    assert_true(pnr_place(n, &b, &o, &f->mem, &f->diag, &design));
    assert_false(pnr_route_all(&design, &o, &f->mem, &f->diag));
    const char *printed = fixture_printed(f);
    assert_non_null(strstr(printed, "[E0520-unroutable]"));
    assert_non_null(strstr(printed, "track 0 is wanted by e"));
    assert_non_null(strstr(printed, "help: "));
    assert_int_equal(f->diag.unmappable, 1);
    assert_int_equal(design.route.len, 24); /* what was found stays */
    assert_true(pnr_hops(&design) > 24);
    clear_diagnostics(f);
    assert_false(pnr_check(&design, &f->diag));
    assert_true(has_code(f, "E0531-wire-shared"));
}

static void an_input_that_fans_out_is_refused_unless_only_the_fabric_counts(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    netlist *n = new_netlist(f);
    net_cell in = add_cell(f, n, '<'), one = add_cell(f, n, 'p'), two = add_cell(f, n, 'p');
    net_data *net = add_net(f, n, in, 0);
    add_sink(f, net, one, 0);
    add_sink(f, net, two, 0);
    assert_false(pnr_place(n, &p->b, &p->o, &f->mem, &f->diag, &p->design));
    assert_non_null(strstr(fixture_printed(f), "input I0 feeds 2 sinks"));
    assert_true(has_code(f, "E0511-io-fanout"));
    clear_diagnostics(f);
    p->o.fabric_only = true;
    bench_design(p, n);
    p->design.fabric_only = false;
    assert_false(pnr_check(&p->design, &f->diag));
    assert_true(has_code(f, "E0534-io-rule"));
    clear_diagnostics(f);
    p->o.fabric_only = false;
    p->o.io_fan_out = true;
    bench_design(p, n);
    assert_int_equal(p->design.site.at[0].x % p->b.columns_per_glb_tile, 0);
}

/* `inputs` inputs, each to a PE, and `outputs` outputs of some of these PEs. */
static netlist *streams_netlist(fixture *f, uint32_t inputs, uint32_t outputs) {
    netlist *n = new_netlist(f);
    for (uint32_t i = 0; i < inputs || i < outputs; i++) {
        net_cell pe = add_cell(f, n, 'p');
        if (i < inputs)
            connect_cells(f, n, add_cell(f, n, '<'), 0, pe, 0);
        if (i < outputs)
            connect_cells(f, n, pe, 0, add_cell(f, n, '>'), 0);
    }
    return n;
}

/* 40 parts whose streams take nearly every column of a wide board: a part lies at its streams, wherever the
 * columns are, not in a heap in the middle. */
static void parts_lie_at_their_streams(void **state) {
    fixture *f = *state;
    enum { PARTS = 40, CHAIN = 7, LOADS = 3, STORES = 2, NETS = CHAIN - 1 + LOADS + STORES };
    pnr_board b = made_board(256, 16);
    netlist *one = new_netlist(f);
    net_cell at[CHAIN];
    for (uint32_t i = 0; i < CHAIN; i++)
        at[i] = add_cell(f, one, 'm');
    for (uint32_t i = 1; i < CHAIN; i++)
        connect_cells(f, one, at[i - 1], 0, at[i], 0);
    for (uint32_t i = 0; i < LOADS; i++)
        connect_cells(f, one, add_cell(f, one, '<'), 0, at[2 * i], 1);
    for (uint32_t i = 0; i < STORES; i++)
        connect_cells(f, one, at[CHAIN - 1 - i], 1, add_cell(f, one, '>'), 0);
    const netlist *n = copies_of_netlist(f, one, PARTS);
    pnr_options o = pnr_options_default();
    pnr_design design;
    o.moves = 1000; /* the start shows */
    place_and_route(f, n, &b, &o, &design);
    assert_int_equal(design.stats.lanes, 0);
    assert_true(pnr_hpwl(&design) < 4 * PARTS * NETS);
}

static void streams_may_have_tiles_of_their_own(void **state) {
    fixture *f = *state;
    const char *const boards[] = {"onyx", "onyx-8x8"};
    pnr_options o = pnr_options_default();
    pnr_design design;
    o.own_tiles = true;
    for (uint32_t board = 0; board < 2; board++) {
        pnr_board b = read_board(f, boards[board]);
        for (uint32_t in = 1; in < b.glb_tiles; in++) {
            netlist *n = streams_netlist(f, in, b.glb_tiles - in);
            bool load[64] = {0};
            place_and_route(f, n, &b, &o, &design); /* which checks it, too */
            for (uint32_t c = 0; c < n->cells.len; c++)
                if (n->cells.at[c].tag == 'I' && !n->cells.at[c].output)
                    load[design.site.at[c].x / b.columns_per_glb_tile] = true;
            for (uint32_t c = 0; c < n->cells.len; c++)
                if (n->cells.at[c].tag == 'I' && n->cells.at[c].output)
                    assert_false(load[design.site.at[c].x / b.columns_per_glb_tile]);
        }
        assert_false(pnr_place(streams_netlist(f, b.glb_tiles - 1, 2), &b, &o, &f->mem, &f->diag, &design));
        assert_true(has_code(f, "E0510-too-large"));
        assert_non_null(strstr(fixture_printed(f), "streams with a global-buffer tile each of"));
        clear_diagnostics(f);
        o.own_tiles = false; /* next to each other, found by the check of the other rule */
        place_and_route(f, streams_netlist(f, b.glb_tiles, b.glb_tiles), &b, &o, &design);
        design.own_tiles = o.own_tiles = true;
        assert_false(pnr_check(&design, &f->diag));
        assert_true(has_code(f, "E0534-io-rule"));
        clear_diagnostics(f);
        pnr_board_free(&b);
    }
}

static void fixed_cells_stay_and_impossible_ones_are_refused(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    netlist *n = diamond_netlist(f, 3);
    pnr_site *fixed = free_sites(f, n);
    fixed[0] = (pnr_site){6, 0}; /* the input */
    fixed[1] = (pnr_site){3, 8}; /* the first MEM */
    fixed[2] = (pnr_site){0, 8}; /* a PE */
    p->o.fixed = fixed;
    bench_design(p, n);
    for (int c = 0; c < 3; c++)
        assert_true(p->design.site.at[c].x == fixed[c].x && p->design.site.at[c].y == fixed[c].y);
    static const struct {
        uint32_t cell;
        pnr_site site;
        const char *text;
    } wrong[] = {
        {1, {2, 8}, "no site of its kind"},   {1, {3, 9}, "no site of its kind"}, {0, {5, 0}, "not a column"},
        {0, {900, 0}, "no site of its kind"}, {3, {0, 8}, "are both fixed"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        pnr_site kept = fixed[wrong[i].cell];
        fixed[wrong[i].cell] = wrong[i].site;
        clear_diagnostics(f);
        assert_false(pnr_place(n, &p->b, &p->o, &f->mem, &f->diag, &p->design));
        assert_true(has_code(f, "E0512-bad-fixed"));
        assert_non_null(strstr(fixture_printed(f), wrong[i].text));
        fixed[wrong[i].cell] = kept;
    }
}

static bool same_design(const pnr_design *a, const pnr_design *b) {
    if (a->site.len != b->site.len || memcmp(a->site.at, b->site.at, a->site.len * sizeof *a->site.at) != 0)
        return false;
    for (uint32_t n = 0; n < a->route.len; n++) {
        const pnr_route *l = &a->route.at[n], *r = &b->route.at[n];
        if (l->hops.len != r->hops.len)
            return false;
        for (uint32_t i = 0; i < l->hops.len; i++) {
            const pnr_hop *h = &l->hops.at[i], *g = &r->hops.at[i];
            if (h->x != g->x || h->y != g->y || h->side != g->side || h->track != g->track ||
                h->registered != g->registered || h->parent != g->parent)
                return false;
        }
    }
    return true;
}

static void the_same_seed_gives_the_same_design(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    netlist *n = diamond_netlist(f, 12);
    pnr_design one, again, other;
    place_and_route(f, n, &p->b, &p->o, &one);
    place_and_route(f, n, &p->b, &p->o, &again);
    p->o.seed = 2;
    place_and_route(f, n, &p->b, &p->o, &other);
    assert_true(same_design(&one, &again));
    assert_false(same_design(&one, &other));
}

static void several_seeds_give_the_same_design_on_any_number_of_threads(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    netlist *n = diamond_netlist(f, 12);
    p->o.moves = 20000;
    pnr_design one, some[4];
    place_and_route(f, n, &p->b, &p->o, &one);
    p->o.seeds = 6;
    for (uint32_t i = 0; i < 4; i++) {
        p->o.threads = i * i;
        place_and_route(f, n, &p->b, &p->o, &some[i]);
        assert_true(same_design(&some[0], &some[i]));
        assert_int_equal(some[i].stats.seeds, 6);
        assert_int_equal(some[i].stats.moves, some[0].stats.moves);
    }
    p->o.seed = some[0].stats.seed;
    p->o.seeds = 1;
    pnr_design winner;
    place_and_route(f, n, &p->b, &p->o, &winner);
    assert_true(same_design(&winner, &some[0]));
    assert_true(pnr_hpwl(&some[0]) <= pnr_hpwl(&one) + 4);
}

static void cells_stay_in_their_regions(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    netlist *n = diamond_netlist(f, 6); /* 12 PEs, as many as the region has sites */
    pnr_region *region = arena_new_n(&f->mem, pnr_region, n->cells.len);
    for (uint32_t c = 0; c < n->cells.len; c++)
        region[c] = n->cells.at[c].tag == 'p' ? (pnr_region){4, 5, 6, 8} : (pnr_region){.x0 = PNR_FREE};
    p->o.region = region;
    bench_design(p, n);
    for (uint32_t c = 0; c < n->cells.len; c++)
        if (n->cells.at[c].tag == 'p')
            assert_true(p->design.site.at[c].x >= 4 && p->design.site.at[c].x <= 6 &&
                        p->design.site.at[c].y >= 5);
    for (uint32_t c = 0; c < n->cells.len; c++)
        region[c].y1 = 8 - (region[c].x0 != PNR_FREE); /* 9 sites for 12 PEs */
    assert_false(pnr_place(n, &p->b, &p->o, &f->mem, &f->diag, &p->design));
    assert_true(has_code(f, "E0513-bad-region"));
    assert_non_null(strstr(fixture_printed(f), "between (4, 5) and (6, 7)"));
}

/* Two diamonds side by side in a netlist, each with a flush of its own. */
static netlist *two_flushes(fixture *f, uint32_t layers, uint32_t **flush) {
    netlist *one = diamond_netlist(f, layers), *n = copies_of_netlist(f, one, 2);
    *flush = arena_new_n(&f->mem, uint32_t, n->cells.len);
    for (uint32_t c = 0; c < n->cells.len; c++)
        (*flush)[c] = c < one->cells.len ? 7 : 3;
    return n;
}

/* The board has two groups of four columns. */
static void cells_of_two_flushes_share_no_group(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    uint32_t *flush;
    netlist *n = two_flushes(f, 6, &flush);
    p->o.flush = flush;
    for (p->o.seed = 1; p->o.seed <= 6; p->o.seed++) {
        p->o.whole = p->o.seed > 3; /* or by copying one */
        bench_design(p, n);
        bool taken[2][2] = {{false}};
        for (uint32_t c = 0; c < n->cells.len; c++)
            taken[p->design.site.at[c].x / 4][flush[c] == 3] = true;
        assert_true(taken[0][0] != taken[0][1] && taken[1][0] != taken[1][1]);
    }
    pnr_site *fixed = free_sites(f, n);
    fixed[2] = (pnr_site){5, 3}; /* so the first flush has the eastern groups */
    p->o.fixed = fixed;
    bench_design(p, n);
    for (uint32_t c = 0; c < n->cells.len; c++)
        assert_int_equal(p->design.site.at[c].x >= 4, flush[c] == 7);
    fixed[n->cells.len / 2 + 2] = (pnr_site){6, 2};
    assert_false(pnr_place(n, &p->b, &p->o, &f->mem, &f->diag, &p->design));
    assert_true(has_code(f, "E0512-bad-fixed"));
    assert_non_null(
        strstr(fixture_printed(f), "p2, of another flush, is fixed in flush group 1 (columns 4 to 7)"));
    p->o.fixed = NULL;
    flush[0] = 1; /* a third flush, for only two groups */
    assert_false(pnr_place(n, &p->b, &p->o, &f->mem, &f->diag, &p->design));
    assert_true(has_code(f, "E0514-flush-groups"));
}

/* Lanes are shifted copies of each other, and no longer than when placed all at once. */
static void equal_lanes_are_placed_once(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    netlist *one = diamond_netlist(f, 8), *n = copies_of_netlist(f, one, 4);
    pnr_design lanes, whole;
    place_and_route(f, n, &p->b, &p->o, &lanes);
    assert_int_equal(lanes.stats.lanes, 4);
    int step = lanes.site.at[one->cells.len].x - lanes.site.at[0].x;
    assert_true(step > 0 && step % 4 == 0);
    for (uint32_t c = one->cells.len; c < n->cells.len; c++) {
        pnr_site from = lanes.site.at[c - one->cells.len], to = lanes.site.at[c];
        assert_true(to.x - from.x == step && to.y == from.y);
    }
    p->o.whole = true;
    place_and_route(f, n, &p->b, &p->o, &whole);
    assert_int_equal(whole.stats.lanes, 0);
    assert_true(pnr_hpwl(&lanes) <= pnr_hpwl(&whole));
    assert_true(lanes.stats.moves < whole.stats.moves);
    /* the same lanes in another order of cells, and lanes with one different port */
    p->o.whole = false;
    uint32_t *mixed = arena_new_n(&f->mem, uint32_t, n->cells.len);
    for (uint32_t c = 0; c < n->cells.len; c++)
        mixed[c] = c % one->cells.len * 4 + c / one->cells.len;
    place_and_route(f, permuted_netlist(f, n, mixed), &p->b, &p->o, &whole);
    assert_int_equal(whole.stats.lanes, 4);
    n->nets.at[n->nets.len - 1].source.port ^= 1;
    place_and_route(f, n, &p->b, &p->o, &whole);
    assert_int_equal(whole.stats.lanes, 0);
}

static void a_time_limit_cuts_placement_short_and_stays_legal(void **state) {
    pnr_bench *p = *state;
    netlist *n = diamond_netlist(&p->f, 12);
    p->o.effort = 10;
    p->o.time_limit = 0.02;
    bench_design(p, n);
    assert_true(p->design.stats.out_of_time);
    p->o.effort = 1;
    p->o.time_limit = 0;
    bench_design(p, n);
    assert_false(p->design.stats.out_of_time);
}

static uint32_t forks(const pnr_design *d) {
    uint32_t count = 0;
    for (uint32_t n = 0; n < d->route.len; n++)
        for (uint32_t i = 0; i < d->route.at[n].hops.len; i++)
            for (uint32_t k = 0; k < i; k++)
                count += d->route.at[n].hops.at[i].parent != PNR_NO_HOP &&
                         d->route.at[n].hops.at[i].parent == d->route.at[n].hops.at[k].parent;
    return count;
}

/* At 100 a branch gets wires of its own from the source on: more wire, no slower. */
static void timing_parts_branches_at_their_source(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    netlist *n = diamond_netlist(f, 20);
    pnr_design wire, fast;
    pnr_timing slow_timing, fast_timing;
    place_and_route(f, n, &p->b, &p->o, &wire);
    p->o.timing = 100;
    place_and_route(f, n, &p->b, &p->o, &fast);
    assert_int_equal(forks(&fast), 0);
    assert_true(pnr_sta(&wire, &f->mem, &f->diag, &slow_timing));
    assert_true(pnr_sta(&fast, &f->mem, &f->diag, &fast_timing));
    assert_true(fast_timing.period_ps <= slow_timing.period_ps);
    assert_int_equal(fast_timing.period_ps, fast_timing.floor_ps);
}

/* Input at (0,0) straight to a PE at (0,8): seven hops, three pairs. */
static void a_straight_route_gets_every_pair_it_has_room_for(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    netlist *n = new_netlist(f);
    net_cell in = add_cell(f, n, '<'), pe = add_cell(f, n, 'p');
    connect_cells(f, n, in, 0, pe, 0);
    pnr_site fixed[2] = {{0, 0}, {0, 8}};
    p->o.fixed = fixed;
    bench_design(p, n);
    assert_int_equal(pnr_hops(&p->design), 7);
    assert_int_equal(count_ways(&p->design).registered, 6);
    p->o.pipeline = false;
    bench_design(p, n);
    assert_int_equal(count_ways(&p->design).registered, 0);
}

static char kind_at(const pnr_board *b, uint32_t x, uint32_t y) {
    return y == 0 ? '<' : pnr_site_tile(b, x, y) == NET_TILE_MEM ? 'm' : 'p';
}

/* From every tile and every input to every other tile, alone on the array: the Manhattan distance, which a
 * wrong lookahead or edge cost would miss; an input's first wire is no hop. */
static void a_lone_net_takes_the_shortest_way(void **state) {
    pnr_bench *p = *state;
    fixture *f = &p->f;
    p->o.fabric_only = true;
    for (p->b.tracks = 1; p->b.tracks <= 5; p->b.tracks++)
        for (uint32_t i = 0; i < p->b.width * p->b.height; i++)
            for (uint32_t k = p->b.width; k < p->b.width * p->b.height; k++) {
                uint32_t x = i % p->b.width, y = i / p->b.width, to_x = k % p->b.width, to_y = k / p->b.width;
                if (i == k)
                    continue;
                netlist *n = new_netlist(f);
                net_cell from = add_cell(f, n, kind_at(&p->b, x, y)),
                         to = add_cell(f, n, kind_at(&p->b, to_x, to_y));
                connect_cells(f, n, from, 0, to, 0);
                pnr_site fixed[2] = {{(uint16_t)x, (uint16_t)y}, {(uint16_t)to_x, (uint16_t)to_y}};
                pnr_design design;
                p->o.fixed = fixed;
                place_and_route(f, n, &p->b, &p->o, &design);
                uint32_t apart = (x > to_x ? x - to_x : to_x - x) + (y > to_y ? y - to_y : to_y - y);
                assert_int_equal(pnr_hops(&design), apart - (y == 0));
            }
}

static void a_report_counts_what_there_is(void **state) {
    pnr_bench *p = *state;
    netlist *n = diamond_netlist(&p->f, 4);
    p->o.seed = 7;
    bench_design(p, n);
    cJSON *report = pnr_report(&p->design);
    const cJSON *pe = cJSON_GetObjectItem(cJSON_GetObjectItem(report, "tiles"), "pe");
    assert_int_equal(cJSON_GetObjectItem(pe, "used")->valueint, 8);
    assert_int_equal(cJSON_GetObjectItem(pe, "have")->valueint, 48);
    assert_int_equal(cJSON_GetObjectItem(report, "seed")->valueint, 7);
    assert_int_equal(cJSON_GetObjectItem(report, "hops")->valueint, pnr_hops(&p->design));
    assert_int_equal(cJSON_GetObjectItem(report, "fifo_pairs")->valueint * 2,
                     count_ways(&p->design).registered);
    assert_true(cJSON_GetObjectItem(cJSON_GetObjectItem(report, "seconds"), "place")->valuedouble > 0);
    cJSON_Delete(report);
}

RUN_TESTS(TEST(a_design_is_placed_and_routed_by_the_chips_rules),
          TEST(random_designs_are_routed_legally_or_refused),
          ON_BOARD("onyx", io_without_fixed_sites_takes_one_load_and_one_store_a_tile),
          ON_BOARD("onyx-4x2", too_large_designs_say_what_is_short),
          TEST(unroutable_designs_name_wires_and_nets),
          ON_BOARD("onyx-4x2", an_input_that_fans_out_is_refused_unless_only_the_fabric_counts),
          TEST(parts_lie_at_their_streams), TEST(streams_may_have_tiles_of_their_own),
          ON_BOARD("onyx-8x8", fixed_cells_stay_and_impossible_ones_are_refused),
          ON_BOARD("onyx", the_same_seed_gives_the_same_design),
          ON_BOARD("onyx", several_seeds_give_the_same_design_on_any_number_of_threads),
          ON_BOARD("onyx-8x8", cells_stay_in_their_regions),
          ON_BOARD("onyx-8x8", cells_of_two_flushes_share_no_group),
          ON_BOARD("onyx", equal_lanes_are_placed_once),
          ON_BOARD("onyx", a_time_limit_cuts_placement_short_and_stays_legal),
          ON_BOARD("onyx", timing_parts_branches_at_their_source),
          ON_BOARD("onyx-8x8", a_straight_route_gets_every_pair_it_has_room_for),
          ON_BOARD("onyx-4x2", a_lone_net_takes_the_shortest_way),
          ON_BOARD("onyx-8x8", a_report_counts_what_there_is))
