/* locate.c - dense operands located at the coordinates of others, instead of being scanned.
 *
 * The reference of a coordinate in a tensor's dense outermost level is the coordinate. In a product with
 * other levels, this level need not be scanned and intersected: all coordinates of the others are present,
 * and their common coordinates are its references. One factor remains to determine the loop: a factor without
 * such a level, or else the first. Inner levels are scanned, since their references count the fibers before
 * them; also the levels of a possibly absent tensor, which fe_pad has made compressed.
 *
 * If all factors with the loop are dense along it, their fibers have equal coordinates: they are scanned side
 * by side, without a joiner.
 */
#include "frontend/lowering/locate.h"
#include "frontend/language/statement.h"
#include "frontend/lowering/presence.h"
#include "frontend/lowering/stepped.h"
#include "sam/coordinates.h"

/* Returns whether e is an access of a tensor that is dense along v. */
static bool is_dense(const sam_statement *s, sam_expr e, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return x->kind == SAM_EXPR_ACCESS && fe_has_index(s, e, v) &&
           sam_tensor_at(s, x->tensor)->level[fe_level_of(s, e, v)] == SAM_LEVEL_DENSE;
}

static bool may_locate(const sam_statement *s, sam_expr e, sam_var v) {
    return is_dense(s, e, v) && !(sam_expr_at(s, e)->scanned >> (v.v - 1) & 1) && fe_is_outermost(s, e, v);
}

/* Marks factors that are all dense along v. */
static void align(sam_statement *s, const fe_exprs *factors, sam_var v) {
    for (uint32_t i = 0; i < factors->len; i++) {
        const bool has = sam_vars_of(s, factors->at[i]) >> (v.v - 1) & 1;
        if (has && !is_dense(s, factors->at[i], v))
            return;
    }
    for (uint32_t i = 0; i < factors->len; i++) {
        sam_expr_data *x = sam_expr_at(s, factors->at[i]);
        if (is_dense(s, factors->at[i], v) && !(x->located >> (v.v - 1) & 1))
            x->aligned |= UINT64_C(1) << (v.v - 1);
    }
}

/* Marks factors of the products under e, for a scope with loop v. `present`: no factor may be absent. */
static void locate_in(sam_statement *s, sam_expr e, sam_var v, bool present, arena *mem) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (!x->b.v) {
        if (x->a.v)
            locate_in(s, x->a, v, present, mem);
        return;
    }
    fe_exprs operands = {0};
    bool drives = false;
    fe_chain_operands(s, e, mem, &operands);
    const bool meets = !sam_unites(s, e, NULL);
    for (uint32_t i = 0; i < operands.len; i++) {
        locate_in(s, operands.at[i], v, present && meets, mem);
        drives |= !may_locate(s, operands.at[i], v) && (sam_vars_of(s, operands.at[i]) >> (v.v - 1) & 1);
    }
    for (uint32_t i = 0; i < operands.len && meets; i++) {
        if (!may_locate(s, operands.at[i], v))
            continue;
        if (drives)
            sam_expr_at(s, operands.at[i])->located |= UINT64_C(1) << (v.v - 1);
        drives = true;
    }
    if (meets && present)
        align(s, &operands, v);
}

static void locate_scope(sam_statement *s, const fe_scope *scope, bool present, arena *mem) {
    fe_exprs inner = {0};
    for (uint32_t i = 0; i < scope->vars.len; i++)
        locate_in(s, scope->body, scope->vars.at[i], present, mem);
    fe_inner_sums(s, scope->body, mem, &inner);
    for (uint32_t i = 0; i < inner.len; i++) {
        const fe_scope sum = fe_sum_scope(s, inner.at[i], mem);
        locate_scope(s, &sum, false, mem);
    }
}

void fe_locate(sam_statement *s, arena *mem) {
    const fe_scope outer = fe_outer_scope(s, mem);
    locate_scope(s, &outer, true, mem);
}
