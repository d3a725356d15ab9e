/* numbers_int.h - shared by the files of tiling/ on numbers only. */
#ifndef ONYX_TILING_NUMBERS_INT_H
#define ONYX_TILING_NUMBERS_INT_H

#include "sam/operators.h"
#include "tiling/numbers.h"

/* Returns the operation's result for numbers in double precision. An operation on bits takes the nearest
 * words of the numbers. Quotients of int16 are truncated. */
double tile_exact(tile_dtype dtype, sam_operation op, double x, double y);
/* Returns the largest distance of another order of computation from the word; infinite if unknown. */
double tile_tolerance(tile_number a);
/* Returns the operation's result for two numbers. */
tile_number tile_operate(tile_dtype dtype, sam_operation op, tile_number a, tile_number b);

#endif
