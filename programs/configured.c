/* What stays between runs: the session with the chip, the program on it, what was packed. */
#include "programs/configured.h"
#include "programs/read_back.h"

static bool end_session(interpreter *m, compile_context *ctx) {
    if (!compile_sync_all(m, "another program begins"))
        return false;
    const bool any = compile_session_is_open(&m->session);
    uint64_t cycles;
    return compile_session_end(ctx, &m->session) &&
           (!any || compile_record_activity(m, &m->configured->kernel, m->session_began, &cycles));
}

/* Every program has the functions of the processor: their calls use the running program, or begin one. */
static void share_program(interpreter *m, const compile_statement_plan *plan, compile_kernel *k) {
    const bool open = compile_session_is_open(&m->session);
    if (!compile_engines[m->o->target.engine].by_processor || m->o->running.wave ||
        !compile_runs_on_processor(plan))
        return;
    if (!open && !m->session.may_wait) { /* waiting calls use the program of their runs */
        m->session_began = m->now;
        m->configured = plan;
    }
    for (uint32_t n = 0; n <= k->producers.len; n++) {
        compile_kernel *one = compile_kernel_at(k, n);
        one->chip.session = &m->session;
        one->chip.configs = m->a->configs;
    }
}

bool compile_is_configured(const interpreter *m, const compile_statement_plan *plan) {
    return m->configured == plan ||
           (m->configured && (m->a->configs || (plan->array && m->configured->array == plan->array)));
}

bool compile_leave_program(interpreter *m, compile_context *ctx, const compile_statement_plan *plan) {
    if (plan && (!m->configured || compile_runs_on_host(plan) || compile_is_configured(m, plan)))
        return true;
    const bool ok = end_session(m, ctx);
    m->configured = NULL;
    return ok;
}

/* The array stays configured until another configuration is needed, if a processor starts the runs; a
 * firmware program with all bitstreams continues with another one. */
static void share_session(interpreter *m, const compile_statement_plan *plan, compile_kernel *k) {
    if (compile_runs_on_host(plan)) {
        share_program(m, plan, k);
        return;
    }
    BUG_IF(m->configured && !compile_is_configured(m, plan),
           "another program runs: its results are operands here");
    const bool open = compile_session_is_open(&m->session) || compile_queue_has_commands(m);
    m->session_began = open ? m->session_began : m->now;
    m->configured = open ? m->configured : plan;
    if (!compile_engines[m->o->target.engine].by_processor ||
        (k->producers.len && !plan->array && !m->a->configs))
        return;
    k->chip.session = &m->session;
    for (uint32_t n = 0; n < k->producers.len; n++) {
        compile_kernel *one = &k->producers.at[n];
        one->chip.configs = one->on_processor ? m->a->configs : one->chip.configs;
        /* Without images, a program begun by functions has no bitstream. */
        one->chip.session = !one->on_processor || one->chip.configs || open ? &m->session : NULL;
    }
    k->chip.configs = k->on_processor ? m->a->configs : k->chip.configs;
}

/* Stores the packed words of unchanged tensors, and the operands written by the host. */
static void keep_packed(const interpreter *m, compile_statement_plan *plan, const compile_kernel *ran) {
    const sam_statement *packed = &plan->kernel.lowered.statement;
    arena *mem = m->ctx->mem;
    plan->kernel.placed = ran->placed;
    if (plan->kernel.data.kept.operand || !ran->data.packed.operand)
        return;
    tile_tensor *kept = arena_new_n(mem, tile_tensor, packed->tensors.len);
    for (uint32_t t = 0; t < packed->tensors.len; t++) {
        const sam_tensor_data *data = &packed->tensors.at[t];
        const name_id source = sam_stored_name(data);
        if (t + 1 == packed->result.v || data->ones || !compile_stays(m, plan->step, source))
            continue;
        kept[t] = compile_copy_of(&ran->data.packed.operand[t], mem);
    }
    plan->kernel.data.kept = (tile_operands){kept, packed->tensors.len, ran->data.packed.dtype};
}

void compile_begin_run(interpreter *m, compile_context *ctx, compile_statement_plan *plan,
                       const compile_data *data, compile_kernel *k) {
    *k = plan->kernel;
    k->producers.at = arena_new_n(ctx->mem, compile_kernel, k->producers.len + 1);
    for (uint32_t n = 0; n < k->producers.len; n++)
        k->producers.at[n] = plan->kernel.producers.at[n];
    k->data.operands = data->operands;
    k->data.extent = data->extent;
    share_session(m, plan, k);
}

bool compile_end_run(interpreter *m, const compile_context *ctx, compile_statement_plan *plan,
                     const compile_kernel *k, bool ok) {
    m->ctx->interrupted = m->ctx->interrupted || ctx->interrupted;
    if (!ok)
        return false;
    keep_packed(m, plan, k);
    for (uint32_t n = 0; n <= k->producers.len; n++)
        compile_kernel_at(&plan->kernel, n)->again = true;
    return true;
}
