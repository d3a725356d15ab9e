/* pack.h - the stored tensors of a kernel, once its operands are known. */
#ifndef ONYX_KERNEL_PACK_H
#define ONYX_KERNEL_PACK_H

#include "kernel/kernel.h"

/* Packs the operands for the statement, once, if all are the user's and present. */
bool compile_pack_known(compile_context *ctx, const sam_statement *st, compile_data *data);

#endif
