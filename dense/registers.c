/* Registers of a placed and routed dense design, as least distances.
 *
 * Each unit has a number: the cycles by which the unit works later than in the original design. Each hop has
 * a number, too: the cycles from its first source's old events to its new wire. A hop is 0 or 1 later than
 * the previous hop (its register); the last hop of a link plus the operand's register, if the input has one,
 * is as late as the unit plus the registers of the old link. No schedule begins before the first cycle. All
 * conditions thus bound differences of two numbers, and shortest distances satisfy them (Bellman and Ford). A
 * ring of negative length means that a path in the ring has too few hops for its registers: this path is
 * routed over more wires, and the search begins anew. The distances found are the greatest with at most 0 at
 * all units: schedules stay unchanged where the paths allow. Then the ends of each slowest path (clock.c) are
 * bound to have a register between them, and the search goes on, until bounds contradict.
 */
#include "dense/place_int.h"

#include "boards/onyx/fabric.h"

#define NO_LINK UINT32_MAX
enum { ZERO = DENSE_NODE_ZERO, FIRST_UNIT = DENSE_FIRST_UNIT, FAR = 1 << 24 };

/* number[to] <= number[from] + weight. `link`: a longer path of the link raises the weight. */
typedef struct {
    uint32_t from, to, link;
    int32_t weight;
} bound;

typedef struct {
    dense_placing *p;
    VEC(bound) bounds;
    uint32_t nodes, *first_hop[DENSE_WIDTHS]; /* by net: the node of its first hop */
    int32_t *number;
    uint32_t *by; /* by node: the bound that set its number, plus 1 */
    bool *failed; /* by link: no longer path was found */
    arena *mem;
} solver;

/* ---- bounds ------------------------------------------------------------------------------------ */

static void add(solver *s, uint32_t from, uint32_t to, int32_t weight, uint32_t link) {
    vec_push(s->mem, &s->bounds, (bound){from, to, link, weight});
}

/* The first event of a generator must not precede the first cycle counted in its row. */
static void bound_starts(solver *s, uint32_t tile) {
    const dense_design *from = &s->p->from;
    const dense_tile *t = &from->tiles.at[tile];
    const int32_t late = (int32_t)(s->p->placed.site.at[tile].y > ONYX_NEAR_ROWS) - (t->y > ONYX_NEAR_ROWS);
    for (dense_generator_key key = 0; key < DENSE_GENERATORS; key++) {
        const dense_generator g = dense_generator_of(from, t, key);
        if (dense_fields_of(from->map, key).tile == t->kind && g.enable)
            add(s, dense_unit_node(dense_generator_unit(tile, key)), ZERO, (int32_t)g.at.start - late,
                NO_LINK);
    }
    if (t->kind == NET_TILE_IO) /* words may be loaded later than before */
        add(s, dense_unit_node(DENSE_UNITS * tile + 1), ZERO, 0, NO_LINK);
}

static uint32_t last_node(const solver *s, uint32_t width, uint32_t net, uint32_t sink, uint32_t link) {
    const uint32_t hop = s->p->routed[width].route.at[net].sinks.at[sink].hop;
    return hop == PNR_NO_HOP ? dense_unit_node(dense_source_unit(s->p, link))
                             : s->first_hop[width][net] + hop;
}

static void bound_net(solver *s, uint32_t width, uint32_t net) {
    const pnr_route *r = &s->p->routed[width].route.at[net];
    const uint32_t first = s->p->first[width].at[net],
                   source = dense_unit_node(dense_source_unit(s->p, first));
    s->first_hop[width][net] = s->nodes;
    s->nodes += r->hops.len;
    for (uint32_t h = 0; h < r->hops.len; h++) {
        const uint32_t parent = r->hops.at[h].parent, node = s->first_hop[width][net] + h,
                       before = parent == PNR_NO_HOP ? source : s->first_hop[width][net] + parent;
        add(s, before, node, 1, NO_LINK);
        add(s, node, before, 0, NO_LINK);
    }
    for (uint32_t k = 0; k < r->sinks.len; k++) {
        const uint32_t link = first + k, last = last_node(s, width, net, k, link),
                       unit = dense_unit_node(dense_sink_unit(s->p, link));
        const int32_t before = (int32_t)dense_had(s->p, link);
        add(s, unit, last, before, NO_LINK);
        add(s, last, unit, (int32_t)dense_is_operand(s->p, &s->p->from.links.at[link]) - before, link);
    }
}

/* A unit without a known schedule works when it did. */
static void bound_unit(solver *s, uint32_t unit) {
    add(s, dense_unit_node(unit), ZERO, 0, NO_LINK);
    add(s, ZERO, dense_unit_node(unit), 0, NO_LINK);
}

static void bound_all(solver *s) {
    s->bounds.len = 0;
    s->nodes = FIRST_UNIT + DENSE_UNITS * s->p->from.tiles.len;
    for (uint32_t i = 0; i < s->p->from.tiles.len && !s->p->from.fixed_times; i++)
        bound_starts(s, i);
    for (uint32_t i = 0; i < DENSE_UNITS * s->p->from.tiles.len && s->p->from.fixed_times; i++)
        bound_unit(s, i);
    for (uint32_t width = 0; width < DENSE_WIDTHS; width++) {
        for (uint32_t n = 0; n < s->p->net[width].nets.len; n++)
            bound_net(s, width, n);
    }
}

/* ---- distances --------------------------------------------------------------------------------- */

static bool relax(solver *s) {
    bool any = false;
    for (uint32_t i = 0; i < s->bounds.len; i++) {
        const bound *b = &s->bounds.at[i];
        if (s->number[b->to] <= s->number[b->from] + b->weight)
            continue;
        s->number[b->to] = s->number[b->from] + b->weight;
        s->by[b->to] = i + 1;
        any = true;
    }
    return any;
}

/* Returns a node of a ring among the bounds that set the numbers, or UINT32_MAX: a ring of these bounds is
 * negative. */
static uint32_t find_ring(const solver *s, uint32_t *stamp) {
    memset(stamp, 0, s->nodes * sizeof *stamp);
    for (uint32_t i = 0; i < s->nodes; i++) {
        uint32_t at = i;
        for (; !stamp[at] && s->by[at]; at = s->bounds.at[s->by[at] - 1].from)
            stamp[at] = i + 1;
        if (s->by[at] && stamp[at] == i + 1)
            return at;
    }
    return UINT32_MAX;
}

/* Finds all numbers. Returns a node of a negative ring if present, else UINT32_MAX. */
static uint32_t solve(solver *s) {
    s->number = arena_new_n(s->mem, int32_t, s->nodes);
    s->by = arena_new_n(s->mem, uint32_t, s->nodes);
    uint32_t *stamp = arena_new_n(s->mem, uint32_t, s->nodes), ring = UINT32_MAX;
    for (uint32_t i = FIRST_UNIT + DENSE_UNITS * s->p->from.tiles.len; i < s->nodes; i++)
        s->number[i] = FAR; /* hops have no number yet */
    while (ring == UINT32_MAX && relax(s))
        ring = find_ring(s, stamp);
    return ring;
}

/* ---- longer paths ------------------------------------------------------------------------------ */

/* Leads a link over more wires if its path has no room for the registers it had. Where all have, no ring is
 * negative: all units may work as late as before. */
static bool lengthen(solver *s, uint32_t link) {
    uint32_t net, sink;
    dense_placing *p = s->p;
    pnr_design *routed = &p->routed[p->from.links.at[link].width];
    dense_net_of_link(p, link, &net, &sink);
    const pnr_route *r = &routed->route.at[net];
    uint32_t *wants = arena_new_n(s->mem, uint32_t, r->sinks.len);
    for (uint32_t k = 0; k < r->sinks.len; k++)
        wants[k] = dense_had(p, link - sink + k);
    const uint32_t needs =
        dense_had(p, link) - (dense_had(p, link) && dense_is_operand(p, &p->from.links.at[link]));
    if (s->failed[link] || pnr_room(r, wants, sink) >= needs)
        return false;
    s->failed[link] = !pnr_lengthen(routed, (pnr_longer){net, sink, needs}, wants, p->all.mem);
    p->lengthened += !s->failed[link];
    return !s->failed[link];
}

/* Routes a link of the ring over more wires. */
static bool lengthen_ring(solver *s, uint32_t ring) {
    uint32_t at = ring;
    bool done = false;
    do {
        const bound *b = &s->bounds.at[s->by[at] - 1];
        done = b->link != NO_LINK && lengthen(s, b->link);
        at = b->from;
    } while (!done && at != ring);
    return done;
}

/* ---- all --------------------------------------------------------------------------------------- */

static void keep_net(const solver *s, uint32_t width, uint32_t net) {
    dense_placing *p = s->p;
    const pnr_route *r = &p->routed[width].route.at[net];
    const uint32_t first = p->first[width].at[net];
    for (uint32_t h = 0; h < r->hops.len; h++) {
        const uint32_t parent = r->hops.at[h].parent, node = s->first_hop[width][net] + h;
        const uint32_t before = parent == PNR_NO_HOP ? dense_unit_node(dense_source_unit(p, first))
                                                     : s->first_hop[width][net] + parent;
        r->hops.at[h].registered = s->number[node] > s->number[before];
    }
    for (uint32_t k = 0; k < r->sinks.len; k++) {
        const uint32_t link = first + k;
        p->delayed[link] =
            s->number[dense_unit_node(dense_sink_unit(p, link))] + (int32_t)dense_had(p, link) >
            s->number[last_node(s, width, net, k, link)];
    }
}

static void keep_numbers(const solver *s) {
    for (uint32_t i = 0; i < DENSE_UNITS * s->p->from.tiles.len; i++)
        s->p->delay[i] = s->number[dense_unit_node(i)] - s->number[ZERO];
    for (uint32_t width = 0; width < DENSE_WIDTHS; width++) {
        for (uint32_t n = 0; n < s->p->net[width].nets.len; n++)
            keep_net(s, width, n);
    }
}

/* ---- the clock --------------------------------------------------------------------------------- */

/* Cuts the slowest paths until no registers do; keeps the fastest. A bound between the ends of a path that is
 * too slow for a period holds for shorter periods, too. */
static uint32_t shorten_period(solver *s) {
    enum { ROUNDS = 200 };
    dense_cuts cuts = {0};
    uint32_t best = UINT32_MAX, limit = UINT32_MAX;
    int32_t *kept = s->number;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        keep_numbers(s);
        const uint32_t period =
            dense_find_cuts(s->p, (const uint32_t *const *)s->first_hop, s->nodes, limit, s->mem, &cuts);
        if (period < best) {
            best = period;
            kept = s->number;
        }
        if (period <= limit) {
            limit = period - 1;
            dense_find_cuts(s->p, (const uint32_t *const *)s->first_hop, s->nodes, limit, s->mem, &cuts);
        }
        for (uint32_t i = 0; i < cuts.len; i++)
            add(s, cuts.at[i].to, cuts.at[i].from, cuts.at[i].had - 1, NO_LINK);
        if (!cuts.len || solve(s) != UINT32_MAX)
            break;
    }
    s->number = kept;
    return best;
}

bool dense_place_registers(dense_placing *p, diagnostics *d) {
    arena scratch = {0};
    solver s = {.p = p, .mem = &scratch};
    uint32_t ring = UINT32_MAX;
    bool again = true;
    s.failed = arena_new_n(&scratch, bool, p->from.links.len + 1);
    for (uint32_t width = 0; width < DENSE_WIDTHS; width++)
        s.first_hop[width] = arena_new_n(&scratch, uint32_t, p->net[width].nets.len + 1);
    while (again) {
        bound_all(&s);
        ring = solve(&s);
        again = ring != UINT32_MAX && lengthen_ring(&s, ring);
    }
    if (ring == UINT32_MAX) {
        if (!p->from.fixed_times)
            p->period_ps = shorten_period(&s);
        keep_numbers(&s);
    } else {
        diag_unmappable(d, (src_loc){0}, "E0984-dense-registers",
                        "no paths have room for the registers that the links of the design ask for");
        diag_hint(d, "another --seed finds other sites; fewer registers between units near each other");
    }
    arena_free(&scratch);
    return ring == UINT32_MAX;
}
