/* settings.h - the computation and the settings of points: JSON objects, an axis to its value. */
#ifndef ONYX_SWEEP_SETTINGS_H
#define ONYX_SWEEP_SETTINGS_H

#include "sweep/sweep.h"

/* Prints {"tile":"16","unroll":"2"} as "tile 16, unroll 2"; null is "as chosen". */
void put_settings(const char *settings, FILE *out);

/* Returns whether two points of a plan have the same computation on the same engine: equal expressions and
 * operands. */
bool sweep_alike(const sweep_row *a, const sweep_row *b);

/* Returns the value of an axis, or "" where the point has none. */
const char *row_setting(const sweep_row *r, const char *axis, arena *mem);
/* Finds a figure of a point: a measure, "cycles", "time_us", "energy_nj", or a fact of an operand,
 * "B.entries", "B.rows", "B.columns", "B.density" or "B.bandwidth"; false where there is none. */
bool row_figure(const sweep_row *r, const char *name, double *value);
/* Returns the names of all axes, or of all facts, of any row, in order of occurrence. */
sweep_text_vec rows_axes(const sweep_row_vec *rows, arena *mem);
sweep_text_vec rows_facts(const sweep_row_vec *rows, arena *mem);

#endif
