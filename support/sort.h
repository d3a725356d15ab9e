/* sort.h - sorts the numbers of things: the things stay in place. */
#ifndef ONYX_SUPPORT_SORT_H
#define ONYX_SUPPORT_SORT_H

#include "support/support.h"

/* Whether thing a comes after thing b; false for equal things. */
typedef bool sort_after(const void *things, uint32_t a, uint32_t b);

/* Sorts the n numbers at `at` by merging, in O(n log n): numbers of equal things keep their order. `spare`
 * has room for n. */
void sort_numbers(uint32_t *at, uint32_t n, uint32_t *spare, sort_after *after, const void *things);

/* Returns the numbers 0 .. n - 1, sorted. */
uint32_t *sort_order(uint32_t n, sort_after *after, const void *things, arena *mem);

#endif
