/* fastest.h - engine sam: the order of the loops with the fewest cycles. */
#ifndef ONYX_COMPILE_FASTEST_H
#define ONYX_COMPILE_FASTEST_H

#include "kernel/kernel.h"

/* Runs the orders of an expression's loops that nobody states, and adds the fastest one to the schedule of
 * *own, a copy of the options. Operands that were read without a message are in *data. Returns a sentence for
 * the summary, or NULL: the order stays as written. */
const char *compile_take_fastest(const compile_options *o, compile_context *ctx, compile_options *own,
                                 compile_data *data);

#endif
