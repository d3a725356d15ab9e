/* What a sweep found: a table for people, CSV for tools, a page to look at. */
#include "sweep/sweep_int.h"

#include <math.h>

/* ---- settings ----------------------------------------------------------------------------------- */

/* Prints {"tile":"16","unroll":"2"} as "tile 16, unroll 2". */
static void put_settings(const char *settings, FILE *out) {
    cJSON *json = cJSON_Parse(settings);
    const char *between = "";
    for (const cJSON *m = cJSON_IsObject(json) ? json->child : NULL; m; m = m->next) {
        fprintf(out, "%s%s %s", between, m->string, cJSON_IsString(m) ? m->valuestring : "?");
        between = ", ";
    }
    cJSON_Delete(json);
}

/* Finds the next rows [*at, end) that are of one plan; returns false after the last plan. */
static bool next_plan(const sweep_row_vec *rows, uint32_t *at, uint32_t *end) {
    *at = *end;
    while (*end < rows->len && strcmp(rows->at[*end].plan, rows->at[*at].plan) == 0)
        (*end)++;
    return *at < *end;
}

static uint32_t count_state(const sweep_row_vec *rows, uint32_t at, uint32_t end, sweep_state state) {
    uint32_t n = 0;
    for (; at < end; at++)
        n += rows->at[at].state == state;
    return n;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void print_row(const sweep_row *r, FILE *out) {
    if (r->state == SWEEP_DONE) {
        fprintf(out, "  %c %12.0f %12.2f %8.0f %4.0f %4.0f %4.0f %6.0f  ", r->pareto ? '*' : ' ', r->cycles,
                r->time_us, r->fmax_mhz, r->pe, r->mem, r->io, r->passes);
        put_settings(r->settings, out);
        if (*r->confirm_engine)
            fprintf(out, "  [%s: %.0f cycles, %s]", r->confirm_engine, r->confirm_cycles, r->confirm_check);
    } else {
        fprintf(out, "    %-57s  ", sweep_state_name[r->state]);
        put_settings(r->settings, out);
        if (*r->message)
            fprintf(out, "\n      %s", r->message);
    }
    fputc('\n', out);
}

void sweep_print(const sweep_row_vec *rows, FILE *out) {
    for (uint32_t at = 0, end = 0; next_plan(rows, &at, &end);) {
        const sweep_row *best = &rows->at[at];
        fprintf(out, "%s (engine %s, sweep %s): %u %s, %u done\n", best->expression, best->engine, best->plan,
                end - at, plural(end - at, "point", "points"), count_state(rows, at, end, SWEEP_DONE));
        fprintf(out, "  %c %12s %12s %8s %4s %4s %4s %6s  settings\n", ' ', "cycles", "us", "MHz", "PE",
                "MEM", "IO", "passes");
        for (uint32_t r = at; r < end; r++)
            print_row(&rows->at[r], out);
        if (best->state != SWEEP_DONE)
            continue;
        fputs("  fastest: ", out);
        put_settings(best->settings, out);
        fputs("; * no other point is as fast on as few tiles\n", out);
    }
}

/* ---- CSV ------------------------------------------------------------------------------------- */

/* Prints a field as RFC 4180 asks. */
static void put_csv(const char *text, FILE *out) {
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void sweep_csv(const sweep_row_vec *rows, FILE *out) {
    fputs("plan,key,expression,engine,settings,state,check,cycles,time_us,fmax_mhz,pe,mem,io,words,passes,"
          "result_nnz,"
          "wall_s,pareto,confirm_engine,confirm_cycles,confirm_check,message\r\n",
          out);
    for (uint32_t i = 0; i < rows->len; i++) {
        const sweep_row *r = &rows->at[i];
        const char *const first[] = {
            r->plan, r->key, r->expression, r->engine, r->settings, sweep_state_name[r->state], r->check};
        for (uint32_t k = 0; k < sizeof first / sizeof *first; k++) {
            put_csv(first[k], out);
            fputc(',', out);
        }
        fprintf(out, "%.0f,%.6g,%.6g,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.6g,%d,", r->cycles, r->time_us,
                r->fmax_mhz, r->pe, r->mem, r->io, r->words, r->passes, r->result_nnz, r->wall_s, r->pareto);
        put_csv(r->confirm_engine, out);
        fprintf(out, ",%.0f,", r->confirm_cycles);
        put_csv(r->confirm_check, out);
        fputc(',', out);
        put_csv(r->message, out);
        fputs("\r\n", out);
    }
}

/* ---- HTML ------------------------------------------------------------------------------------ */

static void put_text(const char *text, FILE *out) {
    for (; *text; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}

static void put_settings_html(const char *settings, FILE *out) {
    arena scratch = {0};
    text_out text;
    text_begin(&text);
    put_settings(settings, text.stream);
    put_text(text_end(&text, &scratch), out);
    arena_free(&scratch);
}

enum {
    PLOT_WIDTH = 640,
    PLOT_HEIGHT = 320,
    PLOT_LEFT = 80,
    PLOT_TOP = 20,
    PLOT_BOTTOM = 45,
    PLOT_RIGHT = 20
};

/* Returns the end of a linear scale from 0: a round number not below `most`. */
static double round_up(double most) {
    double power = pow(10, floor(log10(most > 0 ? most : 1)));
    static const double step[] = {1, 2, 2.5, 5, 10};
    for (uint32_t i = 0; i < sizeof step / sizeof *step; i++) {
        if (step[i] * power >= most)
            return step[i] * power;
    }
    return 10 * power;
}
static double x_of(double value, double most) {
    return PLOT_LEFT + value / most * (PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT);
}
static double y_of(double value, double most) {
    return PLOT_HEIGHT - PLOT_BOTTOM - value / most * (PLOT_HEIGHT - PLOT_TOP - PLOT_BOTTOM);
}

static void axes_svg(const char *x_label, const char *y_label, double x_most, double y_most, FILE *out) {
    fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\">\n", PLOT_WIDTH, PLOT_HEIGHT);
    for (int t = 0; t <= 4; t++) {
        double y = y_of(y_most * t / 4, y_most);
        fprintf(out,
                "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/><text x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">%.6g</text>\n",
                PLOT_LEFT, PLOT_WIDTH - PLOT_RIGHT, y, y, PLOT_LEFT - 6, y + 4, y_most * t / 4);
        if (x_most > 0)
            fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>\n",
                    x_of(x_most * t / 4, x_most), PLOT_HEIGHT - PLOT_BOTTOM + 16, x_most * t / 4);
    }
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", (PLOT_WIDTH + PLOT_LEFT) / 2,
            PLOT_HEIGHT - 8, x_label);
    fprintf(out, "<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
            PLOT_HEIGHT / 2, y_label);
}

static const char *time_label(const sweep_row *r) {
    return r->time_us > 0 ? "µs" : "cycles";
}

/* Draws every finished point by its time and its tiles. */
static void scatter_svg(const sweep_row_vec *rows, uint32_t at, uint32_t end, FILE *out) {
    double x_most = 0, y_most = 0;
    for (uint32_t r = at; r < end; r++) {
        if (rows->at[r].state == SWEEP_DONE) {
            x_most = fmax(x_most, row_tiles(&rows->at[r]));
            y_most = fmax(y_most, row_time(&rows->at[r]));
        }
    }
    x_most = round_up(x_most);
    y_most = round_up(y_most);
    axes_svg("tiles (PE, MEM and IO)", time_label(&rows->at[at]), x_most, y_most, out);
    for (uint32_t i = 0; i < 2 * (end - at); i++) { /* the best ones come last, over all others */
        const sweep_row *row = &rows->at[at + i % (end - at)];
        if (row->state != SWEEP_DONE || row->pareto != (i >= end - at))
            continue;
        fprintf(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"><title>",
                row->pareto ? "best" : "point", x_of(row_tiles(row), x_most), y_of(row_time(row), y_most));
        put_settings_html(row->settings, out);
        fprintf(out, ": %.6g %s, %.0f tiles</title></circle>\n", row_time(row), time_label(row),
                row_tiles(row));
    }
    fputs("</svg>\n", out);
}

enum { BARS_MOST = 24 };

/* Draws the best time of each value of one axis as bars. */
static void axis_svg(const sweep_row_vec *rows, uint32_t at, uint32_t end, const char *axis, FILE *out) {
    arena scratch = {0};
    const char *label[BARS_MOST];
    double best[BARS_MOST], most = 0;
    uint32_t n = 0;
    for (uint32_t r = at; r < end; r++) {
        const sweep_row *row = &rows->at[r];
        cJSON *settings = cJSON_Parse(row->settings);
        const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(settings, axis));
        uint32_t i = 0;
        while (value && i < n && strcmp(label[i], value) != 0)
            i++;
        if (value && row->state == SWEEP_DONE && i < BARS_MOST) {
            if (i == n) {
                label[n++] = arena_strdup(&scratch, value);
                best[i] = row_time(row);
            }
            best[i] = fmin(best[i], row_time(row));
            most = fmax(most, best[i]);
        }
        cJSON_Delete(settings);
    }
    /* Sort shorter values first and equally long ones by their letters, which puts numbers in their order. */
    for (uint32_t i = 1; i < n; i++) {
        for (uint32_t k = i; k > 0 && strlen(label[k - 1]) >= strlen(label[k]) &&
                             (strlen(label[k - 1]) > strlen(label[k]) || strcmp(label[k - 1], label[k]) > 0);
             k--) {
            const char *text = label[k];
            double value = best[k];
            label[k] = label[k - 1];
            best[k] = best[k - 1];
            label[k - 1] = text;
            best[k - 1] = value;
        }
    }
    if (n > 1) {
        most = round_up(most);
        fputs("<figure>", out);
        axes_svg("", time_label(&rows->at[at]), 0, most, out);
        double pitch = (double)(PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT) / n;
        for (uint32_t i = 0; i < n; i++) {
            double x = PLOT_LEFT + pitch * (i + 0.15), y = y_of(best[i], most);
            fprintf(out,
                    "<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                    "height=\"%.1f\"><title>%.6g</title></rect>",
                    x, y, pitch * 0.7, PLOT_HEIGHT - PLOT_BOTTOM - y, best[i]);
            fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", x + pitch * 0.35,
                    PLOT_HEIGHT - PLOT_BOTTOM + 16);
            put_text(label[i], out);
            fputs("</text>\n", out);
        }
        fputs("</svg><figcaption>best time by ", out);
        put_text(axis, out);
        fputs("</figcaption></figure>\n", out);
    }
    arena_free(&scratch);
}

static void rows_html(const sweep_row_vec *rows, uint32_t at, uint32_t end, FILE *out) {
    fputs("<table><thead><tr><th>settings<th>state<th>cycles<th>µs<th>MHz<th>PE<th>MEM<th>IO<th>passes<th>"
          "confirmed"
          "</tr></thead><tbody>\n",
          out);
    for (uint32_t i = at; i < end; i++) {
        const sweep_row *r = &rows->at[i];
        fprintf(out, "<tr%s><td>", r->pareto ? " class=\"best\"" : "");
        put_settings_html(r->settings, out);
        fprintf(out, "<td>%s", sweep_state_name[r->state]);
        if (r->state == SWEEP_DONE) {
            fprintf(out, "<td>%.0f<td>%.2f<td>%.0f<td>%.0f<td>%.0f<td>%.0f<td>%.0f<td>", r->cycles,
                    r->time_us, r->fmax_mhz, r->pe, r->mem, r->io, r->passes);
            if (*r->confirm_engine) {
                put_text(r->confirm_engine, out);
                fprintf(out, ": %.0f cycles, ", r->confirm_cycles);
                put_text(r->confirm_check, out);
            }
        } else {
            fputs("<td colspan=\"8\" class=\"why\">", out);
            put_text(r->message, out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
}

static void plan_html(const sweep_row_vec *rows, uint32_t at, uint32_t end, FILE *out) {
    const sweep_row *best = &rows->at[at];
    fputs("<section><h2>", out);
    put_text(best->expression, out);
    fputs("</h2>\n<p>engine ", out);
    put_text(best->engine, out);
    fputs(", sweep ", out);
    put_text(best->plan, out);
    fprintf(out, ": %u %s, %u done", end - at, plural(end - at, "point", "points"),
            count_state(rows, at, end, SWEEP_DONE));
    if (best->state == SWEEP_DONE) {
        fputs(". Fastest: <strong>", out);
        put_settings_html(best->settings, out);
        fprintf(out, "</strong>, %.6g %s</p>\n<figure>", row_time(best), time_label(best));
        scatter_svg(rows, at, end, out);
        fputs("<figcaption>filled: no other point is as fast on as few tiles</figcaption></figure>\n", out);
        cJSON *axes = cJSON_Parse(best->settings);
        for (const cJSON *m = cJSON_IsObject(axes) ? axes->child : NULL; m; m = m->next)
            axis_svg(rows, at, end, m->string, out);
        cJSON_Delete(axes);
    } else {
        fputs("</p>\n", out);
    }
    rows_html(rows, at, end, out);
    fputs("</section>\n", out);
}

void sweep_html(const sweep_row_vec *rows, FILE *out) {
    fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>onyx "
          "sweep</title>\n<style>\n"
          "body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 "
          "1rem;color:#222}\n"
          "h2{font-family:ui-monospace,monospace;font-size:1.1rem}\n"
          "figure{display:inline-block;width:46%;min-width:22rem;margin:0 1% 1rem "
          "0}figcaption{color:#666;font-size:.9em}\n"
          "svg{width:100%}svg text{font-size:12px;fill:#444}.grid{stroke:#ddd}\n"
          ".point{fill:#fff;stroke:#4477aa;stroke-width:2}circle.best{fill:#cc3311;stroke:#cc3311}.bar{fill:#"
          "4477aa}\n"
          "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
          "td,th{text-align:right;padding:.2rem .6rem;border-bottom:1px solid "
          "#eee}td:first-child,th:first-child,.why{text-align:left}\n"
          "tr.best{font-weight:600;background:#fdf3ef}\n</style></head><body>\n<h1>onyx sweep</h1>\n",
          out);
    for (uint32_t at = 0, end = 0; next_plan(rows, &at, &end);)
        plan_html(rows, at, end, out);
    fputs("</body></html>\n", out);
}
