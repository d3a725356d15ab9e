/* choose.c - the edges of sub-tiles and the copies of a kernel that are expected to take the chip the fewest
 * cycles: plans are counted for many edges, without making any words. */
#include "tiling/choose.h"
#include "tiling/plan_int.h"
#include "tiling/sample.h"

#include <math.h>

/* What is counted of a plan to see what it comes to, in steps after which a plan that seems to take HOPELESS
 * times the best is left; how many plans are looked at, and how many of the best counted to their end. */
enum {
    LEAST_EDGE = 4,
    LOOK_RUNS = 1 << 6, /* how soon it is looked whether a plan costs more than the best already */
    FIRST_RUNS = 1 << 12,
    MOST_RUNS = 1 << 16,
    HOPELESS = 2,
    MOST_PLANS = 48,
    FINISHED = 3,
    SHARES = 6, /* one plan may take this part of all steps, one that is counted again more */
    AGAIN = 2,
    SMALLER = 4,        /* times that a sample is made smaller where that is not enough for it */
    MOST_POOL = 1 << 20 /* words of piece sets, where steps are bounded */
};
static const double MOST_CYCLES = 1e8;

typedef struct {
    const sam_statement *statement;
    const tile_operands *in;
    const tile_options *options;
    const uint32_t *widest;
    uint32_t extent[TILE_MAX_VARS]; /* 0: nothing says */
    uint64_t padded; /* bit (handle - 1): an edge longer than that is not as if it were as long */
    arena *mem;
    tile_candidates *tried;
    tile_candidate best;
    uint64_t steps; /* so far */
    double share;   /* of all there is that is counted */
    bool clip;      /* no edge is longer than its loop, which is there as a whole */
    bool limited;   /* steps ended something */
} choice;

/* Returns whether the edges cut the loops alike: one that is longer than its loop cuts nothing. */
static bool cut_alike(const choice *c, const uint32_t *a, const uint32_t *b) {
    bool alike = true;
    for (uint32_t v = 0; v < TILE_MAX_VARS && alike; v++) {
        const uint32_t extent = c->padded >> v & 1 ? 0 : c->extent[v];
        alike = a[v] == b[v] || (extent && a[v] >= extent && b[v] >= extent);
    }
    return alike;
}

/* Returns the variables, bit (handle - 1), along which some level is dense: it is as long as the edge, also
 * where that is longer than the loop. */
static uint64_t find_padded(const sam_statement *s) {
    uint64_t padded = 0;
    for (uint32_t e = 1; e <= s->exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        if (x->kind != SAM_EXPR_ACCESS)
            continue;
        const sam_tensor_data *t = sam_tensor_at(s, x->tensor);
        for (uint32_t l = 0; l < t->order; l++)
            padded |= (uint64_t)(t->level[l] == SAM_LEVEL_DENSE) << (x->index[t->mode[l]].v - 1);
    }
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    for (uint32_t l = 0; l < result->order; l++)
        padded |= (uint64_t)(result->level[l] == SAM_LEVEL_DENSE) << (s->result_index[result->mode[l]].v - 1);
    return padded;
}

static tile_candidate *find_tried(const choice *c, const uint32_t *edge) {
    for (uint32_t i = 0; i < c->tried->len; i++) {
        if (cut_alike(c, c->tried->at[i].edge, edge))
            return &c->tried->at[i];
    }
    return NULL;
}

/* How far a plan is counted. */
typedef struct {
    bool first;   /* until it can be told what it comes to */
    double most;  /* or until it seems to cost more */
    double best;  /* or what was counted does, which the rest only adds to */
    double least; /* or that of which it is `share` costs more than this */
    double share;
    uint64_t steps; /* or has taken so many; 0: any number */
    bool at_once;   /* within a sub-tile, too, of which then nobody knows what it comes to */
} until;

/* Returns how far a plan is counted that is compared with none. */
static until to_the_end(uint64_t steps) {
    return (until){.most = INFINITY, .best = INFINITY, .least = INFINITY, .steps = steps};
}

/* Returns what `part` of the runs, which was counted, says of all of them. */
static tile_forecast whole_of(const tile_forecast *counted, double part) {
    tile_forecast all = *counted;
    all.runs = (uint64_t)((double)counted->runs / part);
    all.cycles /= part;
    for (uint32_t i = 0; i < TILE_WORKS; i++)
        all.work[i] /= part;
    for (uint32_t i = 0; i < TILE_COSTS; i++) {
        all.alike[i].runs = (uint64_t)((double)counted->alike[i].runs / part);
        all.alike[i].cycles /= part;
    }
    return all;
}

static double cost_of(const tile_options *options, const tile_forecast *f) {
    return tile_best_share(f, &options->driver, &options->room).cycles;
}

/* Returns what that costs of which `part` was counted. */
static double cost_of_whole(const tile_options *options, const tile_forecast *counted, double part) {
    const tile_forecast all = whole_of(counted, part);
    return cost_of(options, &all);
}

/* Returns whether a plan costs too much by what was counted of it. */
static bool is_too_much(const tile_options *options, const tile_forecast *counted, const until *u) {
    return (u->best < INFINITY && cost_of(options, counted) > u->best) ||
           (u->least < INFINITY && cost_of_whole(options, counted, u->share) > u->least);
}

static bool has_room(const sam_statement *s, const tile_options *options, const uint32_t *extent) {
    uint64_t words = 0;
    for (uint32_t l = 0; l < s->loops.len; l++) {
        sam_var v = s->loops.at[l];
        words += extent[v.v - 1] / tile_edge(s, options, v) / 64 + 1;
    }
    return words * (2 * s->exprs.len + 1) <= MOST_POOL;
}

/* Returns which part a sample of the operands is of all there is. */
static double whole_share(const tile_options *options, const tile_sampled *of) {
    return of->share * (options->share > 0 ? options->share : 1);
}

/* Makes of the figures of a `share` of all there is those of the whole. */
static void scale(const tile_options *options, double share, tile_candidate *of) {
    if (share >= 1)
        return;
    of->expected = whole_of(&of->expected, share);
    of->complete = false;
    of->predicted /= share;
    of->cost = cost_of(options, &of->expected);
}

/* Counts the plan; false: it does not fit. Adds to *steps. `limited` of the candidate says whether those of
 * this plan were too few. */
static bool count_plan(const sam_statement *s, const tile_operands *in, const tile_options *options, until u,
                       tile_candidate *out, uint64_t *steps) {
    arena scratch = {0};
    diagnostics quiet;
    uint32_t *extent = NULL;
    diag_init(&quiet, &scratch);
    bool fits =
        tile_known_extents(s, in, &scratch, &quiet, &extent) && (!u.steps || has_room(s, options, extent));
    tile_planner *p = fits ? tile_plan_begin(s, in, options, NULL, 0, NULL, 0, &scratch, &quiet) : NULL;
    fits = p != NULL;
    if (fits) {
        p->limit.most_steps = u.steps ? u.steps : UINT64_MAX;
        p->limit.at_once = u.at_once;
    }
    uint64_t runs = u.best < INFINITY || u.least < INFINITY ? LOOK_RUNS : FIRST_RUNS;
    for (bool more = true; fits && more; runs = 2 * runs < FIRST_RUNS ? 2 * runs : FIRST_RUNS) {
        fits =
            tile_plan_count(p, u.first ? MOST_CYCLES : INFINITY, u.first ? runs : UINT64_MAX, &out->complete);
        double progress = plan_progress(p), part = out->complete || progress <= 0 ? 1 : progress;
        out->expected = tile_plan_counts(p)->expected;
        tile_forecast all = whole_of(&out->expected, part);
        out->predicted = all.cycles;
        out->cost = cost_of(options, &all);
        more = !out->complete && out->expected.runs < MOST_RUNS && out->expected.cycles < MOST_CYCLES &&
               (out->expected.runs < FIRST_RUNS || out->cost <= u.most) &&
               p->limit.steps < p->limit.most_steps && !is_too_much(options, &out->expected, &u);
        if (u.steps)
            out->expected = all;
    }
    if (p) {
        *steps += p->limit.steps;
        out->limited = p->limit.steps >= p->limit.most_steps;
        tile_plan_end(p);
    }
    arena_free(&scratch);
    return fits;
}

/* Makes a sample that plans can be counted of to their end, in the steps that each may take. */
static void find_sample(const sam_statement *s, const tile_operands *in, const tile_options *options,
                        arena *mem, tile_sampled *out) {
    uint64_t most = TILE_SAMPLE, steps = 0;
    for (uint32_t round = 0; round < SMALLER; round++) {
        tile_candidate c;
        tile_sample(s, in, most, mem, out);
        until u = to_the_end(options->steps / SHARES);
        u.at_once = true;
        const bool fits = count_plan(&out->statement, &out->in, options, u, &c, &steps);
        if (!fits || c.complete)
            return;
        most /= 2;
    }
}

bool tile_share_sample(const sam_statement *s, const tile_operands *in, arena *mem, tile_operands *out,
                       double *share) {
    tile_sampled of;
    tile_sample(s, in, TILE_SHARED_SAMPLE, mem, &of);
    *out = of.in;
    *share = of.share;
    return of.share < 1;
}

bool tile_expect(const sam_statement *s, const tile_operands *in, const tile_options *options,
                 tile_candidate *out) {
    uint64_t steps = 0;
    if (!options->steps)
        return count_plan(s, in, options, to_the_end(0), out, &steps);
    arena mem = {0};
    tile_sampled of;
    find_sample(s, in, options, &mem, &of);
    const bool fits =
        count_plan(&of.statement, &of.in, options, to_the_end(options->steps / SHARES), out, &steps);
    scale(options, whole_share(options, &of), out);
    arena_free(&mem);
    return fits;
}

/* Counts the plan with the candidate's edges; with `first`, as far as it takes to tell whether it is the
 * best. */
static bool count_edges(choice *c, bool first, tile_candidate *out) {
    tile_options now = *c->options;
    const double best = first && c->best.edge ? c->best.cost : INFINITY;
    const until u = {.first = first,
                     .most = HOPELESS * best,
                     .best = c->best.complete ? best : INFINITY,
                     .least = first && c->options->least > 0 ? c->options->least : INFINITY,
                     .share = c->share,
                     .steps = c->options->steps / SHARES * (first ? 1 : AGAIN)};
    memcpy(now.edge, out->edge, sizeof now.edge);
    const bool fits = count_plan(c->statement, c->in, &now, u, out, &c->steps);
    c->limited |= out->limited;
    return fits;
}

static bool is_spent(choice *c) {
    const bool is = c->options->steps && c->steps >= c->options->steps;
    c->limited |= is;
    return is;
}

/* Returns whether a takes less than b, of the array alone where the processor makes both take as long. */
static bool takes_less(const tile_candidate *a, const tile_candidate *b) {
    return a->cost < b->cost || (a->cost == b->cost && a->predicted < b->predicted);
}

/* Returns whether the edges are the best so far, as far as it can be told. */
static bool try_edges(choice *c, const uint32_t *edge) {
    uint32_t *kept = arena_new_n(c->mem, uint32_t, TILE_MAX_VARS);
    tile_candidate next = {.edge = kept};
    memcpy(kept, edge, sizeof *kept * TILE_MAX_VARS);
    if (c->tried->len >= MOST_PLANS || is_spent(c) || find_tried(c, edge) || !count_edges(c, true, &next))
        return false;
    vec_push(c->mem, c->tried, next);
    if (c->best.edge && !takes_less(&next, &c->best))
        return false;
    c->best = next;
    return true;
}

/* Returns the edge along v that is nearest to `edge` of those that it may have. */
static uint32_t allowed(const choice *c, sam_var v, uint32_t edge) {
    uint32_t asked = c->options->edge[v.v - 1], most = c->widest[v.v - 1], extent = c->extent[v.v - 1];
    if (c->clip && extent && extent < most)
        most = extent;
    return asked ? asked : edge < most ? edge : most;
}

/* Tries the same edge along all loops, but no wider than they may be. */
static void try_square(choice *c, uint32_t all) {
    uint32_t edge[TILE_MAX_VARS] = {0};
    for (uint32_t l = 0; l < c->statement->loops.len; l++) {
        sam_var v = c->statement->loops.at[l];
        edge[v.v - 1] = allowed(c, v, all);
    }
    try_edges(c, edge);
}

/* Tries edges as wide as may be but narrow along one loop, which few steps from a square do not come to. */
static void try_slabs(choice *c, uint32_t most, uint32_t narrow) {
    for (uint32_t thin = 0; thin < c->statement->loops.len; thin++) {
        uint32_t edge[TILE_MAX_VARS] = {0};
        for (uint32_t l = 0; l < c->statement->loops.len; l++) {
            sam_var v = c->statement->loops.at[l];
            edge[v.v - 1] = allowed(c, v, l == thin ? narrow : most);
        }
        try_edges(c, edge);
    }
}

/* Tries the best so far with v's edge multiplied or divided by `factor`. */
static bool try_along(choice *c, sam_var v, uint32_t factor, bool wider) {
    uint32_t edge[TILE_MAX_VARS], *its = &edge[v.v - 1];
    memcpy(edge, c->best.edge, sizeof edge);
    if (c->options->edge[v.v - 1])
        return false;
    if (wider ? *its >= c->extent[v.v - 1] || (uint64_t)*its * factor > c->widest[v.v - 1] : *its < factor)
        return false;
    *its = wider ? allowed(c, v, *its * factor) : *its / factor;
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
            if (!next || takes_less(&c->tried->at[i], next))
                next = &c->tried->at[i];
        }
        if (!next || next->complete || is_spent(c)) {
            c->best = next ? *next : c->best;
            return;
        }
        if (!count_edges(c, false, next))
            next->cost = INFINITY; /* does not fit */
    }
    for (uint32_t i = 0; i < c->tried->len; i++) {
        const tile_candidate *t = &c->tried->at[i];
        if ((t->complete || c->options->steps) && (!c->best.edge || takes_less(t, &c->best)))
            c->best = *t;
    }
}

/* Returns whether the best so far takes so much that none near it is of interest. */
static bool is_hopeless(const choice *c) {
    return c->best.edge && c->options->least > 0 &&
           cost_of_whole(c->options, &c->best.expected, c->share) > HOPELESS * c->options->least;
}

/* Chooses for the statement of c, whose operands are small enough. Returns false where nothing fits. */
static bool choose(choice *c) {
    const sam_statement *s = c->statement;
    arena scratch = {0};
    diagnostics quiet;
    uint32_t *extent = NULL, longest = 1, most = 1;
    diag_init(&quiet, &scratch);
    bool known = tile_known_extents(s, c->in, &scratch, &quiet, &extent);
    c->padded = c->options->clip ? find_padded(s) : UINT64_MAX;
    for (uint32_t l = 0; l < s->loops.len; l++) {
        sam_var v = s->loops.at[l];
        c->extent[v.v - 1] = known ? extent[v.v - 1] : 0;
        longest = c->extent[v.v - 1] > longest ? c->extent[v.v - 1] : longest;
        most = c->widest[v.v - 1] > most ? c->widest[v.v - 1] : most;
    }
    while (most > LEAST_EDGE && most / 2 >= longest)
        most /= 2; /* one sub-tile holds all */
    for (uint32_t edge = most; edge >= LEAST_EDGE || edge == most; edge /= 2)
        try_square(c, edge);
    try_slabs(c, most, 1);
    try_slabs(c, most, LEAST_EDGE);
    if (c->options->begin)
        try_edges(c, c->options->begin);
    for (uint32_t factor = 4; c->best.edge && factor >= 2 && !is_hopeless(c); factor /= 2)
        try_each_variable(c, factor);
    if (!is_hopeless(c))
        finish_best(c);
    arena_free(&scratch);
    return c->best.edge != NULL;
}

tile_candidate tile_choose(const sam_statement *s, const tile_operands *in, const tile_options *options,
                           const uint32_t *widest, arena *mem, tile_candidates *tried) {
    arena scratch = {0};
    tile_sampled of = {*s, *in, 1};
    tile_options any = *options, wide = *options;
    *tried = (tile_candidates){0};
    any.tile = 0;
    /* No wider than the data: what is padded is as long as the edge. */
    diagnostics quiet;
    uint32_t *extent = NULL;
    diag_init(&quiet, &scratch);
    bool known = tile_known_extents(s, in, &scratch, &quiet, &extent);
    for (uint32_t l = 0; l < s->loops.len; l++) {
        uint32_t v = s->loops.at[l].v - 1, most = widest[v];
        if (known && extent[v] && extent[v] < most)
            most = extent[v];
        wide.edge[v] = wide.edge[v] ? wide.edge[v] : most;
    }
    if (options->steps)
        find_sample(s, in, &wide, &scratch, &of);
    choice c = {.statement = &of.statement,
                .in = &of.in,
                .options = options,
                .widest = widest,
                .mem = mem,
                .tried = tried,
                .share = whole_share(options, &of)};
    c.clip = options->clip && of.share >= 1 && (options->share <= 0 || options->share >= 1);
    if (choose(&c)) {
        scale(options, c.share, &c.best);
    } else {
        uint32_t *safe = arena_new_n(mem, uint32_t, TILE_MAX_VARS);
        for (uint32_t l = 0; l < s->loops.len; l++) {
            sam_var v = s->loops.at[l];
            safe[v.v - 1] = allowed(&c, v, tile_edge(s, &any, v));
        }
        c.best = (tile_candidate){.edge = safe};
    }
    c.best.limited = c.limited || of.share < 1;
    for (uint32_t i = 0; i < tried->len; i++)
        scale(options, c.share, &tried->at[i]);
    arena_free(&scratch);
    return c.best;
}
