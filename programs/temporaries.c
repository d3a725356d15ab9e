/* temporaries.c - which values of a program have one reader: the next step of the block that names the tensor
 * reads it, and the value is dead afterwards. */
#include "programs/temporaries.h"

#include "programs/alive.h"
#include "programs/gathered.h"

/* Returns whether an operand of step `from` changes before step `into`. */
static bool changes_between(const fe_steps *steps, uint32_t from, uint32_t into) {
    bool is = false;
    for (uint32_t i = from + 1; i < into; i++)
        is = is || compile_step_changes(&steps->at[i], &steps->at[from]);
    return is;
}

/* Finds the reader of the value that step `from` of a block gives a tensor. */
static compile_temporary find_reader(const compile_application *a, const fe_steps *steps, uint32_t from) {
    const uint32_t tensor = fe_step_result(&steps->at[from]);
    compile_temporary t = {.from = &steps->at[from], .why = "a later block or pass reads it"};
    uint32_t i = from + 1;
    while (i < steps->len && !compile_step_names(&steps->at[i], tensor))
        i++;
    if (i == steps->len) {
        if (!compile_plan_of_step(a, t.from)->alive[tensor])
            t.why = "nothing reads it";
        return t;
    }
    const fe_step *next = &steps->at[i];
    if (next->kind != FE_STEP_ASSIGN)
        t.why = compile_step_text(next);
    else if (!compile_step_reads(next, tensor))
        t.why = "nothing reads it";
    else if (!compile_step_writes(next, tensor) && compile_plan_of_step(a, next)->alive[tensor])
        t.why = "something else reads it, too";
    else if (compile_gathers_by(&a->program, next, tensor))
        t.why = "its values gather, and are looked at";
    else if (changes_between(steps, from, i))
        t.why = "an operand changes before it is read";
    else
        t = (compile_temporary){.from = t.from, .into = next};
    return t;
}

static void list(arena *mem, const compile_application *a, const fe_steps *steps, compile_temporaries *out) {
    for (uint32_t i = 0; i < steps->len; i++) {
        const fe_step *step = &steps->at[i];
        if (step->kind == FE_STEP_REPEAT)
            list(mem, a, &step->body, out);
        if (step->kind != FE_STEP_ASSIGN || !sam_tensor_at(&step->statement, step->statement.result)->order)
            continue;
        const compile_temporary t = find_reader(a, steps, i);
        if (t.into || !compile_is_result(&a->program, fe_step_result(step)))
            vec_push(mem, out, t);
    }
}

compile_temporaries compile_find_temporaries(arena *mem, const compile_application *a) {
    compile_temporaries all = {0};
    compile_find_alive(mem, a);
    list(mem, a, &a->program.steps, &all);
    return all;
}

fe_steps compile_edit_steps(const fe_steps *steps, const compile_edit *edit, arena *mem) {
    fe_steps out = {0};
    for (uint32_t i = 0; i < steps->len; i++) {
        const fe_step *step = &steps->at[i];
        if (step == edit->at)
            vec_push(mem, &out, *edit->with);
        if (step == edit->without || (step == edit->at && !edit->before))
            continue;
        fe_step copy = *step;
        copy.body = compile_edit_steps(&step->body, edit, mem);
        vec_push(mem, &out, copy);
    }
    return out;
}
