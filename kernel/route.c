/* From a netlist to a bitstream: placed, routed, checked, timed; encoded, and decoded again. */
#include "kernel/route.h"
#include "kernel/array.h"

/* Binds stores to their load's GLB tile, and the loads to their present tiles. Other regions are `before`, or
 * NULL. */
static const pnr_region *bind_colocated(compile_context *ctx, const compile_array *a,
                                        const pnr_region *before) {
    pnr_region *region = arena_new_n(ctx->mem, pnr_region, a->net.cells.len + 1);
    for (uint32_t c = 0; c < a->net.cells.len; c++)
        region[c] = before ? before[c] : (pnr_region){.x0 = PNR_FREE};
    for (uint32_t i = 0; i < a->colocated.len; i += 2) {
        const uint32_t store = a->colocated.at[i], load = a->colocated.at[i + 1];
        const uint16_t x = a->design.site.at[load].x;
        region[load] = (pnr_region){x, 0, x, 0};
        region[store] = (pnr_region){(uint16_t)(x + 1), 0, (uint16_t)(x + 1), 0};
    }
    return region;
}

/* Places and routes; with `colocated` places twice, since the first placement shows the loads' preferred
 * tiles.
 */
static bool route_once(const compile_options *o, compile_context *ctx, const pnr_board *board, bool colocated,
                       compile_array *a, compile_times *times) {
    pnr_options how = compile_pnr_options(o, ctx, a, board);
    const double start = seconds_now();
    compile_stage(ctx, "placing", 0);
    how.timing = pnr_timing_for(&a->net, board, how);
    bool ok = pnr_place(&a->net, board, &how, ctx->mem, ctx->diag, &a->design);
    if (ok && colocated) {
        how.region = bind_colocated(ctx, a, how.region);
        ok = pnr_place(&a->net, board, &how, ctx->mem, ctx->diag, &a->design);
    }
    const double placed = seconds_now();
    times->place += placed - start;
    compile_stage(ctx, "routing", 0);
    ok = ok && pnr_route_all(&a->design, &how, ctx->mem, ctx->diag) && compile_balance(o, ctx, a) &&
         pnr_check(&a->design, ctx->diag) && pnr_sta(&a->design, ctx->mem, ctx->diag, &a->timing);
    times->route += seconds_now() - placed;
    if (ok)
        pnr_judge_clock(&a->design, &a->timing, ctx->diag);
    return ok;
}

bool compile_route(const compile_options *o, compile_context *ctx, const pnr_board *board, compile_array *a,
                   compile_times *times) {
    compile_context own = *ctx;
    diagnostics unheard;
    times->place = times->route = 0;
    diag_init(&unheard, ctx->mem);
    own.diag = &unheard;
    return (a->colocated.len && route_once(o, &own, board, true, a, times)) ||
           route_once(o, ctx, board, false, a, times);
}

bool compile_encode(compile_context *ctx, const char *folder, const pnr_design *design, compile_bits *b) {
    const char *file = arena_printf(ctx->mem, "%s/bitstream.bs", folder);
    bits_stream again;
    uint32_t unknown = 0;
    bool ok = bits_map_read(design->board, ctx->mem, ctx->diag, &b->map) &&
              bits_encode(design, b->map, ctx->mem, ctx->diag, &b->stream) &&
              bits_write(&b->stream, file, ctx->diag) && bits_read(file, ctx->mem, ctx->diag, &again) &&
              bits_decode(&again, b->map, ctx->names, ctx->diag, &b->decoded, &unknown) &&
              bits_same(&b->decoded, design, ctx->diag);
    if (!ok)
        remove(file);
    return ok;
}
