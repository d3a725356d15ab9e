/* Results of a sweep: a table for people, CSV for tools, a page for a browser. */
#include "support/number.h"
#include "sweep/plot.h"
#include "sweep/settings.h"
#include "sweep/sweep_int.h"

#include <math.h>

/* The rows of one plan. */
typedef struct {
    const sweep_row *at;
    uint32_t n, end; /* rows of the plan; number of all rows up to the plan's last */
} plan_rows;

/* Finds the rows of the next plan; `p` begins as {0}. Returns false after the last plan. */
static bool next_plan(const sweep_row_vec *rows, plan_rows *p) {
    const uint32_t start = p->end;
    while (p->end < rows->len && strcmp(rows->at[p->end].plan, rows->at[start].plan) == 0)
        p->end++;
    p->n = p->end - start;
    p->at = p->n ? &rows->at[start] : NULL;
    return p->n > 0;
}

/* Prints how many points the grid of the axes has, and how many of them are done. */
static void put_counts(const plan_rows *p, FILE *out) {
    const sweep_counts counts = sweep_count(p->at, p->n);
    fprintf(out, ": %u %s, %u done", counts.points, plural(counts.points, "point", "points"),
            counts.of[SWEEP_DONE]);
}

static const char *time_label(const sweep_row *r) {
    return r->time_us > 0 ? "µs" : "cycles";
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Prints the largest error of a verdict that has one. */
static void print_error(const sweep_row *r, FILE *out) {
    const double percent = 100 * number_read(r->accuracy.error, NULL);
    const bool has =
        strcmp(r->accuracy.verdict, "within") == 0 || strcmp(r->accuracy.verdict, "differs") == 0;
    if (has && isfinite(percent))
        number_print(out, percent < 99.5 ? " %.2g %%" : " %.0f %%", percent);
}

/* Prints a figure, or nothing of an engine that has none: a graph takes no time and no energy. */
static void put_figure(const char *format, double figure, FILE *out) {
    if (figure > 0)
        number_print(out, format, figure);
}

static void put_column(int width, int decimals, double figure, FILE *out) {
    if (figure > 0)
        number_print(out, " %*.*f", width, decimals, figure);
    else
        fprintf(out, " %*s", width, "");
}

static void print_row(const sweep_row *r, FILE *out) {
    if (r->state == SWEEP_DONE) {
        number_print(out, "  %c %12.0f", r->pareto ? '*' : ' ', r->cycles);
        put_column(12, 2, r->time_us, out);
        put_column(8, 0, r->fmax_mhz, out);
        number_print(out, " %4.0f %4.0f %4.0f %6.0f", r->size.pe, r->size.mem, r->size.io, r->size.passes);
        put_column(10, 0, r->energy.nj, out);
        fputs("  ", out);
        put_settings(r->settings, out);
        if (*r->confirm.engine)
            number_print(out, "  [%s: %.0f cycles, %s]", r->confirm.engine, r->confirm.cycles,
                         r->confirm.check);
        if (*r->accuracy.warnings)
            fprintf(out, "  %s", r->accuracy.warnings);
        if (strcmp(r->accuracy.verdict, "differs") == 0) {
            fputs("  differs", out);
            print_error(r, out);
        }
    } else {
        fprintf(out, "    %-68s  ", sweep_state_name[r->state]);
        put_settings(r->settings, out);
        if (*r->message)
            fprintf(out, "\n      %s", r->message);
    }
    fputc('\n', out);
}

/* Returns whether row `i` is the first of its expression and operands. */
static bool is_first(const plan_rows *p, uint32_t i) {
    return i == 0 || !sweep_alike(&p->at[i - 1], &p->at[i]);
}

static uint32_t count_groups(const plan_rows *p) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++)
        n += is_first(p, i);
    return n;
}

/* Prints the expression of a plan's rows, or the number of expressions. */
static void put_expressions(const plan_rows *p, FILE *out) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t before = 0;
        while (strcmp(p->at[before].expression, p->at[i].expression) != 0)
            before++;
        n += before == i;
    }
    if (n == 1)
        fputs(p->at->expression, out);
    else
        fprintf(out, "%u expressions", n);
}

/* Returns the engine of a plan's points. */
static const char *engine_of(const plan_rows *p) {
    for (uint32_t i = 1; i < p->n; i++) {
        if (strcmp(p->at[i].engine, p->at->engine) != 0)
            return "of each point";
    }
    return p->at->engine;
}

/* Prints the fastest of the points with the same computation as row `i`, the first of them, beside the plain
 * point; nothing for a single point among others. */
static void print_fastest(const plan_rows *p, uint32_t i, FILE *out) {
    const bool only = count_groups(p) == 1;
    const sweep_row *best = NULL, *plain = NULL;
    uint32_t n = 0;
    for (; i + n < p->n && (n == 0 || !is_first(p, i + n)); n++) {
        const sweep_row *r = &p->at[i + n];
        const sweep_row **is = r->plain ? &plain : &best;
        *is = *is || r->state != SWEEP_DONE ? *is : r;
    }
    if (!best || (n == 1 && !only))
        return;
    fputs("  fastest", out);
    if (!only)
        fprintf(out, " of %s on %s", best->expression, best->operands);
    fputs(": ", out);
    put_settings(best->settings, out);
    fputs(only ? "; * no other point is as fast on as few tiles for as little energy (estimated)\n" : "\n",
          out);
    if (plain && row_time(plain) > 0)
        number_print(out, "  as chosen by onyx: %.6g %s; the fastest of the grid takes %.2f times as long\n",
                     row_time(plain), time_label(plain), row_time(best) / row_time(plain));
}

void sweep_print(const sweep_row_vec *rows, FILE *out) {
    for (plan_rows p = {0}; next_plan(rows, &p);) {
        const sweep_row *best = p.at;
        put_expressions(&p, out);
        fprintf(out, " (engine %s, sweep %s)", engine_of(&p), best->plan);
        put_counts(&p, out);
        fprintf(out, "\n  %c %12s %12s %8s %4s %4s %4s %6s %10s  settings\n", ' ', "cycles", "us", "MHz",
                "PE", "MEM", "IO", "passes", "nJ about");
        for (uint32_t r = 0; r < p.n; r++)
            print_row(&p.at[r], out);
        for (uint32_t r = 0; r < p.n; r++) {
            if (is_first(&p, r))
                print_fastest(&p, r, out);
        }
        if (count_groups(&p) > 1)
            fputs("  * no other point that computes the same is as fast on as few tiles for as little energy "
                  "(estimated)\n",
                  out);
    }
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* Prints a field by RFC 4180. A text that looks like a spreadsheet's formula gets an apostrophe in front. */
static void put_csv(const char *text, FILE *out) {
    fputs(*text && strchr("=+-@\t\r", *text) ? "\"'" : "\"", out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_names_csv(const sweep_text_vec *names, FILE *out) {
    for (uint32_t i = 0; i < names->len; i++) {
        fputc(',', out);
        put_csv(names->at[i], out);
    }
}

/* Prints the value of each axis and each fact of an operand at a point; empty if absent. */
static void put_values_csv(const sweep_row *r, const sweep_text_vec *axes, const sweep_text_vec *facts,
                           FILE *out) {
    arena scratch = {0};
    for (uint32_t i = 0; i < axes->len; i++) {
        fputc(',', out);
        put_csv(row_setting(r, axes->at[i], &scratch), out);
    }
    for (uint32_t i = 0; i < facts->len; i++) {
        double value = 0;
        fputc(',', out);
        if (row_figure(r, facts->at[i], &value))
            number_print(out, "%.9g", value);
    }
    arena_free(&scratch);
}

void sweep_csv(const sweep_row_vec *rows, FILE *out) {
    fputs("plan,key,expression,engine,settings,state,check,cycles,time_us,fmax_mhz,pe,mem,io,words,passes,"
          "result_nnz,"
          "wall_s,energy_nj,energy_low_nj,energy_high_nj,pareto,confirm_engine,confirm_cycles,confirm_check,"
          "type,accuracy,error,mean_error,warnings,operands,version,message",
          out);
    arena mem = {0};
    const sweep_text_vec axes = rows_axes(rows, &mem), facts = rows_facts(rows, &mem);
    put_names_csv(&axes, out);
    put_names_csv(&facts, out);
    fputs("\r\n", out);
    for (uint32_t i = 0; i < rows->len; i++) {
        const sweep_row *r = &rows->at[i];
        const char *const first[] = {
            r->plan, r->key, r->expression, r->engine, r->settings, sweep_state_name[r->state], r->check};
        for (uint32_t k = 0; k < sizeof first / sizeof *first; k++) {
            put_csv(first[k], out);
            fputc(',', out);
        }
        number_print(out, "%.0f,", r->cycles);
        put_figure("%.6g", r->time_us, out);
        fputc(',', out);
        put_figure("%.6g", r->fmax_mhz, out);
        number_print(out, ",%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.6g,", r->size.pe, r->size.mem, r->size.io,
                     r->size.words, r->size.passes, r->result_nnz, r->wall_s);
        const double nj[] = {r->energy.nj, r->energy.low_nj, r->energy.high_nj};
        for (size_t k = 0; k < sizeof nj / sizeof *nj; k++) {
            put_figure("%.6g", nj[k], out);
            fputc(',', out);
        }
        fprintf(out, "%d,", r->pareto);
        put_csv(r->confirm.engine, out);
        number_print(out, ",%.0f,", r->confirm.cycles);
        const char *const last[] = {
            r->confirm.check,     r->type,     r->accuracy.verdict, r->accuracy.error, r->accuracy.mean_error,
            r->accuracy.warnings, r->operands, r->version};
        for (uint32_t k = 0; k < sizeof last / sizeof *last; k++) {
            put_csv(last[k], out);
            fputc(',', out);
        }
        put_csv(r->message, out);
        put_values_csv(r, &axes, &facts, out);
        fputs("\r\n", out);
    }
    arena_free(&mem);
}

/* ---- HTML ------------------------------------------------------------------------------------ */

static const char *settings_text(const char *settings, arena *mem) {
    text_out text;
    text_begin(&text);
    put_settings(settings, text.stream);
    return text_end(&text, mem);
}

static void put_settings_html(const char *settings, FILE *out) {
    arena scratch = {0};
    text_put_escaped(settings_text(settings, &scratch), out);
    arena_free(&scratch);
}

/* Finished, with a time suitable for a plot; a results file may hold any number. */
static bool is_shown(const sweep_row *r) {
    const double time = row_time(r), tiles = row_tiles(r);
    return r->state == SWEEP_DONE && time >= 0 && time < 1e300 && tiles >= 0 && tiles < 1e300;
}

static void put_plot(const plot *p, FILE *out) {
    fputs("<figure>", out);
    plot_write(p, out);
    fputs("</figure>\n", out);
}

/* The horizontal axis of a plot of points; the vertical axis is time. */
typedef struct {
    const char *title, *label;
    double (*of)(const sweep_row *);
} cost_axis;

static double row_energy(const sweep_row *r) {
    return r->energy.nj;
}

/* Draws every finished point by its time and its cost. Steps join the best points in these two; the table
 * marks points best in all three. */
static void points_svg(const plan_rows *rows, const cost_axis *cost, FILE *out) {
    arena mem = {0};
    VEC(plot_point) points = {0};
    for (uint32_t r = 0; r < rows->n; r++) {
        const sweep_row *row = &rows->at[r];
        const char *says =
            arena_printf(&mem, "%s: %.6g %s, %.0f tiles, %.6g nJ estimated (%.6g to %.6g)",
                         settings_text(row->settings, &mem), row_time(row), time_label(row), row_tiles(row),
                         row->energy.nj, row->energy.low_nj, row->energy.high_nj);
        bool best = is_shown(row);
        for (uint32_t o = 0; o < rows->n && best; o++) {
            const sweep_row *other = &rows->at[o];
            const double time = row_time(other) - row_time(row), more = cost->of(other) - cost->of(row);
            best = !(is_shown(other) && time <= 0 && more <= 0 && (time < 0 || more < 0));
        }
        if (is_shown(row) && cost->of(row) > 0 && cost->of(row) < 1e300)
            vec_push(
                &mem, &points,
                (plot_point){cost->of(row), row_time(row), says, *row->page ? row->page : NULL, best, 0});
    }
    const plot p = {.title = cost->title,
                    .x_label = cost->label,
                    .y_label = time_label(rows->at),
                    .n = points.len,
                    .point = points.at,
                    .within = true};
    if (points.len)
        put_plot(&p, out);
    arena_free(&mem);
}

enum { VALUES_MOST = 24 };

/* Values of an axis, in plotting order. */
typedef struct {
    const char *name, *label[VALUES_MOST];
    uint32_t n;
} axis_values;

/* Returns the index of a row's value; VALUES_MOST for none, or beyond the limit. */
static uint32_t value_of(const axis_values *a, const sweep_row *row) {
    cJSON *settings = json_parse("", row->settings, strlen(row->settings), NULL);
    const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(settings, a->name));
    uint32_t i = 0;
    while (value && i < a->n && strcmp(a->label[i], value) != 0)
        i++;
    cJSON_Delete(settings);
    return value && i < a->n ? i : VALUES_MOST;
}

static bool comes_before(const char *a, const char *b) {
    return strlen(a) != strlen(b) ? strlen(a) < strlen(b) : strcmp(a, b) < 0;
}

/* Collects the values of an axis: sorted by length, and by letters for equal length, which sorts numbers. */
static axis_values values_of(const plan_rows *rows, const char *name, arena *mem) {
    axis_values a = {.name = name};
    for (uint32_t r = 0; r < rows->n; r++) {
        cJSON *settings = json_parse("", rows->at[r].settings, strlen(rows->at[r].settings), NULL);
        const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(settings, name));
        if (value && is_shown(&rows->at[r]) && a.n < VALUES_MOST &&
            value_of(&a, &rows->at[r]) == VALUES_MOST) {
            uint32_t i = a.n++;
            for (; i > 0 && comes_before(value, a.label[i - 1]); i--)
                a.label[i] = a.label[i - 1];
            a.label[i] = arena_strdup(mem, value);
        }
        cJSON_Delete(settings);
    }
    return a;
}

/* Finds the best time of each pair of values; b may be NULL. Pairs without a point are 0. */
static void best_times(const plan_rows *rows, const axis_values *a, const axis_values *b, double *best) {
    memset(best, 0, a->n * (b ? b->n : 1) * sizeof *best);
    for (uint32_t r = 0; r < rows->n; r++) {
        const uint32_t column = value_of(a, &rows->at[r]), row = b ? value_of(b, &rows->at[r]) : 0;
        if (column == VALUES_MOST || row == VALUES_MOST || !is_shown(&rows->at[r]))
            continue;
        double *cell = &best[row * a->n + column];
        const double time = row_time(&rows->at[r]);
        *cell = *cell > 0 && *cell < time ? *cell : time;
    }
}

/* Draws the best time of each value of an axis as bars. */
static void axis_svg(const plan_rows *rows, const axis_values *a, arena *mem, FILE *out) {
    double best[VALUES_MOST];
    best_times(rows, a, NULL, best);
    const plot p = {.title = arena_printf(mem, "best time by %s", a->name),
                    .x_label = a->name,
                    .y_label = time_label(rows->at),
                    .n = a->n,
                    .category = a->label,
                    .series = {{"best", best, false}},
                    .n_series = 1,
                    .within = true};
    put_plot(&p, out);
}

/* Draws the best time of each pair of values of two axes as a heat map. */
static void map_svg(const plan_rows *rows, const axis_values *a, const axis_values *b, arena *mem,
                    FILE *out) {
    double best[VALUES_MOST * VALUES_MOST];
    best_times(rows, a, b, best);
    const plot p = {.title =
                        arena_printf(mem, "best %s by %s and %s", time_label(rows->at), a->name, b->name),
                    .x_label = a->name,
                    .y_label = b->name,
                    .n = a->n,
                    .category = a->label,
                    .cell = best,
                    .row = b->label,
                    .n_rows = b->n,
                    .within = true};
    put_plot(&p, out);
}

enum { AXES_MOST = 8 };

/* Draws each axis of several values, and each pair of such axes. */
static void axes_svg(const plan_rows *rows, FILE *out) {
    arena mem = {0};
    axis_values axis[AXES_MOST];
    uint32_t n = 0;
    cJSON *axes = json_parse("", rows->at->settings, strlen(rows->at->settings), NULL);
    for (const cJSON *m = cJSON_IsObject(axes) ? axes->child : NULL; m && n < AXES_MOST; m = m->next) {
        axis[n] = values_of(rows, m->string, &mem);
        n += axis[n].n > 1;
    }
    for (uint32_t a = 0; a < n; a++)
        axis_svg(rows, &axis[a], &mem, out);
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = a + 1; b < n; b++)
            map_svg(rows, &axis[a], &axis[b], &mem, out);
    }
    cJSON_Delete(axes);
    arena_free(&mem);
}

/* Accuracy of a result against double precision, and the command's warnings. */
static void put_error_html(const sweep_row *r, FILE *out) {
    text_put_escaped(r->type, out);
    fputs("<td>", out);
    text_put_escaped(r->accuracy.verdict, out);
    print_error(r, out);
    fputs("<td class=\"why\">", out);
    text_put_escaped(r->accuracy.warnings, out);
    fputs("<td>", out);
}

static void rows_html(const plan_rows *rows, FILE *out) {
    fputs("<table><thead><tr><th>settings<th>state<th>cycles<th>µs<th>MHz<th>PE<th>MEM<th>IO<th>passes<th>nJ"
          "<th>type<th>float64<th>warnings<th>confirmed"
          "</tr></thead><tbody>\n",
          out);
    for (uint32_t i = 0; i < rows->n; i++) {
        const sweep_row *r = &rows->at[i];
        fprintf(out, "<tr%s><td>", r->pareto ? " class=\"best\"" : "");
        if (*r->page) {
            fputs("<a href=\"", out);
            text_put_escaped(r->page, out);
            fputs("\">", out);
        }
        put_settings_html(r->settings, out);
        fputs(*r->page ? "</a>" : "", out);
        fprintf(out, "<td>%s", sweep_state_name[r->state]);
        if (r->state == SWEEP_DONE) {
            number_print(out, "<td>%.0f<td>", r->cycles);
            put_figure("%.2f", r->time_us, out);
            fputs("<td>", out);
            put_figure("%.0f", r->fmax_mhz, out);
            number_print(out, "<td>%.0f<td>%.0f<td>%.0f<td>%.0f<td>", r->size.pe, r->size.mem, r->size.io,
                         r->size.passes);
            put_figure("%.6g", r->energy.nj, out);
            fputs("<td>", out);
            put_error_html(r, out);
            if (*r->confirm.engine) {
                text_put_escaped(r->confirm.engine, out);
                number_print(out, ": %.0f cycles, ", r->confirm.cycles);
                text_put_escaped(r->confirm.check, out);
            }
        } else {
            fputs("<td colspan=\"12\" class=\"why\">", out);
            text_put_escaped(r->message, out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
}

/* Draws the points with the same computation, if any is done; the first one is the fastest. */
static void group_html(const plan_rows *rows, FILE *out) {
    static const cost_axis costs[] = {
        {"time and tiles: on the line, no other point is as fast on as few", "tiles (PE, MEM and IO)",
         row_tiles},
        {"time and energy: on the line, no other point is as fast for as little", "nJ, an estimate",
         row_energy}};
    const sweep_row *best = rows->at;
    if (best->state != SWEEP_DONE)
        return;
    fputs("<p>Fastest: <strong>", out);
    put_settings_html(best->settings, out);
    number_print(out, "</strong>, %.6g %s</p>\n", row_time(best), time_label(best));
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        points_svg(rows, &costs[i], out);
    axes_svg(rows, out);
}

/* Draws each expression on its operands by itself; a single point is drawn only if it is the whole plan. */
static void groups_html(const plan_rows *rows, FILE *out) {
    const bool several = count_groups(rows) > 1;
    for (uint32_t i = 0, n; i < rows->n; i += n) {
        n = 1;
        while (i + n < rows->n && !is_first(rows, i + n))
            n++;
        const plan_rows group = {rows->at + i, n, 0};
        if (several && n > 1) {
            fputs("<h3>", out);
            text_put_escaped(group.at->expression, out);
            fputs(" on ", out);
            text_put_escaped(group.at->operands, out);
            fputs("</h3>\n", out);
        }
        if (!several || n > 1)
            group_html(&group, out);
    }
}

static void put_behind(const char *before, const char *text, FILE *out) {
    if (*text) {
        fputs(before, out);
        text_put_escaped(text, out);
    }
}

static void plan_html(const plan_rows *rows, FILE *out) {
    const sweep_row *best = rows->at;
    arena mem = {0};
    text_out title;
    text_begin(&title);
    put_expressions(rows, title.stream);
    put_behind("<section><h2>", text_end(&title, &mem), out);
    put_behind("</h2>\n<p>engine ", engine_of(rows), out);
    put_behind(", sweep ", best->plan, out);
    put_behind(", onyx ", best->version, out);
    if (count_groups(rows) == 1)
        put_behind(", operands ", best->operands, out);
    put_counts(rows, out);
    fputs("</p>\n", out);
    groups_html(rows, out);
    rows_html(rows, out);
    fputs("</section>\n", out);
    arena_free(&mem);
}

void sweep_html(const sweep_row_vec *rows, FILE *out) {
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
          "http-equiv=\"Content-Security-Policy\" "
          "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
          "form-action "
          "'none'\"><title>onyx "
          "sweep</title>\n<style>\n"
          "body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 "
          "1rem;color:#222}\n"
          "h2{font-family:ui-monospace,monospace;font-size:1.1rem}\n"
          "figure{display:inline-block;width:46%;min-width:22rem;margin:0 1% 1rem "
          "0}\n"
          "svg{width:100%}svg text{font-size:15px}\n"
          "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
          "td,th{text-align:right;padding:.2rem .6rem;border-bottom:1px solid "
          "#eee}td:first-child,th:first-child,.why{text-align:left}\n"
          "tr.best{font-weight:600;background:#fdf3ef}\n</style></head><body>\n<h1>onyx sweep</h1>\n",
          out);
    for (plan_rows p = {0}; next_plan(rows, &p);)
        plan_html(&p, out);
    fputs("</body></html>\n", out);
}
