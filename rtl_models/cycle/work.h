/* work.h - counts of a model's energy-consuming events, over all its runs: report/energy.def. */
#ifndef ONYX_CYCLE_WORK_H
#define ONYX_CYCLE_WORK_H

#include "rtl_models/cycle/cycle.h"

/* `operations`: results of ALUs, and values added by reducers; passing tokens do not count. `accesses`: lines
 * of 64 bits read or written by MEM tiles. */
typedef struct {
    uint64_t operations, accesses;
} cycle_work;

void cycle_work_of(const cycle_model *m, cycle_work *out);

#endif
