/* Placement: the problem in flat arrays, a greedy start by connectivity, then an anneal (anneal.c) per seed.
 * The start is O(cells * sites * nets per cell); the anneals run in parallel and the cheapest is kept, the
 * first among equals.
 */
#include "boards/onyx/fabric.h"
#include "pnr/lead_int.h"

#include <pthread.h>

enum { MOST_THREADS = 64, PAIRED_CELLS = 16 };

typedef struct {
    uint16_t x0, x1, y0, y1;
    uint16_t pins; /* placed so far (greedy start) */
} net_box;

pnr_options pnr_options_default(void) {
    return (pnr_options){.seed = 1, .pipeline = PNR_PIPELINE_EXHAUSTIVE};
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

/* For pnr_options.own_tiles, finds the shortest pattern of tiles with enough for both kinds of streams, so
 * that both stand all over the array. */
static void divide_tiles(placer *p) {
    uint32_t need[CLASSES] = {0}, tiles = p->board->glb_tiles;
    for (uint32_t c = 0; c < p->cells; c++)
        need[p->class_of[c]]++;
    for (uint32_t period = 2; !p->own_period && period < 2 * tiles; period *= 2) {
        uint32_t length = period < tiles ? period : tiles, times = tiles / length,
                 stores = (need[CLASS_OUT] + times - 1) / times;
        if (stores > length || need[CLASS_IN] > (length - stores) * times)
            continue;
        p->own_period = length;
        p->own_loads = length - stores;
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
    return pnr_io_column(p->board, store, p->options->fabric_only, x) &&
           (!p->own_period || (tile % p->own_period >= p->own_loads) == store);
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

/* Notes one cell next to another in a net: first it is counted, then written. */
static void add_near(placer *p, uint32_t cell, uint32_t other, uint32_t *next) {
    if (next)
        p->near[p->near_at[cell] + next[cell]++] = other;
    else
        p->near_at[cell + 1]++;
}

/* Notes every pair of cells of a net; of a very large one only those with its first cell, the source. */
static void near_of_net(placer *p, uint32_t n, uint32_t *next) {
    uint32_t first = p->pin_at[n], last = p->pin_at[n + 1];
    for (uint32_t i = first; i < last; i++)
        for (uint32_t k = i + 1; k < last && (i == first || last - first <= PAIRED_CELLS); k++) {
            add_near(p, p->pin[i], p->pin[k], next);
            add_near(p, p->pin[k], p->pin[i], next);
        }
}

/* A cell without nets is next to itself: every cell has somebody. */
static void near_of_all(placer *p, uint32_t *next) {
    for (uint32_t n = 0; n < p->nets; n++)
        near_of_net(p, n, next);
    for (uint32_t c = 0; c < p->cells; c++)
        if ((next ? next[c] : p->near_at[c + 1]) == 0)
            add_near(p, c, c, next);
}

static void list_near(placer *p, arena *mem) {
    p->near_at = arena_new_n(mem, uint32_t, p->cells + 1);
    near_of_all(p, NULL);
    for (uint32_t c = 0; c < p->cells; c++)
        p->near_at[c + 1] += p->near_at[c];
    p->near = arena_new_n(mem, uint32_t, p->near_at[p->cells]);
    near_of_all(p, arena_new_n(mem, uint32_t, p->cells));
}

static void placer_init(placer *p, const netlist *n, const pnr_board *b, const pnr_options *o, arena *mem) {
    *p = (placer){.net = n, .board = b, .options = o, .cells = n->cells.len, .nets = n->nets.len};
    p->deadline = o->time_limit > 0 ? seconds_now() + o->time_limit : 0;
    p->at = arena_new_n(mem, pnr_site, p->cells);
    p->occupant = arena_new_n(mem, uint32_t, b->width * b->height);
    p->class_of = arena_new_n(mem, uint8_t, p->cells);
    p->fixed = arena_new_n(mem, bool, p->cells + 1);
    p->movable = arena_new_n(mem, uint32_t, p->cells);
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

/* ---- fixed cells ----------------------------------------------------------------------------- */

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
        box_add(&box[n], p->at[cell].x, p->at[cell].y);
        for (uint32_t k = p->pin_at[n]; k < p->pin_at[n + 1]; k++)
            links[p->pin[k]]++;
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
            for (uint32_t u = p->use_at[cell]; u < p->use_at[cell + 1]; u++)
                cost += box_distance(&box[p->use[u]], at.x, at.y);
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

/* Is `a` to be placed before `b`? Cells bound to a region come first, the smallest region before all; then
 * the one with more links to placed cells. */
static bool sooner(const placer *p, uint32_t a, uint32_t b, const uint32_t *links) {
    const pnr_region *r = p->options->region;
    bool bound_a = r && r[a].x0 != PNR_FREE, bound_b = r && r[b].x0 != PNR_FREE;
    if (bound_a != bound_b)
        return bound_a;
    if (!bound_a)
        return links[a] > links[b];
    int64_t area_a = (int64_t)(r[a].x1 - r[a].x0 + 1) * (r[a].y1 - r[a].y0 + 1);
    return area_a < (int64_t)(r[b].x1 - r[b].x0 + 1) * (r[b].y1 - r[b].y0 + 1);
}

/* Places, again and again, the cell with most links to placed ones, ties by index. O(cells^2) for the choice.
 */
static bool greedy_start(placer *p, arena *scratch, diagnostics *d) {
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
            if (!placed[c] && (best == UINT32_MAX || sooner(p, c, best, links)))
                best = c;
        }
        if (!put_greedily(p, best, box, d))
            return false;
        placed[best] = true;
        now_placed(p, best, box, links);
    }
    return true;
}

/* ---- anneals in parallel --------------------------------------------------------------------- */

typedef struct {
    const placer *p;
    uint32_t first, step; /* this thread's seeds: first, first + step, ... */
    uint32_t seeds;
    anneal_result best;
    uint64_t best_seed;
    pnr_site *at;
} anneal_job;

static void *anneal_seeds(void *argument) {
    anneal_job *job = argument;
    arena scratch = {0};
    pnr_site *at = arena_new_n(&scratch, pnr_site, job->p->cells);
    job->best.cost = INT64_MAX;
    for (uint32_t i = job->first; i < job->seeds; i += job->step) {
        arena one = {0};
        anneal_result r = place_anneal(job->p, job->p->options->seed + i, &one, at);
        r.moves += job->best.moves;
        r.out_of_time |= job->best.out_of_time;
        if (r.cost < job->best.cost) {
            job->best.cost = r.cost;
            job->best_seed = job->p->options->seed + i;
            memcpy(job->at, at, job->p->cells * sizeof *at);
        }
        job->best.moves = r.moves;
        job->best.out_of_time = r.out_of_time;
        arena_free(&one);
    }
    arena_free(&scratch);
    return NULL;
}

/* Runs every job, the first on this thread; a thread that cannot be had has its job done here, too. */
static void run_jobs(anneal_job *job, uint32_t jobs) {
    pthread_t thread[MOST_THREADS];
    bool started[MOST_THREADS] = {false};
    for (uint32_t i = 1; i < jobs; i++)
        started[i] = pthread_create(&thread[i], NULL, anneal_seeds, &job[i]) == 0;
    for (uint32_t i = 0; i < jobs; i++) {
        if (started[i])
            BUG_IF(pthread_join(thread[i], NULL) != 0, "a thread cannot be joined");
        else
            anneal_seeds(&job[i]);
    }
}

/* Picks the cheapest of all seeds, the first of several, so that it is the same whatever the number of
 * threads. */
static int64_t anneal(placer *p, arena *scratch, pnr_stats *stats) {
    const pnr_options *o = p->options;
    uint32_t seeds = o->seeds ? o->seeds : 1, jobs = o->threads ? o->threads : 1;
    jobs = jobs > seeds ? seeds : jobs > MOST_THREADS ? MOST_THREADS : jobs;
    anneal_job *job = arena_new_n(scratch, anneal_job, jobs), *best = job;
    for (uint32_t i = 0; i < jobs; i++)
        job[i] = (anneal_job){
            .p = p, .first = i, .step = jobs, .seeds = seeds, .at = arena_new_n(scratch, pnr_site, p->cells)};
    run_jobs(job, jobs);
    for (uint32_t i = 0; i < jobs; i++) {
        if (job[i].best.cost < best->best.cost ||
            (job[i].best.cost == best->best.cost && job[i].best_seed < best->best_seed))
            best = &job[i];
        stats->moves += job[i].best.moves;
        stats->out_of_time |= job[i].best.out_of_time;
    }
    stats->seed = best->best_seed;
    stats->seeds = seeds;
    memcpy(p->at, best->at, p->cells * sizeof *p->at);
    return best->best.cost;
}

/* ---- the pass -------------------------------------------------------------------------------- */

/* The chip's IO tile does not gate its output by its sinks' joined ready: a branch that is ready first would
 * take a token twice. That of onyx-ext does (docs/boards.md). */
static bool io_fan_out_allowed(const netlist *n, const pnr_board *b, const pnr_options *o, diagnostics *d) {
    const bool allowed = o->fabric_only || o->io_fan_out || pnr_board_extended(b);
    bool good = true;
    for (uint32_t i = 0; i < n->nets.len && !allowed; i++) {
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

bool place_whole(const netlist *n, const pnr_board *b, const pnr_options *o, uint32_t lanes, arena *scratch,
                 diagnostics *d, pnr_stats *stats, pnr_site *at, int64_t *cost) {
    placer *p = arena_new(scratch, placer);
    placer_init(p, n, b, o, scratch);
    p->lanes = lanes;
    *cost = 0;
    if ((o->flush && !place_deal_flushes(p, scratch, d)) || !fix_cells(p, d) || !greedy_start(p, scratch, d))
        return false;
    if (p->movable_len)
        *cost = anneal(p, scratch, stats);
    memcpy(at, p->at, p->cells * sizeof *at);
    return true;
}

/* Returns whether a net leads from a row that sees the flush late to one that saw it a cycle before: a token
 * of before it would come in there behind it. */
static bool meets_flush(const net_data *net, const pnr_site *at) {
    bool meets = false;
    for (uint32_t s = 0; s < net->sinks.len; s++) {
        const uint32_t y = at[net->sinks.at[s].cell.v - 1].y;
        meets = meets || (y && y <= ONYX_NEAR_ROWS);
    }
    return meets && at[net->source.cell.v - 1].y > ONYX_NEAR_ROWS;
}

/* Binds what has tokens before the flush to the rows that see it first. The regions live in `mem`. */
static const pnr_region *near_regions(const netlist *n, const pnr_board *b, const pnr_options *o,
                                      const bool *early, arena *mem) {
    pnr_region *region = arena_new_n(mem, pnr_region, n->cells.len + 1);
    for (uint32_t c = 0; c < n->cells.len; c++)
        region[c] = o->region ? o->region[c] : (pnr_region){.x0 = PNR_FREE};
    for (uint32_t i = 0; i < n->nets.len; i++) {
        pnr_region *r = &region[n->nets.at[i].source.cell.v - 1];
        if (!early[i])
            continue;
        if (r->x0 == PNR_FREE)
            *r = (pnr_region){0, 0, (uint16_t)(b->width - 1), (uint16_t)(b->height - 1)};
        r->y1 = r->y1 < ONYX_NEAR_ROWS ? r->y1 : ONYX_NEAR_ROWS;
    }
    return region;
}

static bool any_meets_flush(const netlist *n, const bool *early, const pnr_site *at) {
    bool any = false;
    for (uint32_t i = 0; i < n->nets.len; i++)
        any = any || (early[i] && meets_flush(&n->nets.at[i], at));
    return any;
}

/* Places the netlist, and where that would let a token of before the flush in behind it, once more with its
 * source among the rows that see the flush first. */
static bool place(const netlist *n, const pnr_board *b, const pnr_options *o, arena *scratch, diagnostics *d,
                  pnr_stats *stats, pnr_site *at) {
    bool *early = arena_new_n(scratch, bool, n->nets.len + 1);
    pnr_options again = *o;
    int64_t cost;
    if (!place_lanes(n, b, o, scratch, stats, at) && !place_whole(n, b, o, 1, scratch, d, stats, at, &cost))
        return false;
    net_early(n, early);
    if (o->fabric_only || !any_meets_flush(n, early, at))
        return true;
    again.region = near_regions(n, b, o, early, scratch);
    return place_whole(n, b, &again, 1, scratch, d, stats, at, &cost);
}

bool pnr_place(const netlist *n, const pnr_board *b, const pnr_options *o, arena *mem, diagnostics *d,
               pnr_design *out) {
    double start = seconds_now();
    *out = (pnr_design){.net = n,
                        .board = b,
                        .fabric_only = o->fabric_only,
                        .io_fan_out = o->io_fan_out,
                        .own_tiles = o->own_tiles,
                        .no_pairs = o->pipeline == PNR_PIPELINE_NONE,
                        .flush = o->flush,
                        .stats.seed = o->seed};
    if (!pnr_fits(n, b, o, d) || !io_fan_out_allowed(n, b, o, d))
        return false;
    arena scratch = {0};
    pnr_site *at = arena_new_n(&scratch, pnr_site, n->cells.len);
    bool good = place(n, b, o, &scratch, d, &out->stats, at);
    for (uint32_t c = 0; good && c < n->cells.len; c++)
        vec_push(mem, &out->site, at[c]);
    arena_free(&scratch);
    out->stats.place_seconds = seconds_now() - start;
    return good;
}
