/* samples.h - what channels did over time without watching each of them: the model's counters, read every so
 * often. A time line (timeline.json, docs/cycle.md) without single changes, in which copies that start by
 * themselves stand side by side, as they do on the chip. */
#ifndef ONYX_CYCLE_SAMPLES_H
#define ONYX_CYCLE_SAMPLES_H

#include "rtl_models/cycle/cycle.h"

typedef struct cycle_samples cycle_samples;
enum { CYCLE_MODES_MOST = 3 }; /* of a run's place in the result, that are kept */

/* Which copies start by themselves: of each cell its copy, counted from 0. */
typedef struct {
    const uint32_t *of_cell;
    uint32_t n;
} cycle_copies;

/* Reads the counters of `m` from now on, until NULL is set (cycle_sample). */
cycle_samples *cycle_samples_begin(cycle_model *m, const cycle_copies *copies, arena *mem);
/* Has the model's runs sampled by `s`, or by nobody (NULL). */
void cycle_sample(cycle_model *m, cycle_samples *s);
/* The model calls these when a run begins, and when its accounts are up to date. */
void cycle_samples_began(cycle_samples *s);
void cycle_samples_look(cycle_samples *s);
/* Says that the next run is of a copy, and begins in that cycle of the time line. */
void cycle_samples_run(cycle_samples *s, uint32_t copy, uint64_t begin);
/* Notes the run that is over: where its box of the result begins, by mode. */
void cycle_samples_note(cycle_samples *s, uint64_t cycles, const uint32_t *origin, uint32_t modes);
/* Writes FOLDER/timeline.json. E0001-file. */
bool cycle_samples_end(cycle_samples *s, const char *folder, diagnostics *d);

#endif
