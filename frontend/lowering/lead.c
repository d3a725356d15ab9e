/* lead.c - masks below which every operand is stored: when(c(i,j), f(i) + W(i,j) == f(j)) of a dense f, where
 * c is struct(W(i,j)).
 *
 * By their fills the operands below are united, over all coordinates where a fill is not 0. At the mask's
 * coordinates nothing is absent: a dense operand has a value everywhere, and the masked tensor has one of its
 * own. There an intersection passes the same references as the union, and the loops visit the mask's
 * coordinates alone. Sub-tiles are those of the mask: a dense operand's may have no entry, and is then made
 * of fills (sam_joined_of).
 */
#include "frontend/lowering/lead.h"
#include "frontend/lowering/presence.h"
#include "sam/coordinates.h"

/* Returns whether the access may lead: coordinates of a tensor as a whole, outside of which the condition is
 * false. */
static bool may_lead(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    const sam_tensor_data *t = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(s, x->tensor) : NULL;
    return t && t->order && !t->windowed && (t->structure == SAM_VALUES || t->structure == SAM_STORED) &&
           !sam_fill_of(s, e);
}

static bool has_same_indices(const sam_statement *s, const sam_expr_data *x, const sam_expr_data *y) {
    const uint32_t order = sam_tensor_at(s, x->tensor)->order;
    bool same = order == sam_tensor_at(s, y->tensor)->order;
    for (uint32_t m = 0; m < order && same; m++)
        same = x->index[m].v == y->index[m].v;
    return same;
}

/* Returns whether the access is of the mask's tensor, at the same coordinates. */
static bool is_masked(const sam_statement *s, sam_expr e, sam_expr mask) {
    const sam_expr_data *x = sam_expr_at(s, e), *by = sam_expr_at(s, mask);
    return name_eq(sam_user_name(sam_tensor_at(s, x->tensor)), sam_user_name(sam_tensor_at(s, by->tensor))) &&
           has_same_indices(s, x, by);
}

/* Returns whether the access has a value wherever the mask is stored. */
static bool is_stored_below(const sam_statement *s, sam_expr e, sam_expr mask) {
    const sam_tensor_data *t = sam_tensor_at(s, sam_expr_at(s, e)->tensor);
    if (t->windowed || t->structure != SAM_VALUES || (sam_vars_of(s, e) & ~sam_vars_of(s, mask)))
        return false;
    return !t->order || sam_is_dense(t) || is_masked(s, e, mask);
}

/* Returns whether all operands under e are; *unites becomes true where joiners would unite. */
static bool are_stored_below(const sam_statement *s, sam_expr e, sam_expr mask, bool *unites) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return is_stored_below(s, e, mask);
    if (x->kind == SAM_EXPR_SUM || x->program || x->claim || sam_takes_fiber(x))
        return false;
    *unites = *unites || sam_unites(s, e, NULL);
    return (!x->a.v || are_stored_below(s, x->a, mask, unites)) &&
           (!x->b.v || are_stored_below(s, x->b, mask, unites));
}

static void mark_below(sam_statement *s, sam_expr e, uint64_t vars) {
    sam_expr_data *x = sam_expr_at(s, e);
    x->located = x->b.v ? vars : x->located;
    if (x->a.v)
        mark_below(s, x->a, vars);
    if (x->b.v)
        mark_below(s, x->b, vars);
}

static void lead_below(sam_statement *s, sam_expr e) {
    const sam_expr_data x = *sam_expr_at(s, e);
    bool unites = false;
    if (x.kind == SAM_EXPR_CALL && !x.program && x.operation == SAM_OPERATION_when && may_lead(s, x.a) &&
        are_stored_below(s, x.b, x.a, &unites) && (unites || x.located)) {
        mark_below(s, e, sam_vars_of(s, x.a));
        return;
    }
    if (x.a.v)
        lead_below(s, x.a);
    if (x.b.v)
        lead_below(s, x.b);
}

void fe_lead_masks(sam_statement *s) {
    s->unites = NULL; /* cached facts about expressions that change */
    lead_below(s, s->rhs);
}

static bool is_led_below(const sam_statement *s, sam_expr e, sam_expr access, sam_expr mask) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (!mask.v && x->b.v && x->located)
        mask = x->a;
    if (e.v == access.v)
        return mask.v && !is_masked(s, e, mask);
    return (x->a.v && is_led_below(s, x->a, access, mask)) || (x->b.v && is_led_below(s, x->b, access, mask));
}

bool fe_is_led(const sam_statement *s, sam_expr access) {
    return is_led_below(s, s->rhs, access, (sam_expr){0});
}
