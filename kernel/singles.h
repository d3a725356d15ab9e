/* singles.h - operands with a single coordinate along a longer index. */
#ifndef ONYX_KERNEL_SINGLES_H
#define ONYX_KERNEL_SINGLES_H

#include "kernel/kernel.h"

/* Returns options in which operands of the statement with a single coordinate along an index are broadcast
 * where other operands have more, with a note for each; NULL if there are none, or the options have some. An
 * extent that -d or nothing but a file's entries states is kept. */
const compile_options *compile_broadcast(const compile_options *o, compile_context *ctx,
                                         const sam_statement *st, const tile_operands *in);

#endif
