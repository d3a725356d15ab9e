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
        if (o->access->index[o->format->mode[l]].v != v.v)
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

/* ---- choosing the edge ----------------------------------------------------------------------- */

enum { LEAST_EDGE = 4 };

/* Counts what the edge would come to, and keeps it if it is the best so far. */
static void try_edge(const sam_statement *s, const tile_operands *in, const tile_options *options,
                     uint32_t edge, arena *mem, tile_candidates *tried, tile_candidate *best) {
    arena scratch = {0};
    diagnostics quiet; /* an edge that does not fit is no candidate */
    tile_options now = *options;
    tile_candidate c = {.tile = edge};
    now.tile = edge;
    diag_init(&quiet, &scratch);
    tile_planner *p = tile_plan_begin(s, in, &now, NULL, 0, NULL, 0, &scratch, &quiet);
    if (p && tile_plan_count(p, best->complete ? best->predicted : INFINITY, &c.complete)) {
        c.runs = tile_plan_counts(p)->runs;
        c.predicted = tile_plan_counts(p)->predicted;
        vec_push(mem, tried, c);
        if (c.complete && (!best->complete || c.predicted < best->predicted))
            *best = c;
    }
    if (p)
        tile_plan_end(p);
    arena_free(&scratch);
}

uint32_t tile_choose(const sam_statement *s, const tile_operands *in, const tile_options *options,
                     uint32_t widest, arena *mem, tile_candidates *tried) {
    arena scratch = {0};
    diagnostics quiet;
    tile_options any = *options;
    tile_candidate best = {.complete = false};
    uint32_t *extent = NULL, longest = 1;
    *tried = (tile_candidates){0};
    any.tile = 0;
    diag_init(&quiet, &scratch);
    uint32_t start = tile_edge(s, &any);
    start = start < widest ? start : widest;
    if (tile_known_extents(s, in, &scratch, &quiet, &extent)) {
        for (uint32_t v = 0; v < s->vars.len; v++)
            longest = extent[v] > longest ? extent[v] : longest;
    }
    for (uint32_t edge = start; edge <= widest && (edge == start || edge / 2 < longest); edge *= 2)
        try_edge(s, in, options, edge, mem, tried, &best);
    for (uint32_t edge = start / 2; edge >= LEAST_EDGE; edge /= 2)
        try_edge(s, in, options, edge, mem, tried, &best);
    arena_free(&scratch);
    return best.complete ? best.tile : start;
}
