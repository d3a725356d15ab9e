/* against.h - two files of results, point by point. */
#ifndef ONYX_SWEEP_AGAINST_H
#define ONYX_SWEEP_AGAINST_H

#include "sweep/sweep.h"

/* Measures of a point: cycles, time, tiles, words of configuration. */
enum { SWEEP_MEASURES = 4 };
/* Compares current with earlier results, by plan and settings, and prints the differences. E0943-worse for a
 * point worse by more than the tolerance in per cent, by measure, or no longer done. */
void sweep_against(const sweep_row_vec *before, const sweep_row_vec *now, const double *tolerance, FILE *out,
                   diagnostics *d);

#endif
