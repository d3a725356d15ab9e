/* plot.h - line and bar plots as SVG, without dependencies: what the studies draw. */
#ifndef ONYX_TESTS_BENCH_PLOT_H
#define ONYX_TESTS_BENCH_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { PLOT_SERIES = 8 }; /* as many as there are colours */

/* One line, or one bar of each group. */
typedef struct {
    const char *name;
    const double *y; /* plot.n of them; a value that is not above 0 is left out of a logarithmic plot */
} plot_series;

typedef struct {
    const char *title, *x_label, *y_label;
    uint32_t n;                  /* points of a line, groups of bars */
    const double *x;             /* lines: ascending */
    const char *const *category; /* bars: what is written below each group */
    bool log_x, log_y;
    bool stacked; /* bars: the series of a group on top of each other; then not log_y */
    plot_series series[PLOT_SERIES];
    uint32_t n_series;
} plot;

/* An SVG of 720 x 440 pixels with axes, ticks, a legend and the title. The same text for the same numbers.
 * Lines where category is NULL, else bars. */
void plot_write(const plot *p, FILE *out);

#endif
