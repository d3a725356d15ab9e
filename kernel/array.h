/* array.h - how a netlist is placed and routed; balance; whether its FIFOs suffice. */
#ifndef ONYX_KERNEL_ARRAY_H
#define ONYX_KERNEL_ARRAY_H

#include "kernel/kernel.h"

/* Returns the options of placement and routing for the netlist of these copies. */
pnr_options compile_pnr_options(const compile_options *o, compile_context *ctx, const compile_array *a,
                                const pnr_board *board);
/* Returns the clock in MHz: by the delays of the board, or a slower stated clock; 0 of a board without
 * delays. */
double compile_mhz(const compile_array *a);
/* Balances joins' short branches in the routed design by more room, if the options allow. Always returns
 * true. */
bool compile_balance(const compile_options *o, compile_context *ctx, compile_array *a);
/* Records in a->liveness whether the FIFOs, with the routes' pairs, suffice; does nothing with --deadlock
 * off. Always returns true. */
bool compile_find_deadlock(const compile_options *o, compile_context *ctx, compile_array *a);
/* Reports, by --deadlock, if fibers of up to `longest` coordinates may need more FIFO room than available. */
bool compile_check_deadlock(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                            uint32_t longest);

#endif
