/* Simulated annealing of a placement.
 *
 * Cost: the sum over nets of an estimate of their routed length, in units of 1 / LENGTH_ONE hops (integers
 * throughout, so the result does not depend on compiler or machine). Up to three tiles the half perimeter of
 * their box is exact; up to SPOTS the better of the two trees with a single trunk through the median; above,
 * the half perimeter times the expected ratio of a Steiner tree to it (after Cheng, RISA, 1994). With
 * options.timing, nets with a fork cost more than in proportion: no FIFO may stand before their fork. Moves:
 * one cell to a site of its kind, swapping with whoever stands there; in turn a random site of the window
 * around the cell and a site next to a connected cell. Schedule after Betz and Rose (VPR, 1997), with what
 * measurements on this array ask for: the window never shrinks below 3 (MEM columns are 4 apart), IO cells
 * may always jump along the whole row, moves of equal cost are accepted, and the best placement seen at the
 * end of a temperature is kept. Several anneals from the same start share the moves (moves.c): they end in a
 * poor optimum less often than a single anneal of equal total length. O(moves * nets per cell). Proposals are
 * drawn and filtered in groups of GROUP; a proposal overtaken by an accepted move of its group is dropped.
 * Invariant: all spots of `cell` and `occupant`, ranks and costs of `net` are those of the placement accepted
 * last.
 */
#include "pnr/moves.h"
#include "pnr/place_int.h"
#include "pnr/spot.h"

enum { GROUP = 8 };
enum { WINDOW_MIN = 3, QUANTILES = 1024, SAMPLES = 512 };
enum { LENGTH_ONE = 16, FORK_BEND = 10, BEND_ONE = 1024, COST_MOST = 1 << 26 };

/* State of a cell for evaluating moves, in a line of the cache. */
typedef struct {
    spot link[SPOTS];     /* where the other cells of its nets of two cells stand; 0 in unused places */
    uint32_t many[SPOTS]; /* its nets of more than two cells */
    uint32_t gain;        /* see change_of */
    uint32_t near_at, nears;
    spot at;
    uint8_t links, manys;
} cell_state;
enum { CACHE_LINE = 64 };
_Static_assert(sizeof(cell_state) == CACHE_LINE, "a cell has a line of the cache");

/* A net of more than two cells; without ranks for more than SPOTS cells. */
typedef struct {
    spot rank[RANKS];
    uint32_t cells, cost;
} net_state;

/* Where a cell's spot is noted for the other cell of a net. */
typedef struct {
    uint32_t cell, place;
} link_place;

/* Clock constraints of a cell's links: their leads, the excess of each in hops, and the sum. `led`: the links
 * with a lead, as bits. */
typedef struct {
    uint16_t own[SPOTS];
    uint8_t lead[SPOTS];
    uint32_t led, excess;
} cell_lead;

/* A move may go from a coordinate to `count` places from `first` on. */
typedef struct {
    uint16_t first, count;
} reach;

typedef struct {
    const placer *p;
    prng random;
    cell_state *cell;   /* by cell, nobody included */
    link_place *noted;  /* as p->link.item */
    cell_lead *led;     /* by cell, nobody included; NULL: the clock asks for nothing */
    uint32_t *occupant; /* by spot */
    net_state *net;
    reach column[2][CLASSES][SPOT_SIDE], row[2][CLASSES][SPOT_SIDE]; /* in the window, next to a partner */
    /* the move under trial: the nets after the move */
    net_state *trial;
    uint32_t *touched, touched_len;
    uint32_t window_256;             /* how far a move may go; 8 fraction bits */
    uint32_t exponential[QUANTILES]; /* -ln(u), 12 fraction bits */
} annealer;

/* ---- cost of a net --------------------------------------------------------------------------- */

/* Returns the half perimeter of a net when `cell` stands at `to`. */
static uint32_t half_perimeter(const annealer *a, uint32_t n, uint32_t cell, spot to) {
    const placer *p = a->p;
    uint32_t x0 = spot_x(to), x1 = x0, y0 = spot_y(to), y1 = y0;
    for (uint32_t i = p->pin.from[n]; i < p->pin.from[n + 1]; i++) {
        spot s = p->pin.item[i] == cell ? to : a->cell[p->pin.item[i]].at;
        uint32_t x = spot_x(s), y = spot_y(s);
        x0 = x < x0 ? x : x0;
        x1 = x > x1 ? x : x1;
        y0 = y < y0 ? y : y0;
        y1 = y > y1 ? y : y1;
    }
    return x1 - x0 + y1 - y0;
}

/* Cost of a unit of a box's half perimeter in a net of k > 2 cells. */
static uint32_t unit_length(uint32_t k) {
    return k <= SPOTS ? LENGTH_ONE : LENGTH_ONE * 21 / 16 + (k - SPOTS) * LENGTH_ONE * 3 / 80;
}

/* Returns the cost of a net of k > 2 cells. The cost grows more than in proportion to the length, and faster
 * with options.timing; even without timing, a slight growth leaves fewer netlists in a poor optimum. The
 * largest nets cost in proportion, since their length would be overrated. */
static inline uint32_t cost_of_length(const annealer *a, uint32_t length, uint32_t k) {
    uint32_t bend = (k > SPOTS ? 0 : FORK_BEND) + a->p->options->timing;
    uint64_t cost = length + (uint64_t)length / LENGTH_ONE * length * bend / BEND_ONE;
    return cost < COST_MOST ? (uint32_t)cost : COST_MOST;
}

/* Updates net n once its `cell` has gone from..to. */
static inline void net_after(const annealer *a, uint32_t n, uint32_t cell, spot from, spot to,
                             net_state *out) {
    const net_state *now = &a->net[n];
    uint32_t length, k = now->cells;
    if (k <= SPOTS) {
        ranks_move(now->rank, spots_all(from), spots_all(to), out->rank);
        length = LENGTH_ONE * ranks_length(out->rank, k);
    } else {
        length = unit_length(k) * half_perimeter(a, n, cell, to);
    }
    out->cost = cost_of_length(a, length, k);
}

/* ---- clock constraints of a link -------------------------------------------------------------- */

static inline uint32_t lead_place(int difference) {
    return (uint32_t)((difference < -LEAD_REACH  ? -LEAD_REACH
                       : difference > LEAD_REACH ? LEAD_REACH
                                                 : difference) +
                      LEAD_REACH);
}

/* Returns how many hops more than its distance a link costs whose cell stands at `own`. */
static inline uint32_t excess_of(const annealer *a, uint32_t lead, spot own, spot partner) {
    if (lead == 0)
        return 0;
    uint32_t distance = spot_distance(own, partner);
    if (lead & LEAD_NEAR)
        return a->p->too_far[lead & LEAD_ROW][distance < LEAD_FAR ? distance : LEAD_FAR - 1];
    uint32_t once_more = lead & LEAD_LOOP ? distance : 0; /* every pair adds to the loop */
    if (!(lead & LEAD_ROW))
        return once_more;
    spot from = lead & LEAD_SINK ? partner : own, to = lead & LEAD_SINK ? own : partner;
    uint32_t dx = lead_place((int)spot_x(to) - (int)spot_x(from));
    uint32_t dy = lead_place((int)spot_y(to) - (int)spot_y(from));
    return once_more + a->p->too_near[(lead & LEAD_ROW) - 1][spot_x(from)][dy][dx];
}

/* ---- everything from the sites --------------------------------------------------------------- */

static void measure_net(annealer *a, uint32_t n) {
    const placer *p = a->p;
    const uint32_t *pin = p->pin.item + p->pin.from[n];
    net_state *s = &a->net[n];
    s->cells = p->pin.from[n + 1] - p->pin.from[n];
    ranks_clear(s->rank);
    for (uint32_t i = 0; i < s->cells && s->cells <= SPOTS; i++)
        ranks_move(s->rank, spots_all(RANK_LAST), spots_all(a->cell[pin[i]].at), s->rank);
    uint32_t length =
        s->cells <= SPOTS ? ranks_length(s->rank, s->cells) : half_perimeter(a, n, *pin, a->cell[*pin].at);
    s->cost = cost_of_length(a, unit_length(s->cells) * length, s->cells);
}

/* Puts the cells on their sites and computes the derived state; returns the cost. */
static int64_t measure_all(annealer *a, const pnr_site *at) {
    const placer *p = a->p;
    int64_t total = 0, twice = 0;
    for (uint32_t i = 0; i < p->board->height * SPOT_SIDE; i++)
        a->occupant[i] = p->cells;
    for (uint32_t c = 0; c < p->cells; c++) {
        a->cell[c].at = spot_at(at[c].x, at[c].y);
        a->occupant[a->cell[c].at] = c;
    }
    for (uint32_t c = 0; c < p->cells; c++)
        for (uint32_t i = p->link.from[c]; i < p->link.from[c + 1]; i++) {
            a->cell[c].link[i - p->link.from[c]] = a->cell[p->link.item[i]].at;
            twice += spot_distance(a->cell[c].at, a->cell[p->link.item[i]].at);
        }
    for (uint32_t n = 0; n < p->nets; n++) {
        if (p->linked[n] || p->pin.from[n + 1] - p->pin.from[n] < 2)
            continue;
        measure_net(a, n);
        total += a->net[n].cost;
    }
    for (uint32_t c = 0; c < p->cells && a->led; c++) {
        const cell_state *s = &a->cell[c];
        a->led[c].excess = 0;
        for (uint32_t i = 0; i < s->links; i++) {
            a->led[c].own[i] = (uint16_t)excess_of(a, a->led[c].lead[i], s->at, s->link[i]);
            a->led[c].excess += a->led[c].own[i];
        }
        twice += a->led[c].excess;
    }
    return total + twice / 2 * LENGTH_ONE;
}

/* ---- moves ----------------------------------------------------------------------------------- */

typedef struct {
    uint32_t cell, other; /* other: the cell at the target site, or nobody */
    spot from, to;
    int32_t most; /* largest allowed increase of the cost */
} place_move;

static inline int at_least(int v, int bound) {
    return v > bound ? v : bound;
}
static inline int at_most(int v, int bound) {
    return v < bound ? v : bound;
}

static reach reach_from(int at, int far, int first, int last) {
    int low = at_least(at - far, first), high = at_most(at + far, last);
    return (reach){(uint16_t)low, (uint16_t)(high - low + 1)};
}

/* Lists the sites of class c at most `window` from any site, which need not be of the class. */
static void list_reaches(const annealer *a, int c, uint32_t window, reach *column, reach *row) {
    const site_class *k = &a->p->class[c];
    int first = (int)k->row0, last = (int)(k->row0 + k->rows) - 1;
    int far_x = (int)(k->anywhere ? k->columns : (window + k->spacing - 1) / k->spacing);
    int far_y = (int)(k->anywhere ? k->rows : window);
    for (uint32_t x = 0; x < a->p->board->width; x++)
        column[x] = reach_from(k->index[x], far_x, 0, (int)k->columns - 1);
    for (int y = 0; y < (int)a->p->board->height; y++)
        row[y] = reach_from(at_most(at_least(y, first), last), far_y, first, last);
}

/* Picks a place by 12 random bits. */
static inline uint32_t pick(reach r, uint64_t bits) {
    return r.first + ((uint32_t)(bits & 0xfff) * r.count >> 12);
}

/* Proposes a random cell and a random site of its kind, in the window around the cell or next to a random
 * connected cell, which leaves far fewer netlists in a poor local optimum. False for an invalid move. */
static inline bool propose(const annealer *a, uint32_t next_to_partner, uint64_t bits, place_move *m) {
    const placer *p = a->p;
    m->cell = p->movable.at[(bits >> 46) * p->movable.len >> 18];
    const cell_state *cell = &a->cell[m->cell];
    const uint32_t class = p->class_of[m->cell];
    uint32_t partner = p->near.item[cell->near_at + ((uint32_t)(bits >> 24 & 0xfff) * cell->nears >> 12)];
    spot around = a->cell[next_to_partner ? partner : m->cell].at;
    uint32_t column = pick(a->column[next_to_partner][class][spot_x(around)], bits);
    uint32_t row = pick(a->row[next_to_partner][class][spot_y(around)], bits >> 12);
    m->from = cell->at;
    m->to = spot_at(p->class[class].column[column], row);
    m->other = a->occupant[m->to];
    return (m->other != m->cell) & !p->fixed[m->other];
}

static inline uint32_t links_to(const cell_state *c, spot s) {
    uint32_t links = 0;
    for (uint32_t i = 0; i < c->links; i++)
        links += c->link[i] == s;
    return links;
}

static inline bool in_net(const cell_state *c, uint32_t n) {
    for (uint32_t i = 0; i < c->manys; i++)
        if (c->many[i] == n)
            return true;
    return false;
}

/* Returns the change, in tiles, over the two-cell nets of both cells of a move. Unused places of `link` are
 * 0, as far from a spot as its coordinates sum up to. A net that joins both stays as long as it is, but
 * counts as shorter by the move's length twice. */
static inline int32_t link_change(const cell_state *cell, const cell_state *other, spot from, spot to) {
    spot_bytes of_cell = spots_load(cell->link), of_other = spots_load(other->link);
    spot_bytes at_from = spots_all(from), at_to = spots_all(to);
    spot_sums sums = spots_apart(of_cell, at_to) - spots_apart(of_cell, at_from) +
                     spots_apart(of_other, at_from) - spots_apart(of_other, at_to);
    int32_t unused = (int32_t)(spot_x(to) + spot_y(to)) - (int32_t)(spot_x(from) + spot_y(from));
    return (int32_t)(uint32_t)(sums[0] + sums[1]) + unused * ((int32_t)cell->links - (int32_t)other->links);
}

/* May the move cost no more than m->most, judged without its nets of more than two cells? These nets are
 * expensive to evaluate, and shrink by at most `gain` of their cells a tile of distance. */
static inline bool is_hopeful(const annealer *a, const place_move *m) {
    const cell_state *cell = &a->cell[m->cell], *other = &a->cell[m->other];
    int64_t gain =
        (int64_t)spots_distance(spots_all(m->from), spots_all(m->to)) * ((int64_t)cell->gain + other->gain);
    if (a->led)
        gain += LENGTH_ONE * ((int64_t)a->led[m->cell].excess + a->led[m->other].excess);
    return LENGTH_ONE * link_change(cell, other, m->from, m->to) - gain <= m->most;
}

/* Makes `n` proposals, and puts the hopeful ones into `out`; returns their number. The loop has no
 * data-dependent branches: the processor works on several proposals at a time. */
static inline uint32_t propose_group(annealer *a, uint32_t temperature, uint32_t n, place_move *out) {
    uint32_t hopeful = 0;
    for (uint32_t i = 0; i < n; i++) {
        place_move *m = &out[hopeful];
        uint64_t bits = prng_next(&a->random);
        m->most = (int32_t)((uint64_t)temperature * a->exponential[bits >> 36 & (QUANTILES - 1)] >> 28);
        hopeful += (uint32_t)propose(a, i & 1, bits, m) & (uint32_t)is_hopeful(a, m);
    }
    return hopeful;
}

/* Is the proposed move still valid, with both cells allowed at their new sites? */
static inline bool is_possible(const annealer *a, const place_move *m) {
    const placer *p = a->p;
    return a->cell[m->cell].at == m->from && a->occupant[m->to] == m->other &&
           (!is_bound(p) ||
            (region_allows(p, m->cell, spot_site(m->to)) && region_allows(p, m->other, spot_site(m->from))));
}

enum { EXCESS_OF_BOTH = 1, EXCESS_IS_NOTED = 2 };

/* Stores a link's excess at both ends. */
static inline void note_excess(const annealer *a, uint32_t c, uint32_t link, uint32_t after) {
    cell_lead *one = &a->led[c];
    const link_place *at = &a->noted[a->p->link.from[c] + link];
    cell_lead *other = &a->led[at->cell];
    other->excess += after - one->own[link];
    one->excess += after - one->own[link];
    other->own[at->place] = one->own[link] = (uint16_t)after;
}

/* Returns the change of a cell's excess when it goes to `to` in exchange for a cell there, which goes to
 * `from`. Links between both cells count with EXCESS_OF_BOTH; EXCESS_IS_NOTED stores the change in the cell
 * and its partners. */
static inline int32_t excess_change(const annealer *a, uint32_t c, spot from, spot to, unsigned how) {
    const cell_state *cell = &a->cell[c];
    const cell_lead *led = &a->led[c];
    int32_t sum = 0;
    for (uint32_t links = led->led; links; links &= links - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(links);
        const bool joined = cell->link[i] == to;
        if (joined && !(how & EXCESS_OF_BOTH))
            continue;
        const uint32_t after = excess_of(a, led->lead[i], to, joined ? from : cell->link[i]);
        sum += (int32_t)(after - led->own[i]);
        if ((how & EXCESS_IS_NOTED) && after != led->own[i])
            note_excess(a, c, i, after);
    }
    return sum;
}

/* Returns the change of cost by a move, without making the move; COST_MOST if the clock constraints of links,
 * the most expensive term to evaluate, cannot bring the change down to `most`. */
static inline int32_t change_of(annealer *a, const place_move *m, int32_t most) {
    const cell_state *cell = &a->cell[m->cell], *other = &a->cell[m->other];
    int32_t change = link_change(cell, other, m->from, m->to);
    if (m->other != a->p->cells)
        change += 2 * (int32_t)(spot_distance(m->from, m->to) * links_to(cell, m->to));
    change *= LENGTH_ONE;
    a->touched_len = 0;
    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i < cell->manys; i++) {
            uint32_t n = cell->many[i];
            if (in_net(other, n)) /* a net of both does not notice */
                continue;
            net_state *after = &a->trial[a->touched_len];
            net_after(a, n, side ? m->other : m->cell, side ? m->to : m->from, side ? m->from : m->to, after);
            change += (int32_t)after->cost - (int32_t)a->net[n].cost;
            a->touched[a->touched_len++] = n;
        }
        other = cell;
        cell = &a->cell[m->other];
    }
    if (!a->led)
        return change;
    const int64_t least_of_other = -(int64_t)a->led[m->other].excess;
    if (change + LENGTH_ONE * (least_of_other - a->led[m->cell].excess) > most)
        return COST_MOST;
    change += LENGTH_ONE * excess_change(a, m->cell, m->from, m->to, EXCESS_OF_BOTH);
    if (change + LENGTH_ONE * least_of_other > most)
        return COST_MOST;
    return change + LENGTH_ONE * excess_change(a, m->other, m->to, m->from, 0);
}

static inline void put_cell(annealer *a, uint32_t c, spot to) {
    const placer *p = a->p;
    a->cell[c].at = to;
    a->occupant[to] = c;
    for (uint32_t i = p->link.from[c]; i < p->link.from[c + 1]; i++)
        a->cell[a->noted[i].cell].link[a->noted[i].place] = to;
}

static void keep_move(annealer *a, const place_move *m) {
    if (a->led) {
        excess_change(a, m->cell, m->from, m->to, EXCESS_OF_BOTH | EXCESS_IS_NOTED);
        excess_change(a, m->other, m->to, m->from, EXCESS_IS_NOTED);
    }
    put_cell(a, m->other, m->from);
    put_cell(a, m->cell, m->to);
    for (uint32_t i = 0; i < a->touched_len; i++) {
        net_state *net = &a->net[a->touched[i]];
        memcpy(net->rank + 1, a->trial[i].rank + 1, SPOTS * sizeof *net->rank);
        net->cost = a->trial[i].cost;
    }
}

/* ---- the schedule ---------------------------------------------------------------------------- */

/* Returns log2(v) with 16 fraction bits, by repeated squaring; v >= 1. */
static uint32_t log2_fixed(uint32_t v) {
    uint32_t whole = 0, result;
    while (v >> (whole + 1))
        whole++;
    uint64_t z = ((uint64_t)v << 31) >> whole; /* in [1, 2), 31 fraction bits */
    result = whole;
    for (int i = 0; i < 16; i++) {
        z = (z * z) >> 31;
        result = result * 2 + (uint32_t)(z >> 32);
        z >>= z >> 32;
    }
    return result;
}

/* Metropolis's rule accepts a rise with probability exp(-rise / T), that is if rise <= T * E for an
 * exponentially distributed E: quantiles of E in fixed point make the rule exact integer arithmetic. */
static void tabulate_exponential(annealer *a) {
    const uint64_t ln2 = 45426; /* 16 fraction bits */
    for (uint32_t i = 0; i < QUANTILES; i++) {
        uint32_t log = (uint32_t)(11u << 16) - log2_fixed(2 * i + 1); /* -log2 of (2i + 1) / 2048 */
        a->exponential[i] = (uint32_t)((log * ln2) >> 20);
    }
}

/* Makes `moves` proposals at a temperature (16 fraction bits; 0 = descend only). Proposals of a group are
 * drawn together; a proposal overtaken by another of the group is dropped. Returns the number of accepted
 * moves. */
static uint32_t anneal_at(annealer *a, uint32_t temperature, uint32_t moves, int64_t *cost) {
    uint32_t accepted = 0;
    place_move group[GROUP];
    for (uint32_t i = 0; i < moves; i += GROUP) {
        uint32_t n = propose_group(a, temperature, moves - i < GROUP ? moves - i : GROUP, group);
        for (uint32_t k = 0; k < n; k++) {
            if (!is_possible(a, &group[k]))
                continue;
            int32_t change = change_of(a, &group[k], group[k].most);
            if (change > group[k].most)
                continue;
            keep_move(a, &group[k]);
            *cost += change;
            accepted++;
        }
    }
    return accepted;
}

/* Returns 0.15 times the mean absolute change of random moves, with 16 fraction bits. */
static uint32_t first_temperature(annealer *a) {
    uint64_t sum = 0;
    place_move group[GROUP];
    for (uint32_t i = 0; i < SAMPLES; i += GROUP) {
        uint32_t n = propose_group(a, UINT32_MAX, GROUP, group);
        for (uint32_t k = 0; k < n; k++) {
            int32_t change = is_possible(a, &group[k]) ? change_of(a, &group[k], INT32_MAX) : 0;
            sum += (uint64_t)(change < 0 ? -change : change);
        }
    }
    uint64_t first = (sum << 16) * 15 / 100 / SAMPLES;
    return first < UINT32_MAX ? (uint32_t)first : UINT32_MAX;
}

static void keep_best(const annealer *a, int64_t cost, anneal_result *best, pnr_site *at) {
    if (cost >= best->cost)
        return;
    best->cost = cost;
    for (uint32_t c = 0; c < a->p->cells; c++)
        at[c] = spot_site(a->cell[c].at);
}

/* Returns the array's larger side, but no more than a compact placement of the cells may need: on an array
 * far larger than the netlist moves across all of it would only raise the first temperature. */
static uint32_t largest_window(const placer *p) {
    uint32_t side = p->board->width > p->board->height ? p->board->width : p->board->height,
             compact = WINDOW_MIN;
    while (compact * compact < p->cells)
        compact++;
    return side < compact ? side : compact;
}

static void set_window(annealer *a, uint32_t window_256) {
    uint32_t before = a->window_256 / 256, now = window_256 / 256;
    a->window_256 = window_256;
    for (int c = 0; c < CLASSES && now != before; c++)
        list_reaches(a, c, now, a->column[0][c], a->row[0][c]);
}

/* Keeps the acceptance near 0.44 by the size of the window (Lam's rate, as VPR does). */
static void adapt_window(annealer *a, uint32_t accepted, uint32_t moves) {
    uint32_t largest = largest_window(a->p);
    uint64_t next = (uint64_t)a->window_256 * (56ull * moves + 100ull * accepted) / (100ull * moves);
    set_window(a, next < WINDOW_MIN * 256 ? WINDOW_MIN * 256
                  : next > largest * 256  ? largest * 256
                                          : (uint32_t)next);
}

/* Makes `moves` proposals from the current placement; the best placement seen goes to `at`. */
static void schedule(annealer *a, uint32_t moves, anneal_result *best, pnr_site *at) {
    const uint32_t coldest = LENGTH_ONE * (place_coldest(a->p) << 16) / 10;
    int64_t cost = measure_all(a, a->p->at);
    keep_best(a, cost, best, at);
    set_window(a, largest_window(a->p) * 256);
    uint32_t first = first_temperature(a), steps = 1;
    first = first > 2 * coldest ? first : 2 * coldest;
    for (uint32_t t = first; t > coldest; t -= t / 64)
        steps++;
    uint32_t each = moves / (steps + steps / 8 + 1) + 1;
    for (uint32_t i = 0, t = first; i < steps + steps / 8 && !best->out_of_time; i++) {
        adapt_window(a, anneal_at(a, t > coldest ? t : 0, each, &cost), each);
        t -= t / 64;
        best->moves += each;
        keep_best(a, cost, best, at);
        best->out_of_time = a->p->deadline > 0 && seconds_now() > a->p->deadline;
    }
}

/* A tile of distance changes a net's length by unit_length at most, its cost by half as much again up to 25
 * hops. Longer nets may lose a good move by it; options.timing asks for more than any fixed bound. */
static void list_cell(annealer *a, uint32_t c) {
    const placer *p = a->p;
    cell_state *s = &a->cell[c];
    uint32_t manys = p->many.from[c + 1] - p->many.from[c], links = p->link.from[c + 1] - p->link.from[c];
    BUG_IF(manys > SPOTS || links > SPOTS, "a tile has fewer ports than cell %u has nets", c);
    *s = (cell_state){.near_at = p->near.from[c], .nears = p->near.from[c + 1] - p->near.from[c]};
    s->links = (uint8_t)links;
    s->manys = (uint8_t)manys;
    for (uint32_t i = 0; i < manys; i++) {
        uint32_t n = p->many.item[p->many.from[c] + i];
        s->many[i] = n;
        uint32_t unit = unit_length(p->pin.from[n + 1] - p->pin.from[n]);
        s->gain += p->options->timing > FORK_BEND ? INT32_MAX / SPOTS
                   : p->options->timing           ? unit * 2
                                                  : unit * 3 / 2;
    }
    for (uint32_t i = 0; i < links && a->led; i++) {
        a->led[c].lead[i] = p->lead[p->link.from[c] + i];
        a->led[c].led |= (uint32_t)(a->led[c].lead[i] != 0) << i;
    }
}

/* Lists where cell c is noted at its partners. Of two nets between the same cells, which are as good as each
 * other, the second has the partner's second place. */
static void list_noted(annealer *a, uint32_t c) {
    const placer *p = a->p;
    for (uint32_t i = p->link.from[c]; i < p->link.from[c + 1]; i++) {
        uint32_t other = p->link.item[i], place = p->link.from[other];
        for (uint32_t k = p->link.from[c]; k <= i; k++) {
            if (p->link.item[k] != other)
                continue;
            while (p->link.item[place] != c)
                place++;
            a->noted[i] = (link_place){other, place++ - p->link.from[other]};
        }
    }
}

static annealer *annealer_new(const placer *p, uint64_t seed, arena *mem) {
    annealer *a = arena_new(mem, annealer);
    a->p = p;
    a->random = prng_seed(seed);
    const uintptr_t cells = (uintptr_t)arena_new_n(mem, cell_state, p->cells + 2);
    a->cell = (cell_state *)((cells + CACHE_LINE - 1) & ~(uintptr_t)(CACHE_LINE - 1));
    a->noted = arena_new_n(mem, link_place, p->link.from[p->cells]);
    a->led = p->lead ? arena_new_n(mem, cell_lead, p->cells + 1) : NULL;
    a->occupant = arena_new_n(mem, uint32_t, p->board->height * SPOT_SIDE);
    a->net = arena_new_n(mem, net_state, p->nets);
    a->trial = arena_new_n(mem, net_state, p->nets);
    a->touched = arena_new_n(mem, uint32_t, p->nets);
    for (uint32_t c = 0; c < p->cells; c++) {
        list_cell(a, c);
        list_noted(a, c);
    }
    for (int c = 0; c < CLASSES; c++)
        list_reaches(a, c, 1, a->column[1][c], a->row[1][c]);
    tabulate_exponential(a);
    return a;
}

anneal_result place_anneal(const placer *p, uint64_t seed, arena *scratch, pnr_site *at) {
    annealer *a = annealer_new(p, seed, scratch);
    anneal_result best = {.cost = INT64_MAX};
    uint32_t moves = p->options->moves ? p->options->moves : place_moves(p);
    uint32_t restarts = place_restarts(p);
    for (uint32_t i = 0; i < restarts && !best.out_of_time; i++)
        schedule(a, moves / restarts, &best, at);
    BUG_IF(measure_all(a, at) != best.cost, "the annealer lost count of its cost");
    return best;
}
