/* cin_dump.h - expressions as text. */
#ifndef ONYX_FRONTEND_CIN_DUMP_H
#define ONYX_FRONTEND_CIN_DUMP_H

#include "frontend/language/cin.h"

/* Writes an expression in index notation, with sums as sum(v, ...). */
const char *fe_expr_text(const fe_kernel *k, sam_expr e, arena *mem);
/* Returns the relations, the order and the copies of a kernel's loops as commands of a schedule. */
const char *fe_kernel_schedule(const fe_kernel *k, arena *mem);

/* Writes a statement without schedule as concrete index notation, with its loop order: "forall(i, forall(j,
 * forall(k, X(i,j) += B(i,k) * C(k,j))))". */
void fe_dump(const sam_statement *s, FILE *out);

/* Writes the text form (docs/schedule.md): fe_cin_parse reads the same kernels, by names. */
void fe_cin_dump(const fe_cin *cin, FILE *out);

#endif
