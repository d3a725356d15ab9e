/* scales.h - scaled integers: a word w of a tensor with scale s stands for w * 2^-s. */
#ifndef ONYX_FRONTEND_SCALES_H
#define ONYX_FRONTEND_SCALES_H

#include "sam/sam.h"

enum { FE_SCALES_MOST = 48 };

/* times[i] * the scale of[i], added up, and a constant. */
typedef struct {
    int times[FE_SCALES_MOST], constant;
} fe_scale_sum;

/* The scale of the user's tensor of that name, or of a literal: which one, its place and its number. */
typedef struct {
    name_id tensor; /* 0: a literal */
    sam_expr literal;
    src_loc loc;
    double number;
    enum { FE_SCALE_OPEN, FE_SCALE_STATED, FE_SCALE_DERIVED } how;
    int value;
} fe_scale;

typedef struct fe_scales {
    uint32_t n;
    fe_scale of[FE_SCALES_MOST];
    fe_scale_sum sum[FE_SCALES_MOST]; /* of each: itself, or what a derived one is made of */
    fe_scale_sum result;
    bool program; /* results are tensors with unknowns of their own */
} fe_scales;

/* Returns the scale of the user's tensor as a sum; 0 if it has none. */
fe_scale_sum fe_scale_sum_named(const fe_scales *all, name_id tensor);
int fe_scale_named(const fe_scales *all, name_id tensor);
/* Returns the value of a sum with the scales there are. */
int fe_scale_of(const fe_scales *all, const fe_scale_sum *sum);
/* Gives all tensors of the statement their scales, and makes words of its literals. */
void fe_scales_apply(const fe_scales *all, sam_statement *s);

/* Returns a + times * b; a sum with what derived unknowns are made of in their place; unknown i alone. */
fe_scale_sum fe_scale_plus(fe_scale_sum a, const fe_scale_sum *b, int times);
fe_scale_sum fe_scale_resolved(const fe_scales *all, fe_scale_sum sum);
fe_scale_sum fe_scale_alone(uint32_t i);
/* Returns the unknown of a tensor, or of a literal at its place; all->n: none. */
uint32_t fe_scale_find(const fe_scales *all, name_id tensor, sam_expr literal, src_loc loc);

#endif
