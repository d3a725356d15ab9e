/* model.c - what a run is expected to cost, from the occupancy of its sub-tiles alone.
 *
 * Loop by loop, outermost first: an operand that has the loop's variable is scanned once for every iteration
 * of the loops outside, its fibers are as long as its tree says on average, and how many coordinates go on
 * is what the expression makes of independent operands (a product: those all have; a sum: those any has).
 * Scanners, joiners, values, reducers and writers work at the same time, so the slowest of these stages sets
 * the pace, from when the words it waits for are loaded. The expected sizes are those of the statistical
 * tiling literature (D2T2), for one pair of sub-tiles instead of the average one. costs.def has the costs.
 */
#include "tiling/plan_int.h"

#include <math.h>

static const double cycles_of[TILE_WORKS] = {
#define ARRAY(NAME, name, cycles, each) [TILE_##NAME] = cycles,
#include "tiling/costs.def"
};

/* Returns the storage level of the operand along v, or -1. */
static int level_along(const plan_operand *o, sam_var v) {
    for (uint32_t l = 0; o->access && l < o->format->order; l++) {
        if (plan_level_var(o, l).v == v.v)
            return (int)l;
    }
    return -1;
}

/* Returns whether the operand has a level along v that is not located. */
static bool is_scanned(const plan_operand *o, sam_var v) {
    return level_along(o, v) >= 0 && !(o->access->located >> (v.v - 1) & 1);
}

static double parents_of(const sub_tile *t, int level) {
    return level > 0 ? t->tree[level - 1] : 1;
}

/* Average coordinates in a fiber of the operand along v, or -1 where it lacks v. */
static double fiber_length(const plan_operand *o, const sub_tile *t, sam_var v) {
    int level = level_along(o, v);
    if (level < 0)
        return -1;
    double parents = parents_of(t, level);
    return parents > 0 ? t->tree[level] / parents : 0;
}

/* Returns how many of `size` coordinates both of two fibers have, where that share of their operands is
 * alike. */
static double common(double a, double b, double size, double alike) {
    return fmin(fmax(a * b / size, alike * fmin(a, b)), fmin(a, b)); /* a dense one may reach beyond `size` */
}

static double alike(const tile_planner *p, sam_tensor a, sam_tensor b) {
    return a.v && b.v ? p->alike[(a.v - 1) * p->statement->tensors.len + b.v - 1] : 0;
}

/* The fold over the right side reads this. Its sets are numbers of coordinates of v; -1: v is not restricted.
 */
typedef struct {
    const tile_planner *p;
    const uint32_t *sub;
    sam_var v;
    double size;
} surviving;

static void survive_stored(void *context, sam_expr access, void *out) {
    const surviving *s = context;
    uint32_t t = sam_expr_at(s->p->statement, access)->tensor.v - 1;
    const plan_operand *o = &s->p->operands[t];
    *(double *)out = fiber_length(o, &o->subs.at[s->sub[t]], s->v);
}

static double survive_common(const surviving *s, sam_expr e, double a, double b) {
    const sam_statement *st = s->p->statement;
    const sam_expr_data *x = sam_expr_at(st, e);
    return common(a, b, s->size, alike(s->p, sam_expr_at(st, x->a)->tensor, sam_expr_at(st, x->b)->tensor));
}

static void survive_both(void *context, sam_expr e, void *left, const void *right) {
    double *a = left, b = *(const double *)right;
    if (*a < 0 || b < 0)
        *a = *a < 0 ? b : *a;
    else
        *a = survive_common(context, e, *a, b);
}

static void survive_either(void *context, sam_expr e, void *left, const void *right) {
    const surviving *s = context;
    double *a = left, b = *(const double *)right;
    if (*a < 0 || b < 0) {
        *a = *a < 0 ? b : *a;
        return;
    }
    double both = survive_common(s, e, *a, b);
    *a = *a + b - both > s->size ? s->size : *a + b - both;
}

/* Returns how many of `size` coordinates of v go on; -1 where the expression does not restrict v. */
static double survivors(const tile_planner *p, const uint32_t *sub, sam_var v, double size) {
    static const double any = -1;
    static const sam_fold_by by = {sizeof any, &any, survive_stored, survive_both, survive_either};
    double go_on;
    sam_fold(&p->algebra, p->coordinates, &by, &(surviving){p, sub, v, size}, &go_on);
    return go_on;
}

/* Returns the words of the operand's array at a level. */
static double words_of(const plan_operand *o, const sub_tile *t, int level) {
    return o->format->level[level] == SAM_LEVEL_COMPRESSED ? t->tree[level] + parents_of(t, level) + 3 : 0;
}

static double longest_load(const tile_planner *p, const uint32_t *sub) {
    double longest = 0;
    for (uint32_t t = 0; t < p->statement->tensors.len; t++) {
        const plan_operand *o = &p->operands[t];
        if (!o->access)
            continue;
        const sub_tile *used = &o->subs.at[sub[t]];
        longest = used->vals > longest ? used->vals : longest;
        for (uint32_t l = 0; l < o->format->order; l++)
            longest = fmax(longest, words_of(o, used, (int)l));
    }
    return longest;
}

/* This is the slowest stage so far. */
typedef struct {
    double cycles, work[TILE_WORKS];
} slowest;

static void consider(slowest *s, const double *work) {
    double cycles = 0;
    for (uint32_t w = 0; w < TILE_WORKS; w++)
        cycles += work[w] * cycles_of[w];
    if (cycles <= s->cycles)
        return;
    s->cycles = cycles;
    memcpy(s->work, work, sizeof s->work);
}

/* Where the model stands between two loops. */
typedef struct {
    double iterations; /* of the loops outside */
    double loaded;     /* words that the loops outside wait for */
    double full;       /* words that the values wait for */
    double fibers;     /* of the result */
    double vectors;    /* added up in each of these */
} walk;

/* Returns how many operands scan a level along v. */
static uint32_t scanned_along(const tile_planner *p, sam_var v) {
    uint32_t n = 0;
    for (uint32_t t = 0; t < p->statement->tensors.len; t++)
        n += is_scanned(&p->operands[t], v);
    return n;
}

/* A fiber takes longer to begin and to end where a joiner waits for another one. */
static tile_work fiber_of(uint32_t scanned) {
    return scanned > 1 ? TILE_FIBER : TILE_ALONE;
}

/* Considers the scanners and joiners of a loop of `size` coordinates. */
static void scan_loop(const tile_planner *p, const uint32_t *sub, sam_var v, double size, walk *w,
                      slowest *s) {
    const uint32_t scanned = scanned_along(p, v);
    double joined = 0;
    sam_tensor last = {0};
    for (uint32_t t = 0; t < p->statement->tensors.len; t++) {
        const plan_operand *o = &p->operands[t];
        if (!is_scanned(o, v))
            continue;
        int level = level_along(o, v);
        const sub_tile *used = &o->subs.at[sub[t]];
        double length = fiber_length(o, used, v);
        double work[TILE_WORKS] = {0};
        work[fiber_of(scanned)] = w->iterations;
        w->loaded = fmax(w->loaded, words_of(o, used, level));
        work[TILE_LOAD] = w->loaded;
        work[o->format->level[level] == SAM_LEVEL_DENSE ? TILE_TOKEN : TILE_SCAN] = w->iterations * length;
        consider(s, work);
        joined += length - common(joined, length, size, alike(p, last, (sam_tensor){t + 1}));
        last = (sam_tensor){t + 1};
    }
    if (scanned > 1)
        consider(s, (double[TILE_WORKS]){[TILE_LOAD] = w->loaded,
                                         [TILE_FIBER] = w->iterations,
                                         [TILE_TOKEN] = w->iterations * joined});
}

/* Returns how many of `size` coordinates are expected to be in any of n independent fibers of `length`. */
static double united(double size, double length, double n) {
    return n < 1 || length >= size ? length * fmin(n, 1) : size * (1 - pow(1 - length / size, n));
}

/* Considers the writer of a level of the result, where `inside` values are expected below each coordinate. */
static void write_level(double size, double go_on, double inside, walk *w, slowest *s) {
    w->fibers *= united(size, go_on, w->vectors) * (1 - exp(-inside));
    consider(s, (double[TILE_WORKS]){[TILE_LOAD] = w->full, [TILE_WRITE] = w->fibers});
}

/* Returns the average of united() over the first such fiber, the first two, and so on up to all n >= 1. */
static double united_so_far(double size, double length, double n) {
    double left = 1 - length / size;
    return left <= 0 || left >= 1 ? length : size * (1 - left * (1 - pow(left, n)) / (n * (1 - left)));
}

/* Considers the reducer of `vectors` vectors a sum, each with `length` of `size` coordinates. */
static void add_vectors(const tile_planner *p, double vectors, double length, double size, walk *w,
                        slowest *s) {
    double all = w->iterations * vectors;
    w->vectors *= vectors;
    if (p->options.vector_reducer)
        consider(s, (double[TILE_WORKS]){[TILE_LOAD] = w->full,
                                         [TILE_ENTRY] = all * length,
                                         [TILE_WRITE] = w->iterations * united(size, length, vectors)});
    else
        consider(s, (double[TILE_WORKS]){[TILE_LOAD] = w->full,
                                         [TILE_VECTOR] = all,
                                         [TILE_PARTIAL] = all * united_so_far(size, length, fmax(vectors, 1)),
                                         [TILE_ACCUMULATED] = w->iterations});
}

double plan_cost(const tile_planner *p, const uint32_t *sub, const plan_box *box, double *work) {
    const sam_statement *st = p->statement;
    uint32_t n = st->loops.len;
    double go_on[TILE_MAX_VARS], inside[TILE_MAX_VARS], size[TILE_MAX_VARS], below = 1, outer = 1;
    walk w = {.iterations = 1, .full = longest_load(p, sub), .fibers = 1, .vectors = 1};
    slowest s = {.cycles = -1};
    int vector[TILE_MAX_VARS], result = -1; /* the next loop of the result inside */
    for (uint32_t l = n; l-- > 0;) {
        sam_var v = st->loops.at[l];
        size[l] = box->size[v.v - 1];
        go_on[l] = survivors(p, sub, v, size[l]);
        go_on[l] = go_on[l] < 0 ? size[l] : go_on[l];
        inside[l] = l + 1 < n ? below : INFINITY;
        below *= go_on[l];
        vector[l] = result;
        result = sam_is_result_var(st, v) ? (int)l : result;
    }
    for (uint32_t l = 0; l < n; l++) {
        scan_loop(p, sub, st->loops.at[l], size[l], &w, &s);
        if (sam_is_result_var(st, st->loops.at[l]))
            write_level(size[l], go_on[l], inside[l], &w, &s);
        else if (vector[l] >= 0)
            add_vectors(p, go_on[l], go_on[vector[l]], size[vector[l]], &w, &s);
        outer = w.iterations;
        w.iterations *= go_on[l];
    }
    double values[TILE_WORKS] = {[TILE_LOAD] = w.full, [TILE_TOKEN] = w.iterations};
    values[n ? fiber_of(scanned_along(p, st->loops.at[n - 1])) : TILE_FIBER] = outer;
    consider(&s, values);
    s.work[TILE_START] += 1;
    s.work[TILE_LOOP] += n;
    for (uint32_t i = 0; i < TILE_WORKS; i++)
        work[i] += s.work[i];
    return s.cycles + cycles_of[TILE_START] + n * cycles_of[TILE_LOOP];
}

/* ---- choosing the edges ---------------------------------------------------------------------- */

/* What is counted of a plan to see what it comes to, in steps after which a plan that seems to take HOPELESS
 * times the best is left; how many plans are looked at, and how many of the best counted to their end. */
enum {
    LEAST_EDGE = 4,
    FIRST_RUNS = 1 << 12,
    MOST_RUNS = 1 << 16,
    HOPELESS = 2,
    MOST_PLANS = 48,
    FINISHED = 3
};
static const double MOST_CYCLES = 1e8;

typedef struct {
    const sam_statement *statement;
    const tile_operands *in;
    const tile_options *options;
    const uint32_t *widest;
    uint32_t extent[TILE_MAX_VARS]; /* 0: nothing says */
    arena *mem;
    tile_candidates *tried;
    tile_candidate best;
} choice;

static tile_candidate *find_tried(const choice *c, const uint32_t *edge) {
    for (uint32_t i = 0; i < c->tried->len; i++) {
        if (memcmp(c->tried->at[i].edge, edge, sizeof *edge * TILE_MAX_VARS) == 0)
            return &c->tried->at[i];
    }
    return NULL;
}

/* Counts the plan in full, or until it can be told (`first`) or seems to cost more than `most`; false: it
 * does not fit. */
static bool count_plan(const sam_statement *s, const tile_operands *in, const tile_options *options,
                       bool first, double most, tile_candidate *out) {
    arena scratch = {0};
    diagnostics quiet;
    diag_init(&quiet, &scratch);
    tile_planner *p = tile_plan_begin(s, in, options, NULL, 0, NULL, 0, &scratch, &quiet);
    bool fits = p != NULL;
    for (bool more = true; fits && more;) {
        fits = tile_plan_count(p, first ? MOST_CYCLES : INFINITY, first ? FIRST_RUNS : UINT64_MAX,
                               &out->complete);
        double progress = plan_progress(p), part = out->complete || progress <= 0 ? 1 : progress;
        out->expected = tile_plan_counts(p)->expected;
        out->predicted = out->expected.cycles / part;
        out->cost = tile_chip_cycles(&out->expected, &options->driver, 1, false) / part;
        more = !out->complete && out->expected.runs < MOST_RUNS && out->expected.cycles < MOST_CYCLES &&
               out->cost <= most;
    }
    if (p)
        tile_plan_end(p);
    arena_free(&scratch);
    return fits;
}

bool tile_expect(const sam_statement *s, const tile_operands *in, const tile_options *options,
                 tile_candidate *out) {
    return count_plan(s, in, options, false, INFINITY, out);
}

/* Counts the plan with the candidate's edges; with `first`, as far as it takes to tell whether it is the
 * best. */
static bool count_edges(const choice *c, bool first, tile_candidate *out) {
    tile_options now = *c->options;
    memcpy(now.edge, out->edge, sizeof now.edge);
    return count_plan(c->statement, c->in, &now, first, c->best.edge ? HOPELESS * c->best.cost : INFINITY,
                      out);
}

/* Returns whether the edges are the best so far, as far as it can be told. */
static bool try_edges(choice *c, const uint32_t *edge) {
    uint32_t *kept = arena_new_n(c->mem, uint32_t, TILE_MAX_VARS);
    tile_candidate next = {.edge = kept};
    memcpy(kept, edge, sizeof *kept * TILE_MAX_VARS);
    if (c->tried->len >= MOST_PLANS || find_tried(c, edge) || !count_edges(c, true, &next))
        return false;
    vec_push(c->mem, c->tried, next);
    if (c->best.edge && next.cost >= c->best.cost)
        return false;
    c->best = next;
    return true;
}

/* Tries the same edge along all loops, but no wider than they may be. */
static void try_square(choice *c, uint32_t all) {
    uint32_t edge[TILE_MAX_VARS] = {0};
    for (uint32_t l = 0; l < c->statement->loops.len; l++) {
        uint32_t v = c->statement->loops.at[l].v - 1;
        edge[v] = all < c->widest[v] ? all : c->widest[v];
    }
    try_edges(c, edge);
}

/* Tries edges as wide as may be but narrow along one loop, which few steps from a square do not come to. */
static void try_slabs(choice *c, uint32_t most, uint32_t narrow) {
    for (uint32_t thin = 0; thin < c->statement->loops.len; thin++) {
        uint32_t edge[TILE_MAX_VARS] = {0};
        for (uint32_t l = 0; l < c->statement->loops.len; l++) {
            uint32_t v = c->statement->loops.at[l].v - 1, all = l == thin ? narrow : most;
            edge[v] = all < c->widest[v] ? all : c->widest[v];
        }
        try_edges(c, edge);
    }
}

/* Tries the best so far with v's edge multiplied or divided by `factor`. */
static bool try_along(choice *c, sam_var v, uint32_t factor, bool wider) {
    uint32_t edge[TILE_MAX_VARS], *its = &edge[v.v - 1];
    memcpy(edge, c->best.edge, sizeof edge);
    if (wider ? *its >= c->extent[v.v - 1] || (uint64_t)*its * factor > c->widest[v.v - 1] : *its < factor)
        return false;
    *its = wider ? *its * factor : *its / factor;
    return try_edges(c, edge);
}

/* Coordinate descent: one variable's edge at a time, as long as it helps. */
static void try_each_variable(choice *c, uint32_t factor) {
    const sam_statement *s = c->statement;
    for (bool better = true; better;) {
        better = false;
        for (uint32_t l = 0; l < s->loops.len; l++) {
            bool moved = false;
            for (uint32_t wider = 0; wider < 2 && !moved; wider++) {
                while (try_along(c, s->loops.at[l], factor, wider))
                    moved = true;
            }
            better = better || moved;
        }
    }
}

/* Counts the most promising ones to their end: the best of what is known in full. */
static void finish_best(choice *c) {
    c->best = (tile_candidate){.edge = NULL};
    for (uint32_t done = 0; done < FINISHED; done++) {
        tile_candidate *next = NULL;
        for (uint32_t i = 0; i < c->tried->len; i++) {
            if (!next || c->tried->at[i].cost < next->cost)
                next = &c->tried->at[i];
        }
        if (!next || next->complete) {
            c->best = next ? *next : c->best;
            return;
        }
        if (!count_edges(c, false, next))
            next->cost = INFINITY; /* does not fit */
    }
    for (uint32_t i = 0; i < c->tried->len; i++) {
        const tile_candidate *t = &c->tried->at[i];
        if (t->complete && (!c->best.edge || t->cost < c->best.cost))
            c->best = *t;
    }
}

tile_candidate tile_choose(const sam_statement *s, const tile_operands *in, const tile_options *options,
                           const uint32_t *widest, arena *mem, tile_candidates *tried) {
    arena scratch = {0};
    diagnostics quiet;
    tile_options any = *options;
    choice c = {.statement = s, .in = in, .options = options, .widest = widest, .mem = mem, .tried = tried};
    uint32_t *extent = NULL, longest = 1, most = 1, *safe = arena_new_n(mem, uint32_t, TILE_MAX_VARS);
    *tried = (tile_candidates){0};
    any.tile = 0;
    diag_init(&quiet, &scratch);
    bool known = tile_known_extents(s, in, &scratch, &quiet, &extent);
    for (uint32_t l = 0; l < s->loops.len; l++) {
        sam_var v = s->loops.at[l];
        c.extent[v.v - 1] = known ? extent[v.v - 1] : 0;
        longest = c.extent[v.v - 1] > longest ? c.extent[v.v - 1] : longest;
        most = widest[v.v - 1] > most ? widest[v.v - 1] : most;
        safe[v.v - 1] = tile_edge(s, &any, v);
        safe[v.v - 1] = safe[v.v - 1] < widest[v.v - 1] ? safe[v.v - 1] : widest[v.v - 1];
    }
    while (most > LEAST_EDGE && most / 2 >= longest)
        most /= 2; /* one sub-tile holds all */
    for (uint32_t edge = most; edge >= LEAST_EDGE || edge == most; edge /= 2)
        try_square(&c, edge);
    try_slabs(&c, most, 1);
    try_slabs(&c, most, LEAST_EDGE);
    for (uint32_t factor = 4; c.best.edge && factor >= 2; factor /= 2)
        try_each_variable(&c, factor);
    finish_best(&c);
    arena_free(&scratch);
    return c.best.edge ? c.best : (tile_candidate){.edge = safe};
}
