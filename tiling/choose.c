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
    LOOK_RUNS = 1 << 6, /* runs before the comparison of a plan's cost with the best */
    FIRST_RUNS = 1 << 12,
    MOST_RUNS = 1 << 16,
    HOPELESS = 2,
    MOST_PLANS = 48,
    FINISHED = 3,
    SHARES = 6, /* one plan may take 1/SHARES of all steps, a recount more */
    SLABS = 2,  /* narrowed slabs may take 1/SLABS of as many steps beside */
    AGAIN = 2,
    SMALLER = 4,        /* limit of reductions of a sample that is too large */
    MOST_POOL = 1 << 20 /* words of piece sets, where steps are bounded */
};
static const double MOST_CYCLES = 1e8;

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

/* How far a plan is counted. */
typedef struct {
    bool first;   /* until the result can be estimated */
    double most;  /* or until the estimate exceeds this cost */
    double best;  /* or until the counted fraction exceeds this cost */
    double least; /* or until the fraction `share` costs more */
    double share;
    uint64_t steps; /* or after so many steps; 0: no limit */
    bool at_once;   /* within a sub-tile, too, with an unknown result */
} until;

/* Returns the counting limits of a plan without comparison. */
static until to_the_end(uint64_t steps) {
    return (until){.most = INFINITY, .best = INFINITY, .least = INFINITY, .steps = steps};
}

/* Extrapolates the counted `fraction` of the runs to all runs. */
static tile_forecast whole_of(const tile_forecast *counted, double fraction) {
    tile_forecast all = *counted;
    all.runs = (uint64_t)((double)counted->runs / fraction);
    all.cycles /= fraction;
    all.partials /= fraction;
    all.words /= fraction;
    for (uint32_t i = 0; i < TILE_WORKS; i++)
        all.work[i] /= fraction;
    for (uint32_t i = 0; i < TILE_COSTS; i++) {
        all.alike[i].runs = (uint64_t)((double)counted->alike[i].runs / fraction);
        all.alike[i].cycles /= fraction;
    }
    return all;
}

static double cost_of(const tile_options *options, const tile_forecast *f) {
    return tile_best_share(f, &options->driver, &options->room).cycles;
}

/* Returns the cost of the whole, from the counted `fraction`. */
static double cost_of_whole(const tile_options *options, const tile_forecast *counted, double fraction) {
    const tile_forecast all = whole_of(counted, fraction);
    return cost_of(options, &all);
}

/* Returns whether the counted fraction of a plan costs too much. */
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
    of->expected = whole_of(&of->expected, share);
    of->complete = false;
    of->predicted /= share;
    of->cost = isfinite(of->cost) ? cost_of(options, &of->expected) : of->cost;
}

/* Returns whether a memory tile holds the outer dense levels of each operand: they are as long as the edges,
 * whatever is stored. */
static bool holds_dense(const sam_statement *s, const tile_options *options) {
    for (uint32_t e = 1; e <= s->exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        const sam_tensor_data *t = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(s, x->tensor) : NULL;
        uint64_t words = 1;
        for (uint32_t l = 0; t && l < t->order && t->level[l] == SAM_LEVEL_DENSE; l++) {
            words *= tile_edge(s, options, x->index[t->mode[l]]);
            if (words > options->mem_words)
                return false;
        }
    }
    return true;
}

/* Counts the plan; false: a run does not fit. Adds to *steps. The candidate's `limited` tells whether the
 * steps for this plan were too few. */
static bool count_plan(const sam_statement *s, const tile_operands *in, const tile_options *options, until u,
                       tile_candidate *out, uint64_t *steps) {
    arena scratch = {0};
    diagnostics quiet;
    uint32_t *extent = NULL;
    diag_init(&quiet, &scratch);
    bool fits = holds_dense(s, options) && tile_known_extents(s, in, &scratch, &quiet, &extent) &&
                (!u.steps || has_room(s, options, extent));
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
        double progress = plan_progress(p), fraction = out->complete || progress <= 0 ? 1 : progress;
        out->expected = tile_plan_counts(p)->expected;
        tile_forecast all = whole_of(&out->expected, fraction);
        out->predicted = all.cycles;
        out->cost = cost_of(options, &all);
        more = !out->complete && out->expected.runs < MOST_RUNS && out->expected.cycles < MOST_CYCLES &&
               (out->expected.runs < FIRST_RUNS || out->cost <= u.most) &&
               p->limit.steps < p->limit.most_steps && !is_too_much(options, &out->expected, &u);
        if (u.steps)
            out->expected = all;
    }
    if (fits && !out->complete && !out->expected.runs)
        out->predicted = out->cost = INFINITY; /* of no run nothing can be estimated */
    if (p) {
        *steps += p->limit.steps;
        out->limited = p->limit.steps >= p->limit.most_steps;
        tile_plan_end(p);
    }
    arena_free(&scratch);
    return fits;
}

/* Makes a sample small enough to count plans completely, within the steps of each plan. */
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
    return of.cut;
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
    if (is_cut(options, &of))
        scale(options, whole_share(options, &of), out);
    arena_free(&mem);
    return fits;
}

/* Counts the plan with the candidate's edges; with `first`, up to the decision whether the plan is the
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

/* Returns whether the edges are the best so far, by estimate. */
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

/* Returns the allowed edge along v nearest to `edge`. */
static uint32_t allowed(const choice *c, sam_var v, uint32_t edge) {
    uint32_t asked = c->options->edge[v.v - 1], most = c->widest[v.v - 1], extent = c->extent[v.v - 1];
    if (c->clip && extent && extent < most)
        most = extent;
    return asked ? asked : edge < most ? edge : most;
}

/* Tries the same edge along all loops, up to their widest edges. */
static void try_square(choice *c, uint32_t all) {
    uint32_t edge[TILE_MAX_VARS] = {0};
    for (uint32_t l = 0; l < c->statement->loops.len; l++) {
        sam_var v = c->statement->loops.at[l];
        edge[v.v - 1] = allowed(c, v, all);
    }
    try_edges(c, edge);
}

/* Sets the edges of a slab, wide but narrow along the loop `thin`. */
static void set_slab(const choice *c, uint32_t thin, uint32_t narrow, uint32_t wide, uint32_t *edge) {
    for (uint32_t l = 0; l < c->statement->loops.len; l++) {
        sam_var v = c->statement->loops.at[l];
        edge[v.v - 1] = allowed(c, v, l == thin ? narrow : wide);
    }
}

/* Tries edges as wide as possible, but narrow along one loop: far from squares in the search. */
static void try_slabs(choice *c, uint32_t most, uint32_t narrow) {
    for (uint32_t thin = 0; thin < c->statement->loops.len; thin++) {
        uint32_t edge[TILE_MAX_VARS] = {0};
        set_slab(c, thin, narrow, most, edge);
        try_edges(c, edge);
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
           cost_of_whole(c->options, &c->best.expected, c->share) > HOPELESS * c->options->least;
}

/* Tries better and better edges near to the best so far. */
static void descend(choice *c) {
    for (uint32_t factor = 4; c->best.edge && factor >= 2 && !is_hopeless(c); factor /= 2)
        try_each_variable(c, factor);
}

/* Tries slabs whose dense levels a memory tile cannot hold as wide as `most`, halved until it can. */
static void try_narrowed_slabs(choice *c, uint32_t most, uint32_t narrow) {
    for (uint32_t thin = 0; thin < c->statement->loops.len; thin++) {
        tile_options now = *c->options;
        uint32_t wide = most;
        set_slab(c, thin, narrow, wide, now.edge);
        while (wide > narrow && !holds_dense(c->statement, &now))
            set_slab(c, thin, narrow, wide /= 2, now.edge);
        if (wide < most)
            try_edges(c, now.edge);
    }
}

/* Tries narrowed slabs, and edges near to the best of them unless it takes HOPELESS times the best so far.
 * Steps of their own leave all else as without. */
static void search_slabs(choice *c, uint32_t most) {
    const uint64_t taken = c->steps;
    const bool limited = c->limited;
    const tile_candidate other = c->best;
    c->steps = c->options->steps - c->options->steps / SLABS;
    c->best = (tile_candidate){.edge = NULL};
    try_narrowed_slabs(c, most, 1);
    try_narrowed_slabs(c, most, LEAST_EDGE);
    if (c->best.edge && (!other.edge || c->best.cost < HOPELESS * other.cost))
        descend(c);
    if (!c->best.edge || (other.edge && !takes_less(&c->best, &other)))
        c->best = other;
    c->steps = taken;
    c->limited = limited;
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
        if (!count_edges(c, false, next))
            next->cost = INFINITY; /* does not fit */
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
