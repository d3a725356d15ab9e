/* The runs of a kernel, batch by batch: made, run ahead on the cycle model, written for an engine that takes
 * them from a file, and made again for what came back. So nothing is ever longer than a batch in memory. */
#include "compile/engine.h"

/* The streams of one copy, in the order of all copies' columns. */
static uint32_t streams_of_one(const tile_copy_stream *all, uint32_t n, tile_stream *one) {
    uint32_t ones = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (all[i].copy == 0)
            one[ones++] = all[i].stream;
    }
    return ones;
}

/* Cuts the operands; no batch is made yet. */
static bool begin_planner(compile_batches *b) {
    compile_kernel *k = b->kernel;
    compile_context *ctx = b->ctx;
    double start = seconds_now();
    compile_stage(ctx, "cutting the operands", 0);
    b->planner = tile_plan_begin(&k->lowered.statement, b->operands, &k->tiling.options, b->inputs, b->n_in,
                                 b->outputs, b->n_out, ctx->mem, ctx->diag);
    k->times.tile += seconds_now() - start;
    return b->planner != NULL;
}

bool compile_begin_batches(compile_context *ctx, compile_kernel *k, const tile_operands *in,
                           compile_batches *b) {
    const pnr_board *board = &k->board;
    uint32_t glb_words = board->glb_tiles * board->glb_banks_per_tile * (board->glb_bank_bytes / 2);
    *b = (compile_batches){
        .ctx = ctx, .kernel = k, .operands = in, .how = k->array.dispatch.how, .most_words = glb_words};
    compile_streams_of(&k->array.design, &b->streams);
    b->n_in = streams_of_one(b->streams.in, b->streams.n_in, b->inputs);
    b->n_out = streams_of_one(b->streams.out, b->streams.n_out, b->outputs);
    return begin_planner(b);
}

bool compile_next_batch(compile_batches *b) {
    compile_kernel *k = b->kernel;
    tile_plan one;
    double start = seconds_now();
    arena_free(&b->mem);
    tile_step step = tile_plan_next(b->planner, b->most_words, &b->mem, &one);
    k->plan = one;
    if (step != TILE_FAILED && k->array.copies > 1 && !k->array.apart)
        tile_unroll(&one, k->array.copies, b->how, b->streams.in, b->streams.n_in, b->streams.out,
                    b->streams.n_out, &b->mem, &k->plan);
    if (!b->again) {
        k->planned.counts = *tile_plan_counts(b->planner);
        k->planned.passes += k->plan.runs.len;
        k->planned.batches += step == TILE_BATCH;
    }
    b->failed = step == TILE_FAILED;
    k->times.tile += seconds_now() - start;
    return step == TILE_BATCH;
}

void compile_end_batches(compile_batches *b) {
    compile_kernel *k = b->kernel;
    if (b->planner)
        tile_plan_end(b->planner);
    b->planner = NULL;
    arena_free(&b->mem);
    k->plan = (tile_plan){
        .tile = k->plan.tile, .edge = k->plan.edge, .glb_edge = k->plan.glb_edge, .copies = k->plan.copies};
}

bool compile_write_batches(const compile_options *o, compile_batches *b, compile_outcome *out,
                           compile_put_plan *put, void *to) {
    compile_context *ctx = b->ctx;
    compile_kernel *k = b->kernel;
    compile_ahead *ahead = compile_ahead_begin(ctx, k, out);
    bool good = ahead != NULL, more = good;
    while (good && more) {
        more = compile_next_batch(b);
        good = !b->failed && compile_ahead_batch(ctx, ahead, &k->plan, out) && put(to, &k->plan);
    }
    good = good && compile_ahead_end(o, ctx, out);
    compile_end_batches(b); /* the engine runs without it */
    return good;
}

bool compile_collect_batches(compile_batches *b, const char *result, tile_collector *c, uint64_t *cycles) {
    compile_context *ctx = b->ctx;
    tile_results r;
    b->again = true;
    if (!begin_planner(b) || !tile_results_open(&r, result, b->kernel->planned.passes, ctx->diag))
        return false;
    bool good = true;
    compile_stage(ctx, "collecting the result", 0);
    while (good && compile_next_batch(b))
        good = tile_results_collect(&r, &b->kernel->plan, c, ctx->diag);
    *cycles = r.cycles;
    return tile_results_close(&r, good && !b->failed, ctx->diag);
}
