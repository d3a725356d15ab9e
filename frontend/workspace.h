/* workspace.h - which workspace a statement needs: what its loops append to the result, and what they
 * scatter.
 */
#ifndef ONYX_FE_WORKSPACE_H
#define ONYX_FE_WORKSPACE_H

#include "sam/sam.h"

/* A level is appended if the loops come to its coordinates in the order in which they are stored, and to each
 * place once; otherwise they scatter. With a level all levels inside of it are scattered. What is scattered
 * has to be kept somewhere until it is whole: in a workspace with these levels. */
typedef struct {
    const sam_var *level; /* of the tensor, outermost first */
    uint32_t levels;
    uint32_t order;  /* of the workspace: the innermost levels that are scattered */
    uint32_t summed; /* that part of it which remains if the levels are stored in the order of their loops */
    bool sums;       /* some loop is none of the tensor's: order 0 is a scalar then, and nothing otherwise */
    sam_var outside; /* summed > 0: the outermost loop that is none of the tensor's */
} fe_workspace;

/* Classifies a tensor with these levels, each along another loop, both from the outermost inwards; the
 * answer has them where they are.
 * Source: Zhang et al., Compilation of Modular and General Sparse Workspaces, PLDI 2024, 3.1: the order is
 * the larger of the levels from the first one on that its loop does not follow, and of the loops of levels
 * inside of the outermost sum. O(loops * levels). */
fe_workspace fe_classify(const sam_var *loops, uint32_t n_loops, const sam_var *levels, uint32_t n_levels);
/* Classifies the result of a statement with an index for each loop (fe_expand, fe_pack), and each sum inside
 * of its right side, which is stored in the order of its loops. Returns the one of the highest order, the
 * result's of equal ones. Loops that the host takes (stepped) do not count. */
fe_workspace fe_workspace_of(const sam_statement *s, arena *mem);

#endif
