/* Longer paths for sinks.
 *
 * pnr_lengthen: a sink of a net whose sinks need different numbers of registers. A common stretch has room
 * for the least number needed by its sinks. A path begins at the source or leaves the net's tree at the point
 * with enough room before it and enough hops after it that takes the fewest wires.
 *
 * pnr_stretch: a sink whose path must hold more tokens. SplitFIFO pairs hold two tokens each, and stand on
 * two hops each; the sink gets a path of its own from the core on.
 *
 * Depth-first search for a path of exactly a given length, away from the sink as long as the remaining hops
 * lead back (Manhattan distance); a bounded number of steps, hence O(hops of the net).
 */
#include "pnr/lengthen.h"

#include "pnr/floor_int.h"

#include <stdlib.h>

#define TO_SOURCE UINT32_MAX
enum { MOST_LENGTHEN = 4000, MOST_STRETCH = 20000, LENGTHS = 4, ALL_SIDES = 15 };

typedef struct {
    const pnr_board *board;
    bool *used;           /* by wire, of all nets */
    pnr_site to;          /* the sink's tile */
    pnr_hop *hops;        /* the path so far */
    uint32_t sides;       /* sides allowed for the first hop from a core */
    uint32_t steps, most; /* of the search */
} walker;

/* Where a path may begin. */
typedef struct {
    uint32_t hop, length; /* hop: last common hop, or TO_SOURCE */
} beginning;
typedef VEC(beginning) beginnings;

/* Returns the number of the wire that a hop goes over. */
static uint32_t wire_of(const pnr_board *b, const pnr_hop *h) {
    return ((h->y * b->width + h->x) * 4 + h->side) * b->tracks + h->track;
}
static uint32_t away(uint32_t a, uint32_t b) {
    return a > b ? a - b : b - a;
}

/* ---- room -------------------------------------------------------------------------------------- */

/* Finds, by hop, the room for registers from the source up to and with the hop, sink `but` left out. */
static uint32_t *find_room(const pnr_route *r, const uint32_t *wants, uint32_t but, arena *mem) {
    uint32_t *room = arena_new_n(mem, uint32_t, r->hops.len + 1);
    for (uint32_t h = 0; h < r->hops.len; h++)
        room[h] = UINT32_MAX;
    for (uint32_t s = 0; s < r->sinks.len; s++) {
        const uint32_t last = r->sinks.at[s].hop;
        if (s != but && last != PNR_NO_HOP && wants[s] < room[last])
            room[last] = wants[s];
    }
    for (uint32_t h = r->hops.len; h-- > 0;) {
        const uint32_t parent = r->hops.at[h].parent;
        if (parent != PNR_NO_HOP && room[h] < room[parent])
            room[parent] = room[h];
    }
    for (uint32_t h = 0; h < r->hops.len; h++) {
        const uint32_t parent = r->hops.at[h].parent, most = parent == PNR_NO_HOP ? 1 : room[parent] + 1;
        room[h] = most < room[h] ? most : room[h];
    }
    return room;
}

uint32_t pnr_room(const pnr_route *r, const uint32_t *wants, uint32_t sink) {
    arena scratch = {0};
    const uint32_t last = r->sinks.at[sink].hop,
                   room = last == PNR_NO_HOP ? 0 : find_room(r, wants, PNR_NO_HOP, &scratch)[last];
    arena_free(&scratch);
    return room;
}

/* ---- the search -------------------------------------------------------------------------------- */

static bool leave(walker *w, const pnr_hop *before, uint32_t depth, uint32_t remaining);

/* Takes hop `depth` and continues from its end; true once the path ends at the sink with `left` 0. */
static bool take(walker *w, pnr_hop hop, uint32_t depth, uint32_t remaining) {
    uint32_t x, y;
    if (w->used[wire_of(w->board, &hop)] ||
        !pnr_neighbour(w->board, hop.x, hop.y, (pnr_side)hop.side, &x, &y))
        return false;
    if (y == 0 && (w->to.y || remaining || hop.track))
        return false; /* an IO tile, reached only by track 0 */
    if (away(x, w->to.x) + away(y, w->to.y) > remaining || w->steps++ >= w->most)
        return false;
    w->hops[depth] = hop;
    if (remaining == 0)
        return true;
    w->used[wire_of(w->board, &hop)] = true;
    const bool found = leave(w, &hop, depth + 1, remaining - 1);
    w->used[wire_of(w->board, &hop)] = false;
    return found;
}

/* Goes on behind a hop, straight on first. */
static bool leave(walker *w, const pnr_hop *before, uint32_t depth, uint32_t remaining) {
    uint32_t x = 0, y = 0;
    bool found = false;
    pnr_neighbour(w->board, before->x, before->y, (pnr_side)before->side, &x, &y);
    for (uint32_t turn = 0; turn < 4 && !found; turn++) {
        const pnr_side from = pnr_opposite((pnr_side)before->side),
                       side = (pnr_side)((before->side + turn) % 4);
        uint32_t track;
        if (!pnr_switch_track(w->board, from, before->track, side, &track))
            continue;
        found = take(w,
                     (pnr_hop){.x = (uint16_t)x,
                               .y = (uint16_t)y,
                               .side = (uint8_t)side,
                               .track = (uint8_t)track,
                               .from_side = (uint8_t)from,
                               .from_track = before->track},
                     depth, remaining);
    }
    return found;
}

/* Begins at the source: a core output drives any output of its switch box; an IO tile arrives from NORTH at
 * the tile below it. */
static bool begin(walker *w, pnr_site from, uint8_t port, uint32_t remaining) {
    bool found = false;
    for (uint32_t i = 0; i < 4 * w->board->tracks && !found; i++) {
        const pnr_hop first = {.x = from.x,
                               .y = from.y,
                               .side = (uint8_t)(i % 4),
                               .track = (uint8_t)(i / 4),
                               .from_core = true,
                               .port = port};
        const pnr_hop above = {.x = from.x, .y = 0, .side = PNR_SOUTH, .track = (uint8_t)(i / 4)};
        found = from.y ? (w->sides >> i % 4 & 1) && take(w, first, 0, remaining)
                       : i % 4 == 0 && leave(w, &above, 0, remaining);
    }
    return found;
}

/* ---- the net ----------------------------------------------------------------------------------- */

static int by_length(const void *left, const void *right) {
    const beginning *a = left, *b = right;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return a->hop < b->hop ? -1 : a->hop > b->hop;
}

/* Adds a place where a path may begin, `far` hops from the sink at least, with room for `room` registers. */
static void add_beginning(beginnings *list, uint32_t hop, uint32_t far, int64_t missing, arena *mem) {
    const uint32_t length = missing > (int64_t)far ? (uint32_t)missing : far;
    if (length)
        vec_push(mem, list, ((beginning){hop, length}));
}

static beginnings find_beginnings(const walker *w, const pnr_route *r, pnr_site from, const uint32_t *room,
                                  uint32_t registers, arena *mem) {
    beginnings list = {0};
    add_beginning(&list, TO_SOURCE, away(from.x, w->to.x) + away(from.y ? from.y : 1, w->to.y), registers,
                  mem);
    for (uint32_t h = 0; h < r->hops.len; h++) {
        uint32_t x = 0, y = 0;
        pnr_neighbour(w->board, r->hops.at[h].x, r->hops.at[h].y, (pnr_side)r->hops.at[h].side, &x, &y);
        if (y)
            add_beginning(&list, h, away(x, w->to.x) + away(y, w->to.y), (int64_t)registers - room[h], mem);
    }
    qsort(list.at, list.len, sizeof *list.at, by_length);
    return list;
}

/* Leads the sink of `r` over the path in w->hops. */
static void add_path(const walker *w, const beginning *b, uint32_t sink, arena *mem, pnr_route *r) {
    for (uint32_t h = 0; h < b->length; h++) {
        w->hops[h].parent = h ? r->hops.len - 1 : b->hop == TO_SOURCE ? PNR_NO_HOP : b->hop;
        vec_push(mem, &r->hops, w->hops[h]);
    }
    const pnr_hop *last = &w->hops[b->length - 1];
    r->sinks.at[sink] = (pnr_sink){r->hops.len - 1, (uint8_t)pnr_opposite((pnr_side)last->side), last->track};
}

static void mark(const walker *w, const pnr_route *r, bool to) {
    for (uint32_t h = 0; h < r->hops.len; h++)
        w->used[wire_of(w->board, &r->hops.at[h])] = to;
}

/* A walker on the design's board, where the wires of all nets are used. */
static walker begin_walk(const pnr_design *design, uint32_t most, arena *mem) {
    const pnr_board *b = design->board;
    walker w = {.board = b, .sides = ALL_SIDES, .most = most};
    w.used = arena_new_n(mem, bool, b->width * b->height * 4 * b->tracks);
    for (uint32_t i = 0; i < design->route.len; i++)
        mark(&w, &design->route.at[i], true);
    return w;
}

/* Makes the route without the hops needed only by this sink. */
static void without_branch(const pnr_route *r, uint32_t sink, arena *mem, pnr_route *out) {
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

/* Takes the branch of a sink off its net's route; its wires are free. */
static void drop_branch(walker *w, const pnr_route *r, uint32_t sink, arena *mem, pnr_route *rest) {
    mark(w, r, false);
    without_branch(r, sink, mem, rest);
    mark(w, rest, true);
}

/* Leads the sink from the beginning over a free path of the beginning's length, or of the next longer ones.
 */
static bool find_path(walker *w, const pnr_design *design, pnr_longer want, beginning b, arena *mem,
                      pnr_route *rest) {
    const net_data *net = &design->net->nets.at[want.net];
    const pnr_site from = design->site.at[net->source.cell.v - 1];
    arena scratch = {0};
    bool found = false;
    w->to = design->site.at[net->sinks.at[want.sink].cell.v - 1];
    w->hops = arena_new_n(&scratch, pnr_hop, b.length + LENGTHS);
    for (uint32_t i = 0; i < LENGTHS && !found; i++) {
        w->steps = 0;
        found = b.hop == TO_SOURCE ? begin(w, from, net->source.port, b.length - 1)
                                   : leave(w, &rest->hops.at[b.hop], 0, b.length - 1);
        b.length += !found;
    }
    if (found)
        add_path(w, &b, want.sink, mem, rest);
    arena_free(&scratch);
    return found;
}

bool pnr_lengthen(pnr_design *design, pnr_longer want, const uint32_t *wants, arena *mem) {
    const net_data *net = &design->net->nets.at[want.net];
    const pnr_site from = design->site.at[net->source.cell.v - 1];
    arena scratch = {0};
    pnr_route rest;
    bool found = false;
    walker w = begin_walk(design, MOST_LENGTHEN, &scratch);
    w.to = design->site.at[net->sinks.at[want.sink].cell.v - 1];
    drop_branch(&w, &design->route.at[want.net], want.sink, mem, &rest);
    const uint32_t *room = find_room(&rest, wants, want.sink, &scratch);
    const beginnings list = find_beginnings(&w, &rest, from, room, want.room, &scratch);
    for (uint32_t i = 0; i < list.len && !found; i++)
        found = find_path(&w, design, want, list.at[i], mem, &rest);
    if (found)
        design->route.at[want.net] = rest;
    arena_free(&scratch);
    return found;
}

/* ---- tokens ------------------------------------------------------------------------------------ */

/* Takes the route unless the design becomes slower than `period`; 0: the board has no delays. */
static void keep_route(pnr_design *design, const pnr_delays *d, uint32_t period, uint32_t net,
                       const pnr_route *to) {
    const pnr_route before = design->route.at[net];
    design->route.at[net] = *to;
    if (period && pnr_net_delay(design, d, net) > period)
        design->route.at[net] = before;
}

/* Finds a path with room for want.room pairs. */
static bool stretch(walker *w, const pnr_design *design, pnr_longer want, arena *mem, pnr_route *rest) {
    const net_data *net = &design->net->nets.at[want.net];
    const pnr_route *r = &design->route.at[want.net];
    const pnr_site from = design->site.at[net->source.cell.v - 1],
                   to = design->site.at[net->sinks.at[want.sink].cell.v - 1];
    if (r->early || from.y == 0 || to.y == 0 || pnr_pairs_to(r, want.sink) >= want.room)
        return false;
    const uint32_t far = away(from.x, to.x) + away(from.y, to.y), least = 2 * want.room;
    drop_branch(w, r, want.sink, mem, rest);
    const bool found =
        find_path(w, design, want, (beginning){TO_SOURCE, least > far ? least : far}, mem, rest);
    mark(w, found ? rest : r, true);
    return found;
}

/* Finds the period of the slowest net: a longer path must not make the design slower. A board without delays
 * has no period. */
static pnr_limits bound_period(const pnr_design *design, pnr_delays *delays, uint32_t *period,
                               arena *scratch) {
    diagnostics quiet;
    diag_init(&quiet, scratch);
    if (!pnr_read_delays(design->board, &quiet, delays))
        return (pnr_limits){.net = NULL};
    const pnr_limits limits = pnr_design_limits(design, delays, scratch);
    *period = pnr_target(&limits);
    for (uint32_t i = 0; i < design->route.len; i++) {
        const uint32_t delay = pnr_net_delay(design, delays, i);
        *period = delay > *period ? delay : *period;
    }
    return limits;
}

void pnr_stretch(pnr_design *design, const pnr_longer *want, uint32_t n, arena *mem) {
    arena scratch = {0};
    walker w = begin_walk(design, MOST_STRETCH, &scratch);
    pnr_delays delays;
    uint32_t period = 0;
    pnr_limits limits = bound_period(design, &delays, &period, &scratch);
    for (uint32_t i = 0; i < n; i++) {
        const pnr_site from = design->site.at[design->net->nets.at[want[i].net].source.cell.v - 1];
        pnr_route rest;
        w.sides = period ? pnr_lead_sides(&limits, from, period) : ALL_SIDES;
        if (!stretch(&w, design, want[i], mem, &rest))
            continue;
        pnr_pair_route(&rest, &scratch);
        keep_route(design, &delays, period, want[i].net, &rest);
        mark(&w, &design->route.at[want[i].net], true); /* a refused path leaves the route as it was */
    }
    arena_free(&scratch);
}
