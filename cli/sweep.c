/* onyx sweep: an expression over tile sizes, copies, loop orders, schedules, seeds and boards. */
#include "cli/usage.h"
#include "compile/compile.h"
#include "engines/engines.h"
#include "sweep/against.h"

#include <unistd.h>

typedef struct {
    cli_session *session;
    const char *order; /* --order, once stars are orders */
    sweep_job job;
} sweep_command;

/* What onyx run would say of a value, once instead of at every point; and a value that is there twice. */
static void check_value(sweep_command *c, const sweep_axis *axis, const char *name, option_key key) {
    cli_session *s = c->session;
    command_line point = options_default(COMMAND_RUN);
    const uint32_t last = axis->value.len - 1;
    const char *const words[] = {"run", options_spelling(key, &s->mem), axis->value.at[last], "x=y"};
    options_parse(COMMAND_RUN, sizeof words / sizeof *words, words, &s->mem, &s->diag, &point);
    for (uint32_t v = 0; v < last; v++) {
        if (strcmp(axis->value.at[v], axis->value.at[last]) == 0)
            diag_error(&s->diag, (src_loc){0}, "E0914-twice", "--%s has %s twice", name,
                       axis->label.at[last]);
    }
}

/* The values between separators, each one's text what the option takes. */
static void add_axis(sweep_command *c, const char *name, option_key key, const char *list, char separator,
                     const char *pattern) {
    arena *mem = &c->session->mem;
    sweep_axis axis = {.name = name, .option = options_spelling(key, mem)};
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, (const char[]){separator, '\0'});
        const char *label = arena_strndup(mem, at, length);
        if (!length)
            compile_bad_value(&c->session->diag, arena_printf(mem, "--%s", name), list,
                              arena_printf(mem, "values between '%c'", separator));
        vec_push(mem, &axis.label, label);
        vec_push(mem, &axis.value, pattern ? arena_printf(mem, "%s(%s)", pattern, label) : label);
        if (length)
            check_value(c, &axis, name, key);
        at += length;
        if (!*at)
            break;
    }
    for (uint32_t a = 0; a < c->job.plan.axes.len; a++) {
        if (strcmp(c->job.plan.axes.at[a].name, name) == 0)
            diag_error(&c->session->diag, (src_loc){0}, "E0914-twice", "a second --%s", name);
    }
    vec_push(mem, &c->job.plan.axes, axis);
}

static void pass_on(sweep_command *c, const char *option, const char *value) {
    vec_push(&c->session->mem, &c->job.plan.arguments, option);
    if (value)
        vec_push(&c->session->mem, &c->job.plan.arguments, value);
}

/* Axes as the table has them; what else onyx run reads, each point gets as it is. */
static bool take_options(sweep_command *c) {
    const command_line *o = &c->session->options;
    for (uint32_t i = 0; i < o->in_order.len; i++) {
        const option_given *given = &o->in_order.at[i];
        const option_row *row = &option_rows[given->key];
        const char *colon = given->value ? strchr(given->value, ':') : NULL;
        if (row->separators) {
            add_axis(c, row->name, row->axis, given->value, row->separators[colon && row->separators[1]],
                     NULL);
            continue;
        }
        if (given->key == OPTION_INPUT && colon)
            vec_push(&c->session->mem, &c->job.plan.inputs, colon + 1);
        if (row->commands & 1u << COMMAND_RUN && given->key != OPTION_ENGINE)
            pass_on(c, options_spelling(given->key, &c->session->mem), given->value);
    }
    c->order = o->sweep.order;
    c->job.plan.engine = option_rows[OPTION_ENGINE].words[o->compile.engine - ENGINE_SAM];
    c->job.slurm = o->sweep.slurm;
    c->job.array_most = o->sweep.array_most;
    c->job.keep = o->sweep.keep;
    c->job.time_limit = o->sweep.time_limit;
    c->job.quiet = o->quiet;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    c->job.jobs = o->sweep.jobs ? o->sweep.jobs : processors > 0 ? (uint32_t)processors : 1;
    return !diag_failed(&c->session->diag);
}

/* ---- loop orders ----------------------------------------------------------------------------- */

/* The names of the boards, of which there is always one. */
static text_vec boards_of(const sweep_command *c) {
    text_vec names = {0};
    for (uint32_t a = 0; a < c->job.plan.axes.len; a++) {
        const sweep_axis *axis = &c->job.plan.axes.at[a];
        for (uint32_t v = 0; v < axis->value.len && strcmp(axis->name, "board") == 0; v++)
            vec_push(&c->session->mem, &names, axis->value.at[v]);
    }
    if (!names.len)
        vec_push(&c->session->mem, &names, "onyx");
    return names;
}

/* The stars of --order become orders that can run. */
static bool find_orders(sweep_command *c, const text_vec *names) {
    cli_session *s = c->session;
    compile_options o = s->options.compile; /* as every point gets them */
    o.engine = ENGINE_SOC;
    o.runs = true;
    compile_orders orders;
    pnr_board *boards = arena_new_n(&s->mem, pnr_board, names->len);
    for (uint32_t b = 0; b < names->len; b++) {
        if (!compile_read_board(&s->compile, names->at[b], &boards[b], NULL) ||
            !pnr_board_set_profile(&boards[b], o.profile, &s->diag))
            return false;
    }
    const compile_orders_in in = {c->order, boards, s->options.compile.engine == ENGINE_SAM ? 0 : names->len};
    if (!compile_find_orders(&o, &s->compile, &in, &orders))
        return false;
    cli_progress_end(s);
    if (!s->options.quiet && !s->options.diagnostics)
        fprintf(stderr, "onyx: %u of %u %s of the loops can run\n", orders.can, orders.tried,
                plural(orders.tried, "order", "orders"));
    c->order = "";
    for (uint32_t i = 0; i < orders.found.len; i++)
        c->order = arena_printf(&s->mem, "%s%s%s", c->order, i ? ";" : "", orders.found.at[i]);
    return true;
}

/* ---- the command ------------------------------------------------------------------------------ */

/* A board's file is one of the inputs. */
static bool add_board(sweep_command *c, const char *name) {
    pnr_board board;
    const char *path;
    if (!compile_read_board(&c->session->compile, name, &board, &path))
        return false;
    vec_push(&c->session->mem, &c->job.plan.inputs, path);
    return true;
}

/* What is confirmed has to be the same bitstream: engine rtl starts all copies together, so that is what the
 * other engine does, too, unless the user asked for something. */
static void start_together(sweep_command *c) {
    const command_line *o = &c->session->options;
    if (o->sweep.confirm && strcmp(o->sweep.confirm, "rtl") == 0 && !o->given[OPTION_DISPATCHES])
        pass_on(c, "--dispatch", "sorted");
}

/* What the points have in common, once everything was read. */
static bool make_plan(sweep_command *c) {
    cli_session *s = c->session;
    start_together(c);
    c->job.plan.program = compile_program(&s->compile, "onyx");
    const text_vec boards = boards_of(c);
    if (c->order && (strcmp(c->order, "all") == 0 || strchr(c->order, '*')) && !find_orders(c, &boards))
        return false;
    if (c->order)
        add_axis(c, "order", OPTION_SCHEDULE, c->order, ';', "reorder");
    text_vec arguments = {0};
    vec_push(&s->mem, &arguments, s->options.compile.expression);
    for (uint32_t i = 0; i < c->job.plan.arguments.len; i++)
        vec_push(&s->mem, &arguments, c->job.plan.arguments.at[i]);
    memcpy(&c->job.plan.arguments, &arguments, sizeof arguments);
    for (uint32_t b = 0; b < boards.len; b++) {
        if (!add_board(c, boards.at[b]))
            return false;
    }
    if (!c->job.plan.axes.len)
        add_axis(c, "seed", OPTION_SEED, "1", ',', NULL);
    return !diag_failed(&s->diag);
}

/* Diagnoses the points of this sweep that went wrong; rows of earlier sweeps in the same database do not
 * count. */
static void judge(sweep_command *c, const sweep_row_vec *rows) {
    const sweep_point_vec *points = &c->job.points;
    diagnostics *d = &c->session->diag;
    uint32_t wrong = 0, broken = 0, refused = 0, mistaken = 0;
    for (uint32_t r = 0; r < rows->len; r++) {
        for (uint32_t p = 0; p < points->len; p++) {
            if (strcmp(rows->at[r].key, points->at[p].key) != 0)
                continue;
            wrong += rows->at[r].state == SWEEP_WRONG;
            broken += rows->at[r].state == SWEEP_CRASHED || rows->at[r].state == SWEEP_LATE;
            refused += rows->at[r].state == SWEEP_REFUSED;
            mistaken += rows->at[r].state == SWEEP_MISTAKE;
        }
    }
    if (wrong)
        diag_mismatch(d, (src_loc){0}, "E0942-points", "%u %s gave a wrong result", wrong,
                      plural(wrong, "point", "points"));
    if (broken) {
        diag_error(d, (src_loc){0}, "E0942-points", "%u %s crashed or took longer than the time limit",
                   broken, plural(broken, "point", "points"));
        diag_hint(d, "the same command runs them again");
    }
    if (refused + mistaken < points->len)
        return;
    if (mistaken)
        diag_error(d, (src_loc){0}, "E0942-points", "no point gave a result: the table says why");
    else
        diag_unmappable(d, (src_loc){0}, "E0942-points", "no point fits: the table says why");
}

static bool run_sweep(sweep_command *c) {
    cli_session *s = c->session;
    sweep_job *job = &c->job;
    sweep_row_vec rows = {0}, own = {0};
    const command_line *o = &s->options;
    job->mem = &s->mem;
    job->d = &s->diag;
    if (!make_plan(c) || !sweep_points(job))
        return false;
    job->store = sweep_open(o->sweep.db, true, &s->mem, &s->diag);
    bool ok = job->store && sweep_run(job);
    if (ok && o->sweep.confirm && !job->interrupted)
        ok = sweep_confirm(job, o->sweep.confirm, o->sweep.best);
    if (ok)
        ok = sweep_rows(job->store, &s->mem, &s->diag, &rows);
    sweep_close(job->store);
    if (!ok)
        return false;
    for (uint32_t r = 0; r < rows.len; r++) {
        if (strcmp(rows.at[r].plan, job->key) == 0)
            vec_push(&s->mem, &own, rows.at[r]);
    }
    if (!job->quiet)
        sweep_print(&own, stdout);
    judge(c, &own);
    return !diag_failed(&s->diag);
}

/* ---- onyx sweep report -------------------------------------------------------------------------- */

static bool write_report(cli_session *s, const char *path, const sweep_row_vec *rows,
                         void (*write)(const sweep_row_vec *rows, FILE *out)) {
    file_out f;
    if (!path)
        return true;
    if (!file_create(&f, path, &s->mem, &s->diag))
        return false;
    write(rows, f.stream);
    return file_commit(&f, &s->diag);
}

/* A page in another folder links to what is named from here. */
static void settle_links(cli_session *s, sweep_row_vec *rows) {
    char here[4096];
    if (!s->options.sweep.html || !strchr(s->options.sweep.html, '/') || !getcwd(here, sizeof here))
        return;
    for (uint32_t r = 0; r < rows->len; r++) {
        const char *page = rows->at[r].page;
        if (*page && *page != '/')
            rows->at[r].page = arena_printf(&s->mem, "%s/%s", here, page);
    }
}

static bool hold_against(cli_session *s, const sweep_row_vec *now) {
    const command_line *o = &s->options;
    sweep_row_vec before = {0};
    sweep_store *store = sweep_open(o->sweep.against, false, &s->mem, &s->diag);
    const bool ok = store && sweep_rows(store, &s->mem, &s->diag, &before);
    sweep_close(store);
    if (ok)
        sweep_against(&before, now, o->sweep.tolerance, stdout, &s->diag);
    return ok && !diag_failed(&s->diag);
}

static int command_report(int argc, char **argv) {
    cli_session s;
    cli_session_begin(&s);
    const command_line *o = &s.options;
    sweep_row_vec rows = {0};
    bool ok = cli_parse(&s, COMMAND_SWEEP_REPORT, argc, argv);
    const char *db = o->arguments.len ? o->arguments.at[o->arguments.len - 1] : o->sweep.db;
    sweep_store *store = ok ? sweep_open(db, false, &s.mem, &s.diag) : NULL;
    bool read = store && sweep_rows(store, &s.mem, &s.diag, &rows);
    settle_links(&s, &rows);
    read = read && write_report(&s, o->sweep.csv, &rows, sweep_csv) &&
           write_report(&s, o->sweep.html, &rows, sweep_html);
    sweep_close(store);
    if (read && !o->sweep.against)
        sweep_print(&rows, stdout);
    read = read && (!o->sweep.against || hold_against(&s, &rows));
    return cli_session_end(&s, read);
}

int command_sweep(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "report") == 0)
        return command_report(argc - 1, argv + 1);
    cli_session s;
    cli_session_begin(&s);
    sweep_command c = {.session = &s};
    bool ok = cli_parse(&s, COMMAND_SWEEP, argc, argv) && take_options(&c) && run_sweep(&c);
    bool interrupted = c.job.interrupted;
    int code = cli_session_end(&s, ok);
    return interrupted ? EXIT_INTERRUPTED : code;
}
