/* workspace.c - the classifier of Sparse Workspaces on statements: appended and scattered levels. */
#include "frontend/schedules/workspace.h"
#include "frontend/language/scope.h"
#include "frontend/language/statement.h"

fe_workspace fe_classify(const sam_var *loops, uint32_t n_loops, const sam_var *levels, uint32_t n_levels) {
    fe_workspace w = {.level = levels, .levels = n_levels};
    uint32_t level = 0;
    bool follows = true;
    for (uint32_t l = 0; l < n_loops; l++) {
        if (fe_var_place(levels, n_levels, loops[l]) == n_levels) {
            if (!w.sums)
                w.outside = loops[l];
            w.sums = true;
            continue;
        }
        w.summed += w.sums;
        follows = follows && levels[level].v == loops[l].v;
        level += follows;
    }
    const uint32_t discordant = n_levels - level;
    w.order = discordant > w.summed ? discordant : w.summed;
    if (!w.summed)
        w.outside.v = 0;
    return w;
}

/* Classifies the result of a scope's loops: the loops of its sums and of the levels. */
static fe_workspace classify(const sam_statement *s, const fe_scope *scope, const fe_vars *levels,
                             arena *mem) {
    fe_vars loops = {0};
    for (uint32_t l = 0; l < s->loops.len; l++) {
        const sam_var v = s->loops.at[l];
        const bool there = fe_var_place(scope->vars.at, scope->vars.len, v) < scope->vars.len ||
                           fe_var_place(levels->at, levels->len, v) < levels->len;
        if (there && !(s->stepped >> (v.v - 1) & 1))
            vec_push(mem, &loops, v);
    }
    return fe_classify(loops.at, loops.len, levels->at, levels->len);
}

static void classify_sums(const sam_statement *s, sam_expr body, arena *mem, fe_workspace *largest) {
    fe_exprs sums = {0};
    fe_inner_sums(s, body, mem, &sums);
    for (uint32_t i = 0; i < sums.len; i++) {
        const fe_scope scope = fe_sum_scope(s, sums.at[i], mem);
        const uint64_t around = fe_free_vars(s, sums.at[i]);
        fe_vars levels = {0};
        for (uint32_t l = 0; l < s->loops.len; l++) {
            if (around >> (s->loops.at[l].v - 1) & 1)
                vec_push(mem, &levels, s->loops.at[l]);
        }
        const fe_workspace w = classify(s, &scope, &levels, mem);
        if (w.order > largest->order)
            *largest = w;
        classify_sums(s, scope.body, mem, largest);
    }
}

fe_workspace fe_workspace_of(const sam_statement *s, arena *mem) {
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    const fe_scope outer = fe_outer_scope(s, mem);
    fe_vars levels = {0};
    for (uint32_t l = 0; l < result->order; l++) {
        const sam_var v = s->result_index[result->mode[l]];
        if (fe_var_place(levels.at, levels.len, v) == levels.len) /* X(i,i) has one loop */
            vec_push(mem, &levels, v);
    }
    fe_workspace w = classify(s, &outer, &levels, mem);
    classify_sums(s, outer.body, mem, &w);
    return w;
}
