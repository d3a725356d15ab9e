/* bf16_products.h - the products of all pairs of bfloat16 significands, from the definition: as the chip
 * computes them and as IEEE 754 does. Uses nothing of the project.
 */
#ifndef ONYX_TESTS_BF16_PRODUCTS_H
#define ONYX_TESTS_BF16_PRODUCTS_H

#include <stdbool.h>
#include <stdint.h>

/* LOWER: how many of the chip's products are one unit in the last place below IEEE 754's; none differs
 * otherwise. A recording of the public netlist has the same count. */
enum { BF16_PRODUCTS = 1 << 14, BF16_PRODUCTS_LOWER = 891 };

typedef struct {
    uint16_t a, b, chip, ieee;
} bf16_case;

/* Returns the number with significand sum / 2^(7 + below), from 1 to 2, rounded to nearest, ties to even. */
static inline uint16_t bf16_case_rounded(uint32_t sum, uint32_t below, uint32_t exponent) {
    const uint32_t kept = sum >> below, rest = sum - (kept << below), half = 1u << (below - 1);
    const bool up = rest > half || (rest == half && kept % 2);
    return (uint16_t)((exponent << 7) + kept - 128 + up);
}

/* Returns pair n of 0 to BF16_PRODUCTS - 1: two numbers from 1 to 2, and both products. */
static inline bf16_case bf16_case_at(uint32_t n) {
    const uint32_t x = 128 + n / 128, y = 128 + n % 128, exact = x * y;
    const uint32_t below = exact >> 15 ? 8 : 7, exponent = 127 + (exact >> 15);
    const uint32_t extra = 3, cut = exact >> (below - extra);
    return (bf16_case){(uint16_t)(0x3f80 | n / 128), (uint16_t)(0x3f80 | n % 128),
                       bf16_case_rounded(cut, extra, exponent), bf16_case_rounded(exact, below, exponent)};
}

#endif
