/* Plots as SVG. Coordinates are printed in tenths of a pixel. */
#include "sweep/plot.h"
#include "support/arena.h"
#include "support/number.h"
#include "support/palette.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 720, HEIGHT = 440, LEFT = 80, RIGHT = 550, TOP = 40, BOTTOM = 380 };

/* An axis: values from low to high over pixels from `from` to `to`. */
typedef struct {
    double low, high, from, to;
    bool log;
} axis;

static double place(const axis *a, double value) {
    double share =
        a->log ? log10(value / a->low) / log10(a->high / a->low) : (value - a->low) / (a->high - a->low);
    return a->from + share * (a->to - a->from);
}

/* 1, 2 or 5 times a power of ten, at least `value`. */
static double round_step(double value) {
    double power = pow(10, floor(log10(value)));
    return value <= power       ? power
           : value <= 2 * power ? 2 * power
           : value <= 5 * power ? 5 * power
                                : 10 * power;
}

/* Whole decades, or whole steps from 0. */
static axis make_axis(double low, double high, bool is_log, double from, double to) {
    if (is_log) {
        low = pow(10, floor(log10(low) + 1e-9));
        high = pow(10, ceil(log10(high) - 1e-9));
        return (axis){low, high > low ? high : low * 10, from, to, true};
    }
    double step = round_step((high > 1e-300 && high < 1e300 ? high : 1) / 5);
    return (axis){0, step * ceil(high / step - 1e-9), from, to, false};
}

static void label(FILE *out, double x, double y, const char *anchor, const char *text) {
    number_print(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    text_put_escaped(text, out);
    fputs("</text>\n", out);
}

static void number(FILE *out, double x, double y, const char *anchor, double value) {
    char text[32];
    number_text(text, sizeof text, value >= 1e6 ? "%.0e" : "%g", value);
    label(out, x, y, anchor, text);
}

static void line(FILE *out, double x1, double y1, double x2, double y2, const char *colour) {
    number_print(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x1, y1, x2,
                 y2, colour);
}

static void tick(FILE *out, const axis *a, bool vertical, double value) {
    double at = place(a, value);
    if (vertical) {
        line(out, LEFT, at, RIGHT, at, "#dddddd");
        number(out, LEFT - 6, at + 4, "end", value);
    } else {
        line(out, at, TOP, at, BOTTOM, "#dddddd");
        number(out, at, BOTTOM + 18, "middle", value);
    }
}

static void ticks(FILE *out, const axis *a, bool vertical) {
    if (a->log) {
        for (double value = a->low; value < a->high * 1.001; value *= 10)
            tick(out, a, vertical, value);
        return;
    }
    double step = round_step(a->high / 5);
    for (int i = 0; i * step < a->high * 1.001; i++)
        tick(out, a, vertical, i * step);
}

static void range(const double *values, uint32_t n, bool is_log, double *low, double *high) {
    for (uint32_t i = 0; i < n; i++) {
        if (is_log && !(values[i] > 0))
            continue;
        *low = values[i] < *low ? values[i] : *low;
        *high = values[i] > *high ? values[i] : *high;
    }
}

static double stack_height(const plot *p, uint32_t group) {
    double sum = 0;
    for (uint32_t s = 0; s < p->n_series; s++)
        sum += p->series[s].y[group];
    return sum;
}

static axis vertical_axis(const plot *p) {
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; p->point && i < p->n; i++)
        range(&p->point[i].y, 1, p->log_y, &low, &high);
    for (uint32_t i = 0; p->box && i < p->n; i++) {
        range(&p->box[i].least, 1, p->log_y, &low, &high);
        range(&p->box[i].most, 1, p->log_y, &low, &high);
    }
    for (uint32_t s = 0; s < p->n_series; s++)
        range(p->series[s].y, p->series[s].y ? p->n : 0, p->log_y, &low, &high);
    for (uint32_t i = 0; p->stacked && i < p->n; i++)
        high = stack_height(p, i) > high ? stack_height(p, i) : high;
    return make_axis(low < high ? low : high / 2, high, p->log_y, BOTTOM, TOP);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void write_line(const plot *p, FILE *out, uint32_t s, const axis *x, const axis *y) {
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s points=\"",
            palette_series[s].light, p->series[s].published ? " stroke-dasharray=\"6 4\"" : "");
    for (uint32_t i = 0; i < p->n; i++)
        if (!p->log_y || p->series[s].y[i] > 0)
            number_print(out, "%.1f,%.1f ", place(x, p->x[i]), place(y, p->series[s].y[i]));
    fputs("\"/>\n", out);
    for (uint32_t i = 0; i < p->n; i++)
        if (!p->log_y || p->series[s].y[i] > 0)
            number_print(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", place(x, p->x[i]),
                         place(y, p->series[s].y[i]),
                         p->series[s].published ? "white" : palette_series[s].light);
}

static void write_lines(const plot *p, FILE *out, const axis *y) {
    double low = INFINITY, high = -INFINITY;
    range(p->x, p->n, p->log_x, &low, &high);
    axis x = make_axis(low, high, p->log_x, LEFT, RIGHT);
    ticks(out, &x, false);
    for (uint32_t s = 0; s < p->n_series; s++)
        write_line(p, out, s, &x, y);
}

/* ---- names of groups ------------------------------------------------------------------------- */

/* Many names are slanted, to avoid overlaps. */
enum { LEVEL_NAMES = 7, SLANTED = 60 };
static bool are_slanted(const plot *p) {
    size_t longest = 0;
    for (uint32_t i = 0; p->category && i < p->n; i++)
        longest = strlen(p->category[i]) > longest ? strlen(p->category[i]) : longest;
    return p->category && (p->n > 2 * LEVEL_NAMES || longest * p->n * 7 > 2 * (RIGHT - LEFT));
}

static void group_name(const plot *p, FILE *out, uint32_t i) {
    const double x = LEFT + (double)(RIGHT - LEFT) / p->n * (i + 0.5);
    if (!are_slanted(p)) {
        label(out, x, BOTTOM + (p->n > LEVEL_NAMES && i % 2 ? 30 : 18), "middle", p->category[i]);
        return;
    }
    number_print(out, "<g transform=\"translate(%.1f,%d) rotate(-45)\" font-size=\"11\">", x + 4,
                 BOTTOM + 12);
    label(out, 0, 0, "end", p->category[i]);
    fputs("</g>\n", out);
}

/* ---- bars ------------------------------------------------------------------------------------ */

typedef struct {
    double x, width, top, bottom;
} box;

static void bar(FILE *out, const plot *p, uint32_t s, box b) {
    number_print(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" ", b.x, b.top, b.width,
                 b.bottom - b.top);
    if (p->series[s].published)
        fprintf(out, "fill=\"none\" stroke=\"%s\" stroke-dasharray=\"3 2\"/>\n", palette_series[s].light);
    else
        fprintf(out, "fill=\"%s\"/>\n", palette_series[s].light);
}

static void write_bars(const plot *p, FILE *out, const axis *y) {
    double group = (double)(RIGHT - LEFT) / p->n, width = group * 0.8 / (p->stacked ? 1 : p->n_series);
    for (uint32_t i = 0; i < p->n; i++) {
        double x = LEFT + group * (i + 0.1), below = 0;
        for (uint32_t s = 0; s < p->n_series; s++) {
            double value = p->series[s].y[i];
            if (p->stacked)
                bar(out, p, s, (box){x, width, place(y, below + value), place(y, below)});
            else if (!p->log_y || value > 0)
                bar(out, p, s, (box){x + width * s, width * 0.95, place(y, value), BOTTOM});
            below += value;
        }
        group_name(p, out, i);
    }
}

/* ---- boxes ----------------------------------------------------------------------------------- */

static void write_boxes(const plot *p, FILE *out, const axis *y) {
    const double group = (double)(RIGHT - LEFT) / p->n;
    for (uint32_t i = 0; i < p->n; i++) {
        const plot_box *b = &p->box[i];
        const double x = LEFT + group * (i + 0.5), left = x - group * 0.3;
        line(out, x, place(y, b->least), x, place(y, b->first), "#000000");
        line(out, x, place(y, b->third), x, place(y, b->most), "#000000");
        number_print(out,
                     "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" "
                     "stroke=\"#000000\"/>\n",
                     left, place(y, b->third), group * 0.6, place(y, b->first) - place(y, b->third),
                     palette_series[5].light);
        line(out, left, place(y, b->median), left + group * 0.6, place(y, b->median), "#000000");
        group_name(p, out, i);
    }
}

/* ---- points ---------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b) {
    const plot_point *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y < q->y) - (p->y > q->y);
}

/* Joins the best points by steps: points right of and above the line are worse. O(n log n). */
static void write_front(const plot *p, FILE *out, const axis *x, const axis *y) {
    arena scratch = {0};
    plot_point *best = arena_new_n(&scratch, plot_point, p->n + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->point[i].best)
            best[n++] = p->point[i];
    }
    if (n)
        qsort(best, n, sizeof *best, by_place);
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" points=\"", palette_series[1].light);
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            number_print(out, "%.1f,%.1f ", place(x, best[i].x), place(y, best[i - 1].y));
        number_print(out, "%.1f,%.1f ", place(x, best[i].x), place(y, best[i].y));
    }
    fputs("\"/>\n", out);
    arena_free(&scratch);
}

static void write_point(const plot_point *at, FILE *out, const axis *x, const axis *y) {
    if (at->link) {
        fputs("<a href=\"", out);
        text_put_escaped(at->link, out);
        fputs("\">", out);
    }
    number_print(
        out,
        "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\" stroke=\"%s\" stroke-width=\"2\">",
        at->best ? "best" : "point", place(x, at->x), place(y, at->y),
        at->best ? palette_series[1].light : "white",
        at->best ? palette_series[1].light : palette_series[at->series].light);
    fputs("<title>", out);
    text_put_escaped(at->says, out);
    fputs(at->link ? "</title></circle></a>\n" : "</title></circle>\n", out);
}

/* Draws the least-squares line of a series' points in the plane of the picture, over their width. */
static void write_trend(const plot *p, FILE *out, uint32_t series, const axis *x, const axis *y) {
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, least = INFINITY, most = -INFINITY;
    for (uint32_t i = 0; i < p->n; i++) {
        const double at = place(x, p->point[i].x), high = place(y, p->point[i].y);
        if (p->point[i].series != series)
            continue;
        n++;
        sx += at;
        sy += high;
        sxx += at * at;
        sxy += at * high;
        range(&at, 1, false, &least, &most);
    }
    const double spread = n * sxx - sx * sx;
    if (!(n > 1 && spread > 1e-6))
        return;
    const double slope = (n * sxy - sx * sy) / spread, from = (sy - slope * sx) / n;
    number_print(out,
                 "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
                 "stroke-dasharray=\"6 4\"/>\n",
                 least, from + slope * least, most, from + slope * most, palette_series[series].light);
}

/* The best points come last, on top. */
static void write_points(const plot *p, FILE *out, const axis *y) {
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < p->n; i++)
        range(&p->point[i].x, 1, p->log_x, &low, &high);
    const axis x = make_axis(low, high, p->log_x, LEFT, RIGHT);
    ticks(out, &x, false);
    write_front(p, out, &x, y);
    for (uint32_t s = 0; s < PLOT_SERIES && p->trend; s++)
        write_trend(p, out, s, &x, y);
    for (uint32_t i = 0; i < 2 * p->n; i++) {
        if (p->point[i % p->n].best == (i >= p->n))
            write_point(&p->point[i % p->n], out, &x, y);
    }
}

/* ---- heat maps ------------------------------------------------------------------------------- */

/* Writes a cell: the least value is the darkest, on a logarithmic scale from least to most. */
static void write_cell(const plot *p, FILE *out, uint32_t i, double least, double most) {
    const double value = p->cell[i], width = (double)(RIGHT - LEFT) / p->n,
                 height = (double)(BOTTOM - TOP) / p->n_rows;
    const double x = LEFT + width * (i % p->n), y = BOTTOM - height * (i / p->n + 1);
    const double share = most > least ? log(value / least) / log(most / least) : 0;
    char text[32];
    number_text(text, sizeof text, "%.4g", value);
    number_print(out,
                 "<rect class=\"cell\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#0072b2\" "
                 "fill-opacity=\"%.2f\" stroke=\"%s\"/>\n",
                 x, y, width, height, 1 - 0.9 * share, value > least ? "white" : palette_series[1].light);
    fprintf(out, "<g style=\"fill:%s\">", share < 0.45 ? "white" : "black");
    label(out, x + width / 2, y + height / 2 + 4, "middle", text);
    fputs("</g>\n", out);
}

static void write_heat(const plot *p, FILE *out) {
    double least = INFINITY, most = 0;
    range(p->cell, p->n * p->n_rows, true, &least, &most);
    for (uint32_t i = 0; i < p->n * p->n_rows; i++) {
        if (p->cell[i] > 0)
            write_cell(p, out, i, least, most);
    }
    for (uint32_t c = 0; c < p->n; c++)
        group_name(p, out, c);
    for (uint32_t r = 0; r < p->n_rows; r++)
        label(out, LEFT - 6, BOTTOM - (double)(BOTTOM - TOP) / p->n_rows * (r + 0.5) + 4, "end", p->row[r]);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void write_head(const plot *p, FILE *out) {
    const int height = HEIGHT + (are_slanted(p) ? SLANTED : 0);
    if (p->within)
        fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\">\n<title>", WIDTH, height);
    else
        fprintf(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<title>",
            WIDTH, height);
    text_put_escaped(p->title, out);
    fprintf(out, "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n", WIDTH, height);
    label(out, (LEFT + RIGHT) / 2.0, TOP - 16, "middle", p->title);
    label(out, (LEFT + RIGHT) / 2.0, height - 10, "middle", p->x_label);
    fprintf(out, "<g transform=\"translate(18,%d) rotate(-90)\">", (TOP + BOTTOM) / 2);
    label(out, 0, 0, "middle", p->y_label);
    fputs("</g>\n", out);
}

static void write_legend(const plot *p, FILE *out) {
    for (uint32_t s = 0; s < p->n_series && !(p->within && p->n_series == 1); s++) {
        double at = TOP + 10 + 20.0 * s;
        bar(out, p, s, (box){RIGHT + 14, 12, at - 10, at});
        label(out, RIGHT + 32, at, "start", p->series[s].name);
    }
}

void plot_write(const plot *p, FILE *out) {
    write_head(p, out);
    if (p->cell) {
        write_heat(p, out);
    } else {
        axis y = vertical_axis(p);
        ticks(out, &y, true);
        if (p->rule > 0)
            line(out, LEFT, place(&y, p->rule), RIGHT, place(&y, p->rule), "#000000");
        if (p->point)
            write_points(p, out, &y);
        else if (p->box)
            write_boxes(p, out, &y);
        else if (p->category)
            write_bars(p, out, &y);
        else
            write_lines(p, out, &y);
    }
    line(out, LEFT, BOTTOM, RIGHT, BOTTOM, "#000000");
    line(out, LEFT, TOP, LEFT, BOTTOM, "#000000");
    write_legend(p, out);
    fputs("</svg>\n", out);
}
