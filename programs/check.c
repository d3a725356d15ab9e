/* check.c - the judge of a program's run. This file alone in programs/ calls the reference
 * (tests/checker.sh). */
#include "programs/check.h"
#include "compile/compile.h"
#include "tiling/wide.h"

bool compile_reference(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                       tile_tensor *out) {
    return tile_reference(s, in, mem, d, out);
}

bool compile_check_alone(const interpreter *m, compile_context *ctx, const fe_step *step,
                         const compile_data *data, const tile_tensor *got) {
    tile_tensor want;
    if (m->reference || !m->o->running.check || m->o->tensors.dtype != TILE_DTYPE_BF16)
        return true;
    if (!tile_reference(&step->statement, &data->operands, ctx->mem, ctx->diag, &want))
        return false;
    tile_match_width(&want, tile_wide(got) != NULL);
    if (tile_equal(got, &want, m->o->tensors.dtype, ctx->names, ctx->diag))
        return true;
    m->a->check = "fail";
    return false;
}

bool compile_same_results(const interpreter *engine, const interpreter *reference) {
    const fe_program *p = &engine->a->program;
    bool same = true;
    for (uint32_t i = 0; i < p->results.len; i++) {
        const uint32_t t = p->results.at[i];
        const tile_tensor *got = &engine->of[t].t, *want = &reference->of[t].t;
        same = tile_equal(got, want, engine->o->tensors.dtype, engine->ctx->names, engine->ctx->diag) && same;
    }
    return same;
}

static bool calls_function(const fe_step *step) {
    bool calls = false;
    for (uint32_t e = 0; e < step->statement.exprs.len; e++)
        calls = calls || step->statement.exprs.at[e].program;
    return calls;
}

static bool has_host_kernel(const compile_statement_plan *plan) {
    bool host = plan->on_host || plan->kernel.on_host;
    for (uint32_t n = 0; n < plan->kernel.producers.len; n++)
        host = host || plan->kernel.producers.at[n].on_host;
    return host;
}

uint32_t compile_count_independent(const compile_options *o, const compile_application *a, uint32_t *of) {
    uint32_t n = 0;
    *of = 0;
    for (uint32_t i = 0; i < a->plans.len; i++) {
        const compile_statement_plan *plan = &a->plans.at[i];
        const bool by_processor =
            compile_engines[o->target.engine].by_processor && compile_runs_on_processor(plan);
        if (plan->step->kind != FE_STEP_ASSIGN)
            continue;
        *of += 1;
        n += !calls_function(plan->step) || !has_host_kernel(plan) || by_processor;
    }
    return n;
}

void compile_measure_results(const interpreter *engine, const interpreter *reference) {
    compile_application *a = engine->a;
    uint64_t wrapped = 0;
    a->accuracy = arena_new_n(engine->ctx->mem, tile_accuracy, a->program.results.len + 1);
    for (uint32_t i = 0; i < reference->a->plans.len; i++)
        wrapped += reference->a->plans.at[i].wrapped;
    for (uint32_t i = 0; i < a->program.results.len; i++) {
        const uint32_t t = a->program.results.at[i];
        tile_measure(&engine->of[t].t, &reference->of[t].t, engine->o->tensors.dtype, &a->accuracy[i]);
        a->accuracy[i].wrapped = wrapped;
        compile_refuse_error(engine->o, engine->ctx, a->program.tensors.at[t].name, &a->accuracy[i]);
    }
}
