/* quota.h - how many cases of a generator show nothing: tests/quota.py, in C. A generator fails where more
 * than a fifth of its accepted cases are trivial, or fewer than a tenth of all cases are accepted; of fewer
 * than 100 cases, where a generator at the quota would have such a share less than once in 1,000 runs. */
#ifndef ONYX_TESTS_QUOTA_H
#define ONYX_TESTS_QUOTA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { QUOTA_MANY = 100 }; /* of fewer cases a share is judged by chance */

typedef struct {
    uint64_t cases, accepted, trivial;
} quota;

static inline void quota_add(quota *q, bool accepted, bool trivial) {
    q->cases++;
    q->accepted += accepted;
    q->trivial += accepted && trivial;
}

/* Whether n values of `size` bytes are all one, at which operands and points are indistinguishable; of a
 * single value, whether all its bytes are 0. */
static inline bool quota_constant(const void *values, size_t n, size_t size) {
    static const char zeros[8];
    return n < 2 ? !n || memcmp(values, zeros, size) == 0
                 : memcmp(values, (const char *)values + size, (n - 1) * size) == 0;
}

/* The probability of `least` cases of n or more, each of probability p: a binomial, from its last term down.
 */
static inline double quota_chance(uint64_t n, uint64_t least, double p) {
    double term = 1, sum = 0;
    for (uint64_t i = 0; i < n; i++)
        term *= p;
    for (uint64_t i = n; i >= least && i > 0; i--) {
        sum += term;
        term *= (double)i / (double)(n - i + 1) * (1 - p) / p;
    }
    return least ? sum : 1;
}

/* Returns whether `shown` of n cases are more than a share p of them. */
static inline bool quota_beyond(uint64_t n, uint64_t shown, double p) {
    return (double)shown > p * (double)n + 1e-9 && (n >= QUOTA_MANY || quota_chance(n, shown, p) < 1e-3);
}

/* Prints the shares; returns whether a share is beyond its quota. */
static inline bool quota_failed(const quota *q) {
    const bool broken =
        quota_beyond(q->cases, q->cases - q->accepted, 0.9) || quota_beyond(q->accepted, q->trivial, 0.2);
    printf("quota: %llu of %llu cases accepted (at least 10 %%), %llu of them trivial (at most 20 %%)%s\n",
           (unsigned long long)q->accepted, (unsigned long long)q->cases, (unsigned long long)q->trivial,
           broken ? ": BROKEN" : "");
    return broken;
}

#endif
