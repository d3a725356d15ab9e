/* choose_by_data.h - what the data decide of each kernel of a program. */
#ifndef ONYX_AUTOSCHEDULE_CHOOSE_BY_DATA_H
#define ONYX_AUTOSCHEDULE_CHOOSE_BY_DATA_H

#include "autoschedule/choosing.h"

/* Loops are fused where that is expected to take this part of what they do apart: the host stores operands
 * either way, and of both the same is known. */
#define COMPILE_FUSE_BELOW 0.97

/* Returns a multiply phase and a merge phase as a schedule, NULL where the kernel has none. What all factors
 * have is outside, so that each of their entries is scanned once. */
const char *compile_phases_of(const fe_kernel *kernel, arena *mem);
/* Chooses the order of kernel n's loops and which of its operands are dense. These go together: the order
 * that is best of compressed operands may not be the one that is best of dense ones. */
void compile_choose_loops_and_stores(compile_trying *c, const compile_search_in *by, uint32_t n,
                                     compile_schedule *out);
/* Chooses which operands of the only kernel, whose loops a schedule orders, are dense. */
void compile_choose_ordered_stores(compile_trying *c, const compile_search_in *by, compile_schedule *out);
/* Chooses edges for a program that is to take less than this part of `least`. Returns what it is expected to
 * take, INFINITY where that is not less. */
double compile_search_below(const compile_search_in *by, compile_context *ctx, double part, double least,
                            compile_schedule *s);
/* Returns whether a mask, or a function that makes 0 of a zero condition, is of a sum below e. */
bool compile_masks_sum(const sam_statement *s, sam_expr e);
/* Fuses the loops of a kernel whose variables stand together. Returns how, as a schedule; NULL: none do, or
 * it has one. */
const char *compile_fuse_loops(const compile_trying *c, const compile_search_in *by, const fe_kernel *kernel,
                               fe_kernel *out);
/* Says of a kernel how its loops are fused, before what else was chosen. */
void compile_say_fused(const char *how, double cycles, double before, arena *mem, const char **chosen);
/* Chooses the orders of the loops, what is dense, columns and phases of each kernel. Returns what the chip is
 * expected to take for all of them. */
double compile_choose_each(compile_trying *c, const compile_search_in *by, compile_schedule *out);

#endif
