/* streams.h - a kernel's streams, by the IO columns of its design. */
#ifndef ONYX_KERNEL_STREAMS_H
#define ONYX_KERNEL_STREAMS_H

#include "kernel/kernel.h"

/* The kernel's streams in the order of their IO columns; cells by index in the design's netlist. A decoded
 * design has columns and cells only. */
typedef struct {
    tile_copy_stream in[TILE_MAX_STREAMS], out[TILE_MAX_STREAMS];
    uint32_t in_column[TILE_MAX_STREAMS], out_column[TILE_MAX_STREAMS];
    uint32_t in_cell[TILE_MAX_STREAMS], out_cell[TILE_MAX_STREAMS];
    uint32_t n_in, n_out;
} compile_streams;
_Static_assert((int)PNR_GLB_TILES_MOST <= (int)TILE_MAX_STREAMS, "a load and a store of each buffer tile");
/* Finds the streams of a kernel of the design; for a decoded design `kernel` is 0, and all streams are
 * found. */
void compile_streams_of(const pnr_design *design, uint32_t kernel, compile_streams *streams);

#endif
