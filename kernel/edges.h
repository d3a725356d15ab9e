/* edges.h - the edges of sub-tiles: --tile and --glb-tile, edges left open, and loops as text. */
#ifndef ONYX_KERNEL_EDGES_H
#define ONYX_KERNEL_EDGES_H

#include "kernel/kernel.h"

enum { COMPILE_MOST_EDGE = 1 << 15 }; /* of edges that nobody states: the largest power of two in 16 bits */

/* Returns the options of the kernel's sub-tiles on the board: --tile and --glb-tile along its own loops. */
tile_options compile_tiling_of(const compile_options *o, const pnr_board *board, const compile_lowered *k);
/* Returns the options of sub-tiles whose arrays have at most so many words, without a board: --tile, loops
 * that stay whole, no edge beyond its loop. E0358 warns of stated edges that are not used. */
tile_options compile_cuts_of(const compile_options *o, compile_context *ctx, const compile_lowered *k,
                             const uint32_t *extent, uint32_t array_words);
/* Reports E0903 if --tile or --glb-tile names a loop of none of the n statements. */
bool compile_check_loops(const compile_options *o, compile_context *ctx, const sam_statement *const *all,
                         uint32_t n);
/* Chooses the open edges: by the data with --tile auto, which packs the operands; otherwise as
 * compile_limit_edges does. */
bool compile_choose_edges(const compile_options *o, compile_context *ctx, const pnr_board *board,
                          const compile_lowered *k, compile_data *data, compile_tiling *out);
/* Lowers the default edge to an edge accepted by compile_lower_onyx. */
void compile_limit_edges(const compile_lowered *k, bool extended, tile_options *edges);
/* Describes the processor driving the kernel on the chip. */
tile_driver compile_driver(const pnr_board *board, const compile_lowered *k, const tile_options *edges);
/* Returns the loops, outermost first, as "i,j,k". */
const char *compile_loops_text(const sam_statement *st, arena *mem);
/* Returns the loops' edges (edge[] by variable) in the form of --tile: "32" or "i:3072,k:32". */
const char *compile_edges_text(const sam_statement *st, const uint32_t *edge, arena *mem);

#endif
