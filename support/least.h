/* least.h - the lesser and the greater of two counts. */
#ifndef ONYX_SUPPORT_LEAST_H
#define ONYX_SUPPORT_LEAST_H

#include <stdint.h>

static inline uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}
static inline uint32_t most(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

#endif
