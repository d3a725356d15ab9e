/* model.c - what a run is expected to cost, from the occupancy of its sub-tiles alone.
 *
 * Loop by loop, outermost first: an operand that has the loop's variable is scanned once for every iteration
 * of the loops outside, its fibers are as long as its tree says on average, and how many coordinates go on
 * is what the expression makes of independent operands (a product: those all have; a sum: those any has).
 * Loops work at the same time, so the one with most tokens sets the pace; operands are loaded before. The
 * expected sizes are those of the statistical tiling literature (D2T2), for one pair of sub-tiles
 * instead of the average one.
 */
#include "tiling/plan_int.h"

#include <math.h>

/* Cycles of a run as such, of a word of the longest operand, of a token of the busiest loop; tokens a fiber
 * takes besides its coordinates. Fitted to engine cycle on six kernels (docs/tiling.md). */
static const double RUN_CYCLES = 75, WORD_CYCLES = 2.6, TOKEN_CYCLES = 1.3, FIBER_TOKENS = 3;

/* Average coordinates in a fiber of the operand along v, or -1 where it lacks v. */
static double fiber_length(const plan_operand *o, const sub_tile *t, sam_var v) {
    for (uint32_t l = 0; l < o->format->order; l++) {
        if (plan_level_var(o, l).v != v.v)
            continue;
        double parents = l ? t->tree[l - 1] : 1;
        return parents > 0 ? t->tree[l] / parents : 0;
    }
    return -1;
}

/* Coordinates of v that go on, of `size`; -1 where the expression does not restrict v. */
static double survivors(const tile_planner *p, const uint32_t *sub, sam_expr h, sam_var v, double size) {
    const sam_expr_data *x = sam_expr_at(p->statement, h);
    if (x->kind == SAM_EXPR_LITERAL)
        return -1;
    if (x->kind == SAM_EXPR_ACCESS) {
        const plan_operand *o = &p->operands[x->tensor.v - 1];
        return fiber_length(o, &o->subs.at[sub[x->tensor.v - 1]], v);
    }
    double a = survivors(p, sub, x->a, v, size);
    double b = x->b.v && x->kind != SAM_EXPR_DIV ? survivors(p, sub, x->b, v, size) : -1;
    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    double both = a * b / size;
    return x->kind == SAM_EXPR_MUL ? both : a + b - both > size ? size : a + b - both;
}

static double longest_load(const tile_planner *p, const uint32_t *sub) {
    double longest = 0;
    for (uint32_t t = 0; t < p->statement->tensors.len; t++) {
        const plan_operand *o = &p->operands[t];
        if (!o->access)
            continue;
        const sub_tile *used = &o->subs.at[sub[t]];
        double words = used->vals;
        for (uint32_t l = 0; l < o->format->order; l++) {
            double level = used->tree[l] + (l ? used->tree[l - 1] : 1) + 3.0;
            words = o->format->level[l] == SAM_LEVEL_COMPRESSED && level > words ? level : words;
        }
        longest = words > longest ? words : longest;
    }
    return longest;
}

double plan_cost(const tile_planner *p, const uint32_t *sub, const plan_box *box) {
    const sam_statement *s = p->statement;
    double iterations = 1, busiest = 0;
    for (uint32_t l = 0; l < s->loops.len; l++) {
        sam_var v = s->loops.at[l];
        double size = box->size[v.v - 1], scanned = FIBER_TOKENS;
        for (uint32_t t = 0; t < s->tensors.len; t++) {
            const plan_operand *o = &p->operands[t];
            double length = o->access ? fiber_length(o, &o->subs.at[sub[t]], v) : -1;
            scanned += length > 0 ? length : 0;
        }
        double go_on = survivors(p, sub, s->rhs, v, size), tokens = iterations * scanned;
        busiest = tokens > busiest ? tokens : busiest;
        iterations *= go_on < 0 ? size : go_on;
    }
    return RUN_CYCLES + WORD_CYCLES * longest_load(p, sub) + TOKEN_CYCLES * busiest;
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

/* The plan with the candidate's edges; `first`: as far as it takes to tell whether it is the best. */
static bool count_edges(const choice *c, bool first, tile_candidate *out) {
    tile_options now = *c->options;
    memcpy(now.edge, out->edge, sizeof now.edge);
    return count_plan(c->statement, c->in, &now, first, c->best.edge ? HOPELESS * c->best.cost : INFINITY,
                      out);
}

/* Whether the edges are the best so far, as far as it can be told. */
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

/* The same edge along all loops, but no wider than they may be. */
static void try_square(choice *c, uint32_t all) {
    uint32_t edge[TILE_MAX_VARS] = {0};
    for (uint32_t l = 0; l < c->statement->loops.len; l++) {
        uint32_t v = c->statement->loops.at[l].v - 1;
        edge[v] = all < c->widest[v] ? all : c->widest[v];
    }
    try_edges(c, edge);
}

/* As wide as may be, but narrow along one loop: what few steps from a square do not come to. */
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

/* The best so far with v's edge times or by `factor`. */
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
