/* A lower bound of the period over all placements and routings of a netlist, and the conditions on a net to
 * keep a period.
 *
 * A path from a tile to a sink is plain or has a SplitFIFO pair. A plain path has at least one hop (none from
 * an IO tile to the tile below). With a pair the best path has the start in the first and the end in the
 * second switch box: the second tile's switch box decides. A MEM tile's is slower than a PE tile's, and an IO
 * tile reaches other tiles only over the tile below. The bound of a sink is the least of these. Branches that
 * part after a hop have no FIFO before the fork: as many sinks as fast first hops keep the period, and more
 * do not. Without a pair, every sink cell is at its distance, and the number of near tiles is limited.
 * O(sinks + columns * near tiles) a net.
 */
#include "pnr/floor.h"

#include "pnr/floor_int.h"
#include "support/least.h"

#define NO_BOUND UINT32_MAX
enum { SIDES = 4 };

static net_tile tile_of(const pnr_limits *l, net_pin pin) {
    return pnr_cell_tile(net_cell_at(l->net, pin.cell));
}

pnr_limits pnr_limits_of(const netlist *n, const pnr_board *b, const pnr_delays *d, arena *mem) {
    bool *early = arena_new_n(mem, bool, n->nets.len + 1);
    net_early(n, early);
    return (pnr_limits){.net = n, .board = b, .d = d, .early = early, .paired = true};
}

pnr_limits pnr_design_limits(const pnr_design *design, const pnr_delays *d, arena *mem) {
    pnr_limits l = pnr_limits_of(design->net, design->board, d, mem);
    l.paired = !design->no_pairs;
    l.fabric_only = design->fabric_only;
    l.mhz = design->mhz;
    return l;
}

static bool may_pair(const pnr_limits *l, uint32_t net) {
    return l->paired && !l->early[net];
}

/* ---- one path -------------------------------------------------------------------------------- */

/* Measures a plain path of a hop in the switch box of a tile of kind `at`: the source's own, or the tile
 * below an IO tile. */
static uint32_t plain_hop(const pnr_delays *d, net_tile from, net_tile at, net_tile to) {
    return d->launch[from] + d->capture[to] + (from == NET_TILE_IO ? d->data[at] : d->ready[at]);
}

/* Measures a pair on the first two hops, in the switch boxes of tiles of these kinds. */
static uint32_t first_pair(const pnr_delays *d, net_tile from, net_tile first, net_tile second) {
    if (from == NET_TILE_IO)
        return d->launch[from] + d->data[first] + d->data[second];
    return d->launch[from] + most(d->data[second], d->ready[first] + d->valid[second]);
}

/* Finds the tile of a hop that leaves (x, y) by `side` to another switch box; NONE if absent. */
static net_tile neighbour_tile(const pnr_board *b, uint32_t x, uint32_t y, pnr_side side) {
    uint32_t to_x, to_y;
    if (!pnr_neighbour(b, x, y, side, &to_x, &to_y) || to_y == 0)
        return NET_TILE_NONE;
    return pnr_site_tile(b, to_x, to_y);
}

uint32_t pnr_plain_delay(const pnr_limits *l, net_tile from, net_tile to, uint32_t distance) {
    const pnr_delays *d = l->d;
    uint32_t data = least(d->data[NET_TILE_PE], d->data[NET_TILE_MEM]);
    uint32_t valid = least(d->valid[NET_TILE_PE], d->valid[NET_TILE_MEM]);
    uint32_t ready = least(d->ready[NET_TILE_PE], d->ready[NET_TILE_MEM]);
    uint32_t ends = d->launch[from] + d->capture[to];
    if (from == NET_TILE_IO)
        return ends + (distance - 1) * data;
    return ends + d->ready[from] + (distance - 1) * (ready + valid);
}

bool pnr_may_be_near(const pnr_limits *l, uint32_t net, uint32_t sink, uint32_t hops, uint32_t period) {
    net_tile from = tile_of(l, l->net->nets.at[net].source),
             to = tile_of(l, l->net->nets.at[net].sinks.at[sink]);
    if (hops == 0)
        return from != NET_TILE_IO || l->d->launch[from] + l->d->capture[to] <= period;
    net_tile slowest = from == NET_TILE_IO ? NET_TILE_PE : from;
    return plain_hop(l->d, from, slowest, to) <= period;
}

bool pnr_is_led(const pnr_limits *l, uint32_t net, uint32_t period) {
    const net_data *n = &l->net->nets.at[net];
    bool near = true;
    for (uint32_t s = 0; s < n->sinks.len; s++)
        near &= pnr_may_be_near(l, net, s, 1, period);
    return may_pair(l, net) && !near;
}

/* Measures the pair on a branch that leaves by `side` at once. */
static uint32_t pair_by_side(const pnr_limits *l, pnr_site at, uint32_t side) {
    uint32_t y = at.y ? at.y : 1;
    net_tile second = neighbour_tile(l->board, at.x, y, (pnr_side)side);
    return second == NET_TILE_NONE ? NO_BOUND
                                   : first_pair(l->d, pnr_site_tile(l->board, at.x, at.y),
                                                pnr_site_tile(l->board, at.x, y), second);
}

uint32_t pnr_lead_period(const pnr_limits *l, pnr_site at, uint32_t period) {
    uint32_t fastest = NO_BOUND;
    for (uint32_t side = 0; side < SIDES; side++)
        fastest = least(fastest, pair_by_side(l, at, side));
    return most(period, fastest);
}

uint32_t pnr_lead_sides(const pnr_limits *l, pnr_site at, uint32_t period) {
    uint32_t sides = 0;
    for (uint32_t side = 0; side < SIDES; side++) {
        uint32_t delay = pair_by_side(l, at, side);
        if (delay != NO_BOUND && delay <= period)
            sides |= 1u << side;
    }
    return sides;
}

/* ---- one net --------------------------------------------------------------------------------- */

/* The sinks of a net by their tile. */
typedef struct {
    uint32_t sinks;
    uint32_t cells[NET_TILE_IO + 1]; /* that have sinks */
} net_need;

static net_need need_of(const pnr_limits *l, uint32_t net) {
    const net_data *n = &l->net->nets.at[net];
    net_need need = {.sinks = n->sinks.len};
    for (uint32_t s = 0; s < n->sinks.len; s++) {
        bool again = false;
        for (uint32_t k = 0; k < s && !again; k++)
            again = n->sinks.at[k].cell.v == n->sinks.at[s].cell.v;
        need.cells[tile_of(l, n->sinks.at[s])] += !again;
    }
    return need;
}

/* May the source stand in column x? */
static bool may_stand(const pnr_limits *l, net_tile from, uint32_t x) {
    return from == NET_TILE_IO ? l->fabric_only || pnr_io_column(l->board, false, x)
                               : pnr_site_tile(l->board, x, 1) == from;
}

/* Measures the fastest path to a tile of kind `to` that leaves the switch box of (x, y) by `side`. */
static uint32_t path_by_side(const pnr_limits *l, net_tile from, pnr_site at, pnr_side side, net_tile to) {
    const pnr_delays *d = l->d;
    net_tile first = pnr_site_tile(l->board, at.x, at.y), second = neighbour_tile(l->board, at.x, at.y, side);
    uint32_t plain = to == second || to == NET_TILE_IO ? plain_hop(d, from, first, to) : NO_BOUND;
    if (second == NET_TILE_NONE)
        return plain;
    uint32_t pair = first_pair(d, from, first, second);
    return least(plain, most(most(pair, d->ready[second]), d->rmux[second] + d->capture[to]));
}

static uint32_t path_straight_down(const pnr_limits *l, net_tile from, pnr_site at, net_tile to) {
    bool below = from == NET_TILE_IO && to == pnr_site_tile(l->board, at.x, at.y);
    return below ? l->d->launch[from] + l->d->capture[to] : NO_BOUND;
}

/* Measures the slower of two sinks whose paths part after the first hop: either path ends there, or both have
 * three hops. */
static uint32_t parted_later(const pnr_limits *l, net_tile from, net_tile at) {
    const pnr_delays *d = l->d;
    uint32_t data = least(d->data[NET_TILE_PE], d->data[NET_TILE_MEM]);
    uint32_t valid = least(d->valid[NET_TILE_PE], d->valid[NET_TILE_MEM]);
    uint32_t ready = least(d->ready[NET_TILE_PE], d->ready[NET_TILE_MEM]);
    uint32_t capture =
        least(least(d->capture[NET_TILE_PE], d->capture[NET_TILE_MEM]), d->capture[NET_TILE_IO]);
    if (from == NET_TILE_IO)
        return d->launch[from] + d->data[at] + least(2 * data, capture);
    return d->launch[from] + d->ready[at] + least(ready + valid + least(valid, capture), capture);
}

/* Bounds a net with pairs whose source stands at `at`, or above it. */
static uint32_t bound_with_pairs(const pnr_limits *l, net_tile from, pnr_site at, const net_need *need) {
    uint32_t bound = 0, path[SIDES + 1], remaining = need->sinks, slowest = 0;
    for (uint32_t i = 0; i <= SIDES; i++)
        path[i] = NO_BOUND;
    for (int to = NET_TILE_PE; to <= NET_TILE_IO; to++) {
        uint32_t fastest = NO_BOUND;
        for (uint32_t i = 0; i <= SIDES && need->cells[to]; i++) {
            uint32_t delay = i < SIDES ? path_by_side(l, from, at, (pnr_side)i, (net_tile)to)
                                       : path_straight_down(l, from, at, (net_tile)to);
            fastest = least(fastest, delay);
            path[i] = least(path[i], delay);
        }
        bound = need->cells[to] ? most(bound, fastest) : bound;
    }
    while (remaining && slowest != NO_BOUND) {
        uint32_t best = 0;
        for (uint32_t i = 1; i <= SIDES; i++)
            best = path[i] < path[best] ? i : best;
        slowest = path[best];
        path[best] = NO_BOUND;
        remaining -= least(remaining, l->board->tracks);
    }
    return most(bound, least(slowest, parted_later(l, from, pnr_site_tile(l->board, at.x, at.y))));
}

/* Returns the distance that contains `need` tiles of kind `to`. */
static uint32_t distance_of(const pnr_limits *l, pnr_site at, net_tile to, uint32_t need) {
    const pnr_board *b = l->board;
    uint32_t reach = b->width + b->height;
    for (uint32_t distance = 1; distance < reach; distance++) {
        uint32_t found = 0;
        for (uint32_t y = at.y > distance ? at.y - distance : 0; y < b->height && y <= at.y + distance; y++) {
            uint32_t across = distance - (y > at.y ? y - at.y : at.y - y);
            for (uint32_t x = at.x > across ? at.x - across : 0; x < b->width && x <= at.x + across; x++)
                found += pnr_site_tile(b, x, y) == to && !(x == at.x && y == at.y);
        }
        if (found >= need)
            return distance;
    }
    return reach;
}

/* Bounds a net without pairs: sinks of every kind are as far off as tiles of that kind are, ready comes from
 * the farthest. */
static uint32_t bound_without_pairs(const pnr_limits *l, net_tile from, uint32_t x, const net_need *need) {
    const pnr_delays *d = l->d;
    uint32_t data = least(d->data[NET_TILE_PE], d->data[NET_TILE_MEM]);
    uint32_t valid = least(d->valid[NET_TILE_PE], d->valid[NET_TILE_MEM]);
    uint32_t ready = least(d->ready[NET_TILE_PE], d->ready[NET_TILE_MEM]);
    uint32_t forth = 0, farthest = 0, middle = l->board->height / 2;
    for (int to = NET_TILE_PE; to <= NET_TILE_IO; to++) {
        if (!need->cells[to])
            continue;
        uint32_t y = from == NET_TILE_IO ? 0 : to == NET_TILE_IO ? 1 : middle ? middle : 1;
        uint32_t far = distance_of(l, (pnr_site){(uint16_t)x, (uint16_t)y}, (net_tile)to, need->cells[to]);
        uint32_t hops = from == NET_TILE_IO ? far - 1 : far;
        uint32_t first = hops && from == NET_TILE_IO ? d->data[pnr_site_tile(l->board, x, 1)] : 0;
        uint32_t rest = hops ? (hops - 1) * (from == NET_TILE_IO ? data : valid) : 0;
        forth = most(forth, d->launch[from] + first + rest + d->capture[to]);
        farthest = most(farthest, hops);
    }
    return forth + (from == NET_TILE_IO ? 0 : d->ready[from] + (farthest - 1) * ready);
}

/* As pnr_net_floor, but any bound up to `enough` will do. */
static uint32_t net_floor_above(const pnr_limits *l, uint32_t net, uint32_t enough) {
    net_tile from = tile_of(l, l->net->nets.at[net].source);
    net_need need = need_of(l, net);
    /* In the second row a tile has neighbours on all sides, if any has. */
    uint16_t y = from != NET_TILE_IO && l->board->height > 2 ? 2 : 1;
    uint32_t bound = NO_BOUND;
    for (uint32_t x = 0; x < l->board->width && need.sinks && bound > enough; x++)
        if (may_stand(l, from, x))
            bound =
                least(bound, may_pair(l, net) ? bound_with_pairs(l, from, (pnr_site){(uint16_t)x, y}, &need)
                                              : bound_without_pairs(l, from, x, &need));
    return need.sinks ? bound : 0;
}

uint32_t pnr_net_floor(const pnr_limits *l, uint32_t net) {
    return net_floor_above(l, net, 0);
}

uint32_t pnr_floor(const pnr_limits *l) {
    uint32_t floor = 0;
    for (uint32_t i = 0; i < l->net->cells.len; i++)
        floor = most(floor, l->d->core[pnr_cell_tile(&l->net->cells.at[i])]);
    for (uint32_t n = 0; n < l->net->nets.len; n++)
        floor = most(floor, net_floor_above(l, n, floor));
    return floor;
}

uint32_t pnr_period_of(uint32_t mhz) {
    return mhz ? 2000000 / (2 * mhz - 1) : 0;
}

uint32_t pnr_target(const pnr_limits *l) {
    return most(pnr_floor(l), pnr_period_of(l->mhz));
}

uint32_t pnr_fastest(const netlist *n, const pnr_board *b, bool paired, arena *mem) {
    pnr_delays d;
    diagnostics quiet;
    diag_init(&quiet, mem);
    if (!pnr_read_delays(b, &quiet, &d))
        return 0;
    pnr_limits l = pnr_limits_of(n, b, &d, mem);
    l.paired = paired;
    return pnr_floor(&l);
}
