/* bf16.h - bfloat16 arithmetic outside of IEEE 754: the multiplication of the processing element. */
#ifndef ONYX_SUPPORT_BF16_H
#define ONYX_SUPPORT_BF16_H

#include <stdint.h>

/* Returns a * b as a processing element of Onyx computes the product. The exact product is cut after three
 * bits below the last bit of a bfloat16, and rounded to nearest, ties to even: a product turned into a tie,
 * or lowered below a tie, by the cut can be a unit in the last place nearer to 0 than IEEE 754's. Subnormal
 * numbers count; every NaN comes out as 7fc0. The error is below 5/8 of a unit in the last place. */
uint16_t bf16_product(uint16_t a, uint16_t b);
float bf16_to_float(uint16_t x);

#endif
