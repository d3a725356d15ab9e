/* alive.c - which tensors of a program a step reads and writes, and which are read later: backward through
 * its steps, loops until nothing is added. */
#include "programs/alive.h"

bool compile_step_reads(const fe_step *step, uint32_t tensor) {
    const sam_statement *s = &step->statement;
    if (step->kind == FE_STEP_COORDINATE)
        return step->coordinate.low.scalar == tensor || step->coordinate.high.scalar == tensor;
    for (uint32_t i = 0; i < step->prints.len; i++) {
        if (!step->prints.at[i].text && step->prints.at[i].tensor == tensor)
            return true;
    }
    for (uint32_t t = 0; step->use && t < s->tensors.len; t++) {
        if (t + 1 != s->result.v && step->use[t].shared == tensor)
            return true;
    }
    return false;
}

bool compile_step_writes(const fe_step *step, uint32_t tensor) {
    if (step->kind == FE_STEP_SWAP)
        return step->swap[0] == tensor || step->swap[1] == tensor;
    bool is = step->kind == FE_STEP_ASSIGN       ? fe_step_result(step) == tensor
              : step->kind == FE_STEP_COORDINATE ? step->coordinate.tensor == tensor
                                                 : false;
    for (uint32_t i = 0; i < step->body.len; i++)
        is = is || compile_step_writes(&step->body.at[i], tensor);
    return is;
}

bool compile_step_names(const fe_step *step, uint32_t tensor) {
    bool is = compile_step_reads(step, tensor) || compile_step_writes(step, tensor);
    for (uint32_t i = 0; i < step->body.len; i++)
        is = is || compile_step_names(&step->body.at[i], tensor);
    return is;
}

bool compile_step_names_any(const fe_step *step, const bool *of, uint32_t n) {
    bool names = false;
    for (uint32_t t = 0; t < n; t++)
        names = names || (of[t] && compile_step_names(step, t));
    return names;
}

const char *compile_step_text(const fe_step *step) {
    static const char *const text[] = {
        [FE_STEP_ASSIGN] = "a statement names it", [FE_STEP_SWAP] = "a swap names it",
        [FE_STEP_MULTI] = "a multi names it",      [FE_STEP_REPEAT] = "a loop names it",
        [FE_STEP_PRINT] = "a print names it",      [FE_STEP_COORDINATE] = "a coordinate names it"};
    _Static_assert(sizeof text / sizeof *text == FE_STEP_KINDS, "a text for each kind");
    return text[step->kind];
}

bool compile_step_changes(const fe_step *step, const fe_step *of) {
    bool is = false;
    for (uint32_t t = 0; t < of->statement.tensors.len; t++)
        is = is || (t + 1 != of->statement.result.v && compile_step_writes(step, of->use[t].shared));
    return is;
}

static void join_swapped(const fe_steps *steps, uint32_t *class, uint32_t n) {
    for (uint32_t i = 0; i < steps->len; i++) {
        const fe_step *step = &steps->at[i];
        join_swapped(&step->body, class, n);
        if (step->kind != FE_STEP_SWAP)
            continue;
        const uint32_t a = class[step->swap[0]], b = class[step->swap[1]];
        for (uint32_t t = 0; t < n; t++)
            class[t] = class[t] == a || class[t] == b ? a < b ? a : b : class[t];
    }
}

void compile_find_classes(const fe_steps *steps, uint32_t *class, uint32_t n) {
    for (uint32_t t = 0; t < n; t++)
        class[t] = t;
    join_swapped(steps, class, n);
}

static void read_by(const compile_application *a, const fe_step *step, bool *alive) {
    for (uint32_t t = 0; t < step->statement.tensors.len; t++) {
        if (t + 1 != step->statement.result.v && step->use[t].shared < a->slots)
            alive[step->use[t].shared] = true;
    }
}

/* Finds the later reads after each kernel of a statement of several. */
static void find_alive_kernels(arena *mem, const compile_application *a, compile_statement_plan *plan) {
    bool *alive = arena_new_n(mem, bool, a->slots + 1);
    memcpy(alive, plan->alive, a->slots);
    for (uint32_t p = plan->n_kernels; p-- > 0;) {
        compile_statement_plan *kernel_plan = &plan->kernels[p];
        bool *after = arena_new_n(mem, bool, a->slots + 1);
        memcpy(after, alive, a->slots);
        kernel_plan->alive = after;
        alive[kernel_plan->to] = false;
        read_by(a, kernel_plan->step, alive);
    }
}

static void find_alive(arena *mem, const compile_application *a, const fe_steps *steps, bool *alive);

/* Finds the later reads of simultaneous assignments, which all read the earlier content. */
static void find_alive_of(arena *mem, const compile_application *a, const fe_step *all, uint32_t n,
                          bool *alive) {
    for (uint32_t i = 0; i < n; i++) {
        bool *after = arena_new_n(mem, bool, a->slots + 1);
        memcpy(after, alive, a->program.tensors.len);
        for (uint32_t k = 0; k < n && n > 1; k++) { /* existing values wait for the last statement */
            after[a->program.tensors.len + k] = k <= i && alive[fe_step_result(&all[k])];
            after[fe_step_result(&all[k])] = false;
        }
        for (uint32_t k = i + 1; k < n; k++)
            read_by(a, &all[k], after);
        compile_plan_of_step(a, &all[i])->alive = after;
        find_alive_kernels(mem, a, compile_plan_of_step(a, &all[i]));
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
        else if (step->kind == FE_STEP_SWAP) {
            const bool first = alive[step->swap[0]];
            alive[step->swap[0]] = alive[step->swap[1]];
            alive[step->swap[1]] = first;
        } else {
            for (uint32_t t = 0; t < a->program.tensors.len; t++)
                alive[t] = compile_step_reads(step, t) || (alive[t] && !compile_step_writes(step, t));
        }
    }
}

/* After statements that run at once, everything read after any statement is alive. */
static void join_alive(arena *mem, const compile_application *a) {
    for (uint32_t i = 0; i < a->joints.len; i++) {
        const compile_joint *joint = &a->joints.at[i];
        bool *all = arena_new_n(mem, bool, a->slots + 1);
        for (uint32_t p = 0; p < joint->n; p++) {
            for (uint32_t t = 0; t < a->slots; t++)
                all[t] = all[t] || joint->of[p]->alive[t];
        }
        for (uint32_t p = 0; p < joint->n; p++)
            all[joint->of[p]->to] = joint->of[p]->alive[joint->of[p]->to];
        for (uint32_t p = 0; p < joint->n; p++)
            joint->of[p]->alive = all;
    }
}

void compile_find_alive(arena *mem, const compile_application *a) {
    bool *alive = arena_new_n(mem, bool, a->slots + 1);
    for (uint32_t i = 0; i < a->program.results.len; i++)
        alive[a->program.results.at[i]] = true;
    find_alive(mem, a, &a->program.steps, alive);
    join_alive(mem, a);
}
