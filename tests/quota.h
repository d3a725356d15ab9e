/* quota.h - how many cases of a generator show nothing: tests/quota.py, in C. A generator fails where more
 * than a fifth of its accepted cases are trivial, or fewer than a tenth of all cases are accepted. */
#ifndef ONYX_TESTS_QUOTA_H
#define ONYX_TESTS_QUOTA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { QUOTA_FEW = 10 }; /* of fewer cases no share is judged */

typedef struct {
    uint64_t cases, accepted, trivial;
} quota;

static inline void quota_add(quota *q, bool accepted, bool trivial) {
    q->cases++;
    q->accepted += accepted;
    q->trivial += accepted && trivial;
}

/* Prints the shares; returns whether a share is beyond its quota. */
static inline bool quota_failed(const quota *q) {
    const bool broken = q->cases >= QUOTA_FEW && (q->accepted * 10 < q->cases ||
                                                  (q->accepted >= QUOTA_FEW && q->trivial * 5 > q->accepted));
    printf("quota: %llu of %llu cases accepted (at least 10 %%), %llu of them trivial (at most 20 %%)%s\n",
           (unsigned long long)q->accepted, (unsigned long long)q->cases, (unsigned long long)q->trivial,
           broken ? ": BROKEN" : "");
    return broken;
}

#endif
