/* Statements of several kernels in a waiting list: each kernel is a plan, and a workspace is a tensor with
 * its own place until the statement ends. */
#include "programs/kernel_plans.h"
#include "engines/engines.h"
#include "programs/calls.h"
#include "programs/commands.h"

/* ---- the kernels as plans ---------------------------------------------------------------------- */

static bool on_array(const compile_statement_plan *plan) {
    bool is = plan->kernel.producers.len > 0;
    compile_dense d;
    for (uint32_t n = 0; n <= plan->kernel.producers.len; n++)
        is = is && (!compile_kernel_at(&plan->kernel, n)->on_host ||
                    compile_may_wait_calls(compile_kernel_at(&plan->kernel, n)) ||
                    compile_find_dense(&compile_kernel_at(&plan->kernel, n)->lowered.statement, &d));
    return is;
}

/* Returns the tensor of a name: an operand of the statement, a workspace of the kernels before `n`, or
 * neither, for a tensor that the host makes of operands. */
static fe_use use_of(const compile_statement_plan *plan, uint32_t n, name_id name) {
    const sam_statement *s = &plan->step->statement;
    for (uint32_t p = 0; p < n; p++) {
        const sam_statement *made = &plan->kernels[p].kernel.lowered.statement;
        if (name_eq(sam_tensor_at(made, made->result)->name, name))
            return (fe_use){.shared = plan->kernels[p].to};
    }
    const sam_tensor t = sam_operand_named(s, name);
    return t.v ? plan->step->use[t.v - 1] : (fe_use){.shared = FE_NO_TENSOR};
}

/* Makes the step of kernel `n`: its operands by the names of their stored tensors. */
static const fe_step *step_of(compile_context *ctx, const compile_statement_plan *plan, uint32_t n) {
    const sam_statement *packed = &plan->kernels[n].kernel.lowered.statement;
    fe_step *step = arena_new(ctx->mem, fe_step);
    fe_use *use = arena_new_n(ctx->mem, fe_use, packed->tensors.len + 1);
    *step = (fe_step){.kind = FE_STEP_ASSIGN, .loc = plan->step->loc, .text = plan->step->text, .use = use};
    step->statement.result = packed->result;
    for (uint32_t t = 0; t < packed->tensors.len; t++) {
        sam_tensor_data data = packed->tensors.at[t];
        data.name = sam_stored_name(&data);
        vec_push(ctx->mem, &step->statement.tensors, data);
        use[t] =
            t + 1 == packed->result.v ? (fe_use){.shared = plan->kernels[n].to} : use_of(plan, n, data.name);
    }
    return step;
}

void compile_plan_kernels(compile_context *ctx, compile_application *a, compile_statement_plan *plan) {
    const uint32_t n = plan->kernel.producers.len + 1;
    if (plan->step->kind != FE_STEP_ASSIGN || !on_array(plan))
        return;
    plan->kernels = arena_new_n(ctx->mem, compile_statement_plan, n);
    plan->n_kernels = n;
    for (uint32_t p = 0; p < n; p++) {
        compile_statement_plan *kernel_plan = &plan->kernels[p];
        *kernel_plan = (compile_statement_plan){.within = plan->within,
                                                .loops = plan->loops,
                                                .array = plan->array,
                                                .to = p + 1 < n ? a->slots++ : plan->to,
                                                .options = plan->options,
                                                .kernel = *compile_kernel_at(&plan->kernel, p),
                                                .whole = plan};
        memset(&kernel_plan->kernel.producers, 0, sizeof kernel_plan->kernel.producers);
        kernel_plan->step = step_of(ctx, plan, p);
    }
}

/* ---- their runs --------------------------------------------------------------------------------- */

/* Adds the workspaces before kernel `n` to the operands of its statement. */
static bool add_workspaces(const interpreter *m, compile_context *ctx, const compile_statement_plan *plan,
                           uint32_t n, compile_data *data, bool *inferred) {
    const uint32_t own = data->operands.n;
    tile_tensor *all = arena_new_n(ctx->mem, tile_tensor, own + n + 1);
    memcpy(all, data->operands.operand, sizeof *all * own);
    for (uint32_t p = 0; p < n; p++)
        all[own + p] = m->of[plan->kernels[p].to].t;
    data->operands = (tile_operands){all, own + n, data->operands.dtype};
    *inferred = false;
    return n + 1 == plan->n_kernels ||
           compile_workspace_extents(ctx, &plan->kernels[n].kernel, &data->operands, &data->extent, inferred);
}

/* Returns whether a stored fill among the operand's values gives the same result as an absent value. */
static bool is_by_values(const sam_statement *s) {
    bool is = true;
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        const sam_expr_data *x = &s->exprs.at[e];
        const bool call = x->kind == SAM_EXPR_CALL;
        is = is && x->kind != SAM_EXPR_DIV &&
             !(call && (x->operation == SAM_OPERATION_unless || x->operation == SAM_OPERATION_reach ||
                        x->operation == SAM_OPERATION_program || x->operation == SAM_OPERATION_div));
    }
    for (uint32_t t = 0; t < s->tensors.len; t++)
        is = is && !s->tensors.at[t].structure;
    return is;
}

/* Holds a workspace, without values equal to the fill, as for every tensor, unless stored fills matter. */
static bool hold_workspace(interpreter *m, compile_statement_plan *plan, uint32_t n,
                           const tile_tensor *value) {
    const sam_statement *made = &plan->kernels[n].kernel.lowered.statement;
    tensor_slot *to = &m->of[plan->kernels[n].to];
    bool counts = false;
    for (uint32_t p = n + 1; p < plan->n_kernels; p++)
        counts = counts || !is_by_values(&plan->kernels[p].kernel.lowered.statement);
    compile_set_slot(to, value, value, false);
    to->t.name = sam_tensor_at(made, made->result)->name;
    return to->t.nnz == value->nnz || !counts;
}

/* Computes a workspace. */
static bool fill_workspace(interpreter *m, const compile_context *ctx, compile_statement_plan *plan,
                           uint32_t n, compile_deferred_run *run) {
    compile_context own = *ctx;
    arena scratch = {0};
    compile_member *member = &run->members[0];
    bool inferred;
    own.mem = &scratch;
    member->plan = &plan->kernels[n];
    const bool ok = add_workspaces(m, &own, plan, n, &member->data, &inferred) &&
                    compile_enqueue(m, &own, member, 1, &run->waited);
    compile_resident *resident = ok ? member->resident : NULL;
    if (!resident) {
        arena_free(&scratch);
        return ok;
    }
    tile_tensor value = member->value;
    value.dim_inferred = value.dim_inferred || inferred;
    if (!hold_workspace(m, plan, n, &value)) {
        run->waited = COMPILE_NEVER;
        plan->waits = false;
        plan->eager = "values of a workspace count though they are its fill";
    }
    m->of[plan->kernels[n].to].resident = resident;
    resident->mem = scratch;
    return true;
}

bool compile_enqueue_kernel(interpreter *m, compile_context *ctx, compile_statement_plan *plan, uint32_t n,
                            compile_deferred_run *run) {
    bool inferred;
    if (n + 1 < plan->n_kernels)
        return fill_workspace(m, ctx, plan, n, run);
    run->members[0].plan = &plan->kernels[n];
    return add_workspaces(m, ctx, plan, n, &run->members[0].data, &inferred) &&
           compile_enqueue(m, ctx, run->members, 1, &run->waited);
}

void compile_end_kernels(interpreter *m, compile_statement_plan *plan, bool all) {
    for (uint32_t n = 0; n + 1 < plan->n_kernels; n++) {
        tensor_slot *workspace = &m->of[plan->kernels[n].to];
        compile_forget_resident(workspace);
        arena_free(&workspace->mem);
        *workspace = (tensor_slot){0};
    }
    plan->begun = plan->begun && !all;
}
