/* gather.h - vectors that an expression reads at the values of another tensor: b(idx(i)). */
#ifndef ONYX_KERNEL_GATHER_H
#define ONYX_KERNEL_GATHER_H

#include "kernel/kernel.h"

/* Adds a function to *all for each name in `text` applied to an expression, if no function but an operand has
 * the name; reads the operand. Errors of file readers, E0313-generator, E0912-order. */
bool compile_read_gathered(const compile_options *o, compile_context *ctx, const char *text,
                           fe_functions **all);
/* Checks that all values of operands that index a gathered vector are coordinates of the vector.
 * E0182-gather. */
bool compile_check_gathered(const sam_statement *st, const tile_operands *all, diagnostics *d);
/* Checks the values of the operand `x` of an access as coordinates of what `p` names, p->entries of them.
 * E0182-gather. */
bool compile_check_index(const sam_statement *st, const sam_program *p, const sam_expr_data *index,
                         const tile_tensor *x, diagnostics *d);
/* Returns whether an argument "b:FILE" sets a gathered vector. */
bool compile_is_gathered(const compile_context *ctx, const char *argument);
/* Returns how many vectors are gathered from and no operands of the statement. */
uint32_t compile_count_gathered(const compile_context *ctx, const sam_statement *st);

#endif
