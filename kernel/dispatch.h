/* dispatch.h - how many copies of a kernel there are, and how they share its pairs of sub-tiles. */
#ifndef ONYX_KERNEL_DISPATCH_H
#define ONYX_KERNEL_DISPATCH_H

#include "kernel/kernel.h"

/* What decides how many copies of a kernel there are and how they share their work. */
typedef struct {
    const pnr_board *board;
    const compile_lowered *lowered;
    const netlist *one;     /* copy */
    compile_data *data;     /* packed where they decide */
    compile_tiling *tiling; /* `expected` is filled in where it decides */
} compile_copied;
/* Makes the netlist of as many copies as the options say, or as fit; E0510 where so many are too large for
 * the array, or where one is. */
bool compile_make_copies(const compile_options *o, compile_context *ctx, const compile_copied *in,
                         compile_array *out);
/* Returns how many copies the options and the board have room for of a netlist that has been
 * packed. */
tile_room compile_room_for(const compile_options *o, const netlist *one, const pnr_board *board);

#endif
