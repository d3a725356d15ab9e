/* alive.c - which tensors of a program are read later: backward through its steps, loops until nothing is
 * added. */
#include "programs/alive.h"

static void read_by(const compile_application *a, const fe_step *step, bool *alive) {
    for (uint32_t t = 0; t < step->statement.tensors.len; t++) {
        if (t + 1 != step->statement.result.v && step->use[t].shared < a->places)
            alive[step->use[t].shared] = true;
    }
}

/* Finds the later reads after each kernel of a statement of several. */
static void find_alive_parts(arena *mem, const compile_application *a, compile_statement_plan *stage) {
    bool *alive = arena_new_n(mem, bool, a->places + 1);
    memcpy(alive, stage->alive, a->places);
    for (uint32_t p = stage->n_parts; p-- > 0;) {
        compile_statement_plan *part = &stage->parts[p];
        bool *after = arena_new_n(mem, bool, a->places + 1);
        memcpy(after, alive, a->places);
        part->alive = after;
        alive[part->to] = false;
        read_by(a, part->step, alive);
    }
}

static void find_alive(arena *mem, const compile_application *a, const fe_steps *steps, bool *alive);

/* Finds the later reads of simultaneous assignments, which all read the earlier content. */
static void find_alive_of(arena *mem, const compile_application *a, const fe_step *all, uint32_t n,
                          bool *alive) {
    for (uint32_t i = 0; i < n; i++) {
        bool *after = arena_new_n(mem, bool, a->places + 1);
        memcpy(after, alive, a->program.tensors.len);
        for (uint32_t k = 0; k < n && n > 1; k++) { /* existing values wait for the last statement */
            after[a->program.tensors.len + k] = k <= i && alive[fe_step_result(&all[k])];
            after[fe_step_result(&all[k])] = false;
        }
        for (uint32_t k = i + 1; k < n; k++)
            read_by(a, &all[k], after);
        compile_plan_of_step(a, &all[i])->alive = after;
        find_alive_parts(mem, a, compile_plan_of_step(a, &all[i]));
    }
    for (uint32_t i = 0; i < n; i++)
        alive[fe_step_result(&all[i])] = false;
    for (uint32_t i = 0; i < n; i++)
        read_by(a, &all[i], alive);
}

/* The passes of a loop are followed by further passes: iterates until no tensor is added. */
static void find_alive_in(arena *mem, const compile_application *a, const fe_step *loop, bool *alive) {
    const uint32_t n = a->program.tensors.len;
    bool *within = arena_new_n(mem, bool, n + 1), more = true;
    if (loop->until)
        read_by(a, loop, alive);
    while (more) {
        more = false;
        memcpy(within, alive, n);
        find_alive(mem, a, &loop->body, within);
        for (uint32_t t = 0; t < n; t++) {
            more = more || (within[t] && !alive[t]);
            alive[t] = alive[t] || within[t];
        }
    }
}

/* Turns the set of tensors read after the steps into the set of tensors read before or in the steps. */
static void find_alive(arena *mem, const compile_application *a, const fe_steps *steps, bool *alive) {
    for (uint32_t i = steps->len; i-- > 0;) {
        const fe_step *step = &steps->at[i];
        if (step->kind == FE_STEP_ASSIGN)
            find_alive_of(mem, a, step, 1, alive);
        else if (step->kind == FE_STEP_MULTI)
            find_alive_of(mem, a, step->body.at, step->body.len, alive);
        else if (step->kind == FE_STEP_REPEAT)
            find_alive_in(mem, a, step, alive);
        else if (step->kind == FE_STEP_PRINT)
            for (uint32_t p = 0; p < step->prints.len; p++)
                alive[step->prints.at[p].tensor] =
                    alive[step->prints.at[p].tensor] || !step->prints.at[p].text;
        else if (step->kind == FE_STEP_PLACE) {
            alive[step->swap[0]] = false;
            alive[step->swap[1]] = true;
        } else {
            const bool first = alive[step->swap[0]];
            alive[step->swap[0]] = alive[step->swap[1]];
            alive[step->swap[1]] = first;
        }
    }
}

void compile_find_alive(arena *mem, const compile_application *a) {
    bool *alive = arena_new_n(mem, bool, a->places + 1);
    for (uint32_t i = 0; i < a->program.results.len; i++)
        alive[a->program.results.at[i]] = true;
    find_alive(mem, a, &a->program.steps, alive);
}
