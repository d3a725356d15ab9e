/* banks.h - the coordinates of a loop dealt to the copies of a kernel by the banks of an operand's format. */
#ifndef ONYX_ENGINES_BANKS_H
#define ONYX_ENGINES_BANKS_H

#include "kernel/kernel.h"
#include "tiling/banks.h"

/* A kernel's statement, operands and edges with the loop's coordinates moved to their copies. */
typedef struct {
    bool is; /* false: the kernel has no banks */
    sam_statement statement;
    tile_operands operands;
    tile_options tiling;
    tile_dealt dealt;
    sam_var var;
} compile_banked;
/* Deals the coordinates to copies, if --dispatch banks requests dealing and the kernel has several copies and
 * an operand with a format of banks; fills k->array.dispatch. `extent` is of the kernel's variables.
 * E0356-banks if no loop runs over the index, or the loop must not be cut or moved. */
bool compile_deal_banks(const compile_options *o, compile_context *ctx, compile_kernel *k,
                        const uint32_t *extent, compile_banked *out);
/* Moves the result back to where its coordinates were. */
void compile_take_back(compile_context *ctx, const compile_banked *b, const uint32_t *extent,
                       tile_tensor *result);

#endif
