/* Lanes: a netlist of equal, unconnected copies, made by unrolling a kernel, is placed by copying a single
 * one. The kinds of tiles repeat every few columns: a placed lane may be shifted by a multiple of this
 * period.
 *
 * A lane is annealed alone on the whole array. If copies fit side by side, the design is as short as its
 * lanes would be singly. Otherwise a lane is annealed in its share of the columns; if the result is longer,
 * the whole netlist is annealed, too, and the shorter design is kept. Lanes are recognised by the order of
 * their cells and nets. O(pins) to find them, O(steps * cells) to shift them.
 */
#include "pnr/place_task.h"

typedef struct {
    const netlist *net;
    uint32_t lanes, cells, nets; /* cells and nets of a lane */
    uint32_t *cell, *of_net;     /* by lane * cells + i, lane * nets + i: index in the netlist */
    uint32_t *local;             /* by cell: its i */
    bool *taken;                 /* by y * width + x: occupied by a copy */
} lane_map;

/* ---- finding them ---------------------------------------------------------------------------- */

static uint32_t root_of(uint32_t *parent, uint32_t c) {
    while (parent[c] != c)
        c = parent[c] = parent[parent[c]];
    return c;
}

/* Returns, by cell, the least connected cell. */
static uint32_t *find_roots(const netlist *n, arena *mem) {
    uint32_t *parent = arena_new_n(mem, uint32_t, n->cells.len);
    for (uint32_t c = 0; c < n->cells.len; c++)
        parent[c] = c;
    for (uint32_t i = 0; i < n->nets.len; i++)
        for (uint32_t s = 0; s < n->nets.at[i].sinks.len; s++) {
            uint32_t a = root_of(parent, n->nets.at[i].source.cell.v - 1);
            uint32_t b = root_of(parent, n->nets.at[i].sinks.at[s].cell.v - 1);
            parent[a > b ? a : b] = a > b ? b : a;
        }
    for (uint32_t c = 0; c < n->cells.len; c++)
        parent[c] = root_of(parent, c);
    return parent;
}

/* Appends `item` to its lane's list; false when the list is full. */
static bool append(uint32_t *list, uint32_t *used, uint32_t lane, uint32_t most, uint32_t item) {
    if (used[lane] == most)
        return false;
    list[lane * most + used[lane]++] = item;
    return true;
}

/* Lists cells and nets by lane; false unless all lanes have the same number of both. */
static bool list_lanes(lane_map *m, arena *mem) {
    const netlist *n = m->net;
    uint32_t *root = find_roots(n, mem), *lane = arena_new_n(mem, uint32_t, n->cells.len);
    for (uint32_t c = 0; c < n->cells.len; c++)
        lane[c] = root[c] == c ? m->lanes++ : lane[root[c]];
    if (m->lanes < 2 || n->cells.len % m->lanes || n->nets.len % m->lanes)
        return false;
    m->cells = n->cells.len / m->lanes;
    m->nets = n->nets.len / m->lanes;
    m->cell = arena_new_n(mem, uint32_t, n->cells.len);
    m->of_net = arena_new_n(mem, uint32_t, n->nets.len);
    m->local = arena_new_n(mem, uint32_t, n->cells.len);
    uint32_t *cells = arena_new_n(mem, uint32_t, m->lanes), *nets = arena_new_n(mem, uint32_t, m->lanes);
    bool even = true;
    for (uint32_t c = 0; even && c < n->cells.len; c++) {
        m->local[c] = cells[lane[c]];
        even = append(m->cell, cells, lane[c], m->cells, c);
    }
    for (uint32_t i = 0; even && i < n->nets.len; i++)
        even = append(m->of_net, nets, lane[n->nets.at[i].source.cell.v - 1], m->nets, i);
    return even;
}

static bool same_pin(const lane_map *m, net_pin a, net_pin b) {
    return a.port == b.port && m->local[a.cell.v - 1] == m->local[b.cell.v - 1];
}

static bool same_net(const lane_map *m, const net_data *a, const net_data *b) {
    bool same = a->sinks.len == b->sinks.len && same_pin(m, a->source, b->source);
    for (uint32_t s = 0; same && s < a->sinks.len; s++)
        same = same_pin(m, a->sinks.at[s], b->sinks.at[s]);
    return same;
}

static bool find_lanes(lane_map *m, arena *mem) {
    const netlist *n = m->net;
    bool same = list_lanes(m, mem);
    for (uint32_t i = m->cells; same && i < n->cells.len; i++) {
        const net_cell_data *a = &n->cells.at[m->cell[i % m->cells]], *b = &n->cells.at[m->cell[i]];
        same = a->tag == b->tag && a->output == b->output;
    }
    for (uint32_t i = m->nets; same && i < n->nets.len; i++)
        same = same_net(m, &n->nets.at[m->of_net[i % m->nets]], &n->nets.at[m->of_net[i]]);
    return same;
}

/* Makes a netlist of its own of the first lane. */
static netlist *first_lane(const lane_map *m, arena *mem) {
    netlist *lane = arena_new(mem, netlist);
    *lane = (netlist){.mem = mem, .names = m->net->names};
    for (uint32_t i = 0; i < m->cells; i++)
        vec_push(mem, &lane->cells, m->net->cells.at[m->cell[i]]);
    for (uint32_t i = 0; i < m->nets; i++) {
        const net_data *from = &m->net->nets.at[m->of_net[i]];
        net_data to = {.source = {{m->local[from->source.cell.v - 1] + 1}, from->source.port}};
        for (uint32_t s = 0; s < from->sinks.len; s++) {
            net_pin pin = from->sinks.at[s];
            vec_push(mem, &to.sinks, ((net_pin){{m->local[pin.cell.v - 1] + 1}, pin.port}));
        }
        vec_push(mem, &lane->nets, to);
    }
    return lane;
}

/* ---- copying them ---------------------------------------------------------------------------- */

/* Returns the least multiple of both. */
static uint32_t common_multiple(uint32_t a, uint32_t b) {
    uint32_t m = a;
    while (m % b)
        m += a;
    return m;
}

/* Returns after how many columns kinds of tiles, columns for IO and flush groups repeat. */
static uint32_t column_period(const pnr_board *b, const pnr_options *o) {
    uint32_t period = common_multiple(b->mem_period, b->columns_per_glb_tile);
    return o->flush ? common_multiple(period, b->flush_columns) : period;
}

/* Puts every lane `step` columns east of the previous lane; false if two cells meet. */
static bool copy_lanes(const lane_map *m, const pnr_board *b, const pnr_site *lane, uint32_t west,
                       uint32_t step, pnr_site *at) {
    memset(m->taken, 0, sizeof *m->taken * b->width * b->height);
    for (uint32_t k = 0; k < m->lanes; k++)
        for (uint32_t i = 0; i < m->cells; i++) {
            pnr_site s = {(uint16_t)(lane[i].x - west + k * step), lane[i].y};
            bool *site = &m->taken[(uint32_t)s.y * b->width + s.x];
            if (*site)
                return false;
            *site = true;
            at[m->cell[k * m->cells + i]] = s;
        }
    return true;
}

static bool flushes_apart(const netlist *n, const pnr_board *b, const pnr_options *o, const pnr_site *at,
                          arena *mem) {
    uint32_t *first = arena_new_n(mem, uint32_t, b->width); /* by group: a cell + 1 */
    for (uint32_t c = 0; o->flush && c < n->cells.len; c++) {
        uint32_t *of_group = &first[at[c].x / b->flush_columns];
        if (*of_group && o->flush[*of_group - 1] != o->flush[c])
            return false;
        *of_group = c + 1;
    }
    return true;
}

/* Puts the copies of the lane as far apart as the array allows; false if they do not fit. */
static bool spread_lanes(const lane_map *m, const pnr_site *lane, const place_task *t, pnr_site *at) {
    const pnr_board *b = t->board;
    const pnr_options *o = t->options;
    uint32_t period = column_period(b, o), x0 = b->width, x1 = 0;
    for (uint32_t i = 0; i < m->cells; i++) {
        x0 = lane[i].x < x0 ? lane[i].x : x0;
        x1 = lane[i].x > x1 ? lane[i].x : x1;
    }
    uint32_t west = x0 / period * period;
    for (uint32_t step = (b->width - 1 - (x1 - west)) / (m->lanes - 1) / period * period; step;
         step -= period)
        if (copy_lanes(m, b, lane, west, step, at) && flushes_apart(m->net, b, o, at, t->mem))
            return true;
    return false;
}

/* ---- the pass -------------------------------------------------------------------------------- */

/* Makes a board of a lane's share of the columns; its width is 0 for too few columns. */
static pnr_board share_of_board(const pnr_board *b, uint32_t period, uint32_t lanes) {
    pnr_board share = *b;
    share.width = b->width / lanes / period * period;
    share.glb_tiles = share.width / b->columns_per_glb_tile;
    return share;
}

static double time_remaining(const pnr_options *o, double start) {
    double remaining = start + o->time_limit - seconds_now();
    return o->time_limit <= 0 ? 0 : remaining > 1e-6 ? remaining : 1e-6;
}

bool place_lanes(const place_task *t, pnr_stats *stats, pnr_site *at) {
    const netlist *n = t->net;
    const pnr_board *b = t->board;
    const pnr_options *o = t->options;
    arena *mem = t->mem;
    lane_map m = {.net = n};
    if (o->fixed || o->region || o->whole || o->own_tiles || !find_lanes(&m, mem))
        return false;
    double start = seconds_now();
    diagnostics d; /* refusals of a lane do not matter: the whole netlist is judged by itself */
    diag_init(&d, mem);
    pnr_site *one = arena_new_n(mem, pnr_site, m.cells);
    m.taken = arena_new_n(mem, bool, b->width * b->height);
    pnr_options of_lane = *o, of_rest = *o;
    place_task lane = {first_lane(&m, mem), b, &of_lane, m.lanes, mem, &d},
               rest = {n, b, &of_rest, 1, mem, &d};
    of_lane.flush = NULL;
    of_lane.moves = o->moves / m.lanes + (o->moves > 0);
    int64_t alone, cost, whole = INT64_MAX;
    if (!place_whole(&lane, stats, one, &alone))
        return false;
    if (spread_lanes(&m, one, t, at)) {
        stats->lanes = m.lanes;
        return true;
    }
    pnr_board share = share_of_board(b, column_period(b, o), m.lanes);
    of_lane.time_limit = time_remaining(o, start);
    lane.board = &share;
    if (!share.width || !pnr_fits(lane.net, &share, o, &d) || !place_whole(&lane, stats, one, &cost) ||
        !spread_lanes(&m, one, t, at))
        return false;
    stats->lanes = m.lanes;
    if (cost <= alone)
        return true;
    pnr_site *other = arena_new_n(mem, pnr_site, n->cells.len);
    pnr_stats of_whole = *stats;
    of_rest.time_limit = time_remaining(o, start);
    if (place_whole(&rest, &of_whole, other, &whole) && whole < cost * m.lanes) {
        memcpy(at, other, n->cells.len * sizeof *at);
        *stats = of_whole;
        stats->lanes = 0;
    }
    return true;
}
