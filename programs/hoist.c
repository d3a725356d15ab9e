/* hoist.c - moves an assignment in front of its loop.
 *
 * The value is the same in every pass where no step of the loop writes an operand. Nothing sees the move
 * where the loop names the tensor in no step before the assignment and assigns it once, and where the loop
 * has at least one pass, or nothing outside of it reads the tensor. A branch of an `if` keeps its
 * assignments, which would cost time where the branch is not taken. */
#include "programs/hoist.h"

#include "programs/alive.h"
#include "programs/fuse.h"
#include "programs/temporaries.h"

#include <math.h>

static uint32_t count_assignments(const fe_steps *steps, uint32_t tensor) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < steps->len; i++) {
        const fe_step *step = &steps->at[i];
        n += step->kind == FE_STEP_SWAP && compile_step_writes(step, tensor);
        n += step->kind == FE_STEP_ASSIGN && fe_step_result(step) == tensor;
        n += count_assignments(&step->body, tensor);
    }
    return n;
}

/* Returns whether a step other than the loop reads the tensor, or the program results in it. */
static bool is_read_outside(const fe_program *p, const fe_steps *steps, const fe_step *loop,
                            uint32_t tensor) {
    bool is = compile_is_result(p, tensor);
    for (uint32_t i = 0; i < steps->len && !is; i++) {
        const fe_step *step = &steps->at[i];
        if (step == loop)
            continue;
        is = step->body.len && step->kind == FE_STEP_REPEAT
                 ? compile_step_reads(step, tensor) || is_read_outside(p, &step->body, loop, tensor)
                 : compile_step_names(step, tensor);
    }
    return is;
}

static bool may_move(const compile_options *o, const compile_application *a, const fe_step *loop,
                     uint32_t i) {
    const fe_step *step = &loop->body.at[i];
    const bool passes = !loop->until && loop->passes > 0;
    if (step->kind != FE_STEP_ASSIGN || !step->statement.vars.len || compile_step_changes(loop, step))
        return false;
    const uint32_t tensor = fe_step_result(step);
    bool named = compile_step_reads(loop, tensor) || compile_step_reads(step, tensor);
    for (uint32_t k = 0; k < i; k++)
        named = named || compile_step_names(&loop->body.at[k], tensor);
    return !named && count_assignments(&loop->body, tensor) == 1 && !compile_has_schedule(o, a, tensor) &&
           (passes || !is_read_outside(&a->program, &a->program.steps, loop, tensor));
}

/* Finds an assignment to move, in the innermost loops first. */
static const fe_step *find_move(const compile_options *o, const compile_application *a, const fe_steps *steps,
                                const fe_step **loop) {
    for (uint32_t i = 0; i < steps->len; i++) {
        const fe_step *step = &steps->at[i], *inner;
        if (step->kind != FE_STEP_REPEAT)
            continue;
        if ((inner = find_move(o, a, &step->body, loop)))
            return inner;
        *loop = step;
        for (uint32_t k = 0; k < step->body.len; k++) {
            if (step->body.len > 1 && !step->branch && may_move(o, a, step, k))
                return &step->body.at[k];
        }
    }
    return NULL;
}

bool compile_hoist_statements(const compile_options *o, arena *mem, compile_application *a) {
    const fe_step *loop = NULL, *moved;
    if (!compile_may_fuse(o))
        return false;
    while ((moved = find_move(o, a, &a->program.steps, &loop))) {
        compile_keep_written(mem, a);
        vec_push(
            mem, &a->fusions,
            ((compile_fusion){.from = moved, .into = loop, .hoisted = true, .after = NAN, .before = NAN}));
        const compile_edit edit = {.without = moved, .at = loop, .with = moved, .before = true};
        a->program.steps = compile_edit_steps(&a->program.steps, &edit, mem);
    }
    return a->fusions.len > 0;
}
