/* The start of a placement: the problem in flat arrays, fixed cells, and a greedy start by connectivity, in
 * O(cells * sites * nets per cell). */
#include "pnr/lead_int.h"

enum { MOST_THREADS = 64, PAIRED_CELLS = 16 };

typedef struct {
    uint16_t x0, x1, y0, y1;
    uint16_t pins; /* placed so far (greedy start) */
} net_box;

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

/* For pnr_options.own_tiles, finds the shortest pattern of tiles with enough of both kinds of streams, to
 * spread both over the array. */
static void divide_tiles(placer *p) {
    uint32_t need[CLASSES] = {0}, tiles = p->board->glb_tiles;
    for (uint32_t c = 0; c < p->cells; c++)
        need[p->class_of[c]]++;
    for (uint32_t period = 2; !p->own.period && period < 2 * tiles; period *= 2) {
        uint32_t length = period < tiles ? period : tiles, times = tiles / length,
                 stores = (need[CLASS_OUT] + times - 1) / times;
        if (stores > length || need[CLASS_IN] > (length - stores) * times)
            continue;
        p->own.period = length;
        p->own.loads = length - stores;
    }
}

static bool class_has_column(const placer *p, int k, uint32_t x) {
    switch (k) {
    case CLASS_PE:
        return pnr_site_tile(p->board, x, 1) == NET_TILE_PE;
    case CLASS_MEM:
        return pnr_site_tile(p->board, x, 1) == NET_TILE_MEM;
    default:
        break;
    }
    bool store = k == CLASS_OUT;
    uint32_t tile = x / p->board->columns_per_glb_tile;
    return (p->options->fabric_only || pnr_io_column(p->board, store, x)) &&
           (!p->own.period || (tile % p->own.period >= p->own.loads) == store);
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

/* Lists the cells of a net, each once; `seen` is by cell. */
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
    p->pin.from = arena_new_n(mem, uint32_t, p->nets + 1);
    p->pin.item = arena_new_n(mem, uint32_t, pins);
    p->use.from = arena_new_n(mem, uint32_t, p->cells + 1);
    p->use.item = arena_new_n(mem, uint32_t, pins);
    uint32_t *seen = arena_new_n(mem, uint32_t, p->cells);
    for (uint32_t n = 0; n < p->nets; n++)
        p->pin.from[n + 1] =
            p->pin.from[n] + net_cells(&p->net->nets.at[n], n + 1, seen, p->pin.item + p->pin.from[n]);
    for (uint32_t i = 0; i < p->pin.from[p->nets]; i++)
        p->use.from[p->pin.item[i] + 1]++;
    for (uint32_t c = 0; c < p->cells; c++)
        p->use.from[c + 1] += p->use.from[c];
    uint32_t *next = arena_new_n(mem, uint32_t, p->cells);
    for (uint32_t n = 0; n < p->nets; n++)
        for (uint32_t i = p->pin.from[n]; i < p->pin.from[n + 1]; i++)
            p->use.item[p->use.from[p->pin.item[i]] + next[p->pin.item[i]]++] = n;
}

/* Records a cell next to another in a net: counted in the first pass, written in the second. */
static void add_near(placer *p, uint32_t cell, uint32_t other, uint32_t *next) {
    if (next)
        p->near.item[p->near.from[cell] + next[cell]++] = other;
    else
        p->near.from[cell + 1]++;
}

/* Records every pair of cells of a net; for a very large net only pairs with its first cell, the source. */
static void near_of_net(placer *p, uint32_t n, uint32_t *next) {
    uint32_t first = p->pin.from[n], last = p->pin.from[n + 1];
    for (uint32_t i = first; i < last; i++)
        for (uint32_t k = i + 1; k < last && (i == first || last - first <= PAIRED_CELLS); k++) {
            add_near(p, p->pin.item[i], p->pin.item[k], next);
            add_near(p, p->pin.item[k], p->pin.item[i], next);
        }
}

/* A cell without nets is next to itself: every cell has somebody. */
static void near_of_all(placer *p, uint32_t *next) {
    for (uint32_t n = 0; n < p->nets; n++)
        near_of_net(p, n, next);
    for (uint32_t c = 0; c < p->cells; c++)
        if ((next ? next[c] : p->near.from[c + 1]) == 0)
            add_near(p, c, c, next);
}

static void list_near(placer *p, arena *mem) {
    p->near.from = arena_new_n(mem, uint32_t, p->cells + 1);
    near_of_all(p, NULL);
    for (uint32_t c = 0; c < p->cells; c++)
        p->near.from[c + 1] += p->near.from[c];
    p->near.item = arena_new_n(mem, uint32_t, p->near.from[p->cells]);
    near_of_all(p, arena_new_n(mem, uint32_t, p->cells));
}

static void placer_init(placer *p, const place_task *t) {
    const netlist *n = t->net;
    const pnr_board *b = t->board;
    const pnr_options *o = t->options;
    arena *mem = t->mem;
    *p = (placer){
        .net = n, .board = b, .options = o, .cells = n->cells.len, .nets = n->nets.len, .lanes = t->lanes};
    p->deadline = o->time_limit > 0 ? seconds_now() + o->time_limit : 0;
    p->at = arena_new_n(mem, pnr_site, p->cells);
    p->occupant = arena_new_n(mem, uint32_t, b->width * b->height);
    p->class_of = arena_new_n(mem, uint8_t, p->cells);
    p->fixed = arena_new_n(mem, bool, p->cells + 1);
    for (uint32_t i = 0; i < b->width * b->height; i++)
        p->occupant[i] = p->cells;
    for (uint32_t c = 0; c < p->cells; c++)
        p->class_of[c] = (uint8_t)class_of_cell(&n->cells.at[c]);
    if (o->own_tiles)
        divide_tiles(p);
    list_sites(p, mem);
    list_pins(p, mem);
    place_list_links(p, mem);
    list_near(p, mem);
}

static void put(placer *p, uint32_t cell, pnr_site at) {
    p->at[cell] = at;
    p->occupant[site_index(p, at)] = cell;
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
    } else if (p->occupant[site_index(p, at)] != p->cells) {
        const net_cell_data *o = &p->net->cells.at[p->occupant[site_index(p, at)]];
        diag_error(d, c->loc, "E0512-bad-fixed", "%s and %s are both fixed at (%u, %u)",
                   pnr_block_id(o, other), pnr_block_id(c, id), at.x, at.y);
    } else {
        put(p, cell, at);
        p->fixed[cell] = true;
        return true;
    }
    return false;
}

static bool fix_cells(placer *p, arena *mem, diagnostics *d) {
    bool good = true;
    for (uint32_t c = 0; c < p->cells; c++) {
        if (p->options->fixed && p->options->fixed[c].x != PNR_FREE)
            good &= fix_cell(p, c, p->options->fixed[c], d);
        else
            vec_push(mem, &p->movable, c);
    }
    return good;
}

static bool is_io(const placer *p, uint32_t cell) {
    return p->class_of[cell] == CLASS_IN || p->class_of[cell] == CLASS_OUT;
}

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

/* Records the placement of `cell`; its neighbours' priority grows. */
static void now_placed(placer *p, uint32_t cell, net_box *box, uint32_t *links) {
    for (uint32_t i = p->use.from[cell]; i < p->use.from[cell + 1]; i++) {
        uint32_t n = p->use.item[i];
        box_add(&box[n], p->at[cell].x, p->at[cell].y);
        for (uint32_t k = p->pin.from[n]; k < p->pin.from[n + 1]; k++)
            links[p->pin.item[k]]++;
    }
}

static void report_no_site(const placer *p, uint32_t cell, diagnostics *d) {
    const net_cell_data *c = &p->net->cells.at[cell];
    BUG_IF(!p->options->region, "no free site for cell %u although the design fits", cell);
    const pnr_region *r = &p->options->region[cell];
    char id[16];
    diag_error(d, c->loc, "E0513-bad-region",
               "no site is left for %s between (%u, %u) and (%u, %u), where it is to stand",
               pnr_block_id(c, id), r->x0, r->y0, r->x1, r->y1);
    diag_hint(d,
              "enlarge the region; PEs and MEMs have their own columns, and cells of other regions may stand "
              "in it");
}

/* Finds the free site that lengthens the cell's nets least; ties go to the middle of the array's top. */
static bool put_greedily(placer *p, uint32_t cell, const net_box *box, diagnostics *d) {
    const site_class *k = &p->class[p->class_of[cell]];
    uint32_t best = UINT32_MAX, middle = p->board->width / 2;
    pnr_site best_at = {0};
    for (uint32_t y = k->row0; y < k->row0 + k->rows; y++)
        for (uint32_t i = 0; i < k->columns; i++) {
            pnr_site at = {k->column[i], (uint16_t)y};
            if (p->occupant[site_index(p, at)] != p->cells || !region_allows(p, cell, at))
                continue;
            uint32_t cost = 0;
            for (uint32_t u = p->use.from[cell]; u < p->use.from[cell + 1]; u++)
                cost += box_distance(&box[p->use.item[u]], at.x, at.y);
            cost = cost * 1024 + (at.x < middle ? middle - at.x : at.x - middle) + y;
            if (cost < best) {
                best = cost;
                best_at = at;
            }
        }
    if (best == UINT32_MAX) {
        report_no_site(p, cell, d);
        return false;
    }
    put(p, cell, best_at);
    return true;
}

/* The order of a start: cells bound to a region before all others, the smallest region first; of cells with
 * as many links, IO cells first, which have the fewest sites. */
typedef struct {
    bool bound_first, io_first;
} start_order;

/* Is `a` to be placed before `b`? Apart from the order, the cell with more links to placed cells. */
static bool sooner(const placer *p, uint32_t a, uint32_t b, const uint32_t *links, start_order by) {
    const pnr_region *r = by.bound_first ? p->options->region : NULL;
    bool bound_a = r && r[a].x0 != PNR_FREE, bound_b = r && r[b].x0 != PNR_FREE;
    if (bound_a != bound_b)
        return bound_a;
    if (!bound_a)
        return links[a] > links[b] || (by.io_first && links[a] == links[b] && is_io(p, a) && !is_io(p, b));
    int64_t area_a = (int64_t)(r[a].x1 - r[a].x0 + 1) * (r[a].y1 - r[a].y0 + 1);
    return area_a < (int64_t)(r[b].x1 - r[b].x0 + 1) * (r[b].y1 - r[b].y0 + 1);
}

/* Takes the movable cells off their sites. */
static void clear_sites(placer *p) {
    for (uint32_t i = 0; i < p->board->width * p->board->height; i++)
        if (p->occupant[i] < p->cells && !p->fixed[p->occupant[i]])
            p->occupant[i] = p->cells;
}

/* Places, again and again, the cell that is sooner, ties by index; *length becomes the half perimeter of all
 * nets. O(cells^2) for the choice. */
static bool greedy_start(placer *p, start_order by, uint64_t *length, arena *scratch, diagnostics *d) {
    net_box *box = arena_new_n(scratch, net_box, p->nets);
    uint32_t *links = arena_new_n(scratch, uint32_t, p->cells);
    bool *placed = arena_new_n(scratch, bool, p->cells);
    clear_sites(p);
    for (uint32_t c = 0; c < p->cells; c++) {
        placed[c] = p->fixed[c];
        if (placed[c])
            now_placed(p, c, box, links);
    }
    for (uint32_t i = 0; i < p->movable.len; i++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t k = 0; k < p->movable.len; k++) {
            uint32_t c = p->movable.at[k];
            if (!placed[c] && (best == UINT32_MAX || sooner(p, c, best, links, by)))
                best = c;
        }
        if (!put_greedily(p, best, box, d))
            return false;
        placed[best] = true;
        now_placed(p, best, box, links);
    }
    *length = 0;
    for (uint32_t n = 0; n < p->nets; n++)
        *length += (uint32_t)(box[n].x1 - box[n].x0 + box[n].y1 - box[n].y0);
    return true;
}

/* Starts by links, cells with a region first. Another order is taken if its nets have at most half of the
 * length: IO cells first, and regions only where they are full otherwise. Netlists with more streams than a
 * compact placement has columns for would leave their IO cells far away, beyond the anneal's moves. */
static bool best_start(placer *p, arena *scratch, diagnostics *d) {
    const start_order other = {.io_first = true};
    diagnostics unheard;
    uint64_t length, shorter;
    if (!greedy_start(p, (start_order){.bound_first = true}, &length, scratch, d))
        return false;
    pnr_site *before = arena_new_n(scratch, pnr_site, p->cells);
    memcpy(before, p->at, p->cells * sizeof *before);
    diag_init(&unheard, scratch);
    if (greedy_start(p, other, &shorter, scratch, &unheard) && 2 * shorter <= length)
        return true;
    clear_sites(p);
    for (uint32_t i = 0; i < p->movable.len; i++)
        put(p, p->movable.at[i], before[p->movable.at[i]]);
    return true;
}

bool place_start(const place_task *t, placer *out) {
    placer_init(out, t);
    return (!t->options->flush || place_deal_flushes(out, t->mem, t->d)) && fix_cells(out, t->mem, t->d) &&
           best_start(out, t->mem, t->d);
}
