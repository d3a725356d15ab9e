/* fuse.h - loops that `fuse` makes, where one level can hold both of their variables. */
#ifndef ONYX_FRONTEND_FUSE_H
#define ONYX_FRONTEND_FUSE_H

#include "frontend/fe_int.h"

/* Returns whether the graph has one loop for the two that the relation fuses: their variables stand together
 * in every access, or not at all, sums over them are nested, and it is known how far they run. Elsewhere
 * fused loops stay apart. */
bool fe_is_fused(const fe_kernel *k, const fe_relation *r);
/* What a variable is of the loop that it is fused into: its coordinate is (that loop's / times) % extent,
 * extent 0: no remainder taken. `first` is the variable of the outermost of the loops, whose place the fused
 * one takes. times 0: it is fused into none. */
typedef struct {
    sam_var first;
    uint32_t times, extent;
} fe_fusion;
fe_fusion fe_fusion_of(const fe_kernel *k, sam_var v);
/* Returns whether two variables of the kernel stand together, however far they run. */
bool fe_stand_together(const fe_kernel *k);
/* Returns a schedule that fuses all variables that stand together of a kernel without one; NULL: there are
 * none. O(variables^2 expressions). */
const char *fe_fusing(const fe_kernel *k, arena *mem);

#endif
