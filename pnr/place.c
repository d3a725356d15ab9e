/* Placement: a greedy start by connectivity, then simulated annealing.
 *
 * Cost: the sum over nets of an estimate of their routed length, in units of 1 / LENGTH_ONE hops (integers
 * throughout, so the result does not depend on compiler or machine). Up to three tiles the half perimeter of
 * their box is exact; up to TRUNK_PINS the better of the two trees with a single trunk through the median;
 * above, the half perimeter times the expected ratio of a Steiner tree to it (after Cheng, RISA, 1994).
 * Moves: one cell to a random site of its kind within a window, swapping with whoever stands there. Schedule
 * after Betz and Rose (VPR, 1997), with what measurements on this array ask for: the window never shrinks
 * below 3 (MEM columns are 4 apart), IO cells may always jump along the whole row, moves of equal cost are
 * accepted, and the best placement seen at the end of a temperature is kept. O(moves * pins per cell); the
 * start is O(cells * sites * nets per cell).
 */
#include "pnr/pnr_int.h"

enum { WINDOW_MIN = 3, MOVES_PER_CELL = 8000, QUANTILES = 1024, SAMPLES = 500 };
enum { LENGTH_ONE = 16, TRUNK_PINS = 8 };

/* Sites of one kind: every row from `row0` on in the given columns. */
typedef struct {
    uint16_t *column; /* x by index */
    uint16_t *index;  /* by x: the column nearest to it, as an index */
    uint32_t columns, row0, rows;
    uint32_t spacing; /* window units per column: 1, or the period for MEM */
    bool anywhere;    /* no window */
} site_class;
enum { CLASS_PE, CLASS_MEM, CLASS_IN, CLASS_OUT, CLASSES };

typedef struct {
    uint16_t x0, x1, y0, y1;
    uint16_t pins; /* placed so far (greedy start) */
} net_box;

typedef struct {
    const netlist *net;
    const pnr_board *board;
    const pnr_options *options;
    uint32_t cells, nets;
    uint16_t *x, *y;        /* by cell */
    uint32_t *pin_at, *pin; /* cells of net n: pin[pin_at[n]] .. pin[pin_at[n + 1] - 1], each cell once */
    uint32_t *use_at, *use; /* nets of cell c, each once */
    uint32_t *length;       /* half perimeter by net */
    uint32_t *occupant;     /* by y * width + x: cell + 1, 0 = free */
    uint8_t *class_of;      /* by cell */
    bool *fixed;            /* by cell */
    uint32_t *movable, movable_len;
    site_class class[CLASSES];
    /* the move being tried */
    uint32_t *seen, stamp; /* by net: already in `touched` */
    uint32_t *touched, *touched_length, touched_len;
    uint32_t window, window_256;     /* how far a move may go; the same with 8 fraction bits */
    uint32_t exponential[QUANTILES]; /* -ln(u), 12 fraction bits */
    prng random;
} placer;

pnr_options pnr_options_default(void) {
    return (pnr_options){.seed = 1, .pipeline = true};
}

bool pnr_io_column(const pnr_board *b, bool output, bool fabric_only, uint32_t x) {
    return fabric_only || x % b->columns_per_glb_tile == (output ? 1u : 0u);
}

/* ---- the problem in flat arrays -------------------------------------------------------------- */

static int class_of_cell(const net_cell_data *c) {
    switch (pnr_cell_tile(c)) {
    case NET_TILE_PE:
        return CLASS_PE;
    case NET_TILE_MEM:
        return CLASS_MEM;
    case NET_TILE_IO:
        return c->output ? CLASS_OUT : CLASS_IN;
    case NET_TILE_NONE:
        break;
    }
    BUG("a cell without a tile kind reached placement");
}

static bool class_has_column(const placer *p, int k, uint32_t x) {
    switch (k) {
    case CLASS_PE:
        return pnr_site_tile(p->board, x, 1) == NET_TILE_PE;
    case CLASS_MEM:
        return pnr_site_tile(p->board, x, 1) == NET_TILE_MEM;
    default:
        return pnr_io_column(p->board, k == CLASS_OUT, p->options->fabric_only, x);
    }
}

static void list_sites(placer *p, arena *mem) {
    const pnr_board *b = p->board;
    for (int k = 0; k < CLASSES; k++) {
        site_class *c = &p->class[k];
        bool io = k >= CLASS_IN;
        c->column = arena_new_n(mem, uint16_t, b->width);
        c->index = arena_new_n(mem, uint16_t, b->width);
        c->row0 = io ? 0 : 1;
        c->rows = io ? 1 : b->height - 1;
        c->anywhere = io;
        c->spacing = k == CLASS_MEM ? b->mem_period : 1;
        for (uint32_t x = 0; x < b->width; x++) {
            if (class_has_column(p, k, x))
                c->column[c->columns++] = (uint16_t)x;
        }
        for (uint32_t x = 0, i = 0; x < b->width && c->columns; x++) {
            while (i + 1 < c->columns && c->column[i] + c->column[i + 1] <= 2 * (int)x)
                i++;
            c->index[x] = (uint16_t)i;
        }
    }
}

/* Cells of a net, each once; `seen` is by cell. */
static uint32_t net_cells(const net_data *n, uint32_t stamp, uint32_t *seen, uint32_t *out) {
    uint32_t len = 0;
    for (uint32_t i = 0; i <= n->sinks.len; i++) {
        uint32_t cell = (i ? n->sinks.at[i - 1].cell.v : n->source.cell.v) - 1;
        if (seen[cell] == stamp)
            continue;
        seen[cell] = stamp;
        out[len++] = cell;
    }
    return len;
}

static void list_pins(placer *p, arena *mem) {
    uint32_t pins = 0;
    for (uint32_t n = 0; n < p->nets; n++)
        pins += 1 + p->net->nets.at[n].sinks.len;
    p->pin_at = arena_new_n(mem, uint32_t, p->nets + 1);
    p->pin = arena_new_n(mem, uint32_t, pins);
    p->use_at = arena_new_n(mem, uint32_t, p->cells + 1);
    p->use = arena_new_n(mem, uint32_t, pins);
    uint32_t *seen = arena_new_n(mem, uint32_t, p->cells);
    for (uint32_t n = 0; n < p->nets; n++)
        p->pin_at[n + 1] = p->pin_at[n] + net_cells(&p->net->nets.at[n], n + 1, seen, p->pin + p->pin_at[n]);
    for (uint32_t i = 0; i < p->pin_at[p->nets]; i++)
        p->use_at[p->pin[i] + 1]++;
    for (uint32_t c = 0; c < p->cells; c++)
        p->use_at[c + 1] += p->use_at[c];
    uint32_t *next = arena_new_n(mem, uint32_t, p->cells);
    for (uint32_t n = 0; n < p->nets; n++)
        for (uint32_t i = p->pin_at[n]; i < p->pin_at[n + 1]; i++)
            p->use[p->use_at[p->pin[i]] + next[p->pin[i]]++] = n;
}

static void placer_init(placer *p, const netlist *n, const pnr_board *b, const pnr_options *o, arena *mem) {
    *p = (placer){.net = n, .board = b, .options = o, .cells = n->cells.len, .nets = n->nets.len};
    p->random = prng_seed(o->seed);
    p->x = arena_new_n(mem, uint16_t, p->cells);
    p->y = arena_new_n(mem, uint16_t, p->cells);
    p->length = arena_new_n(mem, uint32_t, p->nets);
    p->occupant = arena_new_n(mem, uint32_t, b->width * b->height);
    p->class_of = arena_new_n(mem, uint8_t, p->cells);
    p->fixed = arena_new_n(mem, bool, p->cells);
    p->movable = arena_new_n(mem, uint32_t, p->cells);
    p->seen = arena_new_n(mem, uint32_t, p->nets);
    p->touched = arena_new_n(mem, uint32_t, p->nets);
    p->touched_length = arena_new_n(mem, uint32_t, p->nets);
    for (uint32_t c = 0; c < p->cells; c++)
        p->class_of[c] = (uint8_t)class_of_cell(&n->cells.at[c]);
    list_sites(p, mem);
    list_pins(p, mem);
}

/* ---- fixed cells ----------------------------------------------------------------------------- */

static uint32_t site_index(const placer *p, uint32_t x, uint32_t y) {
    return y * p->board->width + x;
}

static void put(placer *p, uint32_t cell, uint32_t x, uint32_t y) {
    p->x[cell] = (uint16_t)x;
    p->y[cell] = (uint16_t)y;
    p->occupant[site_index(p, x, y)] = cell + 1;
}

static bool fix_cell(placer *p, uint32_t cell, pnr_site at, diagnostics *d) {
    const net_cell_data *c = &p->net->cells.at[cell];
    char id[16], other[16];
    if (pnr_site_tile(p->board, at.x, at.y) != pnr_cell_tile(c)) {
        diag_error(d, c->loc, "E0512-bad-fixed", "%s cannot be fixed at (%u, %u): no site of its kind there",
                   pnr_block_id(c, id), at.x, at.y);
    } else if (!class_has_column(p, p->class_of[cell], at.x)) {
        diag_error(d, c->loc, "E0512-bad-fixed",
                   "%s cannot be fixed at (%u, %u): not a column for its stream", pnr_block_id(c, id), at.x,
                   at.y);
        diag_hint(d, "inputs stand on the first column of a global buffer tile, outputs on the second");
    } else if (p->occupant[site_index(p, at.x, at.y)]) {
        const net_cell_data *o = &p->net->cells.at[p->occupant[site_index(p, at.x, at.y)] - 1];
        diag_error(d, c->loc, "E0512-bad-fixed", "%s and %s are both fixed at (%u, %u)",
                   pnr_block_id(o, other), pnr_block_id(c, id), at.x, at.y);
    } else {
        put(p, cell, at.x, at.y);
        p->fixed[cell] = true;
        return true;
    }
    return false;
}

static bool fix_cells(placer *p, diagnostics *d) {
    bool good = true;
    for (uint32_t c = 0; c < p->cells; c++) {
        if (p->options->fixed && p->options->fixed[c].x != PNR_FREE)
            good &= fix_cell(p, c, p->options->fixed[c], d);
        else
            p->movable[p->movable_len++] = c;
    }
    return good;
}

/* ---- greedy start ---------------------------------------------------------------------------- */

static void box_add(net_box *b, uint32_t x, uint32_t y) {
    if (!b->pins || x < b->x0)
        b->x0 = (uint16_t)x;
    if (!b->pins || x > b->x1)
        b->x1 = (uint16_t)x;
    if (!b->pins || y < b->y0)
        b->y0 = (uint16_t)y;
    if (!b->pins || y > b->y1)
        b->y1 = (uint16_t)y;
    b->pins++;
}

static uint32_t box_distance(const net_box *b, uint32_t x, uint32_t y) {
    uint32_t dx = x < b->x0 ? b->x0 - x : x > b->x1 ? x - b->x1 : 0;
    uint32_t dy = y < b->y0 ? b->y0 - y : y > b->y1 ? y - b->y1 : 0;
    return b->pins ? dx + dy : 0;
}

/* Records that `cell` stands now; its neighbours' claims to be next grow. */
static void now_placed(placer *p, uint32_t cell, net_box *box, uint32_t *links) {
    for (uint32_t i = p->use_at[cell]; i < p->use_at[cell + 1]; i++) {
        uint32_t n = p->use[i];
        box_add(&box[n], p->x[cell], p->y[cell]);
        for (uint32_t k = p->pin_at[n]; k < p->pin_at[n + 1]; k++)
            links[p->pin[k]]++;
    }
}

/* The free site that lengthens the cell's nets least; ties go to the middle of the array's top. */
static void put_greedily(placer *p, uint32_t cell, const net_box *box) {
    const site_class *k = &p->class[p->class_of[cell]];
    uint32_t best = UINT32_MAX, best_x = 0, best_y = 0;
    for (uint32_t y = k->row0; y < k->row0 + k->rows; y++)
        for (uint32_t i = 0; i < k->columns; i++) {
            uint32_t x = k->column[i], middle = p->board->width / 2;
            if (p->occupant[site_index(p, x, y)])
                continue;
            uint32_t cost = 0;
            for (uint32_t u = p->use_at[cell]; u < p->use_at[cell + 1]; u++)
                cost += box_distance(&box[p->use[u]], x, y);
            cost = cost * 1024 + (x < middle ? middle - x : x - middle) + y;
            if (cost < best) {
                best = cost;
                best_x = x;
                best_y = y;
            }
        }
    BUG_IF(best == UINT32_MAX, "no free site for cell %u although the design fits", cell);
    put(p, cell, best_x, best_y);
}

/* Repeatedly the cell with most links to placed ones, ties by index. O(cells^2) for the choice. */
static void greedy_start(placer *p, arena *scratch) {
    net_box *box = arena_new_n(scratch, net_box, p->nets);
    uint32_t *links = arena_new_n(scratch, uint32_t, p->cells);
    bool *placed = arena_new_n(scratch, bool, p->cells);
    for (uint32_t c = 0; c < p->cells; c++) {
        placed[c] = p->fixed[c];
        if (placed[c])
            now_placed(p, c, box, links);
    }
    for (uint32_t i = 0; i < p->movable_len; i++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t k = 0; k < p->movable_len; k++) {
            uint32_t c = p->movable[k];
            if (!placed[c] && (best == UINT32_MAX || links[c] > links[best]))
                best = c;
        }
        put_greedily(p, best, box);
        placed[best] = true;
        now_placed(p, best, box, links);
    }
}

/* ---- annealing ------------------------------------------------------------------------------- */

/* Sorts v[0..k) and returns the sum of distances to its median. */
static uint32_t sort_and_spread(uint32_t *v, uint32_t k) {
    for (uint32_t i = 1; i < k; i++) {
        uint32_t value = v[i], at = i;
        for (; at > 0 && v[at - 1] > value; at--)
            v[at] = v[at - 1];
        v[at] = value;
    }
    uint32_t sum = 0;
    for (uint32_t i = 0; i < k / 2; i++)
        sum += v[k - 1 - i] - v[i];
    return sum;
}

/* A straight trunk through the median of the tiles and a branch from each, the shorter of both directions. */
static uint32_t trunk_length(const placer *p, const uint32_t *pin, uint32_t k) {
    uint32_t x[TRUNK_PINS], y[TRUNK_PINS];
    for (uint32_t i = 0; i < k; i++) {
        x[i] = p->x[pin[i]];
        y[i] = p->y[pin[i]];
    }
    uint32_t spread_x = sort_and_spread(x, k), spread_y = sort_and_spread(y, k);
    uint32_t along_x = x[k - 1] - x[0] + spread_y, along_y = y[k - 1] - y[0] + spread_x;
    return along_x < along_y ? along_x : along_y;
}

static uint32_t half_perimeter(const placer *p, const uint32_t *pin, uint32_t k) {
    uint32_t x0 = p->x[*pin], x1 = x0, y0 = p->y[*pin], y1 = y0;
    for (uint32_t i = 1; i < k; i++) {
        uint32_t x = p->x[pin[i]], y = p->y[pin[i]];
        x0 = x < x0 ? x : x0;
        x1 = x > x1 ? x : x1;
        y0 = y < y0 ? y : y0;
        y1 = y > y1 ? y : y1;
    }
    return x1 - x0 + y1 - y0;
}

static uint32_t net_length(const placer *p, uint32_t n) {
    const uint32_t *pin = p->pin + p->pin_at[n];
    uint32_t k = p->pin_at[n + 1] - p->pin_at[n];
    if (k <= 3)
        return LENGTH_ONE * half_perimeter(p, pin, k);
    if (k <= TRUNK_PINS)
        return LENGTH_ONE * trunk_length(p, pin, k);
    return (LENGTH_ONE * 21 / 16 + (k - TRUNK_PINS) * LENGTH_ONE * 3 / 80) * half_perimeter(p, pin, k);
}

static uint32_t total_length(placer *p) {
    uint32_t total = 0;
    for (uint32_t n = 0; n < p->nets; n++)
        total += p->length[n] = net_length(p, n);
    return total;
}

static int32_t touch_nets(placer *p, uint32_t cell) {
    int32_t delta = 0;
    for (uint32_t i = p->use_at[cell]; i < p->use_at[cell + 1]; i++) {
        uint32_t n = p->use[i];
        if (p->seen[n] == p->stamp)
            continue;
        p->seen[n] = p->stamp;
        uint32_t length = net_length(p, n);
        delta += (int32_t)length - (int32_t)p->length[n];
        p->touched[p->touched_len] = n;
        p->touched_length[p->touched_len++] = length;
    }
    return delta;
}

typedef struct {
    uint32_t cell, other; /* other: who stands there, UINT32_MAX if nobody */
    uint16_t x, y;        /* where `cell` would go */
} place_move;

static uint32_t between(prng *r, uint32_t low, uint32_t high) {
    return low + prng_below(r, high - low + 1);
}

/* A tile another cell of one of the nets of `cell` stands on; false if the draw hits the cell itself. */
static bool partner(placer *p, uint32_t cell, uint32_t *x, uint32_t *y) {
    uint32_t uses = p->use_at[cell + 1] - p->use_at[cell];
    if (uses == 0)
        return false;
    uint32_t n = p->use[p->use_at[cell] + prng_below(&p->random, uses)];
    uint32_t other = p->pin[p->pin_at[n] + prng_below(&p->random, p->pin_at[n + 1] - p->pin_at[n])];
    *x = p->x[other];
    *y = p->y[other];
    return other != cell;
}

/* A random site of class k at most `window` from (x, y), which need not be of the class. */
static void draw_site(placer *p, const site_class *k, uint32_t x, uint32_t y, uint32_t window,
                      place_move *m) {
    uint32_t reach_y = k->anywhere ? k->rows : window;
    uint32_t reach_x = k->anywhere ? k->columns : (window + k->spacing - 1) / k->spacing;
    uint32_t at = k->index[x], last_column = k->columns - 1, last_row = k->row0 + k->rows - 1;
    y = y < k->row0 ? k->row0 : y > last_row ? last_row : y;
    m->x = k->column[between(&p->random, at > reach_x ? at - reach_x : 0,
                             at + reach_x < last_column ? at + reach_x : last_column)];
    m->y = (uint16_t)between(&p->random, y > reach_y + k->row0 ? y - reach_y : k->row0,
                             y + reach_y < last_row ? y + reach_y : last_row);
}

/* A random cell and a random site of its kind: half the time in the window around it, else next to a cell it
 * is connected to, which leaves far fewer netlists in a poor local optimum. False if the move is none. */
static bool propose(placer *p, place_move *m) {
    m->cell = p->movable[prng_below(&p->random, p->movable_len)];
    const site_class *k = &p->class[p->class_of[m->cell]];
    uint32_t x = p->x[m->cell], y = p->y[m->cell], window = p->window;
    if (prng_below(&p->random, 2)) {
        window = 1;
        if (!partner(p, m->cell, &x, &y))
            return false;
    }
    draw_site(p, k, x, y, window, m);
    uint32_t other = p->occupant[site_index(p, m->x, m->y)];
    m->other = other ? other - 1 : UINT32_MAX;
    return m->other != m->cell && (!other || !p->fixed[m->other]);
}

/* Moves the coordinates (not the occupants) and returns the change of cost; undo swaps them back. */
static int32_t try_move(placer *p, place_move *m) {
    uint16_t x = p->x[m->cell], y = p->y[m->cell];
    p->x[m->cell] = m->x;
    p->y[m->cell] = m->y;
    p->stamp++;
    p->touched_len = 0;
    if (m->other == UINT32_MAX) {
        m->x = x;
        m->y = y;
        return touch_nets(p, m->cell);
    }
    p->x[m->other] = x;
    p->y[m->other] = y;
    m->x = x;
    m->y = y;
    return touch_nets(p, m->cell) + touch_nets(p, m->other);
}

/* After try_move, m->x and m->y hold where the cell came from. */
static void undo_move(placer *p, const place_move *m) {
    if (m->other != UINT32_MAX) {
        p->x[m->other] = p->x[m->cell];
        p->y[m->other] = p->y[m->cell];
    }
    p->x[m->cell] = m->x;
    p->y[m->cell] = m->y;
}

static void keep_move(placer *p, const place_move *m) {
    p->occupant[site_index(p, m->x, m->y)] = m->other == UINT32_MAX ? 0 : m->other + 1;
    p->occupant[site_index(p, p->x[m->cell], p->y[m->cell])] = m->cell + 1;
    for (uint32_t i = 0; i < p->touched_len; i++)
        p->length[p->touched[i]] = p->touched_length[i];
}

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
static void tabulate_exponential(placer *p) {
    const uint64_t ln2 = 45426; /* 16 fraction bits */
    for (uint32_t i = 0; i < QUANTILES; i++) {
        uint32_t log = (uint32_t)(11u << 16) - log2_fixed(2 * i + 1); /* -log2 of (2i + 1) / 2048 */
        p->exponential[i] = (uint32_t)((log * ln2) >> 20);
    }
}

/* One temperature (16 fraction bits; 0 = descend only): `moves` proposals. Returns how many were accepted. */
static uint32_t anneal_at(placer *p, uint32_t temperature, uint32_t moves, int64_t *cost) {
    uint32_t accepted = 0;
    for (uint32_t i = 0; i < moves; i++) {
        place_move m;
        if (!propose(p, &m))
            continue;
        int32_t delta = try_move(p, &m);
        if (delta > 0) {
            uint64_t e = p->exponential[prng_next(&p->random) >> 54];
            if (((uint64_t)delta << 28) > temperature * e) {
                undo_move(p, &m);
                continue;
            }
        }
        keep_move(p, &m);
        *cost += delta;
        accepted++;
    }
    return accepted;
}

/* 0.15 times the mean absolute change of random moves, 16 fraction bits. */
static uint32_t first_temperature(placer *p) {
    uint64_t sum = 0;
    for (int i = 0; i < SAMPLES; i++) {
        place_move m;
        if (!propose(p, &m))
            continue;
        int32_t delta = try_move(p, &m);
        sum += (uint64_t)(delta < 0 ? -delta : delta);
        undo_move(p, &m);
    }
    return (uint32_t)((sum << 16) * 15 / 100 / SAMPLES);
}

typedef struct {
    int64_t cost;
    uint16_t *x, *y;
} best_place;

static void keep_best(const placer *p, best_place *best, int64_t cost) {
    if (cost >= best->cost)
        return;
    best->cost = cost;
    memcpy(best->x, p->x, p->cells * sizeof *p->x);
    memcpy(best->y, p->y, p->cells * sizeof *p->y);
}

static uint32_t largest_window(const placer *p) {
    return p->board->width > p->board->height ? p->board->width : p->board->height;
}

/* Keeps the acceptance near 0.44 by the size of the window (Lam's rate, as VPR does). */
static void adapt_window(placer *p, uint32_t accepted, uint32_t moves) {
    uint32_t largest = largest_window(p);
    uint64_t next = (uint64_t)p->window_256 * (56ull * moves + 100ull * accepted) / (100ull * moves);
    p->window_256 = next < WINDOW_MIN * 256 ? WINDOW_MIN * 256
                    : next > largest * 256  ? largest * 256
                                            : (uint32_t)next;
    p->window = p->window_256 / 256;
}

static uint32_t anneal(placer *p, arena *scratch) {
    uint32_t moves = p->options->moves ? p->options->moves : p->movable_len * MOVES_PER_CELL;
    const uint32_t coldest = LENGTH_ONE * (3u << 16) / 10; /* 0.3 hops */
    best_place best = {INT64_MAX, arena_new_n(scratch, uint16_t, p->cells),
                       arena_new_n(scratch, uint16_t, p->cells)};
    int64_t cost = total_length(p);
    keep_best(p, &best, cost);
    p->window = largest_window(p);
    p->window_256 = p->window * 256;
    uint32_t first = first_temperature(p), steps = 1;
    first = first > 2 * coldest ? first : 2 * coldest;
    for (uint32_t t = first; t > coldest; t -= t / 64)
        steps++;
    uint32_t each = moves / (steps + steps / 8 + 1) + 1;
    for (uint32_t t = first; t > coldest; t -= t / 64) {
        adapt_window(p, anneal_at(p, t, each, &cost), each);
        keep_best(p, &best, cost);
    }
    anneal_at(p, 0, each * (steps / 8 + 1), &cost);
    keep_best(p, &best, cost);
    memcpy(p->x, best.x, p->cells * sizeof *p->x);
    memcpy(p->y, best.y, p->cells * sizeof *p->y);
    BUG_IF((int64_t)total_length(p) != best.cost, "the annealer lost count of its cost");
    return each * steps + each * (steps / 8 + 1);
}

/* ---- the pass -------------------------------------------------------------------------------- */

/* An IO tile's output is not gated by its sinks' joined ready: a branch that is ready first would take a
 * token twice. */
static bool io_fan_out_allowed(const netlist *n, const pnr_options *o, diagnostics *d) {
    bool good = true;
    for (uint32_t i = 0; i < n->nets.len && !o->fabric_only; i++) {
        const net_cell_data *source = net_cell_at(n, n->nets.at[i].source.cell);
        char id[16];
        if (pnr_cell_tile(source) != NET_TILE_IO || n->nets.at[i].sinks.len < 2)
            continue;
        diag_unmappable(d, source->loc, "E0511-io-fanout",
                        "input %s feeds %u sinks, but the chip cannot broadcast from an IO tile",
                        pnr_block_id(source, id), n->nets.at[i].sinks.len);
        diag_hint(d, "load the stream once per sink, or send it through a PE or MEM tile first");
        good = false;
    }
    return good;
}

bool pnr_place(const netlist *n, const pnr_board *b, const pnr_options *o, arena *mem, diagnostics *d,
               pnr_design *out) {
    double start = seconds_now();
    *out = (pnr_design){.net = n, .board = b, .fabric_only = o->fabric_only, .stats.seed = o->seed};
    if (!pnr_fits_rules(n, b, o->fabric_only, d) || !io_fan_out_allowed(n, o, d))
        return false;
    arena scratch = {0};
    placer *p = arena_new(&scratch, placer);
    placer_init(p, n, b, o, &scratch);
    bool good = fix_cells(p, d);
    if (good) {
        greedy_start(p, &scratch);
        tabulate_exponential(p);
        if (p->movable_len)
            out->stats.moves = anneal(p, &scratch);
        for (uint32_t c = 0; c < p->cells; c++)
            vec_push(mem, &out->site, (pnr_site){p->x[c], p->y[c]});
    }
    arena_free(&scratch);
    out->stats.place_seconds = seconds_now() - start;
    return good;
}
