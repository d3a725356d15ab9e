/* onyx run and onyx compile: compile, cut the data, run an engine, compare with the reference, report. */
#include "compile/engine.h"

void compile_streams_of(const pnr_design *design, compile_streams *streams) {
    *streams = (compile_streams){0};
    for (uint32_t x = 0; x < design->board->width; x++) {
        for (uint32_t c = 0; c < design->net->cells.len; c++) {
            const net_cell_data *cell = &design->net->cells.at[c];
            bool io = cell->mode == NET_MODE_IO_IN || cell->mode == NET_MODE_IO_OUT;
            if (!io || design->site.at[c].x != x)
                continue;
            const tile_copy_stream stream = {{cell->tensor, cell->level}, cell->copy};
            uint32_t *n = cell->output ? &streams->n_out : &streams->n_in;
            (cell->output ? streams->out : streams->in)[*n] = stream;
            (cell->output ? streams->out_cell : streams->in_cell)[*n] = c;
            (cell->output ? streams->out_column : streams->in_column)[(*n)++] = x;
        }
    }
}

/* A packed statement's graph on its packed operands. */
static bool run_graph(const compile_options *o, compile_context *ctx, const sam_statement *st,
                      const sam_graph *g, const tile_operands *in, compile_outcome *out) {
    sam_tensor_levels *levels = arena_new_n(ctx->mem, sam_tensor_levels, st->tensors.len);
    uint32_t *extent = NULL, result_extent[SAM_MAX_ORDER] = {0}, n = 0;
    const sam_tensor_data *result = sam_tensor_at(st, st->result);
    if (!tile_extents(st, in, ctx->mem, ctx->diag, &extent))
        return false;
    tile_result_dim(st, extent, result_extent);
    *out = (compile_outcome){.result = {.name = result->name, .order = result->order}};
    memcpy(out->result.dim, result_extent, sizeof result_extent);
    for (uint32_t l = 0; l < st->loops.len; l++) {
        if (!extent[st->loops.at[l].v - 1])
            return true; /* an index without coordinates: the result is empty */
    }
    for (uint32_t t = 0; t < st->tensors.len; t++) {
        if (t + 1 == st->result.v)
            continue;
        if (!tile_levels(&in->operand[t], &st->tensors.at[t], ctx->mem, ctx->diag, &levels[n++]))
            return false;
    }
    sam_sim_result sim;
    if (!compile_watched_simulate(o, ctx, g, levels, n, &sim))
        return false;
    for (uint32_t l = 0; l < result->order; l++) /* a dense result level is as long as its index */
        sim.result.level[l].dim = result_extent[result->mode[l]];
    out->kernel_cycles = out->total_cycles = sim.cycles;
    return tile_from_levels(&sim.result, result, result_extent, in->dtype, ctx->mem, ctx->diag, &out->result);
}

/* Coordinates there are at most in a fiber of a sub-tile: a memory tile holds no more of one operand. */
static uint32_t longest_fiber(const compile_kernel *k, const uint32_t *extent) {
    uint32_t most = tile_longest(&k->lowered.statement, &k->tiling.options, extent);
    uint64_t held = (uint64_t)k->tiling.options.mem_words * k->lowered.statement.tensors.len;
    return most < held ? most : (uint32_t)held;
}

/* Cuts the packed operands, lets the engine run every pair, collects. */
static bool run_tiled(const compile_options *o, compile_context *ctx, compile_kernel *k,
                      const tile_operands *in) {
    uint32_t *extent = NULL;
    compile_outcome *out = &k->ran;
    compile_batches b;
    if (!tile_extents(&k->lowered.statement, in, ctx->mem, ctx->diag, &extent) ||
        !compile_check_deadlock(o, ctx, k, longest_fiber(k, extent)) ||
        !compile_begin_batches(ctx, k, in, &b))
        return false;
    tile_collector *c = tile_collect_begin(&k->lowered.statement, &k->plan, extent, in->dtype, ctx->mem);
    bool ok = (o->engine == ENGINE_CYCLE     ? compile_run_cycle
               : o->engine == ENGINE_RTL     ? compile_run_rtl
               : o->engine == ENGINE_PROGRAM ? compile_run_program
                                             : compile_run_soc)(o, ctx, k, &b, c, out);
    bool collected = tile_collect_end(c, ctx->mem, &out->result);
    k->planned.partials = tile_collect_cost(c);
    compile_end_batches(&b);
    return collected && ok;
}

/* One kernel on operands and workspaces, which it finds by name; the result is that of k->user. */
static bool run_kernel(const compile_options *all, compile_context *ctx, compile_kernel *k,
                       const tile_operands *in) {
    const compile_options own = compile_options_of(all, k), *o = &own;
    double start = seconds_now();
    if ((!k->data.packed.operand &&
         !tile_pack(&k->lowered.statement, in, ctx->mem, ctx->diag, &k->data.packed)) ||
        !(o->engine == ENGINE_SAM
              ? run_graph(o, ctx, &k->lowered.statement, &k->lowered.sam, &k->data.packed, &k->ran)
              : run_tiled(o, ctx, k, &k->data.packed)))
        return false;
    const tile_tensor got = k->ran.result;
    uint32_t dim[SAM_MAX_ORDER] = {0};
    tile_result_dim(&k->user, k->data.extent, dim);
    tile_unpack(sam_tensor_at(&k->lowered.statement, k->lowered.statement.result), &got, dim, in->dtype,
                ctx->mem, &k->ran.result);
    k->times.run = seconds_now() - start - k->times.tile - k->times.firmware;
    return true;
}

/* Runs the kernel of a workspace and adds the workspace to `all`, where its operands are, by name. */
static bool run_producer(const compile_options *o, compile_context *ctx, compile_kernel *p, tile_tensor *all,
                         tile_operands *now) {
    tile_tensor *own = arena_new_n(ctx->mem, tile_tensor, p->user.tensors.len);
    bool inferred = false;
    for (uint32_t t = 0; t < p->user.tensors.len; t++) {
        for (uint32_t i = 0; i < now->n; i++) {
            if (name_eq(all[i].name, p->user.tensors.at[t].name))
                own[t] = all[i];
        }
        inferred = inferred || own[t].dim_inferred;
    }
    const tile_operands in = {own, p->user.tensors.len, now->dtype};
    if (!tile_known_extents(&p->user, &in, ctx->mem, ctx->diag, &p->data.extent) ||
        !run_kernel(o, ctx, p, now))
        return false;
    p->ran.result.name = sam_tensor_at(&p->user, p->user.result)->name;
    p->ran.result.dim_inferred = inferred; /* an operand of a later kernel may reach further */
    all[now->n++] = p->ran.result;
    return true;
}

bool compile_check_edges(const compile_options *o, compile_context *ctx, const compile_kernel *k) {
    bool ok =
        compile_check_deadlock(o, ctx, k, tile_longest(&k->lowered.statement, &k->tiling.options, NULL));
    for (uint32_t n = 0; ok && n < k->producers.len; n++) {
        const compile_kernel *p = &k->producers.at[n];
        ok = compile_check_deadlock(o, ctx, p, tile_longest(&p->lowered.statement, &p->tiling.options, NULL));
    }
    return ok;
}

bool compile_run_kernels(const compile_options *o, compile_context *ctx, compile_kernel *k,
                         const tile_operands *in) {
    tile_tensor *all = arena_new_n(ctx->mem, tile_tensor, in->n + k->producers.len);
    tile_operands now = {all, in->n, in->dtype}; /* the user'ctx, and the workspaces so far */
    memcpy(all, in->operand, sizeof *all * in->n);
    for (uint32_t n = 0; n < k->producers.len; n++) {
        if (!run_producer(o, ctx, &k->producers.at[n], all, &now))
            return false;
    }
    return run_kernel(o, ctx, k, &now);
}

const char *compile_check(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                          const tile_operands *in, const tile_tensor *got) {
    tile_tensor want;
    if (!o->check)
        return "none";
    compile_stage(ctx, "computing the reference", 0);
    if (!tile_reference(&k->user, in, ctx->mem, ctx->diag, &want))
        return "none";
    if (want.wrapped) {
        diag_warning(ctx->diag, (src_loc){0}, "E0351-wrapped",
                     "%llu of %llu %s of %s %s outside of -32768..32767 and wrapped around, as on the chip",
                     (unsigned long long)want.wrapped, (unsigned long long)want.nnz,
                     plural(want.nnz, "value", "values"), names_text(ctx->names, want.name),
                     plural(want.wrapped, "is", "are"));
        diag_hint(ctx->diag, "scale the operands, or compute in floating point with --dtype bf16");
    }
    return tile_equal(got, &want, o->dtype, ctx->names, ctx->diag) ? "pass" : "fail";
}
