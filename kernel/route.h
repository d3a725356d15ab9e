/* route.h - from a netlist to a bitstream. */
#ifndef ONYX_KERNEL_ROUTE_H
#define ONYX_KERNEL_ROUTE_H

#include "kernel/kernel.h"

/* Places and routes a->net, checks the routes and measures their timing: a->design, a->timing. */
bool compile_route(const compile_options *o, compile_context *ctx, const pnr_board *board, compile_array *a,
                   compile_times *times);
/* Writes FOLDER/bitstream.bs; the written file is decoded and compared with the routed design: the proof of
 * the words' meaning. */
bool compile_encode(compile_context *ctx, const char *folder, const pnr_design *design, compile_bits *b);

#endif
