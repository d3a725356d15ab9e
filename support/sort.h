/* sort.h - things put in order by sorting their numbers: whatever they are, they stay where they are. */
#ifndef ONYX_SUPPORT_SORT_H
#define ONYX_SUPPORT_SORT_H

#include "support/support.h"

/* Whether thing a comes after thing b; neither does where they are equal. */
typedef bool sort_after(const void *things, uint32_t a, uint32_t b);

/* Sorts the n numbers at `at` by merging, in O(n log n): those of equal things keep their order. `spare` has
 * room for n. */
void sort_numbers(uint32_t *at, uint32_t n, uint32_t *spare, sort_after *after, const void *things);

/* Returns the numbers 0 .. n - 1, sorted. */
uint32_t *sort_order(uint32_t n, sort_after *after, const void *things, arena *mem);

#endif
