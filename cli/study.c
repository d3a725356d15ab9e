/* onyx study: a file of axes and charts, run as a sweep. */
#include "cli/sweep.h"
#include "cli/usage.h"
#include "support/toml.h"
#include "sweep/chart.h"

#include <stddef.h>
#include <unistd.h>

typedef struct {
    cli_session *s;
    toml_file file;
    VEC(sweep_chart) charts;
    sweep_command sweep;
} study;

static bool refuse(const study *t, const cJSON *item, const char *what, const char *want) {
    return diag_error(&t->s->diag, toml_at(&t->file, item), "E0945-study", "'%s' must be %s", what, want);
}

/* ---- [sweep] ----------------------------------------------------------------------------------- */

static const char *text_of(const cJSON *item, arena *mem) {
    return cJSON_IsNumber(item) ? arena_printf(mem, "%.15g", item->valuedouble) : cJSON_GetStringValue(item);
}

/* Returns the option of onyx sweep with this long name, or NULL. */
static const option_row *option_named(const char *name) {
    for (const option_row *row = option_rows; row < option_rows + OPTIONS; row++) {
        if (row->name && row->commands & 1u << COMMAND_SWEEP && strcmp(row->name, name) == 0)
            return row;
    }
    return NULL;
}

/* Adds an option with a value: for an axis all values of a list in one option, for other options each value
 * separately. */
static bool add_option(study *t, const cJSON *item, text_vec *words) {
    arena *mem = &t->s->mem;
    const option_row *row = option_named(item->string);
    if (!row)
        return refuse(t, item, item->string, "an option of onyx sweep by its long name, or 'run'");
    const char *name = arena_printf(mem, "--%s", row->name), *all = NULL;
    const bool joins = row->separators && !strchr(row->value, ':') && !strchr(row->value, '=');
    if (cJSON_IsFalse(item))
        return true;
    if (!row->value) {
        vec_push(mem, words, name);
        return cJSON_IsTrue(item) || refuse(t, item, row->name, "true or false");
    }
    const cJSON *one = cJSON_IsArray(item) ? item->child : item;
    for (; one; one = cJSON_IsArray(item) ? one->next : NULL) {
        const char *text = text_of(one, mem);
        if (!text)
            return refuse(t, item, row->name, "a text, a number, or an array of these");
        all = all && joins ? arena_printf(mem, "%s%c%s", all, row->separators[0], text) : text;
        if (joins && cJSON_IsArray(item) && one->next)
            continue;
        vec_push(mem, words, name);
        vec_push(mem, words, all);
    }
    return true;
}

static bool take_sweep(study *t, const cJSON *table, text_vec *words) {
    for (const cJSON *item = table ? table->child : NULL; item; item = item->next) {
        if (strcmp(item->string, "run") != 0) {
            if (!add_option(t, item, words))
                return false;
        } else if (cJSON_IsString(item)) {
            vec_push(&t->s->mem, words, item->valuestring);
        } else {
            return refuse(t, item, "run", "what onyx run takes as its argument");
        }
    }
    return true;
}

/* ---- [[kernel]] -------------------------------------------------------------------------------- */

/* Adds the words of a kernel's options; files behind -i count by their contents. */
static bool take_words(study *t, const cJSON *options, sweep_value *value) {
    arena *mem = &t->s->mem;
    const cJSON *word = NULL;
    if (options && !cJSON_IsArray(options))
        return refuse(t, options, "options", "an array of words, as onyx run takes them");
    cJSON_ArrayForEach(word, options) {
        const char *text = cJSON_GetStringValue(word), *before = value->words.at[value->words.len - 1];
        if (!text)
            return refuse(t, options, "options", "an array of words, as onyx run takes them");
        if ((strcmp(before, "-i") == 0 || strcmp(before, "--input") == 0) && strchr(text, ':'))
            vec_push(mem, &value->inputs, strchr(text, ':') + 1);
        vec_push(mem, &value->words, text);
    }
    return true;
}

static bool take_kernels(study *t, const cJSON *list) {
    sweep_axis axis = {.name = "kernel"};
    const cJSON *one = NULL;
    cJSON_ArrayForEach(one, list) {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(one, "name"),
                    *run = cJSON_GetObjectItemCaseSensitive(one, "run");
        for (const cJSON *item = one->child; item; item = item->next) {
            if (strcmp(item->string, "name") && strcmp(item->string, "run") &&
                strcmp(item->string, "options"))
                return refuse(t, item, item->string, "name, run or options");
        }
        if (!cJSON_IsString(name) || !cJSON_IsString(run))
            return refuse(t, one, "kernel", "a table with texts name and run");
        sweep_value value = {.label = name->valuestring};
        sweep_add_kernel(&t->sweep, run->valuestring, &value);
        if (!take_words(t, cJSON_GetObjectItemCaseSensitive(one, "options"), &value))
            return false;
        sweep_add_value(&t->sweep, &axis, &value);
    }
    if (axis.values.len)
        vec_push(&t->s->mem, &t->sweep.job.plan.axes, axis);
    return !diag_failed(&t->s->diag);
}

/* ---- [[chart]] --------------------------------------------------------------------------------- */

static const struct {
    const char *key;
    size_t member;
} chart_texts[] = {{"name", offsetof(sweep_chart, name)},
                   {"title", offsetof(sweep_chart, title)},
                   {"x", offsetof(sweep_chart, x)},
                   {"y", offsetof(sweep_chart, y)},
                   {"x_label", offsetof(sweep_chart, x_label)},
                   {"y_label", offsetof(sweep_chart, y_label)},
                   {"series", offsetof(sweep_chart, series)},
                   {"each", offsetof(sweep_chart, each)},
                   {"normalise", offsetof(sweep_chart, normalise)},
                   {"speedup", offsetof(sweep_chart, speedup)},
                   {"peer", offsetof(sweep_chart, peer)}},
  chart_flags[] = {{"log_x", offsetof(sweep_chart, log_x)},
                   {"log_y", offsetof(sweep_chart, log_y)},
                   {"trend", offsetof(sweep_chart, trend)}};

static bool take_where(study *t, const cJSON *item, sweep_chart *c) {
    const cJSON *one = NULL;
    cJSON_ArrayForEach(one, item) {
        const char *text = cJSON_GetStringValue(one);
        if (!text || !strchr(text, '='))
            return refuse(t, item, "where", "an array of texts \"axis=value\"");
        vec_push(&t->s->mem, &c->where, text);
    }
    return cJSON_IsArray(item) || refuse(t, item, "where", "an array of texts \"axis=value\"");
}

static bool take_kind(study *t, const cJSON *item, sweep_chart *c) {
    static const char *const kinds[] = {"bars", "lines", "scatter", "heat", "box"};
    const char *text = cJSON_GetStringValue(item);
    for (uint32_t k = 0; text && k < sizeof kinds / sizeof *kinds; k++) {
        c->kind = (sweep_chart_kind)k;
        if (strcmp(text, kinds[k]) == 0)
            return true;
    }
    return refuse(t, item, "kind", "one of bars, lines, scatter, heat, box");
}

static bool take_chart_item(study *t, const cJSON *item, sweep_chart *c) {
    if (strcmp(item->string, "kind") == 0)
        return take_kind(t, item, c);
    if (strcmp(item->string, "where") == 0)
        return take_where(t, item, c);
    for (size_t i = 0; i < sizeof chart_texts / sizeof *chart_texts; i++) {
        if (strcmp(item->string, chart_texts[i].key) != 0)
            continue;
        if (!cJSON_IsString(item))
            return refuse(t, item, item->string, "a text");
        memcpy((char *)c + chart_texts[i].member, &item->valuestring, sizeof item->valuestring);
        return true;
    }
    for (size_t i = 0; i < sizeof chart_flags / sizeof *chart_flags; i++) {
        const bool value = cJSON_IsTrue(item);
        if (strcmp(item->string, chart_flags[i].key) != 0)
            continue;
        memcpy((char *)c + chart_flags[i].member, &value, sizeof value);
        return cJSON_IsBool(item) || refuse(t, item, item->string, "true or false");
    }
    return refuse(t, item, item->string, "a key of a chart (docs/sweep.md)");
}

static bool take_charts(study *t, const cJSON *list) {
    const cJSON *one = NULL;
    cJSON_ArrayForEach(one, list) {
        sweep_chart c = {0};
        for (const cJSON *item = one->child; item; item = item->next) {
            if (!take_chart_item(t, item, &c))
                return false;
        }
        if (!c.name || !c.x || !c.y || strchr(c.name, '/'))
            return refuse(t, one, "chart", "a table with name, which is no path, and x and y");
        if ((c.normalise || c.speedup) && !c.series)
            return refuse(t, one, "chart", "a table with series, one of which is what others are divided by");
        vec_push(&t->s->mem, &t->charts, c);
    }
    return true;
}

/* ---- the command ------------------------------------------------------------------------------- */

static bool take_tables(study *t, text_vec *words) {
    const cJSON *sweep = NULL, *kernels = NULL, *charts = NULL;
    for (const cJSON *item = t->file.root->child; item; item = item->next) {
        if (strcmp(item->string, "sweep") == 0 && cJSON_IsObject(item))
            sweep = item;
        else if (strcmp(item->string, "kernel") == 0 && cJSON_IsArray(item))
            kernels = item;
        else if (strcmp(item->string, "chart") == 0 && cJSON_IsArray(item))
            charts = item;
        else
            return refuse(t, item, item->string, "[sweep], [[kernel]] or [[chart]]");
    }
    t->s->options.given[OPTION_KERNELS] = kernels != NULL;
    return take_sweep(t, sweep, words) && take_kernels(t, kernels) && take_charts(t, charts);
}

/* Returns a path valid from any folder. */
static const char *absolute(const char *path, arena *mem) {
    char here[4096];
    return *path == '/' || !getcwd(here, sizeof here) ? path : arena_printf(mem, "%s/%s", here, path);
}

/* Reads the file; the command line's options hold, too. Paths in the file begin at its folder. */
static bool read_study(study *t) {
    cli_session *s = t->s;
    command_line *o = &s->options;
    text_vec words = {0};
    if (o->arguments.len != 1)
        diag_error(&s->diag, (src_loc){0}, "E0904-argument", "one study file is wanted");
    if (o->arguments.len != 1 || !options_want_folder(o, &s->diag))
        return false;
    const char *path = o->arguments.at[0], *slash = strrchr(path, '/');
    o->compile.files.out = absolute(o->compile.files.out, &s->mem);
    o->sweep.db = absolute(o->sweep.db, &s->mem);
    t->file = toml_read(path, &s->diag);
    o->arguments.len = o->in_order.len = 0;
    vec_push(&s->mem, &words, "sweep");
    if (!t->file.root || !take_tables(t, &words))
        return false;
    if (slash && chdir(arena_strndup(&s->mem, path, (size_t)(slash - path + 1))) != 0)
        return diag_error(&s->diag, (src_loc){0}, "E0001-file", "cannot go to the folder of '%s'", path);
    return options_parse(COMMAND_SWEEP, (int)words.len, words.at, &s->mem, &s->diag, o);
}

static void print_summary(const study *t, const sweep_row_vec *rows) {
    uint32_t n[SWEEP_LATE + 1] = {0};
    for (uint32_t r = 0; r < rows->len; r++)
        n[rows->at[r].state]++;
    printf("%u %s", rows->len, plural(rows->len, "point", "points"));
    for (int state = SWEEP_DONE; state <= SWEEP_LATE; state++) {
        if (n[state])
            printf(", %u %s", n[state], sweep_state_name[state]);
    }
    printf("; %u %s, sweep.csv and sweep.html in %s\n", t->charts.len,
           plural(t->charts.len, "chart", "charts"), t->s->options.compile.files.out);
}

static bool run_study(study *t) {
    cli_session *s = t->s;
    sweep_row_vec rows = {0};
    const char *out = s->options.compile.files.out;
    if (!sweep_take_options(&t->sweep) || !make_folder(out, &s->diag) || !sweep_points_run(&t->sweep, &rows))
        return false;
    bool ok = sweep_write_reports(s, &rows, arena_printf(&s->mem, "%s/sweep.csv", out),
                                  arena_printf(&s->mem, "%s/sweep.html", out));
    for (uint32_t c = 0; c < t->charts.len; c++)
        ok = sweep_chart_write(&rows, &t->charts.at[c], out, &s->diag) && ok;
    if (!s->options.every.quiet)
        print_summary(t, &rows);
    return ok && !diag_failed(&s->diag);
}

int command_study(int argc, char **argv) {
    cli_session s;
    cli_session_begin(&s);
    study t = {.s = &s, .sweep = {.session = &s}};
    const bool ok = cli_parse(&s, COMMAND_STUDY, argc, argv) && read_study(&t) && run_study(&t);
    const bool interrupted = t.sweep.job.interrupted;
    cJSON_Delete(t.file.root);
    const int code = cli_session_end(&s, ok);
    return interrupted ? EXIT_INTERRUPTED : code;
}
