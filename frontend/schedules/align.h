/* align.h - scales of operands and literals, derived from the statements that combine the operands. */
#ifndef ONYX_FRONTEND_ALIGN_H
#define ONYX_FRONTEND_ALIGN_H

#include "frontend/language/scales.h"
#include "frontend/schedules/program.h"

/* Finds the scales of a statement, of which stated[] ("B:8") are known, and derives those that sums and
 * comparisons tie to others. E0184-scale, located, where terms cannot be aligned, or an operation has no
 * meaning for scaled values; E0903-option-value where stated[] names no operand. */
bool fe_scales_align(const sam_statement *s, const char *const *stated, uint32_t n, diagnostics *d,
                     fe_scales *out);
/* Finds the scales of all tensors of a program: a tensor has the same scale in every statement, also as a
 * result, and two tensors exchanged by a swap have the same scale. */
bool fe_scales_align_program(const fe_program *p, const char *const *stated, uint32_t n, diagnostics *d,
                             fe_scales *out);

#endif
