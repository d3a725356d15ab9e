/* array.h - how a netlist is placed and routed; balance; whether its FIFOs suffice. */
#ifndef ONYX_KERNEL_ARRAY_H
#define ONYX_KERNEL_ARRAY_H

#include "kernel/kernel.h"

/* Returns how the netlist of these copies is to be placed and routed. */
pnr_options compile_pnr_options(const compile_options *o, compile_context *ctx, const compile_array *a,
                                const pnr_board *board);
/* Gives joins' short branches in the routed design the room that balances them, if the options want it.
 * Always returns true. */
bool compile_balance(const compile_options *o, compile_context *ctx, compile_array *a);
/* Finds in a->liveness whether the FIFOs suffice, with the pairs that the routes have; does nothing with
 * --deadlock off. Always returns true. */
bool compile_find_deadlock(const compile_options *o, compile_context *ctx, compile_array *a);
/* Reports, as --deadlock asks, if fibers of up to `longest` coordinates may need more room in FIFOs than
 * there is. */
bool compile_check_deadlock(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                            uint32_t longest);

#endif
