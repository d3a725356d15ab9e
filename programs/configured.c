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
static void share_program(interpreter *m, const compile_statement_plan *stage, compile_kernel *k) {
    const bool open = compile_session_is_open(&m->session);
    if (!compile_engines[m->o->target.engine].by_processor || m->o->running.wave ||
        !compile_stage_on_processor(stage))
        return;
    if (!open && !m->session.may_wait) { /* waiting calls use the program of their runs */
        m->session_began = m->now;
        m->configured = stage;
    }
    for (uint32_t n = 0; n <= k->producers.len; n++) {
        compile_kernel *one = compile_kernel_at(k, n);
        one->chip.session = &m->session;
        one->chip.configs = m->a->configs;
    }
}

bool compile_is_configured(const interpreter *m, const compile_statement_plan *stage) {
    return m->configured == stage ||
           (m->configured && (m->a->configs || (stage->array && m->configured->array == stage->array)));
}

bool compile_leave_program(interpreter *m, compile_context *ctx, const compile_statement_plan *stage) {
    if (stage && (!m->configured || compile_stage_on_host(stage) || compile_is_configured(m, stage)))
        return true;
    const bool ok = end_session(m, ctx);
    m->configured = NULL;
    return ok;
}

/* The array stays configured until another configuration is needed, if a processor starts the runs; a
 * firmware program with all bitstreams continues with another one. */
static void share_session(interpreter *m, const compile_statement_plan *stage, compile_kernel *k) {
    if (compile_stage_on_host(stage)) {
        share_program(m, stage, k);
        return;
    }
    BUG_IF(m->configured && !compile_is_configured(m, stage),
           "another program runs: its results are operands here");
    const bool open = compile_session_is_open(&m->session) || compile_queue_has_commands(m);
    m->session_began = open ? m->session_began : m->now;
    m->configured = open ? m->configured : stage;
    if (!compile_engines[m->o->target.engine].by_processor ||
        (k->producers.len && !stage->array && !m->a->configs))
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
static void keep_packed(const interpreter *m, compile_statement_plan *stage, const compile_kernel *ran) {
    const sam_statement *packed = &stage->kernel.lowered.statement;
    arena *mem = m->ctx->mem;
    stage->kernel.placed = ran->placed;
    if (stage->kernel.data.kept.operand || !ran->data.packed.operand)
        return;
    tile_tensor *kept = arena_new_n(mem, tile_tensor, packed->tensors.len);
    for (uint32_t t = 0; t < packed->tensors.len; t++) {
        const sam_tensor_data *data = &packed->tensors.at[t];
        const name_id source = sam_stored_name(data);
        if (t + 1 == packed->result.v || data->ones || !compile_stays(m, stage->step, source))
            continue;
        kept[t] = compile_copy_of(&ran->data.packed.operand[t], mem);
    }
    stage->kernel.data.kept = (tile_operands){kept, packed->tensors.len, ran->data.packed.dtype};
}

void compile_begin_run(interpreter *m, compile_context *ctx, compile_statement_plan *stage,
                       const compile_data *data, compile_kernel *k) {
    *k = stage->kernel;
    k->producers.at = arena_new_n(ctx->mem, compile_kernel, k->producers.len + 1);
    for (uint32_t n = 0; n < k->producers.len; n++)
        k->producers.at[n] = stage->kernel.producers.at[n];
    k->data.operands = data->operands;
    k->data.extent = data->extent;
    share_session(m, stage, k);
}

bool compile_end_run(interpreter *m, const compile_context *ctx, compile_statement_plan *stage,
                     const compile_kernel *k, bool ok) {
    m->ctx->interrupted = m->ctx->interrupted || ctx->interrupted;
    if (!ok)
        return false;
    keep_packed(m, stage, k);
    for (uint32_t n = 0; n <= k->producers.len; n++)
        compile_kernel_at(&stage->kernel, n)->again = true;
    return true;
}
