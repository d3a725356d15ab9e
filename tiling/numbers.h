/* numbers.h - the numbers that tile_reference computes with: a word, what it would be without the loss of 16
 * bits, and how far another order of the same operations may be from it.
 *
 * Invariants of a number n of bfloat16. A way to compute it is any order of its sums and products, with
 * factors moved into sums and out of them. Every addend passes at most n.adds additions and n.muls products
 * on any way. So two ways differ by at most tile_tolerance(n) = n.off + 2 ((1 + u)^adds (1 + v)^muls - 1)
 * magnitude, where u = 2^-8 bounds the relative error of a sum, v that of a product, and `magnitude` is the
 * sum of the absolute values of the addends (Higham, Accuracy and Stability, 4.2); without n.ways there is
 * one way, and the second term is 0.
 *
 * Of int16: additions, products and shifts to the left are those of whole numbers modulo 2^16, so that a
 * value that wrapped may come back: `magnitude` is the whole number. Every other operation takes the word for
 * the number; once it has taken one that had wrapped, `lost` says so of everything that is made of its
 * result.
 */
#ifndef ONYX_TILING_NUMBERS_H
#define ONYX_TILING_NUMBERS_H

#include "tiling/tiling_int.h"

typedef struct {
    double exact;          /* what double precision makes of the data as they were given */
    double magnitude;      /* bfloat16: the sum of the absolute values; int16: the value, not wrapped */
    float off, adds, muls; /* bfloat16 only */
    bool ways;             /* bfloat16: there are several */
    bool lost;             /* int16: it is made of a word that had wrapped */
    uint16_t bits;
} tile_number;

/* Makes the number of a word that stands for `exact`, which it may not hold; of a word itself; of a literal.
 */
tile_number tile_number_for(tile_dtype dtype, uint16_t bits, double exact);
tile_number tile_number_of(tile_dtype dtype, uint16_t bits);
tile_number tile_literal_number(tile_dtype dtype, double literal);

bool tile_is_zero(tile_dtype dtype, tile_number a);
/* Returns whether 16 bits did not hold the number, or a number that it is made of. */
bool tile_has_wrapped(tile_number a);
/* Returns how far another way to compute it may be from the word; infinite where nothing can be said. */
double tile_tolerance(tile_number a);
/* Returns whether both are the same in all respects, whichever zero they are. */
bool tile_same_number(tile_dtype dtype, tile_number a, tile_number b);

/* Returns 0 - a: the zero of a sum, and of what is absent, is positive. */
tile_number tile_negate(tile_dtype dtype, tile_number a);
/* Returns what expression x makes of its operands. */
tile_number tile_apply(tile_dtype dtype, const sam_expr_data *x, tile_number a, tile_number b);
/* Returns what a reduction makes of one operand more, of which any may have come first. */
tile_number tile_combine(tile_dtype dtype, uint8_t operation, tile_number total, tile_number a);
/* Returns what a reduction makes of n equal operands, of which there may be none. */
tile_number tile_repeat(tile_dtype dtype, uint8_t operation, tile_number a, uint32_t n);
/* Makes of n values along an index what the function makes of them, in place. */
void tile_apply_fiber(tile_dtype dtype, sam_program *p, uint32_t n, const int *crd, tile_number *value);

#endif
