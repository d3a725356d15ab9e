/* A longer path for a sink of a net whose sinks need different numbers of registers.
 *
 * A common stretch has room for the least number needed by its sinks. A path begins at the source or leaves
 * the net's tree at the point with enough room before it and enough hops after it that takes the fewest
 * wires. Depth-first search for a path of exactly this length, away from the sink as long as the remaining
 * hops lead back (Manhattan distance); a bounded number of steps, hence O(hops of the net).
 */
#include "pnr/lengthen.h"

#include "pnr/pnr_int.h"

#include <stdlib.h>

#define TO_SOURCE UINT32_MAX
enum { MAX_STEPS = 4000, LENGTHS = 4 };

typedef struct {
    const pnr_board *board;
    bool *used;    /* by wire, of all nets */
    pnr_site to;   /* the sink's tile */
    pnr_hop *hops; /* the path so far */
    uint32_t steps;
} walker;

/* Where a path may begin. */
typedef struct {
    uint32_t hop, length; /* hop: last common hop, or TO_SOURCE; length: the least */
} beginning;
typedef VEC(beginning) beginnings;

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

static bool leave(walker *w, const pnr_hop *before, uint32_t depth, uint32_t left);

/* Takes hop `depth` and continues from its end; true once the path ends at the sink with `left` 0. */
static bool take(walker *w, pnr_hop hop, uint32_t depth, uint32_t left) {
    uint32_t x, y;
    if (w->used[pnr_wire_of(w->board, &hop)] ||
        !pnr_neighbour(w->board, hop.x, hop.y, (pnr_side)hop.side, &x, &y))
        return false;
    if (y == 0 && (w->to.y || left || hop.track))
        return false; /* an IO tile, reached only by track 0 */
    if (pnr_away(x, w->to.x) + pnr_away(y, w->to.y) > left || w->steps++ >= MAX_STEPS)
        return false;
    w->hops[depth] = hop;
    if (left == 0)
        return true;
    w->used[pnr_wire_of(w->board, &hop)] = true;
    const bool found = leave(w, &hop, depth + 1, left - 1);
    w->used[pnr_wire_of(w->board, &hop)] = false;
    return found;
}

/* Goes on behind a hop, straight on first. */
static bool leave(walker *w, const pnr_hop *before, uint32_t depth, uint32_t left) {
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
                     depth, left);
    }
    return found;
}

/* Begins at the source: a core output drives any output of its switch box; an IO tile arrives from NORTH at
 * the tile below it. */
static bool begin(walker *w, pnr_site from, uint8_t port, uint32_t left) {
    bool found = false;
    for (uint32_t i = 0; i < 4 * w->board->tracks && !found; i++) {
        const pnr_hop first = {.x = from.x,
                               .y = from.y,
                               .side = (uint8_t)(i % 4),
                               .track = (uint8_t)(i / 4),
                               .from_core = true,
                               .port = port};
        const pnr_hop above = {.x = from.x, .y = 0, .side = PNR_SOUTH, .track = (uint8_t)(i / 4)};
        found = from.y ? take(w, first, 0, left) : i % 4 == 0 && leave(w, &above, 0, left);
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
    add_beginning(&list, TO_SOURCE, pnr_away(from.x, w->to.x) + pnr_away(from.y ? from.y : 1, w->to.y),
                  registers, mem);
    for (uint32_t h = 0; h < r->hops.len; h++) {
        uint32_t x = 0, y = 0;
        pnr_neighbour(w->board, r->hops.at[h].x, r->hops.at[h].y, (pnr_side)r->hops.at[h].side, &x, &y);
        if (y)
            add_beginning(&list, h, pnr_away(x, w->to.x) + pnr_away(y, w->to.y), (int64_t)registers - room[h],
                          mem);
    }
    qsort(list.at, list.len, sizeof *list.at, by_length);
    return list;
}

/* Leads the sink of `r` over the path in w->hops. */
static void add_path(const walker *w, const beginning *b, uint32_t length, uint32_t sink, arena *mem,
                     pnr_route *r) {
    for (uint32_t h = 0; h < length; h++) {
        w->hops[h].parent = h ? r->hops.len - 1 : b->hop == TO_SOURCE ? PNR_NO_HOP : b->hop;
        vec_push(mem, &r->hops, w->hops[h]);
    }
    const pnr_hop *last = &w->hops[length - 1];
    r->sinks.at[sink] = (pnr_sink){r->hops.len - 1, (uint8_t)pnr_opposite((pnr_side)last->side), last->track};
}

static void mark(const pnr_board *b, const pnr_route *r, bool *used) {
    for (uint32_t h = 0; h < r->hops.len; h++)
        used[pnr_wire_of(b, &r->hops.at[h])] = true;
}

static bool find_path(walker *w, const net_data *net, pnr_site from, const pnr_route *r, const beginning *b,
                      uint32_t length) {
    w->steps = 0;
    return b->hop == TO_SOURCE ? begin(w, from, net->source.port, length - 1)
                               : leave(w, &r->hops.at[b->hop], 0, length - 1);
}

bool pnr_lengthen(pnr_design *design, pnr_longer want, const uint32_t *wants, arena *mem) {
    const net_data *net = &design->net->nets.at[want.net];
    const pnr_board *b = design->board;
    const pnr_site from = design->site.at[net->source.cell.v - 1];
    arena scratch = {0};
    pnr_route rest;
    bool found = false;
    walker w = {.board = b, .used = arena_new_n(&scratch, bool, b->width * b->height * 4 * b->tracks)};
    w.to = design->site.at[net->sinks.at[want.sink].cell.v - 1];
    pnr_drop_branch(&design->route.at[want.net], want.sink, mem, &rest);
    for (uint32_t i = 0; i < design->route.len; i++)
        mark(b, i == want.net ? &rest : &design->route.at[i], w.used);
    const uint32_t *room = find_room(&rest, wants, want.sink, &scratch);
    const beginnings list = find_beginnings(&w, &rest, from, room, want.registers, &scratch);
    for (uint32_t i = 0; i < LENGTHS * list.len && !found; i++) {
        const beginning *at = &list.at[i / LENGTHS];
        const uint32_t length = at->length + i % LENGTHS;
        w.hops = arena_new_n(&scratch, pnr_hop, length);
        found = find_path(&w, net, from, &rest, at, length);
        if (found)
            add_path(&w, at, length, want.sink, mem, &rest);
    }
    if (found)
        design->route.at[want.net] = rest;
    arena_free(&scratch);
    return found;
}
