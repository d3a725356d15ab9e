#include "support/sort.h"

void sort_numbers(uint32_t *at, uint32_t n, uint32_t *spare, sort_after *after, const void *things) {
    if (n < 2)
        return;
    uint32_t half = n / 2, i = 0, j = half, k = 0;
    sort_numbers(at, half, spare, after, things);
    sort_numbers(at + half, n - half, spare, after, things);
    while (i < half || j < n)
        spare[k++] = j == n || (i < half && !after(things, at[i], at[j])) ? at[i++] : at[j++];
    memcpy(at, spare, n * sizeof *at);
}

uint32_t *sort_order(uint32_t n, sort_after *after, const void *things, arena *mem) {
    uint32_t *order = arena_new_n(mem, uint32_t, n + 1), *spare = arena_new_n(mem, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    sort_numbers(order, n, spare, after, things);
    return order;
}
