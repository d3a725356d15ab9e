/* edges.h - the edges of sub-tiles: --tile and --glb-tile, those that are left open, and loops as text. */
#ifndef ONYX_KERNEL_EDGES_H
#define ONYX_KERNEL_EDGES_H

#include "kernel/kernel.h"

/* Returns what the options say of the kernel's sub-tiles on the board: --tile and --glb-tile along its own
 * loops. */
tile_options compile_tiling_of(const compile_options *o, const pnr_board *board, const compile_lowered *k);
/* Reports E0903 where --tile or --glb-tile names a loop that none of the n statements has. */
bool compile_check_loops(const compile_options *o, compile_context *ctx, const sam_statement *const *all,
                         uint32_t n);
/* Chooses the edges that are left open: by the data with --tile auto, which packs the operands for that;
 * otherwise as compile_limit_edges does. */
bool compile_choose_edges(const compile_options *o, compile_context *ctx, const pnr_board *board,
                          const compile_lowered *k, compile_data *data, compile_tiling *out);
/* Lowers the default edge to one that compile_lower_onyx does not refuse. */
void compile_limit_edges(const compile_lowered *k, bool extended, tile_options *edges);
/* Describes the processor that drives the kernel on the chip. */
tile_driver compile_driver(const pnr_board *board, const compile_lowered *k, const tile_options *edges);
/* Returns the loops, outermost first, as "i,j,k". */
const char *compile_loops_text(const sam_statement *st, arena *mem);
/* Returns the edges of the loops, which edge[] has by variable, as --tile takes them: "32" or "i:3072,k:32".
 */
const char *compile_edges_text(const sam_statement *st, const uint32_t *edge, arena *mem);

#endif
