/* energy.h - an estimate of the energy of runs, from the activity of each component of the chip
 * (docs/energy.md). The estimate is a range, since per-operation energies of the chip are not public. */
#ifndef ONYX_REPORT_ENERGY_H
#define ONYX_REPORT_ENERGY_H

#include "kernel/kernel.h"

typedef enum {
#define ENERGY(KEY, name, low, high, node, each, source) ENERGY_##KEY,
#include "report/energy.def"
    ENERGIES
} compile_energy_kind;

/* Counts of each coefficient, and the time of the runs. */
typedef struct {
    double count[ENERGIES];
    double time_us;
} compile_activity;

/* nJ */
typedef struct {
    double low, typical, high;
} compile_energy;

/* Adds the energy of a run's cycles, for work added before the cycles were known. */
void compile_activity_add_time(const compile_kernel *k, compile_activity *to);
/* Adds the activity of the last run of a kernel and its producers. Returns false if no engine of the array
 * counted: nothing ran, or engine sam. */
bool compile_activity_add(const compile_kernel *k, compile_activity *to);
/* Adds "energy" to report.json (docs/report.md). */
void compile_energy_json(const compile_activity *a, cJSON *json);
/* Returns "8.7 µJ (2.7 to 27), estimated": the typical energy, and the least and the most. */
const char *compile_energy_text(const compile_activity *a, arena *mem);
/* Returns a time in the unit that fits, "10.7 µs". */
const char *compile_time_text(double us, arena *mem);
/* Returns the text behind the total of cycles, for cycles that are not in it: of the host, and of checks of
 * what was loaded; "" without any. */
const char *compile_other_cycles(uint64_t host, uint64_t verify, arena *mem);

#endif
