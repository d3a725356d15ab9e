/* tiled.c - changes for statements that run sub-tile by sub-tile (sam_statement.tiled).
 *
 * All runs have the same sizes: a dense level extends beyond the last coordinate, where operands hold zeros.
 * The host adds up a sum cut into sub-tiles, and an addend of the sum must count in one run only: the tiling
 * feeds its operands zeros in the others. Both require an addend equal to 0 where its operands are 0, unlike
 * a constant: a constant is multiplied by an operand of ones, whose values are then read.
 */
#include "frontend/lowering/tiled.h"
#include "frontend/language/statement.h"
#include "sam/coordinates.h"

static bool is_cut(const sam_statement *s, sam_var v) {
    return s->tiled && !sam_is_result_var(s, v);
}

bool fe_meets_padding(const sam_statement *s, sam_var v) {
    return is_cut(s, v) && !(s->exact >> (v.v - 1) & 1);
}

/* Returns whether `addend` is beside a sum over a variable absent from the addend. Inside of such a sum the
 * addend counts every time. */
static bool adds_to_sum(const sam_statement *s, sam_expr addend, sam_expr other) {
    uint64_t lacks = sam_vars_of(s, other) & ~fe_free_vars(s, other) & ~sam_vars_of(s, addend);
    for (uint32_t v = 1; v <= s->vars.len; v++) {
        if (lacks >> (v - 1) & 1 && is_cut(s, (sam_var){v}))
            return true;
    }
    return false;
}

/* Returns whether `access` lies below e and contributes once; `once`: e itself does. */
static bool once_below(const sam_statement *s, sam_expr e, sam_expr access, bool once) {
    const sam_expr_data *x = sam_expr_at(s, e);
    bool adds = x->kind == SAM_EXPR_ADD || x->kind == SAM_EXPR_SUB;
    if (e.v == access.v)
        return once;
    return (x->a.v && once_below(s, x->a, access, once || (adds && adds_to_sum(s, x->a, x->b)))) ||
           (x->b.v && once_below(s, x->b, access, once || (adds && adds_to_sum(s, x->b, x->a))));
}

bool fe_contributes_once(const sam_statement *s, sam_expr access) {
    return once_below(s, s->rhs, access, false);
}

/* Returns whether e is 0 where its operands are. */
static bool vanishes(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    switch (x->kind) {
    case SAM_EXPR_ACCESS: /* of fill 0: see build.c */
        return true;
    case SAM_EXPR_LITERAL:
        return x->literal == 0;
    case SAM_EXPR_NEG:
    case SAM_EXPR_SUM:
        return vanishes(s, x->a);
    case SAM_EXPR_MUL:
    case SAM_EXPR_DIV: /* of integers: x / 0 is 0 */
        return vanishes(s, x->a) || vanishes(s, x->b);
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
        return vanishes(s, x->a) && vanishes(s, x->b);
    case SAM_EXPR_CALL: /* the addend of a cut sum has fill 0: see build.c */
        return sam_fill_of(s, e) == 0;
    case SAM_EXPR_NONE:
        break;
    }
    BUG("an expression of no kind");
}

/* e, or what of e is not 0 at zero operands, times ones. */
static sam_expr with_ones(sam_statement *s, sam_expr e, arena *mem) {
    sam_expr_data x = *sam_expr_at(s, e);
    if (vanishes(s, e))
        return e;
    if (x.kind == SAM_EXPR_LITERAL || x.kind == SAM_EXPR_MUL || x.kind == SAM_EXPR_DIV) {
        sam_expr ones = fe_add_ones(s, x.loc, mem);
        return fe_add_expr(s, (sam_expr_data){.kind = SAM_EXPR_MUL, .loc = x.loc, .a = e, .b = ones});
    }
    x.a = with_ones(s, x.a, mem);
    if (x.b.v)
        x.b = with_ones(s, x.b, mem);
    *sam_expr_at(s, e) = x;
    return e;
}

static void fill_below(sam_statement *s, sam_expr e, arena *mem) {
    sam_expr_data x = *sam_expr_at(s, e);
    if (x.kind == SAM_EXPR_ADD || x.kind == SAM_EXPR_SUB) {
        bool a = adds_to_sum(s, x.a, x.b), b = adds_to_sum(s, x.b, x.a);
        x.a = a ? with_ones(s, x.a, mem) : x.a;
        x.b = b ? with_ones(s, x.b, mem) : x.b;
        *sam_expr_at(s, e) = x;
    }
    if (x.a.v)
        fill_below(s, x.a, mem);
    if (x.b.v)
        fill_below(s, x.b, mem);
}

void fe_fill_once(sam_statement *s, arena *mem) {
    if (s->tiled)
        fill_below(s, s->rhs, mem);
}
