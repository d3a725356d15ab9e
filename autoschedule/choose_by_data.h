/* choose_by_data.h - what the data decide of each kernel of a program. */
#ifndef ONYX_AUTOSCHEDULE_CHOOSE_BY_DATA_H
#define ONYX_AUTOSCHEDULE_CHOOSE_BY_DATA_H

#include "autoschedule/autoschedule_int.h"

/* Loops are fused where that is expected to take this fraction of what they do apart: the host stores
 * operands either way, and of both the same is known. */
#define COMPILE_FUSE_BELOW 0.97

/* Returns a multiply phase and a merge phase as a schedule, NULL where the kernel has none. Loops over
 * indices of all factors are outside, so that each entry of a factor is scanned once. */
const char *compile_phases_of(const fe_kernel *kernel, arena *mem);
/* Chooses the order of kernel n's loops together with its dense operands, since the best order of compressed
 * operands may differ from the best order of dense operands. */
void compile_choose_loops_and_stores(compile_trying *c, const compile_search_in *by, uint32_t n,
                                     compile_schedule *out);
/* Chooses the dense operands of a single kernel whose loops a schedule orders. */
void compile_choose_ordered_stores(compile_trying *c, const compile_search_in *by, compile_schedule *out);
/* Chooses edges for a program. Returns the predicted time, INFINITY unless the time is below the given
 * fraction of `least`. */
double compile_search_below(const compile_search_in *by, compile_context *ctx, double fraction, double least,
                            compile_schedule *s);
/* Returns whether the tree below e has a sum inside a mask, or inside a function that maps a zero condition
 * to 0. */
bool compile_masks_sum(const sam_statement *s, sam_expr e);
/* Fuses the loops of a kernel whose variables stand together. Returns the schedule; NULL: no variables stand
 * together, or the kernel has a schedule already. */
const char *compile_fuse_loops(const compile_trying *c, const compile_search_in *by, const fe_kernel *kernel,
                               fe_kernel *out);
/* Prepends to the kernel's sentence how its loops are fused. */
void compile_say_fused(const char *how, double cycles, double before, arena *mem, const char **chosen);
/* Chooses orders of the loops, dense operands, columns and phases for each kernel. Returns the chip's
 * predicted time for all kernels. */
double compile_choose_each(compile_trying *c, const compile_search_in *by, compile_schedule *out);

#endif
