/* compare.h - how good a result is: beside the verdict of tile_equal, its error against double precision. */
#ifndef ONYX_TILING_COMPARE_H
#define ONYX_TILING_COMPARE_H

#include "tiling/tiling.h"

/* The error of a result against double precision on the original data. The relative error of a value refers
 * to the exact number, or, if 0, to the largest number of the result; the error is infinite for an infinite
 * or NaN value in place of a finite one. */
typedef struct {
    bool is;              /* there is a reference */
    uint64_t values;      /* present in the result or the reference */
    uint64_t differing;   /* of these, unequal to the exact number */
    uint64_t wrapped;     /* as of the reference */
    uint64_t unjudged;    /* values without a finite tolerance in the reference */
    uint32_t addends;     /* of the longest sum of bf16; 0: nothing is known */
    double largest, mean; /* absolute */
    double largest_relative, mean_relative;
    double lost;                       /* mean of relative errors, each at most 1: the lost part */
    uint32_t order, at[SAM_MAX_ORDER]; /* of the largest relative error; value and exact number */
    double value, exact;
} tile_accuracy;

/* Compares a result with its reference, after tile_equal has accepted the result. O(entries). */
void tile_measure(const tile_tensor *got, const tile_tensor *want, tile_dtype dtype, tile_accuracy *out);

#endif
