/* Which statements of a program store what others load. A load reaches the banks of its own GLB tile alone,
 * so an operand can be loaded where it was stored only if the store has the same tile. */
#include "compile/application.h"

/* A kernel of a group, and the statement that it is of. */
typedef struct {
    const compile_stage_of *stage;
    const compile_kernel *kernel;
    uint32_t number; /* in the group */
} user;

/* Tensors that swaps exchange are one: class[t] is the first of them. */
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

/* Adds the group's kernels in the order in which they run. */
static uint32_t list_users(const compile_application *a, const compile_kernels *group, user *to) {
    uint32_t n = 0;
    for (uint32_t s = 0; s < a->stages.len; s++) {
        const compile_stage_of *stage = &a->stages.at[s];
        const uint32_t producers = stage->kernel.producers.len;
        for (uint32_t p = 0; p <= producers; p++) {
            const compile_kernel *k = p < producers ? &stage->kernel.producers.at[p] : &stage->kernel;
            for (uint32_t i = 0; i < group->len; i++) {
                if (group->at[i] == k)
                    to[n++] = (user){stage, k, i};
            }
        }
    }
    return n;
}

static name_id stored_by(const user *u) {
    const sam_statement *s = &u->kernel->lowered.statement;
    return sam_tensor_at(s, s->result)->name;
}

/* Returns the class of an operand of the statement, by the name it has there; those that are none of the
 * program's, workspaces, have `none`. */
static uint32_t class_of(const user *u, name_id name, const uint32_t *class, uint32_t none) {
    const fe_step *step = u->stage->step;
    for (uint32_t t = 0; t < step->statement.tensors.len; t++) {
        if (t + 1 != step->statement.result.v && name_eq(step->statement.tensors.at[t].name, name))
            return step->use[t].counts ? none : class[step->use[t].shared];
    }
    return none;
}

/* Returns whether a store may leave the words that a load of the tensor reads, whatever the values are. Of
 * compressed levels the host drops what is a fill, and values beside a fill are loaded as they differ from
 * it.
 */
static bool is_loaded_as_stored(const sam_tensor_data *t) {
    bool dense = t->order && !t->fill;
    for (uint32_t l = 0; l < t->order; l++)
        dense = dense && t->level[l] == SAM_LEVEL_DENSE;
    return dense;
}

/* Returns whether `to` loads what `from` stores, and by which name. */
static bool loads(const user *to, const user *from, const uint32_t *class, uint32_t none, name_id *name) {
    const sam_statement *s = &to->kernel->lowered.statement;
    const bool last = from->kernel == &from->stage->kernel;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const sam_tensor_data *data = &s->tensors.at[t];
        const name_id source = data->view.source.v ? data->view.source : data->name;
        const uint32_t its = class_of(to, source, class, none);
        if (t + 1 == s->result.v || !is_loaded_as_stored(data))
            continue;
        *name = data->name;
        if (last ? its != none && its == class[fe_step_result(from->stage->step)]
                 : its == none && to->stage == from->stage && name_eq(source, stored_by(from)))
            return true;
    }
    return false;
}

/* Adds the kernels that load what the user stores, those that run first before all. */
static void add_pairs(compile_context *ctx, const user *all, uint32_t n, uint32_t from, const uint32_t *class,
                      uint32_t none, compile_pairs *pairs) {
    const user *u = &all[from];
    for (uint32_t d = 1; d <= n; d++) {
        const user *to = &all[(from + d) % n];
        const bool again = from + d >= n; /* in the loop's next pass */
        name_id name;
        if (to->kernel->array.copies <= 1 && (!again || (u->stage->loops && to->stage->loops)) &&
            loads(to, u, class, none, &name))
            vec_push(ctx->mem, pairs, ((compile_pair){u->number, to->number, stored_by(u), name}));
    }
}

compile_pairs compile_pair_streams(compile_context *ctx, const compile_application *a,
                                   const compile_kernels *group) {
    const uint32_t none = a->program.tensors.len;
    uint32_t *class = arena_new_n(ctx->mem, uint32_t, none + 1), deepest = 0;
    user *all = arena_new_n(ctx->mem, user, group->len + 1);
    const uint32_t n = list_users(a, group, all);
    compile_pairs pairs = {0};
    for (uint32_t t = 0; t < none; t++)
        class[t] = t;
    join_swapped(&a->program.steps, class, none);
    for (uint32_t i = 0; i < n; i++)
        deepest = all[i].stage->loops > deepest ? all[i].stage->loops : deepest;
    for (uint32_t loops = deepest + 1; loops-- > 0;) {
        for (uint32_t i = 0; i < n; i++) {
            if (all[i].stage->loops == loops && all[i].kernel->array.copies <= 1)
                add_pairs(ctx, all, n, i, class, none, &pairs);
        }
    }
    return pairs;
}
