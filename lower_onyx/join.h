/* join.h - several netlists on one array. */
#ifndef ONYX_JOIN_H
#define ONYX_JOIN_H

#include "lower_onyx/lower_onyx.h"

/* Puts n checked netlists, all with the same names, beside each other: kernels that share the array and run
 * in turn. Their cells and nets follow each other in this order; the streams of parts[p] get `part` p, and a
 * name that an earlier one has ends in "_p" and p ("_pp" where that is one too). Ends with net_check.
 * O(cells^2). */
bool net_join(const netlist *const *parts, uint32_t n, arena *mem, diagnostics *d, netlist *out);

#endif
