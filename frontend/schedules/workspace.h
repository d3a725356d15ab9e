/* workspace.h - the workspace needed by a statement: levels appended to the result, and scattered levels. */
#ifndef ONYX_FE_WORKSPACE_H
#define ONYX_FE_WORKSPACE_H

#include "sam/sam.h"

/* A level is appended if the loops reach its coordinates in storage order, and each place once; otherwise
 * scattered. All levels inside of a scattered level are scattered. Scattered levels must be kept until
 * complete: in a workspace with these levels. */
typedef struct {
    const sam_var *level; /* of the tensor, outermost first */
    uint32_t levels;
    uint32_t order;  /* of the workspace: the innermost levels, which are scattered */
    uint32_t summed; /* the order that remains if the levels are stored in the order of their loops */
    bool sums;       /* some loop is not the tensor's: order 0 is a scalar then, and nothing otherwise */
    sam_var outside; /* summed > 0: the outermost loop that is not the tensor's */
} fe_workspace;

/* Classifies a tensor with these levels, each along another loop, both from the outermost inwards; the result
 * refers to the given arrays. Source: Zhang et al., Compilation of Modular and General Sparse Workspaces,
 * PLDI 2024, 3.1: the order is the larger of the levels from the first one out of its loop's order, and of
 * the loops of levels inside of the outermost sum. O(loops * levels). */
fe_workspace fe_classify(const sam_var *loops, uint32_t n_loops, const sam_var *levels, uint32_t n_levels);
/* Classifies the result of a statement with an index for each loop (fe_expand, fe_pack), and each sum inside
 * of its right side, which is stored in the order of its loops. Returns the class of the highest order, the
 * result's among equals. Stepped loops do not count. */
fe_workspace fe_workspace_of(const sam_statement *s, arena *mem);

#endif
