/* blocks.h - operands stored in blocks, and kernels whose loops follow the blocks. */
#ifndef ONYX_AUTOSCHEDULE_BLOCKS_H
#define ONYX_AUTOSCHEDULE_BLOCKS_H

#include "autoschedule/choose.h"

/* Gives the statement's kernel loops over blocks if an operand is stored in blocks and the predicted time is
 * lower; else notes that the host re-packs the operands (E0352). */
bool compile_choose_blocks(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                           compile_schedule *schedule);

#endif
