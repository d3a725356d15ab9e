/* scales.h - scaled integers: a word w of a tensor with scale s stands for w * 2^-s. Which scales of operands
 * and literals go together, by what the statement makes of them. */
#ifndef ONYX_FRONTEND_SCALES_H
#define ONYX_FRONTEND_SCALES_H

#include "sam/sam.h"

enum { FE_SCALES_MOST = 48 };

/* times[i] * the scale of[i], added up, and a constant. */
typedef struct {
    int times[FE_SCALES_MOST], constant;
} fe_scale_sum;

/* The scale of the user's tensor of that name, or of a literal. */
typedef struct {
    name_id tensor;   /* 0: a literal */
    sam_expr literal; /* of the statement */
    enum { FE_SCALE_OPEN, FE_SCALE_STATED, FE_SCALE_DERIVED } how;
    int value;
} fe_scale;

typedef struct fe_scales {
    uint32_t n;
    fe_scale of[FE_SCALES_MOST];
    fe_scale_sum sum[FE_SCALES_MOST]; /* of each: itself, or what a derived one is made of */
    fe_scale_sum result;
} fe_scales;

/* Finds the scales of a statement, of which stated[] ("B:8") are known, and derives those that sums and
 * comparisons tie to others. E0184-scale, located, where terms cannot be aligned, or an operation has no
 * meaning for scaled values; E0903-option-value where stated[] names no operand. */
bool fe_scales_align(const sam_statement *s, const char *const *stated, uint32_t n, diagnostics *d,
                     fe_scales *out);
/* Returns the value of a sum with the scales there are. */
int fe_scale_of(const fe_scales *all, const fe_scale_sum *sum);
/* Gives all tensors of the statement their scales, and makes words of its literals. */
void fe_scales_apply(const fe_scales *all, sam_statement *s);

#endif
