/* bf16.h - arithmetic of bfloat16 that IEEE 754 does not define: how the processing element multiplies.
 */
#ifndef ONYX_SUPPORT_BF16_H
#define ONYX_SUPPORT_BF16_H

#include <stdint.h>

/* Returns a * b as a processing element of Onyx computes the product. The exact product is cut after three
 * bits below the last one of a bfloat16, and the cut product is rounded to nearest, ties to even: a product
 * that the cut turns into a tie, or lowers to below one, can be one unit in the last place nearer to 0 than
 * IEEE 754's. Subnormal numbers count; every NaN comes out as 7fc0. The error is below 5/8 of a unit in the
 * last place. */
uint16_t bf16_product(uint16_t a, uint16_t b);

#endif
