/* rows.h - reductions to one value by operations absent from the chip's reducer, cut into rows. */
#ifndef ONYX_FRONTEND_ROWS_H
#define ONYX_FRONTEND_ROWS_H

#include "frontend/language/cin.h"

/* Returns whether the last row of a reduction repeats the last coordinate, in place of an absent value. */
bool fe_row_repeats(const sam_statement *s);
/* Returns the loop that sam_statement.rows cuts into rows; none: the kernel is neither an idempotent
 * reduction along one loop to one value nor a sum of bfloat16, or the loop is scheduled by the user. */
sam_var fe_row_loop(const fe_kernel *k);
/* Makes the kernel with the loop split into rows and their elements. */
void fe_cut_rows(const fe_kernel *k, arena *mem, fe_kernel *out);
/* Returns the extent of the cut loop in such a kernel. */
uint32_t fe_row_extent(const fe_kernel *cut);
/* Keeps a value of the result for each place in a row, in a statement that fe_expand has made of the kernel
 * above. */
void fe_keep_rows(const fe_kernel *cut, sam_statement *s);

#endif
