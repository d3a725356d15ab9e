/* Pairs of statements in a program where one stores the other's operand. A load reaches only the banks of its
 * own GLB tile: an operand stays in place only if its store uses the same tile. */
#include "programs/alive.h"
#include "programs/calls.h"
#include "programs/queue.h"
#include "programs/scalar.h"
#include "sam/operators.h"

/* A kernel of a group, and its statement. */
typedef struct {
    const compile_statement_plan *plan;
    const compile_kernel *kernel;
    uint32_t number; /* in the group */
} user;

/* Adds the group's kernels in the order of their runs, each for every statement of a joint. */
static uint32_t list_users(const compile_application *a, const compile_kernels *group, user *to) {
    uint32_t n = 0;
    for (uint32_t s = 0; s < a->plans.len; s++) {
        const compile_statement_plan *plan = &a->plans.at[s];
        const uint32_t producers = plan->kernel.producers.len;
        const compile_joint *joint = compile_joint_of(a, plan);
        for (uint32_t p = 0; p <= producers; p++) {
            const compile_kernel *k = p < producers ? &plan->kernel.producers.at[p] : &plan->kernel;
            for (uint32_t i = 0; i < group->len; i++) {
                if (group->at[i] == (joint ? &joint->of[0]->kernel : k))
                    to[n++] = (user){plan, k, i};
            }
        }
    }
    return n;
}

static name_id stored_by(const user *u) {
    const sam_statement *s = &u->kernel->lowered.statement;
    return sam_tensor_at(s, s->result)->name;
}

/* Returns the class of an operand of the statement, by its name in the statement; workspaces, which are no
 * tensors of the program, have `none`. */
static uint32_t class_of(const user *u, name_id name, const uint32_t *class, uint32_t none) {
    const fe_step *step = u->plan->step;
    const sam_tensor t = sam_operand_named(&step->statement, name);
    return !t.v || step->use[t.v - 1].counts ? none : class[step->use[t.v - 1].shared];
}

static bool is_dense(const sam_tensor_data *t) {
    bool dense = true;
    for (uint32_t l = 0; l < t->order; l++)
        dense = dense && t->level[l] == SAM_LEVEL_DENSE;
    return dense;
}

/* Returns whether a store may leave exactly the words of a load of the tensor, for all values. For compressed
 * levels the host drops fills, and values beside a fill are loaded as differences.
 */
static bool is_loaded_as_stored(const sam_tensor_data *t) {
    return t->order && !t->fill && is_dense(t);
}

/* Returns whether the chip's processor may make a load of the tensor from the stores of a result of order
 * `order`: a vector of any result, or a scalar; for more than one index only with equal cuts. */
static bool is_made_of_stored(const sam_tensor_data *t, uint32_t order) {
    return is_loaded_as_stored(t) || (t->order == order && t->structure < SAM_FILLED);
}

/* Returns whether `to` loads the store of `from`, and the name. */
static bool loads(const user *to, const user *from, const uint32_t *class, uint32_t none, name_id *name) {
    const sam_statement *s = &to->kernel->lowered.statement;
    const bool last = from->kernel == &from->plan->kernel;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const sam_tensor_data *data = &s->tensors.at[t];
        const name_id source = sam_stored_name(data);
        const uint32_t its = class_of(to, source, class, none);
        if (t + 1 == s->result.v || !is_loaded_as_stored(data))
            continue;
        *name = data->name;
        if (last ? its != none && its == class[fe_step_result(from->plan->step)]
                 : its == none && to->plan == from->plan && name_eq(source, stored_by(from)))
            return true;
    }
    return false;
}

/* The kernels of a group, and the class of each tensor of the program (`none` is their number). */
typedef struct {
    const user *at;
    uint32_t n;
    const uint32_t *class;
    uint32_t none;
} users;

/* Adds the kernels that load the user's store, in the order of their runs. */
static void add_streams(compile_context *ctx, const users *all, uint32_t from,
                        compile_colocated_list *colocated) {
    const user *u = &all->at[from];
    for (uint32_t d = 1; d <= all->n; d++) {
        const user *to = &all->at[(from + d) % all->n];
        const bool again = from + d >= all->n; /* in the loop's next pass */
        name_id name;
        if (to->kernel->array.copies <= 1 && (!again || (u->plan->loops && to->plan->loops)) &&
            loads(to, u, all->class, all->none, &name))
            vec_push(ctx->mem, colocated, ((compile_colocated){u->number, to->number, stored_by(u), name}));
    }
}

compile_colocated_list compile_list_colocated(compile_context *ctx, const compile_application *a,
                                              const compile_kernels *group) {
    const uint32_t none = a->program.tensors.len;
    uint32_t *class = arena_new_n(ctx->mem, uint32_t, none + 1), deepest = 0;
    user *all = arena_new_n(ctx->mem, user, COMPILE_MEMBERS_MOST * group->len + 1);
    const uint32_t n = list_users(a, group, all);
    compile_colocated_list colocated = {0};
    compile_find_classes(&a->program.steps, class, none);
    for (uint32_t i = 0; i < n; i++)
        deepest = all[i].plan->loops > deepest ? all[i].plan->loops : deepest;
    for (uint32_t loops = deepest + 1; loops-- > 0;) {
        for (uint32_t i = 0; i < n; i++) {
            if (all[i].plan->loops == loops && all[i].kernel->array.copies <= 1)
                add_streams(ctx, &(users){all, n, class, none}, i, &colocated);
        }
    }
    return colocated;
}

/* ---- results that stay on the chip ------------------------------------------------------------- */

bool compile_is_test(const fe_step *step, uint32_t *operand, bool *counts, uint32_t *holds, int32_t *value) {
    static const struct {
        sam_operation of;
        uint32_t holds;
    } all[] = {{SAM_OPERATION_eq, FW_TEST_EQUAL},   {SAM_OPERATION_ne, FW_TEST_LESS | FW_TEST_GREATER},
               {SAM_OPERATION_lt, FW_TEST_LESS},    {SAM_OPERATION_le, FW_TEST_LESS | FW_TEST_EQUAL},
               {SAM_OPERATION_gt, FW_TEST_GREATER}, {SAM_OPERATION_ge, FW_TEST_GREATER | FW_TEST_EQUAL}};
    const sam_statement *s = &step->statement;
    const sam_expr_data *root = &s->exprs.at[s->rhs.v - 1];
    const int32_t most = s->integers ? INT16_MAX : UINT8_MAX; /* a larger count may round to the number */
    if (step->kind != FE_STEP_REPEAT || !step->until || root->kind != SAM_EXPR_CALL || !root->a.v ||
        !root->b.v)
        return false;
    const sam_expr_data *a = &s->exprs.at[root->a.v - 1], *b = &s->exprs.at[root->b.v - 1];
    if (a->kind != SAM_EXPR_ACCESS || b->kind != SAM_EXPR_LITERAL)
        return false;
    *operand = a->tensor.v - 1;
    *counts = step->use[*operand].counts;
    if (!s->integers && !*counts)
        *value = sam_literal_word(b->literal, true);
    else if (b->literal < -most || b->literal > most || b->literal != (int32_t)b->literal)
        return false;
    else
        *value = (int32_t)b->literal;
    *holds = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *holds |= root->operation == all[i].of ? all[i].holds : 0;
    return *holds != 0;
}

/* Returns whether the processor computes the statement of dense operands, by calls or by commands. */
static bool is_of_dense(const compile_statement_plan *by) {
    return by->by_commands || (compile_runs_on_host(by) && compile_may_wait_calls(&by->kernel));
}

/* Returns the reason why the stored result of a statement cannot become this statement's operand without the
 * host; NULL: possible. */
static const char *why_needed(compile_context *ctx, const compile_statement_plan *by,
                              const sam_tensor_data *result, uint32_t class, const uint32_t *classes,
                              uint32_t none) {
    const uint32_t order = result->order;
    const fe_step *step = by->step;
    const sam_statement *s = &step->statement;
    uint32_t operand, holds;
    int32_t value;
    bool counts;
    uint32_t line = 0, column;
    diag_line_col(ctx->diag, step->loc, &line, &column);
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        if (t + 1 == s->result.v || step->use[t].shared >= none || classes[step->use[t].shared] != class)
            continue;
        if (step->kind == FE_STEP_REPEAT) {
            if (!compile_is_test(step, &operand, &counts, &holds, &value))
                return arena_printf(ctx->mem, "line %u: the processor cannot test this condition", line);
            continue;
        }
        if (by->on_host && compile_is_calc(step))
            continue;
        if (is_of_dense(by) && order > 1 && !is_dense(result))
            return arena_printf(ctx->mem, "line %u takes %s, a compressed matrix, as a dense one", line,
                                names_text(ctx->names, s->tensors.at[t].name));
        if (by->by_commands)
            continue;
        if ((compile_runs_on_host(by) && !compile_may_wait_calls(&by->kernel)) || step->use[t].counts)
            return arena_printf(ctx->mem, "line %u is computed by the host or as a function", line);
        for (uint32_t n = 0; n <= by->kernel.producers.len; n++) {
            const compile_kernel *k = compile_kernel_at(&by->kernel, n);
            if (by->n_kernels && by->kernels[n].by_commands)
                continue;
            const sam_statement *packed = &k->lowered.statement;
            for (uint32_t p = 0; p < packed->tensors.len; p++) {
                const sam_tensor_data *data = &packed->tensors.at[p];
                const name_id source = sam_stored_name(data);
                if (p + 1 != packed->result.v && name_eq(source, s->tensors.at[t].name) &&
                    !is_made_of_stored(data, order))
                    return arena_printf(ctx->mem,
                                        "line %u loads %s as no vector, or dense matrix without a fill", line,
                                        names_text(ctx->names, s->tensors.at[t].name));
            }
        }
    }
    return NULL;
}

/* Returns whether the kernel loads the stores of another kernel of its statement in a form possible for the
 * processor. */
static bool loads_workspace(const compile_kernel *k, const compile_kernel *producer) {
    const sam_statement *s = &k->lowered.statement, *made = &producer->lowered.statement;
    const sam_tensor_data *workspace = sam_tensor_at(made, made->result);
    bool may = true;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const sam_tensor_data *data = &s->tensors.at[t];
        may = may && (t + 1 == s->result.v || !name_eq(sam_stored_name(data), workspace->name) ||
                      is_made_of_stored(data, workspace->order));
    }
    return may;
}

/* Returns the reason why the kernels of the statement cannot wait; NULL: they may. */
static const char *why_not_deferred(compile_context *ctx, const compile_application *a,
                                    const compile_statement_plan *plan) {
    const uint32_t n = plan->kernel.producers.len;
    uint32_t on_array = 0;
    for (uint32_t i = 0; i <= n; i++)
        on_array += !compile_kernel_at(&plan->kernel, i)->on_host;
    if (on_array > 1 && !plan->array && !a->configs)
        return "kernels of a statement have a firmware program each";
    for (uint32_t i = 0; i <= n; i++) {
        const compile_kernel *k = compile_kernel_at(&plan->kernel, i);
        if (plan->loops && (plan->n_kernels ? plan->kernels[i].by_commands : plan->by_commands))
            continue;
        if (k->on_host && !(plan->loops && compile_may_wait_calls(k)))
            return "a part of a statement is computed by the host or as a function";
        if (k->array.independent)
            return "copies of a kernel start each by itself";
        for (uint32_t p = 0; p < i; p++) {
            const sam_statement *made = &compile_kernel_at(&plan->kernel, p)->lowered.statement;
            if (!loads_workspace(k, compile_kernel_at(&plan->kernel, p)))
                return arena_printf(ctx->mem, "%s is loaded as no vector, or dense matrix without a fill",
                                    names_text(ctx->names, sam_tensor_at(made, made->result)->name));
        }
    }
    return NULL;
}

/* Returns the reason why the host takes results of the statement at once, NULL: they may stay. */
static const char *why_eager(const compile_options *o, compile_context *ctx, const compile_application *a,
                             const compile_statement_plan *plan, const uint32_t *classes) {
    const compile_kernel *k = &plan->kernel;
    const uint32_t none = a->program.tensors.len;
    const bool calc = plan->on_host && compile_is_calc(plan->step);
    const bool in_list = plan->loops && (plan->n_kernels || plan->by_commands || compile_may_wait_calls(k));
    if (compile_runs_on_host(plan) && !calc && !in_list)
        return "a statement is computed by the host or as a function";
    if (o->target.engine == ENGINE_SAM || o->running.wave || !o->optimize || o->target.hazards == REPORT_WARN)
        return "an option wants each run by itself";
    const char *why_not = calc ? NULL : why_not_deferred(ctx, a, plan);
    if (why_not)
        return why_not;
    const sam_statement *s = calc                               ? &plan->step->statement
                             : plan->by_commands && !k->on_host ? &k->user
                                                                : &k->lowered.statement;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        if (s->tensors.at[t].region == SAM_REGION_HOST)
            return arena_printf(ctx->mem, "%s is loaded for every run (@host)",
                                names_text(ctx->names, sam_user_name(&s->tensors.at[t])));
    }
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    for (uint32_t i = 0; i < a->plans.len; i++) {
        const fe_step *step = a->plans.at[i].step;
        if (step->kind != FE_STEP_ASSIGN && !step->until)
            continue;
        const char *why =
            why_needed(ctx, &a->plans.at[i], result, classes[fe_step_result(plan->step)], classes, none);
        if (why)
            return why;
    }
    return NULL;
}

/* Returns a step by which the host makes an operand, as a statement that may not wait. */
static const compile_statement_plan *placing(compile_context *ctx, const fe_step *step) {
    compile_statement_plan *plan = arena_new(ctx->mem, compile_statement_plan);
    *plan = (compile_statement_plan){.step = step,
                                     .eager = "the host makes the operand of a scalar's coordinate"};
    return plan;
}

/* Lists of only some statements of a loop cost more than they save: the statements of a loop wait if all may.
 * Returns the first that may not, or NULL. */
static const compile_statement_plan *find_eager(compile_context *ctx, const compile_application *a,
                                                const fe_steps *steps) {
    const compile_statement_plan *first = NULL;
    for (uint32_t i = 0; i < steps->len; i++) {
        const fe_step *step = &steps->at[i];
        const compile_statement_plan *one =
            step->kind == FE_STEP_ASSIGN ? compile_plan_of_step(a, step) : NULL;
        if (step->kind == FE_STEP_COORDINATE)
            one = placing(ctx, step);
        else if (!one)
            one = find_eager(ctx, a, &step->body);
        else if (one->waits)
            one = NULL;
        first = first ? first : one;
    }
    uint32_t line = 0, column;
    if (first)
        diag_line_col(ctx->diag, first->step->loc, &line, &column);
    for (uint32_t i = 0; i < steps->len && first; i++) {
        compile_statement_plan *one =
            steps->at[i].kind == FE_STEP_ASSIGN ? compile_plan_of_step(a, &steps->at[i]) : NULL;
        if (!one || !one->waits)
            continue;
        one->waits = false;
        one->eager = arena_printf(ctx->mem, "line %u: %s", line, first->eager);
    }
    return first;
}

/* ---- lists of entries --------------------------------------------------------------------------- */

/* Returns whether the kernel loads a matrix of this name by levels. */
static bool loads_levels(const compile_kernel *k, name_id name) {
    const sam_statement *s = &k->lowered.statement;
    bool loads = false;
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        const sam_tensor_data *data = &s->tensors.at[t];
        loads = loads || (t + 1 != s->result.v && data->order == 2 && !is_loaded_as_stored(data) &&
                          name_eq(sam_stored_name(data), name));
    }
    return loads;
}

/* Returns whether a matrix made by the statement, or one of its kernels, is loaded by levels, possibly made
 * by the processor. */
static bool makes_levels(const compile_application *a, const compile_statement_plan *plan,
                         const uint32_t *classes) {
    const uint32_t n = plan->kernel.producers.len;
    bool makes = false;
    for (uint32_t p = 0; p < n; p++) {
        const sam_statement *made = &compile_kernel_at(&plan->kernel, p)->lowered.statement;
        for (uint32_t k = p + 1; k <= n; k++)
            makes = makes || loads_levels(compile_kernel_at(&plan->kernel, k),
                                          sam_tensor_at(made, made->result)->name);
    }
    for (uint32_t i = 0; i < a->plans.len; i++) {
        const compile_statement_plan *by = &a->plans.at[i];
        const sam_statement *s = &by->step->statement;
        for (uint32_t t = 0; t < s->tensors.len; t++) {
            const uint32_t shared = by->step->use[t].shared;
            if (t + 1 == s->result.v || shared >= a->program.tensors.len ||
                classes[shared] != classes[fe_step_result(plan->step)])
                continue;
            for (uint32_t k = 0; k <= by->kernel.producers.len; k++)
                makes = makes || loads_levels(compile_kernel_at(&by->kernel, k), s->tensors.at[t].name);
        }
    }
    return makes;
}

void compile_find_deferrable(const compile_options *o, compile_context *ctx, compile_application *a) {
    const uint32_t n = a->program.tensors.len;
    compile_find_alive(ctx->mem, a);
    uint32_t *classes = arena_new_n(ctx->mem, uint32_t, n + 1);
    const fw_command_lists own = o->tensors.dtype == TILE_DTYPE_BF16 ? FW_LISTS_OF_BF16 : FW_LISTS;
    fw_command_lists any = FW_NO_LISTS;
    compile_find_classes(&a->program.steps, classes, n);
    for (uint32_t i = 0; i < a->plans.len; i++)
        compile_find_dense_kernels(a, &a->plans.at[i]);
    for (uint32_t i = 0; i < a->plans.len; i++) {
        compile_statement_plan *plan = &a->plans.at[i];
        if (plan->step->kind != FE_STEP_ASSIGN)
            continue;
        plan->eager = why_eager(o, ctx, a, plan, classes);
        plan->waits = !plan->eager;
    }
    find_eager(ctx, a, &a->program.steps);
    for (uint32_t i = 0; i < a->plans.len; i++) {
        const compile_statement_plan *plan = &a->plans.at[i];
        any = plan->waits ? own | (any & FW_ENTRY_LISTS) : any;
        any |= plan->waits && makes_levels(a, plan, classes) ? FW_ENTRY_LISTS : 0;
    }
    /* A program is independent of its later engine. */
    for (uint32_t i = 0; i < a->plans.len && !compile_engines[o->target.engine].by_processor; i++)
        a->plans.at[i].waits = false;
    for (uint32_t i = 0; i < a->plans.len; i++) {
        compile_kernel *k = &a->plans.at[i].kernel;
        for (uint32_t p = 0; p <= k->producers.len; p++)
            compile_kernel_at(k, p)->chip.lists = any;
        for (uint32_t p = 0; p < a->plans.at[i].n_kernels; p++)
            a->plans.at[i].kernels[p].kernel.chip.lists = any;
    }
}
