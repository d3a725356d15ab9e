/* scales.c - words of scaled integers: scales as sums of unknowns, and what a statement's tensors and
 * literals become once the unknowns have values. align.c finds the sums. */
#include "frontend/language/scales.h"

#include <math.h>

fe_scale_sum fe_scale_plus(fe_scale_sum a, const fe_scale_sum *b, int times) {
    for (uint32_t i = 0; i < FE_SCALES_MOST; i++)
        a.times[i] += times * b->times[i];
    a.constant += times * b->constant;
    return a;
}

fe_scale_sum fe_scale_resolved(const fe_scales *all, fe_scale_sum sum) {
    for (uint32_t i = 0; i < all->n; i++) {
        const int times = sum.times[i];
        if (!times || all->of[i].how == FE_SCALE_OPEN)
            continue;
        sum.times[i] = 0;
        const fe_scale_sum made = fe_scale_resolved(all, all->sum[i]);
        sum = fe_scale_plus(sum, &made, times);
    }
    return sum;
}

fe_scale_sum fe_scale_alone(uint32_t i) {
    fe_scale_sum sum = {.constant = 0};
    sum.times[i] = 1;
    return sum;
}

/* Literals of several statements have places of their own. */
static bool is_literal(const fe_scale *one, sam_expr literal, src_loc loc) {
    return !one->tensor.v && one->literal.v == literal.v && one->loc.offset == loc.offset;
}

uint32_t fe_scale_find(const fe_scales *all, name_id tensor, sam_expr literal, src_loc loc) {
    uint32_t i = 0;
    while (i < all->n &&
           !(tensor.v ? name_eq(all->of[i].tensor, tensor) : is_literal(&all->of[i], literal, loc)))
        i++;
    return i;
}

fe_scale_sum fe_scale_sum_named(const fe_scales *all, name_id tensor) {
    const uint32_t i = fe_scale_find(all, tensor, (sam_expr){0}, (src_loc){0});
    return i < all->n ? fe_scale_alone(i) : (fe_scale_sum){.constant = 0};
}

int fe_scale_named(const fe_scales *all, name_id tensor) {
    const fe_scale_sum own = fe_scale_sum_named(all, tensor);
    return fe_scale_of(all, &own);
}

int fe_scale_of(const fe_scales *all, const fe_scale_sum *sum) {
    const fe_scale_sum free = fe_scale_resolved(all, *sum);
    int value = free.constant;
    for (uint32_t i = 0; i < all->n; i++)
        value += free.times[i] * all->of[i].value;
    return value;
}

void fe_scales_apply(const fe_scales *all, sam_statement *s) {
    for (uint32_t i = 0; i < all->n; i++) {
        const fe_scale *one = &all->of[i];
        const fe_scale_sum own = fe_scale_alone(i);
        const int scale = fe_scale_of(all, &own);
        for (uint32_t t = 0; one->tensor.v && t < s->tensors.len; t++) {
            if (t + 1 != s->result.v && name_eq(sam_user_name(&s->tensors.at[t]), one->tensor) &&
                s->tensors.at[t].structure == SAM_VALUES)
                s->tensors.at[t].scale = scale;
        }
        const bool here = !one->tensor.v && one->literal.v <= s->exprs.len;
        sam_expr_data *x = here ? sam_expr_at(s, one->literal) : NULL;
        if (!x || x->kind != SAM_EXPR_LITERAL || x->loc.offset != one->loc.offset)
            continue;
        const double given = ldexp(x->literal, scale);
        x->literal = nearbyint(given);
        x->rounded_off = given - x->literal;
    }
    sam_tensor_data *result = sam_tensor_at(s, s->result);
    result->scale =
        all->program ? fe_scale_named(all, sam_user_name(result)) : fe_scale_of(all, &all->result);
}
