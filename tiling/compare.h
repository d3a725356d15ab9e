/* compare.h - how good a result is: beside the verdict of tile_equal, its error against double precision. */
#ifndef ONYX_TILING_COMPARE_H
#define ONYX_TILING_COMPARE_H

#include "tiling/tiling.h"

/* The error of a result against double precision on the data as they were given. The relative error of a
 * value is that of the number which it should be, where this is 0 that of the largest one of the result;
 * infinite where a value is infinite or NaN and should not be. */
typedef struct {
    bool is;              /* there is a reference */
    uint64_t values;      /* that the result or the reference has */
    uint64_t differing;   /* of these, that are not the number which they should be */
    uint64_t wrapped;     /* as of the reference */
    uint64_t unjudged;    /* values that the reference has no finite tolerance for */
    uint32_t addends;     /* of the longest sum of bf16; 0: nothing is known */
    double largest, mean; /* absolute */
    double largest_relative, mean_relative;
    double lost; /* mean of relative errors of which none counts more than 1: the part that is lost */
    uint32_t order, at[SAM_MAX_ORDER]; /* of the largest relative error, and what is there and should be */
    double value, exact;
} tile_accuracy;

/* Compares a result with its reference, which tile_equal takes for the same. O(entries). */
void tile_measure(const tile_tensor *got, const tile_tensor *want, tile_dtype dtype, tile_accuracy *out);

#endif
