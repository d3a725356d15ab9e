/* chains.h - how many bfloat16 terms a reducer adds one after the other, and edges that keep them few. */
#ifndef ONYX_KERNEL_CHAINS_H
#define ONYX_KERNEL_CHAINS_H

#include "kernel/kernel.h"

/* Lowers widest[], by variable handle - 1, along loops that bfloat16 sums run over, so that no sub-tile adds
 * more than 128 terms, as far as operands and extents tell: the host adds what they give in float32. Loops
 * that are not cut stay. O(entries). */
void compile_keep_chains_short(const sam_statement *s, const tile_operands *in, const uint32_t *extent,
                               uint32_t *widest);

#endif
