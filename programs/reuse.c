/* reuse.c - a statement reads what an earlier one has computed.
 *
 * The earlier statement stands in the same block, and no step between the two writes its result or its
 * operands. Its right side has a sum: to read a result is then less work than to add up again. */
#include "programs/reuse.h"

#include "frontend/schedules/schedules.h"
#include "programs/alive.h"
#include "programs/fuse.h"
#include "programs/temporaries.h"

#include <math.h>

/* Returns whether the right side of the step may be computed before, or be what is computed before. */
static bool may_share(const compile_options *o, const compile_application *a, const fe_step *step) {
    return step->kind == FE_STEP_ASSIGN && step->statement.vars.len &&
           sam_tensor_at(&step->statement, step->statement.result)->order &&
           !compile_has_schedule(o, a, fe_step_result(step));
}

/* Replaces a subexpression of step `at` of a block by the result of an earlier step; *from becomes that step.
 */
static bool replace(const compile_options *o, compile_application *a, const fe_steps *steps, uint32_t at,
                    const fe_step **from, fe_step *out) {
    const fe_step *into = &steps->at[at];
    diagnostics unheard;
    bool done = false;
    diag_init(&unheard, a->program.mem);
    for (uint32_t i = at; i-- > 0 && !done && may_share(o, a, into) && !compile_written_why(o, into);) {
        *from = &steps->at[i];
        if (!may_share(o, a, *from) || !compile_has_sum(&(*from)->statement) ||
            compile_step_reads(*from, fe_step_result(*from)))
            continue;
        bool holds = true;
        for (uint32_t k = i + 1; k < at; k++)
            holds = holds && !compile_step_writes(&steps->at[k], fe_step_result(*from)) &&
                    !compile_step_changes(&steps->at[k], *from);
        done = holds && fe_reuse(&a->program, &unheard, *from, into, out);
    }
    return done;
}

/* Replaces the first subexpression found in the steps. */
static bool replace_next(const compile_options *o, compile_application *a, arena *mem,
                         const fe_steps *steps) {
    for (uint32_t i = 0; i < steps->len; i++) {
        const fe_step *step = &steps->at[i], *from;
        fe_step with;
        if (step->kind == FE_STEP_REPEAT && replace_next(o, a, mem, &step->body))
            return true;
        if (!replace(o, a, steps, i, &from, &with))
            continue;
        compile_keep_written(mem, a);
        vec_push(mem, &a->fusions,
                 ((compile_fusion){.from = from,
                                   .into = step,
                                   .reused = true,
                                   .rounds = !step->statement.integers,
                                   .after = NAN,
                                   .before = NAN}));
        const compile_edit edit = {.without = step, .at = step, .with = &with};
        a->program.steps = compile_edit_steps(&a->program.steps, &edit, mem);
        return true;
    }
    return false;
}

bool compile_reuse_values(const compile_options *o, arena *mem, compile_application *a) {
    bool any = false;
    while (compile_may_fuse(o) && replace_next(o, a, mem, &a->program.steps))
        any = true;
    return any;
}
