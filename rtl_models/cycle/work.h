/* work.h - how often a model did what takes energy, over all its runs so far: report/energy.def. */
#ifndef ONYX_CYCLE_WORK_H
#define ONYX_CYCLE_WORK_H

#include "rtl_models/cycle/cycle.h"

/* `operations`: results of ALUs, and values that reducers take into a sum; tokens that only pass are none.
 * `accesses`: lines of 64 bits that MEM tiles read or write. */
typedef struct {
    uint64_t operations, accesses;
} cycle_work;

void cycle_work_of(const cycle_model *m, cycle_work *out);

#endif
