/* Finds stores with words before any load, by the cycle model. */
#include "engines/early.h"
#include "engines/cycle_load.h"
#include "kernel/streams.h"
#include "support/trial.h"

/* Blocks of a run for the store at an IO column. */
static uint32_t blocks_at(const pnr_design *design, uint32_t column) {
    uint32_t blocks = 0;
    for (uint32_t c = 0; c < design->net->cells.len; c++) {
        const net_cell_data *cell = &design->net->cells.at[c];
        if (cell->mode == NET_MODE_IO_OUT && design->site.at[c].x == column)
            blocks = cell->num_blocks;
    }
    return blocks;
}

bool compile_find_early(compile_context *ctx, const compile_programmed *p, uint32_t *stores) {
    compile_streams decoded;
    cycle_stream outputs[TILE_MAX_STREAMS] = {0};
    bool early[TILE_MAX_STREAMS];
    cycle_design model;
    const diagnostics before = *ctx->diag;
    compile_streams_of(p->decoded, 0, &decoded);
    for (uint32_t i = 0; i < decoded.n_out; i++)
        outputs[i] = (cycle_stream){.cell = decoded.out_cell[i],
                                    .blocks = blocks_at(p->design, decoded.out_column[i])};
    *stores = 0;
    if (!cycle_load(p->decoded, p->map, ctx->mem, ctx->diag, &model) ||
        !cycle_find_early(&model, outputs, decoded.n_out, early, ctx->diag))
        return false;
    diag_return_to(ctx->diag, &before); /* engine cycle, which finds the time-out, has the same warnings */
    for (uint32_t i = 0; i < decoded.n_out; i++) {
        if (early[i])
            *stores |= 1u << decoded.out_column[i] / p->design->board->columns_per_glb_tile % 32;
    }
    return true;
}
