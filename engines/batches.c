/* The runs of a kernel, batch by batch: made, and made again to collect their results. */
#include "engines/batches.h"

static compile_cut_in cut_of(const compile_kernel *k) {
    return (compile_cut_in){&k->lowered.statement, &k->data.packed, &k->tiling.options};
}

compile_batches_in compile_batches_of(compile_context *ctx, const compile_kernel *k) {
    compile_batches_in in = {.ctx = ctx,
                             .n = 1 + k->array.others.len,
                             .design = &k->array.design,
                             .kernel = k->array.kernel,
                             .lockstep = k->array.independent ? 1 : k->array.copies,
                             .how = k->array.dispatch.how};
    in.of[0] = cut_of(k);
    for (uint32_t p = 1; p < in.n; p++)
        in.of[p] = cut_of(k->array.others.at[p - 1]);
    return in;
}

compile_batches_in compile_batches_of_member(compile_context *ctx, const compile_kernel *k, uint32_t runs) {
    compile_batches_in in = {.ctx = ctx, .runs = runs, .design = &k->array.design, .kernel = k->array.kernel};
    compile_streams streams;
    compile_streams_of(in.design, in.kernel, &streams);
    for (uint32_t i = 0; i < streams.n_in; i++)
        in.n = streams.in[i].copy >= in.n ? streams.in[i].copy + 1 : in.n;
    in.of[k->array.member] = cut_of(k);
    return in;
}

/* Finds the streams of a copy, in the order of all copies' columns. */
static uint32_t streams_of_one(const tile_copy_stream *all, uint32_t n, uint32_t copy, tile_stream *one) {
    uint32_t ones = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (all[i].copy == copy)
            one[ones++] = all[i].stream;
    }
    return ones;
}

static bool begin_planners(compile_batches *b) {
    compile_context *ctx = b->in.ctx;
    double start = seconds_now();
    bool ok = true;
    b->begun = false;
    compile_stage(ctx, "cutting the operands", 0);
    for (uint32_t p = 0; p < b->in.n && ok; p++) {
        const compile_cut_in *in = &b->in.of[p];
        if (!in->statement)
            continue;
        b->of[p].planner =
            tile_plan_begin(in->statement, in->operands, in->tiling, b->of[p].inputs, b->of[p].n_in,
                            b->of[p].outputs, b->of[p].n_out, ctx->mem, ctx->diag);
        ok = b->of[p].planner != NULL;
    }
    b->cut.seconds += seconds_now() - start;
    return ok;
}

bool compile_begin_batches(const compile_batches_in *in, compile_batches *b) {
    const pnr_board *board = in->design->board;
    *b = (compile_batches){
        .in = *in, .most_words = board->glb_tiles * board->glb_banks_per_tile * (board->glb_bank_bytes / 2)};
    compile_streams_of(in->design, in->kernel, &b->streams);
    for (uint32_t p = 0; p < in->n; p++) {
        b->of[p].n_in = streams_of_one(b->streams.in, b->streams.n_in, p, b->of[p].inputs);
        b->of[p].n_out = streams_of_one(b->streams.out, b->streams.n_out, p, b->of[p].outputs);
    }
    return begin_planners(b);
}

/* Makes the next runs of each statement. Returns whether there are any. */
static bool plan_next(compile_batches *b) {
    bool any = b->in.runs && !b->begun; /* of the other statements, at least */
    b->failed = false;
    b->begun = true;
    for (uint32_t p = 0; p < b->in.n; p++) {
        if (!b->of[p].planner)
            continue;
        const tile_step step = tile_plan_next(b->of[p].planner, b->most_words, &b->mem, &b->of[p].plan);
        any = any || step == TILE_BATCH;
        b->failed = b->failed || step == TILE_FAILED;
        if (!b->again && p == 0)
            b->cut.counts = *tile_plan_counts(b->of[p].planner);
    }
    return any && !b->failed;
}

static void unite(compile_batches *b, uint32_t runs) {
    const compile_streams *s = &b->streams;
    tile_plan all[COMPILE_MEMBERS_MOST];
    for (uint32_t p = 0; p < b->in.n; p++)
        all[p] = b->of[p].plan;
    tile_unite(&(tile_union){all, b->in.n, runs, s->in, s->out, s->n_in, s->n_out}, &b->mem, &b->plan);
}

bool compile_next_batch(compile_batches *b) {
    const compile_streams *s = &b->streams;
    double start = seconds_now();
    arena_free(&b->mem);
    const bool any = plan_next(b);
    b->plan = b->of[0].plan;
    if (!b->failed && b->in.n > 1)
        unite(b, any ? b->in.runs : 0);
    else if (!b->failed && b->in.lockstep > 1)
        tile_unroll(&b->of[0].plan, b->in.lockstep, b->in.how, s->in, s->n_in, s->out, s->n_out, &b->mem,
                    &b->plan);
    if (!b->again) {
        b->cut.passes += b->plan.runs.len;
        b->cut.batches += any;
        if (b->plan.words.len)
            b->cut.hash =
                hash_more(b->cut.hash, b->plan.words.at, b->plan.words.len * sizeof *b->plan.words.at);
    }
    b->cut.seconds += seconds_now() - start;
    return any;
}

void compile_end_batches(compile_batches *b) {
    for (uint32_t p = 0; p < b->in.n; p++) {
        if (b->of[p].planner)
            tile_plan_end(b->of[p].planner);
        b->of[p].planner = NULL;
        b->of[p].plan = (tile_plan){.tile = b->of[p].plan.tile,
                                    .edge = b->of[p].plan.edge,
                                    .glb_edge = b->of[p].plan.glb_edge,
                                    .copies = b->of[p].plan.copies};
    }
    arena_free(&b->mem);
    b->cut.tile = b->of[0].plan.tile;
    b->cut.edge = b->of[0].plan.edge;
    b->cut.glb_edge = b->of[0].plan.glb_edge;
    b->plan = (tile_plan){
        .tile = b->cut.tile, .edge = b->cut.edge, .glb_edge = b->cut.glb_edge, .copies = b->plan.copies};
}

bool compile_collect_batches(compile_batches *b, const char *result, tile_collector *c, uint64_t *cycles) {
    compile_context *ctx = b->in.ctx;
    tile_results r;
    b->again = true;
    if (!begin_planners(b) || !tile_results_open(&r, result, b->cut.passes, ctx->diag))
        return false;
    bool good = true;
    compile_stage(ctx, "collecting the result", 0);
    while (good && compile_next_batch(b))
        good = tile_results_collect(&r, &b->plan, c, ctx->diag);
    *cycles = r.cycles;
    return tile_results_close(&r, good && !b->failed, ctx->diag);
}
