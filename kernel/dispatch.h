/* dispatch.h - the number of a kernel's copies, and their dispatch of tile pairs. */
#ifndef ONYX_KERNEL_DISPATCH_H
#define ONYX_KERNEL_DISPATCH_H

#include "kernel/kernel.h"

/* Inputs of the choice of copies and dispatch. */
typedef struct {
    const pnr_board *board;
    const compile_lowered *lowered;
    const netlist *one;     /* copy */
    compile_data *data;     /* packed where they decide */
    compile_tiling *tiling; /* `expected` is filled in if needed for the choice */
} compile_copied;
/* Makes the netlist of the options' number of copies, or of as many as fit; E0510 if the requested copies, or
 * a single copy, are too large for the array. */
bool compile_make_copies(const compile_options *o, compile_context *ctx, const compile_copied *in,
                         compile_array *out);
/* Returns the room for copies of a packed netlist, by the options and the board. */
tile_room compile_room_for(const compile_options *o, const netlist *one, const pnr_board *board);

#endif
