/* join.h - several netlists on one array. */
#ifndef ONYX_JOIN_H
#define ONYX_JOIN_H

#include "lower_onyx/lower_onyx.h"

/* Puts n checked netlists with equal names beside each other: kernels that share the array and run in turn.
 * Their cells and nets follow each other in this order. The streams of kernels[p] get `kernel` p. A name of
 * an earlier netlist gets the suffix "_p" and p ("_pp" if this name is taken, too). Ends with net_check.
 * O(cells^2). */
bool net_join(const netlist *const *kernels, uint32_t n, arena *mem, diagnostics *d, netlist *out);

#endif
