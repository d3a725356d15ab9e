/* lower.h - a kernel as a SAM graph, as one the hardware can run, and in the array's primitives. */
#ifndef ONYX_KERNEL_LOWER_H
#define ONYX_KERNEL_LOWER_H

#include "kernel/kernel.h"

/* Makes of one kernel of a schedule its packed statement and its SAM graph, for the chip or for engine sam.
 */
bool compile_lower_sam(const compile_options *o, bool chip, compile_context *ctx, const fe_kernel *kernel,
                       compile_lowered *out);
/* Makes k->hardware of k->sam by rewrites that keep the meaning. */
bool compile_make_legal(compile_context *ctx, compile_lowered *k);
/* Returns whether the graph adds with infinity, which the chip does with what is not negative. */
static inline bool compile_adds_infinity(const sam_graph *g) {
    for (uint32_t n = 0; n < g->nodes.len; n++) {
        if (g->nodes.at[n].kind == SAM_ALU &&
            strcmp(names_text(g->names, g->nodes.at[n].alu), "addhigh") == 0)
            return true;
    }
    return false;
}
/* Writes the hardware graph in the array's primitives, for sub-tiles of these edges. */
bool compile_lower_onyx(compile_context *ctx, const compile_lowered *k, const tile_options *edges,
                        bool extended, onyx_graph **out);
/* Takes a dropper away: what read its two outputs reads its inputs. */
void compile_bypass(sam_graph *g, sam_node dropper);

#endif
