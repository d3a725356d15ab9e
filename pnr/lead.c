/* Clock constraints of a placement. A net too slow without a SplitFIFO pair (a MEM or IO tile's) has a pair
 * on the first two hops of each branch, over fast tiles: its sinks stand at least two hops off, and not
 * behind a tile with slow crossing. Such a net is not a tree but a link from its source to each sink; the
 * cost of a sink is the excess of the shortest legal branch over the distance, from a table filled by a
 * search over the fabric. A net without allowed pairs consists of links, too, which cost more than in
 * proportion. O(columns) searches of a few hundred steps.
 */
#include "pnr/floor_int.h"
#include "pnr/lead_int.h"
#include "pnr/spot.h"

enum { SIDES = 4, WINDOW = LEAD_REACH + 3, WINDOW_SIDE = 2 * WINDOW + 1, NO_PATH = 8 };
enum { LATE_ONE = 128, LATE_MOST = 1000 }; /* picoseconds worth a hop, hops */

/* ---- the tables ------------------------------------------------------------------------------ */

typedef struct {
    int x, y; /* of a tile in the window */
    pnr_side arrived;
    uint32_t hops;
} step;

typedef struct {
    const pnr_board *board;
    int x0, y0; /* the window's north-west corner */
    bool seen[WINDOW_SIDE][WINDOW_SIDE][SIDES];
    uint8_t hops[WINDOW_SIDE][WINDOW_SIDE]; /* of the shortest way of two and more; 0: not reached */
    step queue[WINDOW_SIDE * WINDOW_SIDE * SIDES];
    uint32_t queued;
    uint32_t wanted; /* tiles within LEAD_REACH that are not reached */
} survey;

static bool is_within_reach(int x, int y) {
    return x >= WINDOW - LEAD_REACH && x <= WINDOW + LEAD_REACH && y >= WINDOW - LEAD_REACH - 1 &&
           y <= WINDOW + LEAD_REACH;
}

static void arrive(survey *s, step from, pnr_side side) {
    uint32_t x, y;
    if (!pnr_neighbour(s->board, (uint32_t)(from.x + s->x0), (uint32_t)(from.y + s->y0), side, &x, &y) ||
        y == 0)
        return;
    step to = {(int)x - s->x0, (int)y - s->y0, pnr_opposite(side), from.hops + 1};
    if (to.x < 0 || to.y < 0 || to.x >= WINDOW_SIDE || to.y >= WINDOW_SIDE || s->seen[to.y][to.x][to.arrived])
        return;
    s->seen[to.y][to.x][to.arrived] = true;
    if (to.hops > 1 && !s->hops[to.y][to.x]) {
        s->hops[to.y][to.x] = (uint8_t)to.hops;
        s->wanted -= is_within_reach(to.x, to.y);
    }
    s->queue[s->queued++] = to;
}

/* Fills the table of a source at `at`, whose branches leave by `sides` of the switch box there, or below. */
static void fill_table(const pnr_board *b, pnr_site at, uint32_t sides, arena *mem, lead_table table) {
    survey *s = arena_new(mem, survey);
    int base = at.y ? 0 : 1, y = at.y ? at.y : 1;
    s->board = b;
    s->x0 = at.x - WINDOW;
    s->y0 = y - WINDOW;
    for (int i = 0; i < WINDOW_SIDE * WINDOW_SIDE; i++) {
        const int column = s->x0 + i % WINDOW_SIDE, row = s->y0 + i / WINDOW_SIDE;
        s->wanted += is_within_reach(i % WINDOW_SIDE, i / WINDOW_SIDE) && column >= 0 && row >= 1 &&
                     column < (int)b->width && row < (int)b->height;
    }
    for (uint32_t side = 0; side < SIDES; side++)
        if (sides >> side & 1)
            arrive(s, (step){.x = WINDOW, .y = WINDOW}, (pnr_side)side);
    for (uint32_t i = 0; i < s->queued && s->wanted; i++)
        for (uint32_t side = 0; side < SIDES; side++)
            if (side != s->queue[i].arrived)
                arrive(s, s->queue[i], (pnr_side)side);
    for (int dy = -LEAD_REACH; dy <= LEAD_REACH; dy++)
        for (int dx = -LEAD_REACH; dx <= LEAD_REACH; dx++) {
            int distance = (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy) - base, row = dy - base + WINDOW;
            int hops = s->hops[row][dx + WINDOW];
            table[dy + LEAD_REACH][dx + LEAD_REACH] = hops ? (uint8_t)(hops - distance) : NO_PATH;
        }
}

static void make_tables(placer *p, int class, const pnr_limits *l, uint32_t period, arena *mem) {
    const pnr_board *b = p->board;
    const site_class *k = &p->class[class];
    uint32_t middle = class == CLASS_IN ? 0 : (b->height + 1) / 2;
    p->too_near[class] = arena_new_n(mem, lead_table, b->width);
    for (uint32_t i = 0; i < k->columns; i++) {
        pnr_site at = {k->column[i], (uint16_t)middle};
        fill_table(b, at, pnr_lead_sides(l, at, period), mem, p->too_near[class][at.x]);
    }
}

/* Fills the cost of links without pairs: the square of their excess over the period, to weigh the slowest
 * most. */
static void fill_too_far(placer *p, const pnr_limits *l, uint32_t period) {
    static const net_tile tile[CLASSES] = {NET_TILE_PE, NET_TILE_MEM, NET_TILE_IO, NET_TILE_IO};
    for (uint32_t row = 0; row < CLASSES * CLASSES; row++)
        for (uint32_t distance = 1; distance < LEAD_FAR; distance++) {
            uint32_t delay = pnr_plain_delay(l, tile[row / CLASSES], tile[row % CLASSES], distance);
            uint32_t late = delay > period ? (delay - period) / LATE_ONE : 0;
            p->too_far[row][distance] = (uint16_t)(late * late < LATE_MOST ? late * late : LATE_MOST);
        }
}

/* ---- links ----------------------------------------------------------------------------------- */

/* Counts the links at every end of a net to be split into a link per sink; false if a cell would have too
 * many. */
static bool add_ends(const placer *p, uint32_t net, uint32_t *ends) {
    const net_data *n = &p->net->nets.at[net];
    bool fits = true;
    for (int add = 1; add >= -1 && (add > 0 || !fits); add -= 2)
        for (uint32_t s = 0; s < n->sinks.len; s++) {
            uint32_t from = n->source.cell.v - 1, to = n->sinks.at[s].cell.v - 1;
            ends[from] += (uint32_t)add;
            ends[to] += (uint32_t)add;
            fits &= add < 0 || (ends[from] <= SPOTS && ends[to] <= SPOTS);
        }
    return fits;
}

static bool in_loop(const net_data *n, const bool *peeled) {
    bool sink = false;
    for (uint32_t s = 0; s < n->sinks.len; s++)
        sink |= !peeled[n->sinks.at[s].cell.v - 1];
    return sink && !peeled[n->source.cell.v - 1];
}

static bool is_loop(const net_data *n) {
    for (uint32_t s = 0; s < n->sinks.len; s++)
        if (n->sinks.at[s].cell.v == n->source.cell.v)
            return true;
    return false;
}

/* Repeatedly removes cells without a driver or, `backward`, without a sink. */
static void peel(const placer *p, bool backward, bool *peeled, arena *mem) {
    for (bool more = true; more;) {
        bool *needs = arena_new_n(mem, bool, p->cells + 1);
        more = false;
        for (uint32_t n = 0; n < p->nets; n++) {
            const net_data *net = &p->net->nets.at[n];
            for (uint32_t s = 0; s < net->sinks.len; s++) {
                uint32_t from = net->source.cell.v - 1, to = net->sinks.at[s].cell.v - 1;
                needs[backward ? from : to] |= !peeled[backward ? to : from];
            }
        }
        for (uint32_t c = 0; c < p->cells; c++) {
            more |= !peeled[c] && !needs[c];
            peeled[c] |= !needs[c];
        }
    }
}

/* Says, by net, the lead of its links at the source. */
static uint8_t *choose_leads(placer *p, arena *mem) {
    uint8_t *lead = arena_new_n(mem, uint8_t, p->nets + 1);
    pnr_delays *delays = arena_new(mem, pnr_delays);
    diagnostics quiet; /* a board without delays has no clock */
    diag_init(&quiet, mem);
    if (!p->options->timing || !pnr_read_delays(p->board, &quiet, delays))
        return lead;
    pnr_limits l = pnr_limits_of(p->net, p->board, delays, mem);
    l.paired = p->options->pipeline != PNR_PIPELINE_NONE;
    l.fabric_only = p->options->fabric_only;
    l.mhz = p->options->mhz;
    uint32_t period = pnr_target(&l);
    bool *peeled = arena_new_n(mem, bool, p->cells + 1);
    peel(p, false, peeled, mem);
    peel(p, true, peeled, mem);
    fill_too_far(p, &l, period);
    for (uint32_t n = 0; n < p->nets; n++) {
        int class = p->class_of[p->net->nets.at[n].source.cell.v - 1];
        if (is_loop(&p->net->nets.at[n]))
            continue;
        lead[n] = l.early[n] || !l.paired                ? (uint8_t)(LEAD_NEAR | class * CLASSES)
                  : in_loop(&p->net->nets.at[n], peeled) ? LEAD_LOOP
                                                         : 0;
        if (!pnr_is_led(&l, n, period))
            continue;
        lead[n] |= (uint8_t)(class + 1);
        if (!p->too_near[class])
            make_tables(p, class, &l, period, mem);
    }
    return lead;
}

static uint32_t cells_of(const placer *p, uint32_t net) {
    return p->pin.from[net + 1] - p->pin.from[net];
}

/* Decides the nets to be split into links: nets of two cells, and led nets of more as long as their cells
 * have room. */
static void choose_links(placer *p, const uint8_t *lead, arena *mem) {
    uint32_t *ends = arena_new_n(mem, uint32_t, p->cells + 1);
    p->linked = arena_new_n(mem, bool, p->nets + 1);
    for (uint32_t n = 0; n < p->nets; n++) {
        p->linked[n] = cells_of(p, n) == 2;
        for (uint32_t i = p->pin.from[n]; p->linked[n] && i < p->pin.from[n + 1]; i++)
            ends[p->pin.item[i]]++;
    }
    for (uint32_t n = 0; n < p->nets; n++)
        if (cells_of(p, n) > 2 && lead[n] & (LEAD_ROW | LEAD_NEAR))
            p->linked[n] = add_ends(p, n, ends);
}

/* Adds a link of cell c, at the net's source or at a sink. */
static void add_link(placer *p, uint32_t c, uint32_t other, bool at_sink, uint8_t lead, uint32_t *links) {
    uint32_t to = at_sink ? c : other;
    if (lead & LEAD_NEAR)
        lead = (uint8_t)(lead + p->class_of[to]);
    else if (at_sink && lead & LEAD_ROW)
        lead |= LEAD_SINK;
    p->link.item[*links] = other;
    if (p->lead)
        p->lead[*links] = lead;
    ++*links;
}

/* Adds the links of a net at cell c: a single link for two cells, otherwise a link per sink. */
static void add_links_of(placer *p, uint32_t c, uint32_t n, uint8_t lead, uint32_t *links) {
    const net_data *net = &p->net->nets.at[n];
    const uint32_t *pin = p->pin.item + p->pin.from[n];
    uint32_t from = net->source.cell.v - 1;
    if (cells_of(p, n) == 2) {
        add_link(p, c, pin[0] == c ? pin[1] : pin[0], from != c, lead, links);
        return;
    }
    for (uint32_t s = 0; s < net->sinks.len; s++) {
        uint32_t to = net->sinks.at[s].cell.v - 1;
        if (from == c)
            add_link(p, c, to, false, lead, links);
        else if (to == c)
            add_link(p, c, from, true, lead, links);
    }
}

void place_list_links(placer *p, arena *mem) {
    uint32_t uses = p->use.from[p->cells], ends = uses, links = 0, many = 0;
    const uint8_t *lead = choose_leads(p, mem);
    choose_links(p, lead, mem);
    bool any = false;
    for (uint32_t n = 0; n < p->nets; n++) {
        ends += 2 * p->net->nets.at[n].sinks.len;
        any |= lead[n] && p->linked[n];
    }
    p->link.from = arena_new_n(mem, uint32_t, p->cells + 2);
    p->many.from = arena_new_n(mem, uint32_t, p->cells + 2);
    p->link.item = arena_new_n(mem, uint32_t, ends);
    p->lead = any ? arena_new_n(mem, uint8_t, ends) : NULL;
    p->many.item = arena_new_n(mem, uint32_t, uses);
    for (uint32_t c = 0; c < p->cells; c++) {
        for (uint32_t i = p->use.from[c]; i < p->use.from[c + 1]; i++) {
            uint32_t n = p->use.item[i];
            if (p->linked[n])
                add_links_of(p, c, n, lead[n], &links);
            else if (cells_of(p, n) > 2)
                p->many.item[many++] = n;
        }
        p->link.from[c + 1] = links;
        p->many.from[c + 1] = many;
    }
    p->link.from[p->cells + 1] = links; /* nobody has no nets */
    p->many.from[p->cells + 1] = many;
}
