/* plot.h - plots as SVG, without dependencies: what reports of sweeps and the studies draw. */
#ifndef ONYX_SWEEP_PLOT_H
#define ONYX_SWEEP_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { PLOT_SERIES = 8 }; /* as many as there are colours */

/* One line, or one bar of each group. */
typedef struct {
    const char *name;
    const double *y; /* plot.n of them, or NULL: a name of points; a value that is not above 0 is left out of a logarithmic plot */
    bool published;  /* somebody else's values, beside ours: dashed, or only an outline */
} plot_series;

typedef struct {
    double x, y;             /* at least 0; above 0 along an axis that is logarithmic */
    const char *says, *link; /* shown where one points at it, and where a click leads; NULL: nowhere */
    bool best;               /* no other point is as low as it and as far left: these are joined by steps */
    uint32_t series; /* whose colour it has */
} plot_point;

/* A box from the first quartile to the third, with the median, and whiskers to the least and the most. */
typedef struct {
    double least, first, median, third, most; /* the least is at least 0 */
} plot_box;

/* Points where `point` is there, boxes where `box` is, a heat map where `cell` is, lines where `category` is
 * NULL, else bars. */
typedef struct {
    const char *title, *x_label, *y_label;
    uint32_t n;                  /* points, points of a line, groups of bars, columns */
    const double *x;             /* lines: ascending */
    const char *const *category; /* bars, columns: what is written below each */
    bool log_x, log_y;
    bool trend;  /* points: a straight line through those of each series, by least squares as it is drawn */
    double rule; /* a line across at this height, for what others are compared with; 0: none */
    const plot_box *box; /* n of them */
    bool stacked;        /* bars: the series of a group on top of each other; then not log_y */
    plot_series series[PLOT_SERIES];
    uint32_t n_series;
    const plot_point *point;
    const double *cell; /* row by row from the lowest: the less the better; what is not above 0 is left out */
    const char *const *row; /* what is written beside each row */
    uint32_t n_rows;
    bool within; /* it becomes a part of an HTML page, which needs no name space and sets the size */
} plot;

/* Writes an SVG of 720 x 440 pixels (more where names below the bars are slanted) with axes, ticks, a legend
 * and the title. The same text for the same numbers. Numbers are finite, and below 1e300. */
void plot_write(const plot *p, FILE *out);

#endif
