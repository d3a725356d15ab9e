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

enum { LEAST_EDGE = 4 };

typedef struct {
    const sam_statement *statement;
    const tile_operands *in;
    const tile_options *options;
    const uint32_t *widest;
    uint32_t extent[TILE_MAX_VARS]; /* 0: nothing says */
    uint64_t entries;               /* of all operands: what cutting them is proportional to */
    uint64_t work;                  /* entries and runs gone through so far */
    arena *mem;
    tile_candidates *tried;
    tile_candidate best;
} choice;

static bool was_tried(const choice *c, const uint32_t *edge) {
    for (uint32_t i = 0; i < c->tried->len; i++) {
        if (memcmp(c->tried->at[i].edge, edge, sizeof *edge * TILE_MAX_VARS) == 0)
            return true;
    }
    return false;
}

/* Counts what the edges would come to, and keeps them if they are the best so far. */
static bool try_edges(choice *c, const uint32_t *edge) {
    arena scratch = {0};
    diagnostics quiet; /* what does not fit is no candidate */
    tile_options now = *c->options;
    tile_candidate next = {.complete = false};
    bool better = false;
    if (was_tried(c, edge))
        return false;
    memcpy(now.edge, edge, sizeof now.edge);
    diag_init(&quiet, &scratch);
    tile_planner *p = tile_plan_begin(c->statement, c->in, &now, NULL, 0, NULL, 0, &scratch, &quiet);
    if (p && tile_plan_count(p, c->best.complete ? c->best.predicted : INFINITY, &next.complete)) {
        next.runs = tile_plan_counts(p)->runs;
        next.predicted = tile_plan_counts(p)->predicted;
        uint32_t *kept = arena_new_n(c->mem, uint32_t, TILE_MAX_VARS);
        memcpy(kept, edge, sizeof now.edge);
        next.edge = kept;
        vec_push(c->mem, c->tried, next);
        better = next.complete && (!c->best.complete || next.predicted < c->best.predicted);
        if (better)
            c->best = next;
    }
    c->work += c->entries + next.runs;
    if (p)
        tile_plan_end(p);
    arena_free(&scratch);
    return better;
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

/* The best so far with v's edge times or by `factor`. */
static bool try_along(choice *c, sam_var v, uint32_t factor, bool wider) {
    uint32_t edge[TILE_MAX_VARS], *its = &edge[v.v - 1];
    memcpy(edge, c->best.edge, sizeof edge);
    if (wider && (uint64_t)*its * factor > c->widest[v.v - 1])
        return false;
    if (wider ? *its >= c->extent[v.v - 1] : *its / factor < 1)
        return false;
    *its = wider ? *its * factor : *its / factor;
    return try_edges(c, edge);
}

/* Coordinate descent: one variable's edge at a time, as long as it helps and `most` work is not done. */
static void try_each_variable(choice *c, uint32_t factor, uint64_t most) {
    const sam_statement *s = c->statement;
    for (bool better = true; better;) {
        better = false;
        for (uint32_t l = 0; l < s->loops.len; l++) {
            bool moved = false;
            for (uint32_t wider = 0; wider < 2 && !moved; wider++) {
                while (c->work < most && try_along(c, s->loops.at[l], factor, wider))
                    moved = true;
            }
            better = better || moved;
        }
    }
}

const uint32_t *tile_choose(const sam_statement *s, const tile_operands *in, const tile_options *options,
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
    for (uint32_t t = 0; t < in->n; t++)
        c.entries += t + 1 == s->result.v ? 0 : in->operand[t].nnz;
    uint32_t start = s->loops.len ? tile_longest(s, &any, NULL) : 1;
    start = start < most ? start : most;
    for (uint32_t edge = start; edge <= most && (edge == start || edge / 2 < longest); edge *= 2)
        try_square(&c, edge);
    for (uint32_t edge = start / 2; edge >= LEAST_EDGE; edge /= 2)
        try_square(&c, edge);
    uint64_t budget = 2 * c.work;
    for (uint32_t factor = 4; c.best.complete && factor >= 2; factor /= 2)
        try_each_variable(&c, factor, budget);
    arena_free(&scratch);
    return c.best.complete ? c.best.edge : safe;
}
