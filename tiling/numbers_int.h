/* numbers_int.h - shared by the files of tiling/ that compute with numbers only. */
#ifndef ONYX_TILING_NUMBERS_INT_H
#define ONYX_TILING_NUMBERS_INT_H

#include "sam/operators.h"
#include "tiling/numbers.h"

/* Returns what the operation makes of numbers in double precision. An operation that is of bits takes the
 * nearest words for the numbers. Quotients of int16 are truncated. */
double tile_exact(tile_dtype dtype, sam_operation op, double x, double y);
/* Returns what the operation makes of two numbers. */
tile_number tile_operate(tile_dtype dtype, sam_operation op, tile_number a, tile_number b);

#endif
