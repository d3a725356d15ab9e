/* A point's files, its command, and the stored record of its end. */
#include "support/number.h"
#include "sweep/settings.h"
#include "sweep/sweep_int.h"

#include <stdlib.h>
#include <unistd.h>

const char *const *point_argv(const batch *b, const sweep_point *point, const point_files *f, arena *mem) {
    const char *const last[] = {
        "--engine", point_engine(b, point), "--json", "--diagnostics=json", "-o", f->folder, NULL};
    uint32_t n = 0;
    const char **argv = arena_new_n(mem, const char *, point->arguments.len + 8);
    argv[n++] = b->job->plan.program;
    for (uint32_t i = 0; i < point->arguments.len; i++)
        argv[n++] = point->arguments.at[i];
    for (uint32_t i = 0; i < sizeof last / sizeof *last; i++)
        argv[n++] = last[i];
    return argv;
}

/* Returns the text of a failure that the point printed as JSON, with its code, hints and notes: "too large
 * [E0510-too-large]; lower --unroll; the most that fits is --unroll 2". NULL: the line holds a warning, a
 * note or no diagnostic. */
static const char *failure_of(const char *line, size_t length, arena *mem) {
    cJSON *json = json_parse("", line, length, NULL);
    const char *severity = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "severity")),
               *message = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "message")),
               *code = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "code")), *text = NULL;
    if (severity && message && strcmp(severity, "warning") != 0 && strcmp(severity, "note") != 0)
        text = code ? arena_printf(mem, "%s [%s]", message, code) : arena_strdup(mem, message);
    const cJSON *more = NULL;
    cJSON_ArrayForEach(more, cJSON_GetObjectItemCaseSensitive(json, "hints")) {
        if (text && cJSON_IsString(more))
            text = arena_printf(mem, "%s; %s", text, more->valuestring);
    }
    cJSON_ArrayForEach(more, cJSON_GetObjectItemCaseSensitive(json, "notes")) {
        const char *note = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(more, "message"));
        if (text && note)
            text = arena_printf(mem, "%s; %s", text, note);
    }
    cJSON_Delete(json);
    return text;
}

/* Returns the first failure of a log of --diagnostics=json; for a log without any, as of a program that did
 * not start, the line with "error:" or the first line. */
static const char *message_of(const char *log, arena *mem) {
    size_t length = 0;
    const char *text = file_read_if_there(log, mem, &length), *found = NULL;
    for (const char *at = text ? text : "", *end; *at && !found; at = *end ? end + 1 : end) {
        end = at + strcspn(at, "\n");
        found = failure_of(at, (size_t)(end - at), mem);
    }
    const char *line = found ? found : file_error_line(log, mem), *error = strstr(line, "error: ");
    return !found && error ? error + strlen("error: ") : line;
}

static double number_of(const cJSON *report, const char *object, const char *key) {
    const cJSON *in = object ? cJSON_GetObjectItemCaseSensitive(report, object) : report;
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(in, key);
    return cJSON_IsNumber(m) ? m->valuedouble : 0;
}
static const char *text_of(const cJSON *report, const char *key) {
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(report, key);
    return cJSON_IsString(m) ? m->valuestring : "";
}

/* Returns whether the failure is the machine's instead of the command's, and no result of the point. */
static bool may_pass(const char *message) {
    return strstr(message, "[E0004-write]") || strstr(message, "[E0005-memory]") ||
           strstr(message, "[E0930-tool]");
}

static sweep_state state_of_exit(const point_end *end, bool reported, const char *message) {
    static const sweep_state of[] = {SWEEP_DONE, SWEEP_MISTAKE, SWEEP_REFUSED, SWEEP_WRONG};
    const int code = end->code;
    if (end->late)
        return SWEEP_LATE;
    if (code < 0 || code > 3 || (code == 0 && !reported) || (code == 1 && may_pass(message)))
        return SWEEP_CRASHED;
    return of[code];
}

static void tell(const batch *b, const sweep_row *r) {
    if (b->job->quiet)
        return;
    fprintf(stderr, "[%u/%u] %s%s ", b->job->ran, b->todo.len, r->engine, b->confirms ? " confirms" : "");
    put_settings(r->settings, stderr);
    if (r->state == SWEEP_DONE)
        number_print(stderr, r->time_us > 0 ? ": %.0f cycles, %.2f us\n" : ": %.0f cycles\n", r->cycles,
                     r->time_us);
    else
        fprintf(stderr, ": %s%s%s\n", sweep_state_name[r->state], *r->message ? ": " : "", r->message);
}

/* Makes the page linked by a report; results of engine sam have none. */
static void draw_page(const sweep_plan *plan, const point_files *f) {
    const char *const argv[] = {plan->program, "view", f->folder, "--quiet", NULL};
    program_run(argv, f->log);
}

/* Returns the expression from the report; for a point without a report the first word other than an option's
 * name, as given. */
static const char *expression_of(const cJSON *report, const sweep_point *point) {
    const char *reported = text_of(report, "expression");
    return *reported || point->arguments.len < 2 ? reported : point->arguments.at[1];
}

/* Returns the cycles of a kernel's runs, or of all statements of a program. */
static double cycles_of(const cJSON *report) {
    const double cycles = number_of(report, "cycles", "total");
    return cycles > 0 ? cycles : number_of(report, NULL, "total_cycles");
}

bool finish_point(const batch *b, uint32_t index, const point_end *end) {
    sweep_job *job = b->job;
    arena scratch = {0};
    diagnostics quiet;
    diag_init(&quiet, &scratch);
    const sweep_point *point = &job->points.at[index];
    const point_files f = files_of(job->store, point->key, point_engine(b, point), &scratch);
    const char *message = end->code || end->late ? message_of(f.log, &scratch) : "";
    cJSON *report = end->code == 0 || end->code == 3 ? json_read(f.json, &quiet) : NULL;
    const sweep_row row = {.plan = job->key,
                           .key = point->key,
                           .settings = point->settings,
                           .expression = expression_of(report, point),
                           .engine = point_engine(b, point),
                           .state = state_of_exit(end, report != NULL, message),
                           .message = message,
                           .check = text_of(report, "check"),
                           .cycles = cycles_of(report),
                           .time_us = number_of(report, NULL, "time_us"),
                           .fmax_mhz = number_of(report, NULL, "fmax_mhz"),
                           .size.pe = number_of(report, "tiles", "pe"),
                           .size.mem = number_of(report, "tiles", "mem"),
                           .size.io = number_of(report, "tiles", "io"),
                           .size.words = number_of(report, "bitstream", "words"),
                           .size.passes = number_of(report, "subtiles", "passes"),
                           .result_nnz = number_of(report, NULL, "result_nnz"),
                           .wall_s = end->wall > 0 ? end->wall : number_of(report, "wall_s", "total")};
    char *text = report ? json_print(report, false) : NULL;
    bool ok;
    if (b->confirms)
        ok = store_confirm(job->store, point->key, b->confirms, row.cycles,
                           row.state == SWEEP_DONE ? row.check : sweep_state_name[row.state], job->d);
    else
        ok = store_put(job->store, &row, point, text ? text : "", job->d);
    job->ran++;
    if (ok)
        tell(b, &row);
    if (ok && !job->keep)
        files_remove(&f);
    else if (ok && report)
        draw_page(&job->plan, &f);
    cJSON_free(text);
    cJSON_Delete(report);
    arena_free(&scratch);
    return ok;
}
