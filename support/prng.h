/* prng.h - random numbers. */
#ifndef ONYX_SUPPORT_PRNG_H
#define ONYX_SUPPORT_PRNG_H

#include <stdint.h>

typedef struct {
    uint64_t state;
} prng; /* splitmix64 (Steele, Lea, Flood 2014): the whole state is the seed */

static inline prng prng_seed(uint64_t seed) {
    return (prng){seed};
}
static inline uint64_t prng_next(prng *p) {
    uint64_t z = (p->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
/* Draws a uniform number in [0, n) for n >= 1, with a bias below 2^-32. */
static inline uint32_t prng_below(prng *p, uint32_t n) {
    return (uint32_t)(((prng_next(p) >> 32) * n) >> 32);
}

#endif
