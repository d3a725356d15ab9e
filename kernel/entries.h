/* entries.h - an operand in blocks of equally many stored entries, as a schedule says by pos and split. */
#ifndef ONYX_KERNEL_ENTRIES_H
#define ONYX_KERNEL_ENTRIES_H

#include "kernel/kernel.h"

/* Returns options whose expression sums over blocks of the operand, which is in memory, one index longer;
 * written.uncut are the options to go back to. Returns `o` where the schedule makes no copies of such blocks,
 * or the operand cannot be cut. */
const compile_options *compile_cut_entries(const compile_options *o, compile_context *ctx);

#endif
