/* Charts of results: the selected points, their normalisation, and the two files of each chart. */
#include "sweep/chart.h"
#include "support/number.h"
#include "sweep/plot.h"
#include "sweep/settings.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

typedef struct {
    const sweep_chart *c;
    sweep_row_vec rows; /* those that are drawn */
    sweep_text_vec x, series;
    f64_vec y; /* series by series; 0: no point */
    arena *mem;
    diagnostics *d;
    const char *base, *title; /* of the files, without their ends; above the chart */
} drawing;

static bool refuse(const drawing *g, const char *why, const char *what) {
    return diag_error(g->d, (src_loc){0}, "E0944-chart", "chart '%s': %s '%s'", g->c->name, why, what);
}

/* ---- points -------------------------------------------------------------------------------------- */

static bool is_number(const char *text, double *value) {
    char *end = NULL;
    *value = number_read(text, &end);
    return *text && !*end;
}

/* Numbers come before texts, each in their order. */
static int by_value(const void *a, const void *b) {
    const char *const *p = a, *const *q = b;
    double x = 0, y = 0;
    const bool first = is_number(*p, &x), second = is_number(*q, &y);
    if (first && second && x != y)
        return x < y ? -1 : 1;
    return first != second ? second - first : strcmp(*p, *q);
}

static uint32_t index_of(const sweep_text_vec *names, const char *name) {
    uint32_t i = 0;
    while (i < names->len && strcmp(names->at[i], name) != 0)
        i++;
    return i;
}

/* Returns the axis' values in the rows, sorted; a single "" without an axis. */
static sweep_text_vec values_of(const drawing *g, const char *axis) {
    sweep_text_vec values = {0};
    for (uint32_t r = 0; r < g->rows.len; r++) {
        const char *value = axis ? row_setting(&g->rows.at[r], axis, g->mem) : "";
        if (index_of(&values, value) == values.len && (*value || !axis))
            vec_push(g->mem, &values, value);
    }
    if (values.len)
        qsort(values.at, values.len, sizeof *values.at, by_value);
    return values;
}

/* Returns whether a row is done, has a value of each axis, the figure, and the chart's required values. */
static bool is_drawn(const sweep_row *r, const sweep_chart *c, arena *mem) {
    double y = 0;
    for (uint32_t w = 0; w < c->where.len; w++) {
        const char *equals = strchr(c->where.at[w], '=');
        const char *axis = arena_strndup(mem, c->where.at[w], (size_t)(equals - c->where.at[w]));
        if (strcmp(row_setting(r, axis, mem), equals + 1) != 0)
            return false;
    }
    return r->state == SWEEP_DONE && !r->plain && row_figure(r, c->y, &y) && y > 0 && y < 1e300;
}

/* Collects the least y of each x and series. */
static void collect(drawing *g) {
    g->x = values_of(g, g->c->x);
    g->series = values_of(g, g->c->series);
    for (uint32_t i = 0; i < g->x.len * g->series.len; i++)
        vec_push(g->mem, &g->y, 0);
    for (uint32_t r = 0; r < g->rows.len; r++) {
        const sweep_row *row = &g->rows.at[r];
        const uint32_t x = index_of(&g->x, row_setting(row, g->c->x, g->mem)),
                       s = g->c->series ? index_of(&g->series, row_setting(row, g->c->series, g->mem)) : 0;
        double y = 0;
        row_figure(row, g->c->y, &y);
        if (x == g->x.len || s == g->series.len)
            continue;
        double *cell = &g->y.at[s * g->x.len + x];
        *cell = *cell > 0 && *cell < y ? *cell : y;
    }
}

/* Divides by the values of a series, or a series by all; values without a partner are left out. */
static bool divide(drawing *g) {
    const char *by = g->c->normalise ? g->c->normalise : g->c->speedup;
    const uint32_t n = g->x.len, base = by ? index_of(&g->series, by) : 0;
    if (by && base == g->series.len)
        return refuse(g, "no point has the series", by);
    double *of = arena_new_n(g->mem, double, n + 1);
    memcpy(of, g->y.at + base * n, n * sizeof *of);
    for (uint32_t i = 0; i < g->y.len && by; i++) {
        const double y = g->y.at[i], b = of[i % n];
        g->y.at[i] = !(y > 0 && b > 0) ? 0 : g->c->normalise ? y / b : b / y;
    }
    return true;
}

/* Adds the geometric mean of each series as a last group. */
static void add_means(drawing *g) {
    f64_vec longer = {0};
    const uint32_t n = g->x.len;
    for (uint32_t s = 0; s < g->series.len; s++) {
        double sum = 0, points = 0;
        for (uint32_t i = 0; i < n; i++) {
            const double y = g->y.at[s * n + i];
            vec_push(g->mem, &longer, y);
            sum += y > 0 ? log(y) : 0;
            points += y > 0;
        }
        vec_push(g->mem, &longer, points > 0 ? exp(sum / points) : 0);
    }
    vec_push(g->mem, &g->x, "geomean");
    g->y = longer;
}

/* ---- files --------------------------------------------------------------------------------------- */

static void put_field(const char *text, FILE *out) {
    const bool plain = !text[strcspn(text, ",\"\n\r")];
    fputs(plain ? "" : "\"", out);
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
    fputs(plain ? "" : "\"", out);
}

/* Begins one of the two files; text goes to its stream. */
static bool begin(const drawing *g, const char *end, file_out *f) {
    return file_create(f, arena_printf(g->mem, "%s.%s", g->base, end), g->mem, g->d);
}

static bool draw(const drawing *g, const plot *p) {
    file_out f;
    if (!begin(g, "svg", &f))
        return false;
    plot_write(p, f.stream);
    return file_commit(&f, g->d);
}

/* Writes a row for each x, with a column for each series. */
static bool write_grid(const drawing *g) {
    file_out f;
    if (!begin(g, "csv", &f))
        return false;
    put_field(g->c->x, f.stream);
    for (uint32_t s = 0; s < g->series.len; s++) {
        fputc(',', f.stream);
        put_field(*g->series.at[s] ? g->series.at[s] : g->c->y, f.stream);
    }
    for (uint32_t i = 0; i < g->x.len; i++) {
        fputc('\n', f.stream);
        put_field(g->x.at[i], f.stream);
        for (uint32_t s = 0; s < g->series.len; s++) {
            const double y = g->y.at[s * g->x.len + i];
            number_print(f.stream, y > 0 ? ",%.6g" : ",", y);
        }
    }
    fputc('\n', f.stream);
    return file_commit(&f, g->d);
}

static plot frame(const drawing *g) {
    const sweep_chart *c = g->c;
    const char *measure = c->normalise ? arena_printf(g->mem, "%s, divided by that of %s", c->y, c->normalise)
                          : c->speedup ? arena_printf(g->mem, "speedup over %s by %s", c->speedup, c->y)
                                       : c->y;
    return (plot){.title = g->title,
                  .x_label = c->x_label ? c->x_label : c->x,
                  .y_label = c->y_label ? c->y_label : measure,
                  .log_x = c->log_x,
                  .log_y = c->log_y,
                  .rule = c->normalise || c->speedup ? 1 : 0,
                  .trend = c->trend};
}

static bool take_series(const drawing *g, plot *p) {
    if (g->series.len > PLOT_SERIES)
        return refuse(g, "more series than there are colours, of", g->c->series);
    p->n_series = g->series.len;
    for (uint32_t s = 0; s < g->series.len; s++)
        p->series[s] = (plot_series){*g->series.at[s] ? g->series.at[s] : g->c->y,
                                     g->y.len ? g->y.at + s * g->x.len : NULL, false};
    return true;
}

/* ---- kinds --------------------------------------------------------------------------------------- */

/* Adds the columns of a peer's results whose x occurs in ours. */
static bool add_peer(drawing *g, plot *p) {
    peer_results peer = {0};
    if (!g->c->peer)
        return true;
    if (!peer_read(g->c->peer, g->mem, g->d, &peer))
        return false;
    for (uint32_t s = 0; s < peer.series.len; s++) {
        if (p->n_series == PLOT_SERIES)
            return refuse(g, "more series than there are colours, with", g->c->peer);
        for (uint32_t i = 0; i < g->x.len; i++) {
            const uint32_t row = index_of(&peer.x, g->x.at[i]);
            vec_push(g->mem, &g->y, row < peer.x.len ? peer.y.at[row * peer.series.len + s] : 0);
        }
        vec_push(g->mem, &g->series, peer.series.at[s]);
    }
    const bool ok = take_series(g, p);
    for (uint32_t s = 0; s < peer.series.len && ok; s++)
        p->series[p->n_series - 1 - s].published = true;
    return ok;
}

static bool draw_grid(drawing *g) {
    const bool bars = g->c->kind == CHART_BARS;
    collect(g);
    if (!divide(g))
        return false;
    plot p = frame(g);
    if (!take_series(g, &p) || !add_peer(g, &p))
        return false;
    if (bars && (g->c->normalise || g->c->speedup) && g->x.len > 1) {
        add_means(g);
        for (uint32_t s = 0; s < p.n_series; s++)
            p.series[s].y = g->y.at + s * g->x.len;
    }
    p.n = g->x.len;
    p.category = g->x.at;
    double *x = arena_new_n(g->mem, double, p.n + 1);
    for (uint32_t i = 0; i < p.n && !bars; i++) {
        if (!is_number(g->x.at[i], &x[i]))
            return refuse(g, "lines need numbers, not", g->x.at[i]);
        p.category = NULL;
    }
    p.x = x;
    return draw(g, &p) && write_grid(g);
}

static bool draw_heat(drawing *g) {
    collect(g);
    if (!divide(g))
        return false;
    plot p = frame(g);
    p.n = g->x.len;
    p.category = g->x.at;
    p.row = g->series.at;
    p.n_rows = g->series.len;
    p.cell = g->y.at;
    p.y_label = g->c->y_label ? g->c->y_label : g->c->series ? g->c->series : "";
    p.title = arena_printf(g->mem, "%s: %s", g->title, frame(g).y_label);
    return draw(g, &p) && write_grid(g);
}

static bool draw_scatter(drawing *g) {
    file_out f;
    plot p = frame(g);
    plot_point *points = arena_new_n(g->mem, plot_point, g->rows.len + 1);
    g->series = values_of(g, g->c->series);
    if (!take_series(g, &p) || !begin(g, "csv", &f))
        return false;
    fprintf(f.stream, "%s,%s,series,settings\n", g->c->x, g->c->y);
    for (uint32_t r = 0; r < g->rows.len; r++) {
        const sweep_row *row = &g->rows.at[r];
        const char *series = g->c->series ? row_setting(row, g->c->series, g->mem) : "",
                   *setting = row_setting(row, g->c->x, g->mem);
        plot_point at = {.series = index_of(&g->series, series), .says = row->settings};
        row_figure(row, g->c->y, &at.y);
        if ((!row_figure(row, g->c->x, &at.x) && !is_number(setting, &at.x)) || (g->c->log_x && !(at.x > 0)))
            continue;
        points[p.n++] = at;
        number_print(f.stream, "%.9g,%.9g,", at.x, at.y);
        put_field(series, f.stream);
        fputc(',', f.stream);
        put_field(row->settings, f.stream);
        fputc('\n', f.stream);
    }
    p.point = points;
    return file_commit(&f, g->d) && (p.n ? draw(g, &p) : refuse(g, "no point has the figure", g->c->x));
}

static int by_number(const void *a, const void *b) {
    const double *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

/* Returns the quantile of this share of the sorted numbers, interpolated linearly. */
static double quantile(const f64_vec *sorted, double share) {
    const double at = share * (sorted->len - 1);
    const uint32_t below = (uint32_t)at, above = below + 1 < sorted->len ? below + 1 : below;
    return sorted->at[below] + (at - below) * (sorted->at[above] - sorted->at[below]);
}

static plot_box box_at(const drawing *g, const char *x) {
    f64_vec all = {0};
    for (uint32_t r = 0; r < g->rows.len; r++) {
        double y = 0;
        if (strcmp(row_setting(&g->rows.at[r], g->c->x, g->mem), x) == 0 &&
            row_figure(&g->rows.at[r], g->c->y, &y))
            vec_push(g->mem, &all, y);
    }
    qsort(all.at, all.len, sizeof *all.at, by_number);
    return (plot_box){all.at[0], quantile(&all, 0.25), quantile(&all, 0.5), quantile(&all, 0.75),
                      all.at[all.len - 1]};
}

static bool draw_boxes(drawing *g) {
    file_out f;
    plot p = frame(g);
    g->x = values_of(g, g->c->x);
    plot_box *box = arena_new_n(g->mem, plot_box, g->x.len + 1);
    if (!begin(g, "csv", &f))
        return false;
    fprintf(f.stream, "%s,least,first quartile,median,third quartile,most\n", g->c->x);
    for (; p.n < g->x.len; p.n++) {
        const plot_box b = box[p.n] = box_at(g, g->x.at[p.n]);
        put_field(g->x.at[p.n], f.stream);
        number_print(f.stream, ",%.6g,%.6g,%.6g,%.6g,%.6g\n", b.least, b.first, b.median, b.third, b.most);
    }
    p.category = g->x.at;
    p.box = box;
    return file_commit(&f, g->d) && draw(g, &p);
}

/* ---- charts -------------------------------------------------------------------------------------- */

/* Draws the rows with this value of `each`, or all rows for NULL. */
static bool draw_panel(const sweep_row_vec *rows, drawing g, const char *value) {
    static bool (*const draw_kind[])(drawing * g) = {draw_grid, draw_grid, draw_scatter, draw_heat,
                                                     draw_boxes};
    const sweep_chart *c = g.c;
    for (uint32_t r = 0; r < rows->len; r++) {
        const bool is = !value || strcmp(row_setting(&rows->at[r], c->each, g.mem), value) == 0;
        if (is && is_drawn(&rows->at[r], c, g.mem))
            vec_push(g.mem, &g.rows, rows->at[r]);
    }
    char *tail = arena_strdup(g.mem, value ? value : "");
    for (char *at = tail; *at; at++)
        *at = isalnum((unsigned char)*at) || strchr("._", *at) ? *at : '-';
    g.base = arena_printf(g.mem, "%s%s%s", g.base, value ? "-" : "", tail);
    g.title = value ? arena_printf(g.mem, "%s, %s %s", g.title, c->each, value) : g.title;
    if (!g.rows.len)
        return refuse(&g, "no point that is done has", c->y);
    g.x = values_of(&g, c->x);
    return (g.x.len || c->kind == CHART_SCATTER) ? draw_kind[c->kind](&g)
                                                 : refuse(&g, "no point has the axis", c->x);
}

bool sweep_chart_write(const sweep_row_vec *rows, const sweep_chart *c, const char *folder, diagnostics *d) {
    arena scratch = {0};
    drawing g = {.c = c, .rows = *rows, .mem = &scratch, .d = d, .title = c->title ? c->title : c->name};
    const sweep_text_vec panels = values_of(&g, c->each);
    g.base = arena_printf(&scratch, "%s/%s", folder, c->name);
    g.rows = (sweep_row_vec){0};
    bool ok = true;
    for (uint32_t i = 0; i < panels.len && ok; i++)
        ok = draw_panel(rows, g, c->each ? panels.at[i] : NULL);
    if (!panels.len)
        ok = refuse(&g, "no point has the axis", c->each ? c->each : c->x);
    arena_free(&scratch);
    return ok;
}
