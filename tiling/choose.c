/* choose.c - the edges of sub-tiles and the copies of a kernel that are expected to take the chip the fewest
 * cycles: plans are counted for many edges, without making any words. */
#include "tiling/ahead.h"
#include "tiling/sample.h"

#include <float.h>
#include <math.h>

/* A plan that seems to take HOPELESS times the best is left; how many plans are looked at, and how many of
 * the best counted to their end. */
enum {
    LEAST_EDGE = 4,
    HOPELESS = 2,
    MOST_PLANS = 48,
    FINISHED = 3,
    SHARES = 6, /* one plan may take 1/SHARES of all steps, a recount more */
    SLABS = 2,  /* narrowed slabs may take 1/SLABS of as many steps beside */
    AGAIN = 2,
    SMALLER = 4 /* limit of reductions of a sample that is too large */
};

typedef struct {
    const sam_statement *statement;
    const tile_operands *in;
    const tile_options *options;
    const uint32_t *widest;
    uint32_t extent[TILE_MAX_VARS]; /* 0: nothing says */
    uint64_t padded; /* bit (handle - 1): an edge beyond the loop differs from one of its length */
    arena *mem;
    tile_candidates *tried;
    tile_candidate best;
    uint64_t steps; /* so far */
    double share;   /* of the whole work, the counted fraction */
    bool cut;       /* the operands are a sample */
    bool clip;      /* edges are at most the length of their loop, which is present as a whole */
    bool limited;   /* steps ended something */
} choice;

/* Returns whether the edges cut the loops equally: an edge longer than its loop cuts nothing. */
static bool cut_alike(const choice *c, const uint32_t *a, const uint32_t *b) {
    bool alike = true;
    for (uint32_t v = 0; v < TILE_MAX_VARS && alike; v++) {
        const uint32_t extent = c->padded >> v & 1 ? 0 : c->extent[v];
        alike = a[v] == b[v] || (extent && a[v] >= extent && b[v] >= extent);
    }
    return alike;
}

/* Returns the variables, bit (handle - 1), with a dense level along them: the level is as long as the edge,
 * even beyond the loop. */
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

/* Returns the share of a sample in the whole. */
static double whole_share(const tile_options *options, const tile_sampled *of) {
    return of->share * (options->share > 0 ? options->share : 1);
}

/* Returns whether the operands of a choice are a sample. */
static bool is_cut(const tile_options *options, const tile_sampled *of) {
    return of->cut || options->share > 0;
}

/* Scales the figures of a sample, a `share`, to the whole. */
static void scale(const tile_options *options, double share, tile_candidate *of) {
    of->expected = count_whole(&of->expected, share);
    of->complete = false;
    of->predicted /= share;
    of->cost = isfinite(of->cost) ? count_cost(options, &of->expected) : of->cost;
}

/* Counts a plan once, as count_plan does. */
static bool count_once(const sam_statement *s, const tile_operands *in, const tile_options *options,
                       count_until u, tile_candidate *out, uint64_t *steps) {
    counting one = {.statement = s, .in = in, .options = *options};
    const bool fits = count_plan(&one, u, out, steps);
    count_end(&one);
    return fits;
}

/* Makes a sample small enough to count plans completely, within the steps of each plan. */
static void find_sample(const sam_statement *s, const tile_operands *in, const tile_options *options,
                        arena *mem, tile_sampled *out) {
    uint64_t most = TILE_SAMPLE, steps = 0;
    for (uint32_t round = 0; round < SMALLER; round++) {
        tile_candidate c;
        tile_sample(s, in, most, mem, out);
        count_until u = count_to_the_end(options->steps / SHARES);
        u.at_once = true;
        const bool fits = count_once(&out->statement, &out->in, options, u, &c, &steps);
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
    return of.cut;
}

bool tile_expect(const sam_statement *s, const tile_operands *in, const tile_options *options,
                 tile_candidate *out) {
    uint64_t steps = 0;
    if (!options->steps)
        return count_once(s, in, options, count_to_the_end(0), out, &steps);
    arena mem = {0};
    tile_sampled of;
    find_sample(s, in, options, &mem, &of);
    const bool fits =
        count_once(&of.statement, &of.in, options, count_to_the_end(options->steps / SHARES), out, &steps);
    if (is_cut(options, &of))
        scale(options, whole_share(options, &of), out);
    arena_free(&mem);
    return fits;
}

/* Returns the limits of a plan that is compared with the best so far; without `first`, of a count for the end
 * of the search. */
static count_until limits_of(const choice *c, bool first) {
    const double best = first && c->best.edge ? c->best.cost : INFINITY;
    return (count_until){.first = first,
                         .most = HOPELESS * best,
                         .best = c->best.complete ? best : INFINITY,
                         .least = first && c->options->least > 0 ? c->options->least : INFINITY,
                         .share = c->share,
                         .steps = c->options->steps / SHARES * (first ? 1 : AGAIN)};
}

static counting counting_of(const choice *c, const uint32_t *edge) {
    counting one = {.statement = c->statement, .in = c->in, .options = *c->options};
    memcpy(one.options.edge, edge, sizeof one.options.edge);
    return one;
}

/* Counts the plan with the candidate's edges up to the limits. */
static bool count_edges(choice *c, counting *of, bool first, tile_candidate *out) {
    const bool fits = count_plan(of, limits_of(c, first), out, &c->steps);
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

/* Returns whether the edges of the plan are the best so far, by estimate. */
static bool try_plan(choice *c, counting *of) {
    uint32_t *kept = arena_new_n(c->mem, uint32_t, TILE_MAX_VARS);
    tile_candidate next = {.edge = kept};
    memcpy(kept, of->options.edge, sizeof *kept * TILE_MAX_VARS);
    if (c->tried->len >= MOST_PLANS || is_spent(c) || find_tried(c, kept) || !count_edges(c, of, true, &next))
        return false;
    vec_push(c->mem, c->tried, next);
    if (c->best.edge && !takes_less(&next, &c->best))
        return false;
    c->best = next;
    return true;
}

static bool try_edges(choice *c, const uint32_t *edge) {
    counting of = counting_of(c, edge);
    const bool best = try_plan(c, &of);
    count_end(&of);
    return best;
}

typedef VEC(counting) countings;

/* Tries plans in turn. With options->jobs a thread counts those ahead of the comparison. */
static void try_all(choice *c, countings *all) {
    ahead a;
    count_until limits = limits_of(c, true);
    if (!c->best.edge)
        limits.best = DBL_MAX; /* the first plan, most likely complete, will be a limit */
    ahead_begin(&a, all->at, c->options->jobs > 1 ? all->len : 0, limits);
    for (uint32_t i = 0; i < all->len; i++) {
        ahead_take(&a, i);
        try_plan(c, &all->at[i]);
        ahead_limit(&a, limits_of(c, true));
        count_end(&all->at[i]);
    }
    ahead_end(&a);
}

/* Returns the allowed edge along v nearest to `edge`. */
static uint32_t allowed(const choice *c, sam_var v, uint32_t edge) {
    uint32_t asked = c->options->edge[v.v - 1], most = c->widest[v.v - 1], extent = c->extent[v.v - 1];
    if (c->clip && extent && extent < most)
        most = extent;
    return asked ? asked : edge < most ? edge : most;
}

/* Adds the plan with these edges, unless an earlier one cuts alike. */
static void add_plan(const choice *c, const uint32_t *edge, arena *mem, countings *all) {
    bool had = find_tried(c, edge) != NULL;
    for (uint32_t i = 0; i < all->len && !had; i++)
        had = cut_alike(c, all->at[i].options.edge, edge);
    if (!had)
        vec_push(mem, all, counting_of(c, edge));
}

/* Adds the same edge along all loops, up to their widest edges. */
static void add_square(const choice *c, uint32_t edge, arena *mem, countings *all) {
    uint32_t along[TILE_MAX_VARS] = {0};
    for (uint32_t l = 0; l < c->statement->loops.len; l++) {
        sam_var v = c->statement->loops.at[l];
        along[v.v - 1] = allowed(c, v, edge);
    }
    add_plan(c, along, mem, all);
}

/* Sets the edges of a slab, wide but narrow along the loop `thin`. */
static void set_slab(const choice *c, uint32_t thin, uint32_t narrow, uint32_t wide, uint32_t *edge) {
    for (uint32_t l = 0; l < c->statement->loops.len; l++) {
        sam_var v = c->statement->loops.at[l];
        edge[v.v - 1] = allowed(c, v, l == thin ? narrow : wide);
    }
}

/* Adds edges as wide as possible, but narrow along one loop: far from squares in the search. */
static void add_slabs(const choice *c, uint32_t most, uint32_t narrow, arena *mem, countings *all) {
    for (uint32_t thin = 0; thin < c->statement->loops.len; thin++) {
        uint32_t edge[TILE_MAX_VARS] = {0};
        set_slab(c, thin, narrow, most, edge);
        add_plan(c, edge, mem, all);
    }
}

/* Tries the best so far with v's edge multiplied or divided by `factor`. Of edges beyond the loop, as those
 * of a sample are, the narrowest is divided: the others cut nothing. */
static bool try_along(choice *c, sam_var v, uint32_t factor, bool wider) {
    uint32_t edge[TILE_MAX_VARS], *its = &edge[v.v - 1];
    const uint32_t extent = c->padded >> (v.v - 1) & 1 ? 0 : c->extent[v.v - 1];
    memcpy(edge, c->best.edge, sizeof edge);
    if (c->options->edge[v.v - 1])
        return false;
    while (!wider && extent && *its / factor >= extent)
        *its /= factor;
    if (wider ? *its >= c->extent[v.v - 1] || (uint64_t)*its * factor > c->widest[v.v - 1] : *its < factor)
        return false;
    *its = wider ? allowed(c, v, *its * factor) : *its / factor;
    return try_edges(c, edge);
}

/* Coordinate descent: one variable's edge at a time, while the cost decreases. */
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

/* Returns whether the best so far is too expensive for any neighbour to be of interest. */
static bool is_hopeless(const choice *c) {
    return c->best.edge && c->options->least > 0 &&
           count_cost_of_whole(c->options, &c->best.expected, c->share) > HOPELESS * c->options->least;
}

/* Tries better and better edges near to the best so far. */
static void descend(choice *c) {
    for (uint32_t factor = 4; c->best.edge && factor >= 2 && !is_hopeless(c); factor /= 2)
        try_each_variable(c, factor);
}

/* Adds slabs whose dense levels a memory tile cannot hold as wide as `most`, halved until it can. */
static void add_narrowed_slabs(const choice *c, uint32_t most, uint32_t narrow, arena *mem, countings *all) {
    for (uint32_t thin = 0; thin < c->statement->loops.len; thin++) {
        tile_options now = *c->options;
        uint32_t wide = most;
        set_slab(c, thin, narrow, wide, now.edge);
        while (wide > narrow && !count_holds_dense(c->statement, &now))
            set_slab(c, thin, narrow, wide /= 2, now.edge);
        if (wide < most)
            add_plan(c, now.edge, mem, all);
    }
}

/* Tries narrowed slabs, and edges near to the best of them unless it takes HOPELESS times the best so far.
 * Steps of their own leave all else as without. */
static void search_slabs(choice *c, uint32_t most) {
    arena scratch = {0};
    countings slabs = {0};
    const uint64_t taken = c->steps;
    const bool limited = c->limited;
    const tile_candidate other = c->best;
    c->steps = c->options->steps - c->options->steps / SLABS;
    c->best = (tile_candidate){.edge = NULL};
    add_narrowed_slabs(c, most, 1, &scratch, &slabs);
    add_narrowed_slabs(c, most, LEAST_EDGE, &scratch, &slabs);
    try_all(c, &slabs);
    if (c->best.edge && (!other.edge || c->best.cost < HOPELESS * other.cost))
        descend(c);
    if (!c->best.edge || (other.edge && !takes_less(&c->best, &other)))
        c->best = other;
    c->steps = taken;
    c->limited = limited;
    arena_free(&scratch);
}

/* Counts the most promising plans completely: the result is the best plan with a complete count. */
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
        counting of = counting_of(c, next->edge);
        if (!count_edges(c, &of, false, next))
            next->cost = INFINITY; /* does not fit */
        count_end(&of);
    }
    for (uint32_t i = 0; i < c->tried->len; i++) {
        const tile_candidate *t = &c->tried->at[i];
        if ((t->complete || c->options->steps) && (!c->best.edge || takes_less(t, &c->best)))
            c->best = *t;
    }
}

/* Chooses for the statement of c, whose operands are small enough. Returns false where nothing fits. */
static bool choose(choice *c) {
    const sam_statement *s = c->statement;
    arena scratch = {0};
    countings all = {0};
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
        add_square(c, edge, &scratch, &all);
    add_slabs(c, most, 1, &scratch, &all);
    add_slabs(c, most, LEAST_EDGE, &scratch, &all);
    if (c->options->begin)
        add_plan(c, c->options->begin, &scratch, &all);
    try_all(c, &all);
    descend(c);
    search_slabs(c, most);
    if (!is_hopeless(c))
        finish_best(c);
    arena_free(&scratch);
    return c->best.edge != NULL;
}

tile_candidate tile_choose(const sam_statement *s, const tile_operands *in, const tile_options *options,
                           const uint32_t *widest, arena *mem, tile_candidates *tried) {
    arena scratch = {0};
    tile_sampled of = {*s, *in, 1, false};
    tile_options any = *options, wide = *options;
    *tried = (tile_candidates){0};
    tile_forget_cuts(options->cuts, false);
    any.tile = 0;
    /* At most the width of the data: padded levels are as long as the edge. */
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
                .share = whole_share(options, &of),
                .cut = is_cut(options, &of)};
    c.clip = options->clip && !c.cut;
    if (choose(&c)) {
        if (c.cut)
            scale(options, c.share, &c.best);
    } else {
        uint32_t *safe = arena_new_n(mem, uint32_t, TILE_MAX_VARS);
        for (uint32_t l = 0; l < s->loops.len; l++) {
            sam_var v = s->loops.at[l];
            safe[v.v - 1] = allowed(&c, v, tile_edge(s, &any, v));
        }
        c.best = (tile_candidate){.edge = safe};
    }
    c.best.limited = c.limited || of.cut;
    for (uint32_t i = 0; i < tried->len && c.cut; i++)
        scale(options, c.share, &tried->at[i]);
    arena_free(&scratch);
    return c.best;
}
