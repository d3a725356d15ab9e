/* Longer ways on purpose. SplitFIFO pairs hold tokens, two each, and stand on two hops each: a sink whose
 * path must hold more gets a way of its own from the core on, of a given number of free wires and no more.
 *
 * Depth-first search for a path of exactly that length, away from the sink as long as the hops that are left
 * lead back (Manhattan distance); a bounded number of steps, so O(1) a sink.
 */
#include "pnr/floor_int.h"
#include "pnr/lengthen.h"

enum { MAX_STEPS = 20000, LENGTHS = 4 };

typedef struct {
    const pnr_board *board;
    bool *used;     /* by wire, of all nets */
    uint32_t sides; /* sides allowed for the first hop */
    pnr_site to;    /* the sink's tile */
    pnr_delays delays;
    uint32_t period; /* largest period of a net; 0: the board has no delays */
    pnr_hop *hops;   /* the path so far */
    uint32_t steps;  /* of the search */
} stretcher;

/* Takes hop `depth` and continues from its end; true once the path ends at the sink with `left` 0. */
static bool take(stretcher *s, pnr_hop hop, uint32_t depth, uint32_t left) {
    const pnr_board *b = s->board;
    uint32_t x, y;
    if (s->used[pnr_wire_of(b, &hop)] || !pnr_neighbour(b, hop.x, hop.y, (pnr_side)hop.side, &x, &y) ||
        y == 0)
        return false;
    uint32_t far = pnr_away(x, s->to.x) + pnr_away(y, s->to.y);
    if (far > left || s->steps++ >= MAX_STEPS)
        return false;
    s->hops[depth] = hop;
    if (left == 0)
        return true;
    s->used[pnr_wire_of(b, &hop)] = true;
    for (uint32_t turn = 0; turn < 4; turn++) {
        uint32_t side = (hop.side + turn) % 4, track;
        pnr_side from = pnr_opposite((pnr_side)hop.side);
        if (!pnr_switch_track(b, from, hop.track, (pnr_side)side, &track))
            continue;
        const pnr_hop next = {.x = (uint16_t)x,
                              .y = (uint16_t)y,
                              .side = (uint8_t)side,
                              .track = (uint8_t)track,
                              .from_side = (uint8_t)from,
                              .from_track = hop.track,
                              .parent = depth};
        if (take(s, next, depth + 1, left - 1))
            return true;
    }
    s->used[pnr_wire_of(b, &hop)] = false;
    return false;
}

/* Finds a path of `length` hops from the core, into s->hops. */
static bool find_path(stretcher *s, pnr_site from, uint8_t port, uint32_t length) {
    s->steps = 0;
    for (uint32_t out = 0; out < 4 * s->board->tracks; out++) {
        if (!(s->sides >> out % 4 & 1))
            continue;
        const pnr_hop first = {.x = from.x,
                               .y = from.y,
                               .side = (uint8_t)(out % 4),
                               .track = (uint8_t)(out / 4),
                               .from_core = true,
                               .port = port,
                               .parent = PNR_NO_HOP};
        if (take(s, first, 0, length - 1))
            return true;
    }
    return false;
}

void pnr_drop_branch(const pnr_route *r, uint32_t sink, arena *mem, pnr_route *out) {
    uint32_t *at = arena_new_n(mem, uint32_t, r->hops.len + 1);
    bool *kept = arena_new_n(mem, bool, r->hops.len + 1);
    *out = (pnr_route){.early = r->early};
    for (uint32_t s = 0; s < r->sinks.len; s++) {
        for (uint32_t h = r->sinks.at[s].hop; s != sink && h != PNR_NO_HOP; h = r->hops.at[h].parent)
            kept[h] = true;
    }
    for (uint32_t h = 0; h < r->hops.len; h++) {
        if (!kept[h])
            continue;
        pnr_hop hop = r->hops.at[h];
        hop.parent = hop.parent == PNR_NO_HOP ? PNR_NO_HOP : at[hop.parent];
        at[h] = out->hops.len;
        vec_push(mem, &out->hops, hop);
    }
    for (uint32_t s = 0; s < r->sinks.len; s++) {
        pnr_sink end = r->sinks.at[s];
        end.hop = s == sink || end.hop == PNR_NO_HOP ? PNR_NO_HOP : at[end.hop];
        vec_push(mem, &out->sinks, end);
    }
}

static void mark(const pnr_board *b, const pnr_route *r, bool *used, bool to) {
    for (uint32_t h = 0; h < r->hops.len; h++)
        used[pnr_wire_of(b, &r->hops.at[h])] = to;
}

/* Takes the new route unless the design becomes slower. */
static void keep_route(pnr_design *design, const stretcher *s, uint32_t net, const pnr_route *to) {
    pnr_route before = design->route.at[net];
    design->route.at[net] = *to;
    if (s->period && pnr_net_delay(design, &s->delays, net) > s->period)
        design->route.at[net] = before;
}

/* Leads the sink of `rest` over the path in s->hops. */
static void add_path(const stretcher *s, uint32_t sink, uint32_t length, arena *mem, pnr_route *rest) {
    uint32_t first = rest->hops.len;
    for (uint32_t h = 0; h < length; h++) {
        s->hops[h].parent = h ? first + h - 1 : PNR_NO_HOP;
        vec_push(mem, &rest->hops, s->hops[h]);
    }
    const pnr_hop *last = &s->hops[length - 1];
    rest->sinks.at[sink] =
        (pnr_sink){rest->hops.len - 1, (uint8_t)pnr_opposite((pnr_side)last->side), last->track};
}

static void stretch(pnr_design *design, pnr_want want, stretcher *s, arena *mem, arena *scratch) {
    const net_data *net = &design->net->nets.at[want.net];
    pnr_route *r = &design->route.at[want.net], rest;
    pnr_site from = design->site.at[net->source.cell.v - 1];
    s->to = design->site.at[net->sinks.at[want.sink].cell.v - 1];
    if (r->early || from.y == 0 || s->to.y == 0 || pnr_pairs_to(r, want.sink) >= want.pairs)
        return;
    mark(s->board, r, s->used, false);
    pnr_drop_branch(r, want.sink, mem, &rest);
    mark(s->board, &rest, s->used, true);
    uint32_t shortest = pnr_away(from.x, s->to.x) + pnr_away(from.y, s->to.y);
    shortest = 2 * want.pairs > shortest ? 2 * want.pairs : shortest;
    for (uint32_t length = shortest; length < shortest + LENGTHS; length++) {
        s->hops = arena_new_n(scratch, pnr_hop, length);
        if (!find_path(s, from, net->source.port, length))
            continue;
        add_path(s, want.sink, length, mem, &rest);
        pnr_pair_route(&rest, scratch);
        keep_route(design, s, want.net, &rest);
        break;
    }
    mark(s->board, r, s->used, true);
}

/* A longer path must not make the design slower. */
static pnr_limits bound_period(const pnr_design *design, stretcher *s, arena *scratch) {
    diagnostics quiet; /* a board without delays has no period */
    diag_init(&quiet, scratch);
    if (!pnr_read_delays(design->board, &quiet, &s->delays))
        return (pnr_limits){.net = NULL};
    pnr_limits limits = pnr_design_limits(design, &s->delays, scratch);
    s->period = pnr_target(&limits);
    for (uint32_t i = 0; i < design->route.len; i++) {
        uint32_t delay = pnr_net_delay(design, &s->delays, i);
        s->period = delay > s->period ? delay : s->period;
    }
    return limits;
}

void pnr_stretch(pnr_design *design, const pnr_want *want, uint32_t n, arena *mem) {
    const pnr_board *b = design->board;
    arena scratch = {0};
    stretcher s = {.board = b, .used = arena_new_n(&scratch, bool, b->width * b->height * 4 * b->tracks)};
    for (uint32_t i = 0; i < design->route.len; i++)
        mark(b, &design->route.at[i], s.used, true);
    pnr_limits limits = bound_period(design, &s, &scratch);
    for (uint32_t i = 0; i < n; i++) {
        pnr_site from = design->site.at[design->net->nets.at[want[i].net].source.cell.v - 1];
        s.sides = s.period ? pnr_lead_sides(&limits, from, s.period) : 15;
        stretch(design, want[i], &s, mem, &scratch);
    }
    arena_free(&scratch);
}
