/* numbers.h - the numbers that tile_reference computes with: a word, what it would be without the loss of 16
 * bits, and how far another order of the same operations may be from it.
 *
 * Invariants of a number n of bfloat16. A way to compute it is any order of its sums and products, with
 * factors moved into sums and out of them. Every addend passes at most n.adds additions and n.muls products
 * on any way. So two ways differ by at most tile_tolerance(n) = n.off + 2 ((1 + u)^adds (1 + v)^muls - 1)
 * magnitude, where u = 2^-8 bounds the relative error of a sum, v that of a product, and `magnitude` is the
 * sum of the absolute values of the addends (Higham, Accuracy and Stability, 4.2); without n.varies there is
 * one way, and the second term is 0. All of them are within half of the second term around n.real, sums and
 * products of the same words without any rounding, where n.off is 0.
 *
 * Of int16: additions, products and shifts to the left are those of whole numbers modulo 2^16, so that a
 * value that wrapped may come back: `magnitude` is the whole number. Every other operation takes the word for
 * the number; once it has taken one that had wrapped, `lost` says so of everything that is made of its
 * result.
 */
#ifndef ONYX_TILING_NUMBERS_H
#define ONYX_TILING_NUMBERS_H

#include "sam/operators.h"
#include "tiling/tiling_int.h"

typedef struct {
    double exact; /* result of double precision on the original data */
    double real;  /* bfloat16: made of the words without rounding; NaN if the bound around it is unknown */
    double magnitude;      /* bfloat16: the sum of the absolute values; int16: the value, not wrapped */
    float off, adds, muls; /* bfloat16 only */
    bool varies;           /* bfloat16: several orders are possible */
    bool lost;             /* int16: derived from a wrapped word */
    uint16_t bits;
} tile_number;

/* Makes the number of a word for `exact`, possibly rounded; of a word itself; of a literal. */
tile_number tile_number_for(tile_dtype dtype, uint16_t bits, double exact);
tile_number tile_number_of(tile_dtype dtype, uint16_t bits);
/* Makes the number of an operand's entry. */
tile_number tile_number_at(tile_dtype dtype, const tile_tensor *t, uint64_t entry);
tile_number tile_literal_number(tile_dtype dtype, double literal);

/* Numbers, and which of them each entry has. */
typedef struct {
    const tile_number *at;
    const uint32_t *order;
} tile_numbers;
/* Gives the result of a reference the numbers of 32 bits that the host has, if any (tiling/wide.h), and
 * counts which wrapped around. */
void tile_widen(const sam_statement *s, const tile_operands *in, const tile_numbers *by, arena *mem,
                tile_tensor *out);
static inline bool tile_is_zero(tile_dtype dtype, tile_number a) {
    return !(dtype == TILE_DTYPE_BF16 ? a.bits & 0x7fffu : a.bits);
}
/* Returns whether 16 bits did not hold the number, or one of its operands. */
static inline bool tile_has_wrapped(tile_number a) {
    return a.lost || !(fabs(a.magnitude - (int16_t)a.bits) < 0.5);
}
/* Lets an int16 number that wrapped be its word, and lost. */
static inline void tile_become_word(tile_dtype dtype, tile_number *a) {
    a->lost = dtype == TILE_DTYPE_BF16 ? a->lost : tile_has_wrapped(*a);
    a->magnitude = dtype == TILE_DTYPE_BF16 ? a->magnitude : (int16_t)a->bits;
}
/* Returns the range of all orders of computation: around n.real, or else the word. */
tile_bound tile_bound_of(tile_number a);
/* Returns whether both are equal in all respects, with equal zeros. */
bool tile_same_number(tile_dtype dtype, tile_number a, tile_number b);

/* Returns 0 - a: the zero of a sum, and of an absent value, is positive. */
tile_number tile_negate(tile_dtype dtype, tile_number a);
/* Returns the result of expression x for its operands. */
tile_number tile_apply(tile_dtype dtype, const sam_expr_data *x, tile_number a, tile_number b);
/* Returns the result of a reduction for one further operand, in any order. */
tile_number tile_combine(tile_dtype dtype, uint8_t operation, tile_number total, tile_number a);
/* Returns the result of a reduction for n >= 0 equal operands. */
tile_number tile_repeat(tile_dtype dtype, uint8_t operation, tile_number a, uint32_t n);
/* Applies the function to n values along an index, in place. */
void tile_apply_fiber(tile_dtype dtype, sam_program *p, uint32_t n, const int *crd, tile_number *value);

#endif
