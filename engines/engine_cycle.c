/* Engine cycle: the cycle model alone, with its traces. */
#include "engines/model.h"
#include "engines/shard.h"
#include "rtl_models/cycle/wave.h"

typedef struct {
    compile_model *model;
    wave *waves;            /* NULL: none */
    cycle_samples *samples; /* without waves; NULL where other processes make the runs */
    file_out trace;         /* where --io-trace writes the cycle of every word */
    uint32_t batches;       /* so far */
    compile_shard_of of;    /* with --shard: what was made */
    compile_shards shards;  /* of onyx merge */
} cycle_engine;

/* Returns whether a share of the runs is made: none is given. */
static bool is_divided(const compile_running *how) {
    return how->shards && !how->merged.len;
}

static bool begin_trace(const compile_engine_in *in, cycle_engine *e) {
    compile_context *ctx = in->ctx;
    return file_create(&e->trace, arena_printf(ctx->mem, "%s/io.trace", in->folder), ctx->mem, ctx->diag);
}

/* A program of other tools has no statement: nothing is known of its result's modes. */
static uint32_t result_modes(const compile_engine_in *in) {
    const sam_statement *s = in->statement;
    return s->tensors.len ? sam_tensor_at(s, s->result)->order : 0;
}

static bool prepare(compile_engine_run *r, compile_outcome *out) {
    const compile_engine_in *in = r->in;
    compile_context *ctx = in->ctx;
    cycle_engine *e = r->own = arena_new(ctx->mem, cycle_engine);
    e->model = compile_model_begin(in, out);
    if (!e->model || (in->how.io_trace && !begin_trace(in, e)))
        return false;
    e->of.design = compile_shard_design(in->bits);
    if (in->how.merged.len && !compile_shards_read(in, &e->shards))
        return false;
    const compile_modelled *on = &out->modelled;
    cycle_watcher *watcher;
    if (in->how.wave)
        e->waves = wave_of_model(in->folder, on->design, &watcher, ctx->mem, ctx->diag);
    if (e->waves)
        cycle_watch(on->model, watcher, e->waves);
    else if (!in->how.wave && in->how.jobs <= 1 && !in->how.shards && !in->how.merged.len)
        e->samples = compile_model_sample(e->model, result_modes(in));
    bool ok = e->waves || !in->how.wave;
    if (!ok && in->how.io_trace)
        file_commit(&e->trace, ctx->diag);
    return ok;
}

static bool batch(compile_engine_run *r, const tile_plan *plan) {
    cycle_engine *e = r->own;
    const uint32_t number = e->batches++;
    const compile_running *how = &r->in->how;
    arena *mem = r->in->ctx->mem;
    if (is_divided(how) && plan->runs.len) {
        vec_push(mem, &e->of.batch, compile_shard_batch(plan));
        return compile_model_shard(e->model, plan, how->shard - 1, how->shards,
                                   compile_shard_file(r->in->folder, number, mem));
    }
    if (how->merged.len && plan->runs.len) {
        const char **files = arena_new_n(mem, const char *, e->shards.n);
        for (uint32_t i = 0; i < e->shards.n; i++)
            files[i] = compile_shard_file(e->shards.folder[i], number, mem);
        return compile_shards_match(r->in, &e->shards, number, plan) &&
               compile_model_merge(e->model, plan, r->collector, files, e->shards.n);
    }
    if (r->in->how.jobs > 1)
        return compile_model_share(e->model, plan, r->collector, r->in->how.jobs);
    return compile_model_batch(e->model, plan, r->collector, e->trace.stream);
}

static bool finish(compile_engine_run *r, bool good, compile_outcome *out) {
    cycle_engine *e = r->own;
    compile_context *ctx = r->in->ctx;
    cycle_watch(out->modelled.model, NULL, NULL);
    if (e->waves)
        good = wave_end(e->waves, ctx->diag) && good;
    cycle_sample(out->modelled.model, NULL);
    if (e->samples && good)
        good = cycle_samples_end(e->samples, r->in->folder, ctx->diag);
    if (r->in->how.io_trace)
        good = file_commit(&e->trace, ctx->diag) && good; /* a stuck run keeps its partial trace */
    good = compile_model_report(r->in, &out->modelled) && good;
    return good && (!is_divided(&r->in->how) || compile_shard_write(r->in, &e->of));
}

static bool counters(const compile_engine_run *r, compile_outcome *out) {
    const cycle_engine *e = r->own;
    out->cycles.kernel = out->cycles.total = compile_model_cycles(e->model);
    return true;
}

const compile_engine_row compile_engine_cycle = {
    .prepare = prepare, .batch = batch, .finish = finish, .counters = counters};
