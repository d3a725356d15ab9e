/* A netlist on the array: options of placement and routing, and required FIFO sizes. */
#include "kernel/array.h"

/* By cell: its copy of the kernel, which has a flush of its own. */
static const uint32_t *flush_by_copy(compile_context *ctx, const netlist *n) {
    uint32_t *flush = arena_new_n(ctx->mem, uint32_t, n->cells.len + 1);
    for (uint32_t c = 0; c < n->cells.len; c++)
        flush[c] = n->cells.at[c].copy;
    return flush;
}

/* By cell: a load may stand everywhere but at the first GLB tile. */
static const pnr_region *past_first_tile(compile_context *ctx, const compile_array *a, const pnr_board *b) {
    pnr_region *region = arena_new_n(ctx->mem, pnr_region, a->net.cells.len + 1);
    for (uint32_t c = 0; c < a->net.cells.len; c++) {
        const net_cell_data *cell = &a->net.cells.at[c];
        const bool load = pnr_cell_tile(cell) == NET_TILE_IO && !cell->output;
        region[c] = load ? (pnr_region){(uint16_t)b->columns_per_glb_tile, 0, (uint16_t)(b->width - 1), 0}
                         : (pnr_region){PNR_FREE, 0, 0, 0};
    }
    return region;
}

pnr_options compile_pnr_options(const compile_options *o, compile_context *ctx, const compile_array *a,
                                const pnr_board *board) {
    pnr_options options = pnr_options_default();
    options.seed = o->seed;
    options.effort = o->mapping.effort;
    options.pipeline = o->mapping.pipeline ? (pnr_pipelining)PNR_PIPELINE_OF_RUN : PNR_PIPELINE_NONE;
    options.own_tiles = o->copies.buffers > 1;
    options.flush = a->independent ? flush_by_copy(ctx, &a->net) : NULL;
    options.region = a->one_of ? past_first_tile(ctx, a, board) : NULL;
    options.timing = PNR_TIMING_OF_RUN;
    options.mhz = o->mapping.mhz;
    return options;
}

double compile_mhz(const compile_array *a) {
    const double fastest = a->timing.period_ps ? 1e6 / a->timing.period_ps : 0;
    return a->design.mhz && a->design.mhz < fastest ? a->design.mhz : fastest;
}

/* Pairs of SplitFIFO registers hold two tokens each. */
bool compile_balance(const compile_options *o, compile_context *ctx, compile_array *a) {
    enum { MOST_PAIRS = 3 }; /* six: 2 % fewer cycles, twice as many words to configure */
    net_shortage_vec shortages = {0};
    if (!o->mapping.pipeline || !o->mapping.balance)
        return true;
    net_balance(&a->net, ctx->mem, &shortages);
    pnr_longer *want = arena_new_n(ctx->mem, pnr_longer, shortages.len + 1);
    for (uint32_t i = 0; i < shortages.len; i++) {
        const net_shortage *short_of = &shortages.at[i];
        uint32_t pairs = (short_of->tokens + 1) / 2;
        want[i] = (pnr_longer){short_of->net, short_of->sink, pairs < MOST_PAIRS ? pairs : MOST_PAIRS};
    }
    pnr_stretch(&a->design, want, shortages.len, ctx->mem);
    return true;
}

bool compile_find_deadlock(const compile_options *o, compile_context *ctx, compile_array *a) {
    if (o->target.deadlock == REPORT_OFF)
        return true;
    const uint32_t **extra = arena_new_n(ctx->mem, const uint32_t *, a->net.nets.len + 1);
    for (uint32_t i = 0; i < a->net.nets.len; i++) {
        const pnr_route *r = &a->design.route.at[i];
        uint32_t *tokens = arena_new_n(ctx->mem, uint32_t, r->sinks.len + 1);
        for (uint32_t sink = 0; sink < r->sinks.len; sink++)
            tokens[sink] = 2 * pnr_pairs_to(r, sink);
        extra[i] = tokens;
    }
    net_deadlock(&a->net, extra, ctx->mem, &a->liveness);
    return true;
}

bool compile_check_deadlock(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                            uint32_t longest) {
    return o->target.deadlock == REPORT_OFF ||
           net_deadlock_report(&k->array.net, &k->array.liveness, longest, o->target.deadlock == REPORT_WARN,
                               ctx->diag);
}
