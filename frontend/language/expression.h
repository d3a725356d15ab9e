/* expression.h - index notation, read. */
#ifndef ONYX_FRONTEND_EXPRESSION_H
#define ONYX_FRONTEND_EXPRESSION_H

#include "frontend/language/parse.h"

/* Reads "A = B" into vars, tensors, exprs, result and rhs, with explicitly written sums only. E0101-E0108,
 * E0116-E0118. */
bool fe_parse_expression(const fe_in *in, diagnostics *d, sam_statement *s);

/* Read phrases of the expression's grammar for the other languages; s receives the named tensors and
 * variables. */
sam_expr fe_parse_terms(fe_reader *in, sam_statement *s, diagnostics *d);
bool fe_parse_access(fe_reader *in, sam_statement *s, diagnostics *d, sam_expr_data *access);

#endif
