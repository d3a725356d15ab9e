/* fuse.h - loops made by `fuse`, if one level can hold both of their variables. */
#ifndef ONYX_FRONTEND_FUSE_H
#define ONYX_FRONTEND_FUSE_H

#include "frontend/language/cin.h"

/* Returns whether the graph has one loop for both fused loops: their variables occur together in every
 * access, or not at all, sums over them are nested, and their extents are known. Otherwise the loops stay
 * apart. */
bool fe_is_fused(const fe_kernel *k, const fe_relation *r);
/* A variable's relation to its fused loop: its coordinate is (the loop's / times) % extent, extent 0: no
 * remainder. `first` is the variable of the outermost of the loops, the place of the fused loop. times 0: not
 * fused. */
typedef struct {
    sam_var first;
    uint32_t times, extent;
} fe_fusion;
fe_fusion fe_fusion_of(const fe_kernel *k, sam_var v);
/* Returns whether two variables of the kernel occur together, for any extents. */
bool fe_stand_together(const fe_kernel *k);
/* Returns a schedule that fuses all variables that occur together, for a kernel without schedule; NULL: none.
 * O(variables^2 expressions). */
const char *fe_fusing(const fe_kernel *k, arena *mem);

#endif
