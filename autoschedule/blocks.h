/* blocks.h - operands that are stored in blocks, and kernels whose loops have their structure. */
#ifndef ONYX_AUTOSCHEDULE_BLOCKS_H
#define ONYX_AUTOSCHEDULE_BLOCKS_H

#include "autoschedule/choose.h"

/* Gives the statement's kernel the loops that go through its operands block by block, where some are stored
 * so and that is expected to take less; else says that the host re-packs them (E0352). */
bool compile_choose_blocks(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                           compile_schedule *schedule);

#endif
