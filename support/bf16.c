/* The bfloat16 product of the processing element, in integers. */
#include "support/bf16.h"

#include <stdbool.h>
#include <string.h>

enum { INFINITE = 0x7f80, NOT_A_NUMBER = 0x7fc0, MAGNITUDE = 0x7fff, EXTRA = 3 };

static int32_t exponent_of(uint16_t x) {
    const int32_t e = x >> 7 & 0xff;
    return e ? e : 1;
}

static uint32_t significand_of(uint16_t x) {
    return (x & 0x7fu) | (x & INFINITE ? 0x80u : 0);
}

/* Returns the magnitude of `product` * 2^(scale - 142): 16 bits, whose highest weighs 2^(scale - 127). */
static uint32_t cut_and_rounded(uint32_t product, int32_t scale) {
    for (; product >> 15 == 0; scale--)
        product <<= 1;
    const int32_t lost = scale < 1 ? 1 - scale : 0;
    product = lost < 16 ? product >> lost >> (8 - EXTRA) : 0;
    product += (1u << (EXTRA - 1)) - 1 + (product >> EXTRA & 1);
    const uint32_t magnitude = ((uint32_t)(scale + lost - 1) << 7) + (product >> EXTRA);
    return magnitude > INFINITE ? INFINITE : magnitude;
}

uint16_t bf16_product(uint16_t a, uint16_t b) {
    const uint32_t product = significand_of(a) * significand_of(b), sign = (a ^ b) & 0x8000u;
    const uint16_t x = a & MAGNITUDE, y = b & MAGNITUDE;
    const bool infinite = x == INFINITE || y == INFINITE;
    if (x > INFINITE || y > INFINITE || (infinite && (!x || !y)))
        return NOT_A_NUMBER;
    if (infinite)
        return (uint16_t)(sign | INFINITE);
    return (uint16_t)(sign | (product ? cut_and_rounded(product, exponent_of(a) + exponent_of(b) - 126) : 0));
}

float bf16_to_float(uint16_t x) {
    const uint32_t word = (uint32_t)x << 16;
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}
