/* cin_dump.h - expressions as text. */
#ifndef ONYX_FRONTEND_CIN_DUMP_H
#define ONYX_FRONTEND_CIN_DUMP_H

#include "frontend/frontend.h"

/* Writes an expression in index notation, with sums as sum(v, ...). */
const char *fe_expr_text(const fe_kernel *k, sam_expr e, arena *mem);
/* Returns the relations, the order and the copies of a kernel's loops as commands of a schedule. */
const char *fe_kernel_schedule(const fe_kernel *k, arena *mem);

#endif
