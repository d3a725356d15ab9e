/* lower.h - a kernel as a SAM graph, as a hardware-legal graph, and in the array's primitives. */
#ifndef ONYX_KERNEL_LOWER_H
#define ONYX_KERNEL_LOWER_H

#include "kernel/kernel.h"

/* Makes the packed statement and the SAM graph of a kernel of a schedule, for the chip or for engine sam. */
bool compile_lower_sam(const compile_options *o, bool chip, compile_context *ctx, const fe_kernel *kernel,
                       compile_lowered *out);
/* Makes k->hardware from k->sam by rewrites that keep the meaning. */
bool compile_make_legal(compile_context *ctx, compile_lowered *k);
/* Returns whether the graph adds with infinity, supported by the chip for nonnegative values. */
static inline bool compile_adds_infinity(const sam_graph *g) {
    for (uint32_t n = 0; n < g->nodes.len; n++) {
        if (g->nodes.at[n].kind == SAM_ALU &&
            strcmp(names_text(g->names, g->nodes.at[n].alu), "addhigh") == 0)
            return true;
    }
    return false;
}
/* Lowers the hardware graph to the array's primitives, for sub-tiles of these edges. */
bool compile_lower_onyx(compile_context *ctx, const compile_lowered *k, const tile_options *edges,
                        bool extended, onyx_graph **out);
/* Removes a dropper: readers of its two outputs read its inputs. */
void compile_bypass(sam_graph *g, sam_node dropper);

#endif
