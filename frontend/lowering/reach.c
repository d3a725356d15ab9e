/* reach.c - dense levels of the result: terms that make the loops write each of their coordinates.
 *
 * A dense level v stores no coordinates: its loop must reach all of them, in each existing fiber. Otherwise
 * the statement gets a term 0 * ones, with value zero and all coordinates missing in v. Variables of ones:
 *   - v itself, dense.
 *   - The sums outside of v: a reducer unites the results of its iterations; one iteration is enough, and
 *     each of these sums gets only coordinate 0 (a compressed level of ones). This iteration also exists for
 *     an empty operand. A sum outside of a compressed result level u that is outside of v is left out: there
 *     v must be full for each u, from any iteration.
 *   - With a sum outside of v, all loops inside of v up to the result's innermost, the result's dense, the
 *     sums' with coordinate 0: a reducer gives points only, and a coordinate of v needs a point.
 */
#include "frontend/lowering/reach.h"
#include "frontend/language/statement.h"
#include "frontend/lowering/presence.h"

fe_reach fe_level_reach(const sam_statement *s, const fe_vars *loops, sam_var v) {
    fe_reach reach = {.dense = fe_bit(v)};
    uint32_t at = 0, results = loops->len;
    while (loops->at[at].v != v.v)
        at++;
    while (!sam_is_result_var(s, loops->at[results - 1]))
        results--;
    bool sum_outside = false;
    for (uint32_t i = 0; i < at; i++) {
        sam_level_format format = sam_result_level(s, loops->at[i]);
        sum_outside = sum_outside || format == SAM_LEVEL_NONE;
        if (format == SAM_LEVEL_NONE)
            reach.first |= fe_bit(loops->at[i]);
        else if (format == SAM_LEVEL_COMPRESSED)
            reach.first = 0;
    }
    for (uint32_t i = at + 1; i < results && sum_outside; i++) {
        if (sam_is_result_var(s, loops->at[i]))
            reach.dense |= fe_bit(loops->at[i]);
        else
            reach.first |= fe_bit(loops->at[i]);
    }
    return reach;
}

/* Returns whether e is 0 * ones with this reach. */
static bool reaches(const sam_statement *s, sam_expr e, fe_reach reach) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind != SAM_EXPR_MUL || !fe_is_zero(s, x->a) || sam_expr_at(s, x->b)->kind != SAM_EXPR_ACCESS)
        return false;
    const sam_expr_data *ones = sam_expr_at(s, x->b);
    const sam_tensor_data *t = sam_tensor_at(s, ones->tensor);
    fe_reach have = {0};
    for (uint32_t l = 0; l < t->order; l++) {
        uint64_t bit = fe_bit(ones->index[t->mode[l]]);
        bool whole = sam_level_is_whole(t, l);
        have.dense |= whole ? bit : 0;
        have.first |= whole ? 0 : bit;
    }
    return t->ones && have.dense == reach.dense && have.first == reach.first;
}

bool fe_level_is_filled(const sam_statement *s, const fe_vars *loops, sam_var v, arena *mem) {
    fe_reach reach = fe_level_reach(s, loops, v);
    fe_exprs terms = {0};
    fe_chain_operands(s, fe_outer_scope(s, mem).body, mem, &terms);
    for (uint32_t i = 0; i < terms.len; i++) {
        if (reaches(s, terms.at[i], reach))
            return true;
    }
    return false;
}

sam_var fe_unfilled_level(const sam_statement *s, const fe_vars *loops, uint64_t full, arena *mem) {
    bool sums_full = true, sum_outside = false;
    uint32_t results = loops->len;
    while (results && !sam_is_result_var(s, loops->at[results - 1]))
        results--;
    for (uint32_t i = 0; i < results; i++) {
        sam_var v = loops->at[i];
        sam_level_format format = sam_result_level(s, v);
        if (format == SAM_LEVEL_NONE) {
            sum_outside = true;
            sums_full = sums_full && full & fe_bit(v);
        }
        bool complete = full & fe_bit(v) && sums_full;
        for (uint32_t k = i + 1; k < results && sum_outside; k++)
            complete = complete && full & fe_bit(loops->at[k]);
        if (format == SAM_LEVEL_DENSE && !complete && !fe_level_is_filled(s, loops, v, mem))
            return v;
    }
    return (sam_var){0};
}
