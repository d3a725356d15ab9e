/* Simulated annealing of a placement.
 *
 * Cost: the sum over nets of an estimate of their routed length, in units of 1 / LENGTH_ONE hops (integers
 * throughout, so the result does not depend on compiler or machine). Up to three tiles the half perimeter of
 * their box is exact; up to TRUNK_PINS the better of the two trees with a single trunk through the median;
 * above, the half perimeter times the expected ratio of a Steiner tree to it (after Cheng, RISA, 1994). With
 * options.timing, nets with a fork cost more than in proportion: no FIFO may stand before their fork.
 * Moves: one cell to a site of its kind, swapping with whoever stands there; in turn a random site of the
 * window around it and one next to a cell it is connected to. Schedule after Betz and Rose (VPR, 1997), with
 * what measurements on this array ask for: the window never shrinks below 3 (MEM columns are 4 apart), IO
 * cells may always jump along the whole row, moves of equal cost are accepted, and the best placement seen
 * at the end of a temperature is kept. Two anneals from one start share the moves: they end in a poor optimum
 * less often than one of twice the length. O(moves * nets per cell); nets of two cells, nine of ten, need
 * neither a cached length nor a list of what a move touched.
 * Invariant: length[n] is the cost of net n, for nets of more than two cells, at the placement accepted last.
 */
#include "pnr/place_int.h"

#define HOPELESS INT32_MAX

enum { WINDOW_MIN = 3, QUANTILES = 1024, SAMPLES = 500 };
enum { SMALL_CELLS = 65, SMALL_MICROSECONDS = 12500, MIDDLE_MICROSECONDS = 46000, MOVES_PER_CELL = 3000 };
enum { EFFORT_DEFAULT = 5, RESTARTS = 2, LANE_SHARES = 2 };
enum { LENGTH_ONE = 16, TRUNK_PINS = 8, FORK_BEND = 10, BEND_ONE = 1024, COST_MOST = 1 << 26 };

typedef struct {
    const placer *p;
    pnr_site *at;       /* by cell, with a place for nobody */
    uint32_t *occupant; /* by site */
    uint32_t *length;   /* by net */
    int64_t *gain;      /* by cell, nobody included: see try_move */
    /* the move being tried */
    uint32_t *seen, stamp; /* by net: already in `touched` */
    uint32_t *touched, *touched_length, touched_len;
    uint32_t window, window_256;     /* how far a move may go; the same with 8 fraction bits */
    uint32_t exponential[QUANTILES]; /* -ln(u), 12 fraction bits */
    prng random;
} annealer;

/* ---- what a net costs ------------------------------------------------------------------------ */

static inline uint32_t apart(pnr_site a, pnr_site b) {
    int dx = a.x - b.x, dy = a.y - b.y;
    return (uint32_t)((dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy));
}

static inline uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}
static inline uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* Of a net's coordinates in one direction: from end to end, and the sum of distances to the median. */
typedef struct {
    uint32_t extent, spread;
} extents;

/* Without branches: pairs are ordered, the outermost two set apart. */
static inline extents extents_of_4(const uint32_t *v) {
    uint32_t low0 = smaller(v[0], v[1]), high0 = larger(v[0], v[1]);
    uint32_t low1 = smaller(v[2], v[3]), high1 = larger(v[2], v[3]);
    uint32_t outer = larger(high0, high1) - smaller(low0, low1);
    uint32_t inner0 = smaller(high0, high1), inner1 = larger(low0, low1);
    return (extents){outer, outer + larger(inner0, inner1) - smaller(inner0, inner1)};
}

/* The fifth value, with the inner two of the other four, gives the second from either end. */
static inline extents extents_of_5(const uint32_t *v) {
    uint32_t low0 = smaller(v[0], v[1]), high0 = larger(v[0], v[1]);
    uint32_t low1 = smaller(v[2], v[3]), high1 = larger(v[2], v[3]);
    uint32_t least = smaller(low0, low1), most = larger(high0, high1);
    uint32_t inner0 = smaller(high0, high1), inner1 = larger(low0, low1);
    uint32_t second = smaller(inner0, inner1), fourth = larger(inner0, inner1);
    uint32_t first = smaller(least, v[4]), last = larger(most, v[4]);
    uint32_t pushed_up = larger(least, v[4]), pushed_down = smaller(most, v[4]);
    second = smaller(second, pushed_up);
    fourth = larger(fourth, pushed_down);
    return (extents){last - first, last - first + fourth - second};
}

/* Up to eight values by Batcher's network, which needs no branches; v has room for eight. */
static extents extents_of(uint32_t *v, uint32_t k) {
    static const uint8_t network[19][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6},
                                           {5, 7}, {1, 2}, {5, 6}, {0, 4}, {1, 5}, {2, 6}, {3, 7},
                                           {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6}};
    for (uint32_t i = k; i < TRUNK_PINS; i++)
        v[i] = UINT32_MAX;
    for (int i = 0; i < 19; i++) {
        uint32_t *low = &v[network[i][0]], *high = &v[network[i][1]], one = *low, two = *high;
        *low = smaller(one, two);
        *high = larger(one, two);
    }
    extents e = {v[k - 1] - v[0], 0};
    for (uint32_t i = 0; i < k / 2; i++)
        e.spread += v[k - 1 - i] - v[i];
    return e;
}

/* A straight trunk through the median of the tiles and a branch from each, the shorter of both directions. */
static uint32_t trunk_length(const annealer *a, const uint32_t *pin, uint32_t k) {
    uint32_t x[TRUNK_PINS], y[TRUNK_PINS];
    for (uint32_t i = 0; i < k; i++) {
        x[i] = a->at[pin[i]].x;
        y[i] = a->at[pin[i]].y;
    }
    extents ex = k == 4 ? extents_of_4(x) : k == 5 ? extents_of_5(x) : extents_of(x, k);
    extents ey = k == 4 ? extents_of_4(y) : k == 5 ? extents_of_5(y) : extents_of(y, k);
    return smaller(ex.extent + ey.spread, ey.extent + ex.spread);
}

static uint32_t half_perimeter(const annealer *a, const uint32_t *pin, uint32_t k) {
    uint32_t x0 = a->at[*pin].x, x1 = x0, y0 = a->at[*pin].y, y1 = y0;
    for (uint32_t i = 1; i < k; i++) {
        uint32_t x = a->at[pin[i]].x, y = a->at[pin[i]].y;
        x0 = x < x0 ? x : x0;
        x1 = x > x1 ? x : x1;
        y0 = y < y0 ? y : y0;
        y1 = y > y1 ? y : y1;
    }
    return x1 - x0 + y1 - y0;
}

/* What one step of a box's half perimeter costs in a net of k > 2 cells. */
static uint32_t unit_length(uint32_t k) {
    return k <= TRUNK_PINS ? LENGTH_ONE : LENGTH_ONE * 21 / 16 + (k - TRUNK_PINS) * LENGTH_ONE * 3 / 80;
}

/* Of a net with more than two cells. More than in proportion to the length, the more so with
 * options.timing; even without, a little of that leaves fewer netlists in a poor optimum. Not so for the
 * largest nets, whose length it would overrate. */
static uint32_t net_length(const annealer *a, uint32_t n) {
    const uint32_t *pin = a->p->pin + a->p->pin_at[n];
    uint32_t k = a->p->pin_at[n + 1] - a->p->pin_at[n], length;
    uint32_t bend = (k > TRUNK_PINS ? 0 : FORK_BEND) + a->p->options->timing;
    if (k == 3)
        length = LENGTH_ONE * half_perimeter(a, pin, k);
    else if (k <= TRUNK_PINS)
        length = LENGTH_ONE * trunk_length(a, pin, k);
    else
        length = unit_length(k) * half_perimeter(a, pin, k);
    uint64_t cost = length + (uint64_t)length / LENGTH_ONE * length * bend / BEND_ONE;
    return cost < COST_MOST ? (uint32_t)cost : COST_MOST;
}

static int64_t total_length(annealer *a) {
    const placer *p = a->p;
    int64_t total = 0;
    for (uint32_t n = 0; n < p->nets; n++) {
        uint32_t k = p->pin_at[n + 1] - p->pin_at[n];
        if (k > 2)
            total += a->length[n] = net_length(a, n);
        else if (k == 2)
            total += LENGTH_ONE * apart(a->at[p->pin[p->pin_at[n]]], a->at[p->pin[p->pin_at[n] + 1]]);
    }
    return total;
}

/* ---- moves ----------------------------------------------------------------------------------- */

typedef struct {
    uint32_t cell, other; /* other: who stands there, or nobody */
    pnr_site from, to;
} place_move;

/* A value in [low, high] from 16 random bits. */
static inline uint32_t pick(uint64_t bits, int low, int high) {
    return (uint32_t)low + (uint32_t)((bits & 0xffff) * (uint64_t)(high - low + 1) >> 16);
}

static inline int at_least(int v, int bound) {
    return v > bound ? v : bound;
}
static inline int at_most(int v, int bound) {
    return v < bound ? v : bound;
}

/* A site of class k at most `window` from s, which need not be of the class. */
static pnr_site draw_site(const site_class *k, pnr_site s, uint32_t window, uint64_t bits) {
    int reach_y = (int)(k->anywhere ? k->rows : window);
    int reach_x = (int)(k->anywhere ? k->columns : (window + k->spacing - 1) / k->spacing);
    int at = k->index[s.x], row0 = (int)k->row0, last_row = (int)(k->row0 + k->rows) - 1;
    int y = at_most(at_least(s.y, row0), last_row);
    uint32_t column = pick(bits, at_least(at - reach_x, 0), at_most(at + reach_x, (int)k->columns - 1));
    uint32_t row = pick(bits >> 16, at_least(y - reach_y, row0), at_most(y + reach_y, last_row));
    return (pnr_site){k->column[column], (uint16_t)row};
}

/* A random cell and a random site of its kind, in the window around it or next to a random cell it is
 * connected to, which leaves far fewer netlists in a poor local optimum. False if the move is none. */
static bool propose(annealer *a, bool next_to_partner, place_move *m) {
    const placer *p = a->p;
    uint64_t bits = prng_next(&a->random);
    m->cell = p->movable[((bits >> 40) * p->movable_len) >> 24];
    m->from = a->at[m->cell];
    pnr_site around = m->from;
    uint32_t window = a->window;
    if (next_to_partner) {
        uint32_t first = p->near_at[m->cell], partners = p->near_at[m->cell + 1] - first;
        if (partners == 0)
            return false;
        around = a->at[p->near[first + prng_below(&a->random, partners)]];
        window = 1;
    }
    m->to = draw_site(&p->class[p->class_of[m->cell]], around, window, bits);
    m->other = a->occupant[site_index(p, m->to)];
    return m->other != m->cell && !p->fixed[m->other] &&
           (!is_bound(p) || (region_allows(p, m->cell, m->to) && region_allows(p, m->other, m->from)));
}

/* Change over the nets of `cell` that have two cells, when it goes from..to and `other` the opposite way. */
static int32_t link_change(const annealer *a, uint32_t cell, uint32_t other, pnr_site from, pnr_site to) {
    const placer *p = a->p;
    int32_t change = 0;
    for (uint32_t i = p->link_at[cell]; i < p->link_at[cell + 1]; i++) {
        pnr_site end = a->at[p->link[i]];
        if (p->link[i] != other)
            change += (int32_t)apart(to, end) - (int32_t)apart(from, end);
    }
    return change * LENGTH_ONE;
}

static int32_t touch_nets(annealer *a, uint32_t cell) {
    int32_t change = 0;
    for (uint32_t i = a->p->many_at[cell]; i < a->p->many_at[cell + 1]; i++) {
        uint32_t n = a->p->many[i];
        if (a->seen[n] == a->stamp)
            continue;
        a->seen[n] = a->stamp;
        uint32_t length = net_length(a, n);
        change += (int32_t)length - (int32_t)a->length[n];
        a->touched[a->touched_len] = n;
        a->touched_length[a->touched_len++] = length;
    }
    return change;
}

/* Moves the coordinates (not the occupants) and returns the change of cost. A move that cannot but cost more
 * than `most` is left undone, with HOPELESS for an answer: nets of more than two cells, dear to evaluate,
 * shrink by at most gain[cell] a tile of distance. */
static int32_t try_move(annealer *a, const place_move *m, int64_t most) {
    int32_t change =
        link_change(a, m->cell, m->other, m->from, m->to) + link_change(a, m->other, m->cell, m->to, m->from);
    int64_t gain = (int64_t)apart(m->from, m->to) * (a->gain[m->cell] + a->gain[m->other]);
    if (change - gain > most)
        return HOPELESS;
    a->at[m->cell] = m->to;
    a->at[m->other] = m->from;
    a->stamp++;
    a->touched_len = 0;
    return change + touch_nets(a, m->cell) + touch_nets(a, m->other);
}

static void undo_move(annealer *a, const place_move *m) {
    a->at[m->cell] = m->from;
    a->at[m->other] = m->to;
}

static void keep_move(annealer *a, const place_move *m) {
    a->occupant[site_index(a->p, m->from)] = m->other;
    a->occupant[site_index(a->p, m->to)] = m->cell;
    for (uint32_t i = 0; i < a->touched_len; i++)
        a->length[a->touched[i]] = a->touched_length[i];
}

/* ---- the schedule ---------------------------------------------------------------------------- */

/* log2(v) with 16 fraction bits by repeated squaring; v >= 1. */
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

/* One temperature (16 fraction bits; 0 = descend only): `moves` proposals. Returns how many were accepted. */
static uint32_t anneal_at(annealer *a, uint32_t temperature, uint32_t moves, int64_t *cost) {
    uint32_t accepted = 0;
    for (uint32_t i = 0; i < moves; i++) {
        place_move m;
        if (!propose(a, i & 1, &m))
            continue;
        uint64_t e = a->exponential[prng_next(&a->random) >> 54];
        int64_t most = (int64_t)(temperature * e >> 28);
        int32_t change = try_move(a, &m, most);
        if (change > most) {
            if (change != HOPELESS)
                undo_move(a, &m);
            continue;
        }
        keep_move(a, &m);
        *cost += change;
        accepted++;
    }
    return accepted;
}

/* 0.15 times the mean absolute change of random moves, 16 fraction bits. */
static uint32_t first_temperature(annealer *a) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        place_move m;
        if (!propose(a, i & 1, &m))
            continue;
        int32_t change = try_move(a, &m, INT64_MAX);
        sum += (uint64_t)(change < 0 ? -change : change);
        undo_move(a, &m);
    }
    uint64_t first = (sum << 16) * 15 / 100 / SAMPLES;
    return first < UINT32_MAX ? (uint32_t)first : UINT32_MAX;
}

static void keep_best(const annealer *a, int64_t cost, anneal_result *best, pnr_site *at) {
    if (cost >= best->cost)
        return;
    best->cost = cost;
    memcpy(at, a->at, a->p->cells * sizeof *at);
}

/* The array's larger side, but no more than a compact placement of the cells may need: on an array far larger
 * than the netlist moves across all of it would only raise the first temperature. */
static uint32_t largest_window(const placer *p) {
    uint32_t side = p->board->width > p->board->height ? p->board->width : p->board->height,
             compact = WINDOW_MIN;
    while (compact * compact < p->cells)
        compact++;
    return smaller(side, compact);
}

/* Keeps the acceptance near 0.44 by the size of the window (Lam's rate, as VPR does). */
static void adapt_window(annealer *a, uint32_t accepted, uint32_t moves) {
    uint32_t largest = largest_window(a->p);
    uint64_t next = (uint64_t)a->window_256 * (56ull * moves + 100ull * accepted) / (100ull * moves);
    a->window_256 = next < WINDOW_MIN * 256 ? WINDOW_MIN * 256
                    : next > largest * 256  ? largest * 256
                                            : (uint32_t)next;
    a->window = a->window_256 / 256;
}

/* About how long a move takes on one core of 2.6 GHz, fitted to the published netlists: 38 ns, and for every
 * net of the cells it moves what measuring that net costs. A net of k cells is met k times. */
static uint32_t move_nanoseconds(const placer *p) {
    uint32_t sum = 0;
    for (uint32_t n = 0; n < p->nets; n++) {
        uint32_t k = p->pin_at[n + 1] - p->pin_at[n];
        sum += k <= 2 ? 0 : k == 3 ? 20 * k : k <= 5 ? 28 * k : k <= TRUNK_PINS ? 130 * k : 6 * k * k;
    }
    return 38 + sum / p->cells;
}

/* For n cells of the netlist's kind: as many as take 12.5 ms for up to 65 cells, 46 ms for up to 214, doubled
 * with every step of effort. Determined by the netlist alone, whatever the machine. */
static uint32_t moves_for(const placer *p, uint64_t n) {
    uint64_t ramp = n < 2 * SMALL_CELLS ? n * n * n * n / SMALL_CELLS : UINT32_MAX;
    uint64_t microseconds = SMALL_MICROSECONDS * ramp / (SMALL_CELLS * SMALL_CELLS * SMALL_CELLS);
    microseconds = microseconds < SMALL_MICROSECONDS    ? SMALL_MICROSECONDS
                   : microseconds > MIDDLE_MICROSECONDS ? MIDDLE_MICROSECONDS
                                                        : microseconds;
    uint64_t moves = microseconds * 1000 / move_nanoseconds(p);
    moves = moves < n * MOVES_PER_CELL ? n * MOVES_PER_CELL : moves;
    uint32_t effort = p->options->effort ? p->options->effort : EFFORT_DEFAULT;
    moves = effort < EFFORT_DEFAULT ? moves >> (EFFORT_DEFAULT - effort) : moves << (effort - EFFORT_DEFAULT);
    return moves < UINT32_MAX / 2 ? (uint32_t)moves : UINT32_MAX / 2;
}

/* A lane's share of the moves of all lanes, LANE_SHARES times over: a poor lane would be copied. No more than
 * for a netlist of its own. */
static uint32_t moves_by_size(const placer *p) {
    uint32_t one = moves_for(p, p->cells);
    uint64_t share = (uint64_t)moves_for(p, (uint64_t)p->cells * p->lanes) * LANE_SHARES / p->lanes;
    return p->lanes > 1 && share < one ? (uint32_t)share : one;
}

/* From the placement as it stands: `moves` proposals, the best seen goes to `at`. */
static void schedule(annealer *a, uint32_t moves, anneal_result *best, pnr_site *at) {
    const uint32_t coldest = LENGTH_ONE * (3u << 16) / 10; /* 0.3 hops */
    int64_t cost = total_length(a);
    keep_best(a, cost, best, at);
    a->window = largest_window(a->p);
    a->window_256 = a->window * 256;
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
static void bound_gains(annealer *a) {
    const placer *p = a->p;
    for (uint32_t c = 0; c < p->cells; c++)
        for (uint32_t i = p->many_at[c]; i < p->many_at[c + 1]; i++) {
            uint32_t n = p->many[i], slope = unit_length(p->pin_at[n + 1] - p->pin_at[n]) * 3 / 2;
            a->gain[c] += p->options->timing ? INT32_MAX : (int64_t)slope;
        }
}

anneal_result place_anneal(const placer *p, uint64_t seed, arena *scratch, pnr_site *at) {
    uint32_t sites = p->board->width * p->board->height;
    annealer *a = arena_new(scratch, annealer);
    a->p = p;
    a->random = prng_seed(seed);
    a->at = arena_new_n(scratch, pnr_site, p->cells + 1);
    a->occupant = arena_new_n(scratch, uint32_t, sites);
    a->length = arena_new_n(scratch, uint32_t, p->nets);
    a->gain = arena_new_n(scratch, int64_t, p->cells + 1);
    a->seen = arena_new_n(scratch, uint32_t, p->nets);
    a->touched = arena_new_n(scratch, uint32_t, p->nets);
    a->touched_length = arena_new_n(scratch, uint32_t, p->nets);
    tabulate_exponential(a);
    bound_gains(a);
    anneal_result best = {.cost = INT64_MAX};
    uint32_t moves = p->options->moves ? p->options->moves : moves_by_size(p);
    for (uint32_t i = 0; i < RESTARTS && !best.out_of_time; i++) {
        memcpy(a->at, p->at, p->cells * sizeof *at);
        memcpy(a->occupant, p->occupant, sites * sizeof *a->occupant);
        schedule(a, moves / RESTARTS, &best, at);
    }
    memcpy(a->at, at, p->cells * sizeof *at);
    BUG_IF(total_length(a) != best.cost, "the annealer lost count of its cost");
    return best;
}
