/* Runs of a bitstream without a known kernel. */
#include "engines/engines.h"

/* The words stored by the cycle model, two bytes each. */
static void take_modelled(compile_context *ctx, const compile_modelled *met, uint32_t n, u16_vec *stored) {
    for (uint32_t o = 0; o < n; o++) {
        for (uint32_t i = 0; i + 1 < met->stored[o].len; i += 2)
            vec_push(ctx->mem, &stored[o], (uint16_t)(met->stored[o].at[i] | met->stored[o].at[i + 1] << 8));
    }
}

static bool take_result(compile_engine_run *r, const tile_plan *plan, u16_vec *stored) {
    compile_context *ctx = r->in->ctx;
    tile_results file;
    if (!tile_results_open(&file, r->result, plan->runs.len, ctx->diag))
        return false;
    bool ok = file.outputs == plan->outputs.len;
    for (uint32_t run = 0; run < plan->runs.len && ok; run++) {
        arena scratch = {0};
        const uint16_t *words[TILE_MAX_STREAMS];
        uint32_t lengths[TILE_MAX_STREAMS];
        ok = tile_results_take(&file, words, lengths, &scratch, ctx->diag);
        for (uint32_t o = 0; o < file.outputs && ok; o++) {
            for (uint32_t i = 0; i < lengths[o]; i++)
                vec_push(ctx->mem, &stored[o], words[o][i]);
        }
        arena_free(&scratch);
    }
    r->result_cycles = file.cycles;
    return tile_results_close(&file, ok, ctx->diag);
}

static bool run(const compile_engine_row *engine, compile_engine_run *r, const tile_plan *plan,
                compile_outcome *out, u16_vec *stored) {
    const tile_plan none = {.outputs = plan->outputs, .inputs = plan->inputs, .copies = 1};
    const bool modelled = engine->ahead && !compile_is_dense(&r->in->how);
    if (!engine->prepare(r, out))
        return false;
    compile_model *ahead = modelled ? compile_model_begin(r->in, out) : NULL;
    bool good = (ahead || !modelled) && (!ahead || compile_model_share(ahead, plan, NULL, r->in->how.jobs)) &&
                engine->batch(r, plan) && engine->batch(r, &none);
    out->modelled.ahead = modelled;
    out->modelled.longest = out->modelled.cycles;
    good = good && (!ahead || compile_model_report(r->in, &out->modelled));
    good = engine->finish(r, good, out) && good;
    if (good && engine->ahead)
        good = take_result(r, plan, stored);
    else if (good)
        take_modelled(r->in->ctx, &out->modelled, plan->outputs.len, stored);
    return good && engine->counters(r, out);
}

bool compile_run_bare(const compile_options *o, compile_context *ctx, const compile_bare *bare,
                      const tile_plan *plan, compile_outcome *out, u16_vec *stored) {
    const sam_statement none = {0};
    compile_engine_in in = {.ctx = ctx,
                            .how = compile_running_of(o, bare->board),
                            .statement = &none,
                            .board = bare->board,
                            .board_path = bare->board_path,
                            .design = bare->decoded,
                            .decoded = bare->decoded,
                            .map = bare->map,
                            .bits = bare->bits,
                            .folder = bare->folder,
                            .final_folder = bare->final_folder};
    in.how.kept = true;
    in.how.writes = bare->writes;
    compile_engine_run r = {.in = &in};
    *out = (compile_outcome){0};
    return run(compile_engine_of(o->target.engine), &r, plan, out, stored);
}
