/* plot.h - plots as SVG, without dependencies: for reports of sweeps and for the studies. */
#ifndef ONYX_SWEEP_PLOT_H
#define ONYX_SWEEP_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { PLOT_SERIES = 8 }; /* as many as there are colours: PALETTE_SERIES */

/* A line, or a bar of each group. */
typedef struct {
    const char *name;
    /* plot.n values, or NULL: a name of points. Logarithmic plots leave out values not above 0. */
    const double *y;
    bool published; /* somebody else's values, beside ours: dashed, or only an outline */
} plot_series;

typedef struct {
    double x, y;             /* at least 0; above 0 along a logarithmic axis */
    const char *says, *link; /* shown under the mouse pointer, and the target of a click; NULL: none */
    bool best;               /* no other point is as low and as far left: best points are joined by steps */
    uint32_t series;         /* whose colour it has */
} plot_point;

/* A box from the first quartile to the third, with the median, and whiskers to the least and the most. */
typedef struct {
    double least, first, median, third, most; /* the least is at least 0 */
} plot_box;

/* Points if `point` is set, boxes if `box` is, a heat map if `cell` is, lines if `category` is NULL, else
 * bars. */
typedef struct {
    const char *title, *x_label, *y_label;
    uint32_t n;                  /* points, points of a line, groups of bars, columns */
    const double *x;             /* lines: ascending */
    const char *const *category; /* bars, columns: the label below each */
    bool log_x, log_y;
    bool trend;  /* points: a straight line through the points of each series, by least squares as drawn */
    double rule; /* a horizontal line at this height, for comparison; 0: none */
    const plot_box *box; /* n of them */
    bool stacked;        /* bars: the series of a group on top of each other; excludes log_y */
    plot_series series[PLOT_SERIES];
    uint32_t n_series;
    const plot_point *point;
    const double *cell;     /* row by row from the lowest, lower is better; values not above 0 are left out */
    const char *const *row; /* label of each row */
    uint32_t n_rows;
    bool within; /* part of an HTML page, which needs no name space and sets the size */
} plot;

/* Writes an SVG of 720 x 440 pixels (more where names below the bars are slanted) with axes, ticks, a legend
 * and the title. The same text for the same numbers. Numbers are finite, and below 1e300. */
void plot_write(const plot *p, FILE *out);

#endif
