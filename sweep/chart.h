/* chart.h - charts of results, as SVG for a paper and CSV for who draws again. */
#ifndef ONYX_SWEEP_CHART_H
#define ONYX_SWEEP_CHART_H

#include "sweep/sweep.h"

typedef enum { CHART_BARS, CHART_LINES, CHART_SCATTER, CHART_HEAT, CHART_BOX } sweep_chart_kind;

/* Description of a chart. Members unused by a kind are NULL. */
typedef struct {
    const char *name; /* of its files */
    sweep_chart_kind kind;
    const char *title, *x_label, *y_label;
    const char *x;      /* an axis; of lines and points also a figure (settings.h) */
    const char *y;      /* a figure: the least of points with the same x and series; boxes use all of them */
    const char *series; /* an axis: a colour for each of its values; of heat maps the rows */
    const char *each;   /* an axis: a chart for each of its values */
    const char *normalise, *speedup; /* a value of `series`: divisor, or dividend, of y */
    const char *peer;                /* a CSV file: x, followed by a column for each further series */
    sweep_text_vec where;            /* "axis=value": only these points */
    bool log_x, log_y, trend;
} sweep_chart;

/* Writes FOLDER/NAME.svg and NAME.csv, with `each` NAME-VALUE.svg and NAME-VALUE.csv. E0944-chart for nothing
 * to draw, or more series than colours; E0001-file, E0004-write. */
bool sweep_chart_write(const sweep_row_vec *rows, const sweep_chart *c, const char *folder, diagnostics *d);

/* ---- peer.c -------------------------------------------------------------------------------------- */

/* Somebody else's results. */
typedef struct {
    sweep_text_vec x, series; /* the first column; the names of the remaining columns */
    f64_vec y;                /* row by row; 0 without a number */
} peer_results;

/* Reads a CSV file whose first row names its columns. E0001-file, E0944-chart. */
bool peer_read(const char *path, arena *mem, diagnostics *d, peer_results *out);

#endif
