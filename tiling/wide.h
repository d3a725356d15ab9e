/* wide.h - numbers of more than 16 bits that the host has: coordinates and prefix sums of functions along an
 * index, and sums of these. The array and the chip's processor have the words. */
#ifndef ONYX_TILING_WIDE_H
#define ONYX_TILING_WIDE_H

#include "tiling/files.h"

/* Returns the expression inside of the statement's sums, or its right side. */
sam_expr tile_inside_sums(const sam_statement *s);
/* Returns whether the host computes numbers for the statement: `inside` of sums is a function along an index
 * whose values are coordinates or, of int16, prefix sums; or an access to an operand that has numbers. */
bool tile_is_wide(const sam_statement *s, sam_expr inside, const tile_tensor *operand);
/* Returns whether the host computes the statement on every engine: a function along an index without a sum
 * around it, which the chip's processor does not compute. */
bool tile_is_wide_alone(const sam_statement *s);
/* Returns the number of 32 bits that is equal modulo 2^32, or the float32 that is nearest. */
double tile_wide_number(tile_dtype dtype, double x);
/* Leaves the numbers of a reference, or its words, according to the engine's result: counts what wrapped. */
void tile_match_width(tile_tensor *want, bool is_wide);
/* Gives the tensor's entries numbers, or none with NULL. */
void tile_set_wide(tile_tensor *t, const double *wide);
/* Returns a copy of the numbers, or NULL. */
const double *tile_copy_wide(const tile_tensor *t, arena *mem);

#endif
