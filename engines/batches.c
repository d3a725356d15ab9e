/* The runs of a kernel, batch by batch: made, and made again to collect their results. */
#include "engines/batches.h"

/* The streams of a copy, in the order of all copies' columns. */
static uint32_t streams_of_one(const tile_copy_stream *all, uint32_t n, tile_stream *one) {
    uint32_t ones = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (all[i].copy == 0)
            one[ones++] = all[i].stream;
    }
    return ones;
}

static bool begin_planner(compile_batches *b) {
    const compile_batches_in *in = &b->in;
    compile_context *ctx = in->ctx;
    double start = seconds_now();
    compile_stage(ctx, "cutting the operands", 0);
    b->planner = tile_plan_begin(in->statement, in->operands, in->tiling, b->inputs, b->n_in, b->outputs,
                                 b->n_out, ctx->mem, ctx->diag);
    b->cut.seconds += seconds_now() - start;
    return b->planner != NULL;
}

bool compile_begin_batches(const compile_batches_in *in, compile_batches *b) {
    const pnr_board *board = in->design->board;
    *b = (compile_batches){
        .in = *in, .most_words = board->glb_tiles * board->glb_banks_per_tile * (board->glb_bank_bytes / 2)};
    compile_streams_of(in->design, in->kernel, &b->streams);
    b->n_in = streams_of_one(b->streams.in, b->streams.n_in, b->inputs);
    b->n_out = streams_of_one(b->streams.out, b->streams.n_out, b->outputs);
    return begin_planner(b);
}

bool compile_next_batch(compile_batches *b) {
    const compile_streams *s = &b->streams;
    tile_plan one;
    double start = seconds_now();
    arena_free(&b->mem);
    tile_step step = tile_plan_next(b->planner, b->most_words, &b->mem, &one);
    b->plan = one;
    if (step != TILE_FAILED && b->in.lockstep > 1)
        tile_unroll(&one, b->in.lockstep, b->in.how, s->in, s->n_in, s->out, s->n_out, &b->mem, &b->plan);
    if (!b->again) {
        b->cut.counts = *tile_plan_counts(b->planner);
        b->cut.passes += b->plan.runs.len;
        b->cut.batches += step == TILE_BATCH;
        if (b->plan.words.len)
            b->cut.hash =
                hash_more(b->cut.hash, b->plan.words.at, b->plan.words.len * sizeof *b->plan.words.at);
    }
    b->failed = step == TILE_FAILED;
    b->cut.seconds += seconds_now() - start;
    return step == TILE_BATCH;
}

void compile_end_batches(compile_batches *b) {
    if (b->planner)
        tile_plan_end(b->planner);
    b->planner = NULL;
    arena_free(&b->mem);
    b->cut.tile = b->plan.tile;
    b->cut.edge = b->plan.edge;
    b->cut.glb_edge = b->plan.glb_edge;
    b->plan = (tile_plan){
        .tile = b->cut.tile, .edge = b->cut.edge, .glb_edge = b->cut.glb_edge, .copies = b->plan.copies};
}

bool compile_collect_batches(compile_batches *b, const char *result, tile_collector *c, uint64_t *cycles) {
    compile_context *ctx = b->in.ctx;
    tile_results r;
    b->again = true;
    if (!begin_planner(b) || !tile_results_open(&r, result, b->cut.passes, ctx->diag))
        return false;
    bool good = true;
    compile_stage(ctx, "collecting the result", 0);
    while (good && compile_next_batch(b))
        good = tile_results_collect(&r, &b->plan, c, ctx->diag);
    *cycles = r.cycles;
    return tile_results_close(&r, good && !b->failed, ctx->diag);
}
