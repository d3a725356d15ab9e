/* rows.h - values that become one by an operation that the chip's reducer lacks, cut into rows.
 */
#ifndef ONYX_FRONTEND_ROWS_H
#define ONYX_FRONTEND_ROWS_H

#include "frontend/fe_int.h"

/* Splits a loop into two, of which the inner one has `size` coordinates. */
void fe_split_loop(fe_kernel *k, sam_var v, uint32_t size, arena *mem);
/* Returns the loop of which sam_statement.rows would make rows; none: the kernel is not one value that an
 * idempotent operation makes of those along one loop, or that loop is the user's. */
sam_var fe_row_loop(const fe_kernel *k);
/* Makes the kernel whose loop is split into rows and what is in them. */
void fe_cut_rows(const fe_kernel *k, arena *mem, fe_kernel *out);
/* Returns how far that loop runs, of such a kernel. */
uint32_t fe_row_extent(const fe_kernel *cut);
/* Keeps a value of the result for each place in a row, in a statement that fe_expand has made of the kernel
 * above. */
void fe_keep_rows(const fe_kernel *cut, sam_statement *s);

#endif
