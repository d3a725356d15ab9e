/* against.h - two files of results, point by point. */
#ifndef ONYX_SWEEP_AGAINST_H
#define ONYX_SWEEP_AGAINST_H

#include "sweep/sweep.h"

/* What of a point may get worse: cycles, time, tiles, words of configuration. */
enum { SWEEP_MEASURES = 4 };
/* Holds what is found now against what was before, by plan and settings, and prints what differs. A point
 * that is worse by more than the per cent that is tolerated, by measure, or that is not done any more:
 * E0943-worse. */
void sweep_against(const sweep_row_vec *before, const sweep_row_vec *now, const double *tolerance, FILE *out,
                   diagnostics *d);

#endif
