/* structures.h - operands made by the host from the stored coordinates of other tensors. */
#ifndef ONYX_KERNEL_STRUCTURES_H
#define ONYX_KERNEL_STRUCTURES_H

#include "kernel/kernel.h"

/* Makes of what the user gave the ones of struct() and not struct(), once all extents are known, by the
 * variable's handle - 1; all[] has the tensors by handle - 1. E0155-complement. */
bool compile_make_structures(const compile_options *o, compile_context *ctx, const sam_statement *st,
                             const uint32_t *extent, tile_tensor *all);

#endif
