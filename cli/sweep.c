/* onyx sweep: expressions over operands, tile sizes, copies, loop orders, engines, boards and more. */
#include "cli/sweep.h"
#include "cli/usage.h"
#include "compile/compile.h"
#include "engines/engines.h"
#include "sweep/against.h"

#include <unistd.h>

/* ---- loop orders ----------------------------------------------------------------------------- */

/* Returns the options of the first point, used to try orders. */
static bool first_options(sweep_command *c, compile_options *o) {
    cli_session *s = c->session;
    const sweep_plan *plan = &c->job.plan;
    command_line point = options_default(COMMAND_RUN);
    text_vec words = {0};
    vec_push(&s->mem, &words, "run");
    for (uint32_t i = 0; i < plan->arguments.len; i++)
        vec_push(&s->mem, &words, plan->arguments.at[i]);
    for (uint32_t a = 0; a < plan->axes.len; a++) {
        const sweep_value *first = &plan->axes.at[a].values.at[0];
        for (uint32_t w = 0; w < first->words.len; w++)
            vec_push(&s->mem, &words, first->words.at[w]);
    }
    if (!options_parse(COMMAND_RUN, (int)words.len, words.at, &s->mem, &s->diag, &point))
        return false;
    *o = point.compile;
    return true;
}

/* Expands the stars of --order into runnable orders. */
static bool find_orders(sweep_command *c, const text_vec *names) {
    cli_session *s = c->session;
    compile_options o;
    if (!first_options(c, &o))
        return false;
    const bool on_array = strcmp(c->job.plan.engine, "sam") != 0;
    o.target.engine = ENGINE_SOC;
    o.running.executes = true;
    compile_orders orders;
    pnr_board *boards = arena_new_n(&s->mem, pnr_board, names->len);
    for (uint32_t b = 0; b < names->len; b++) {
        if (!compile_read_board(&s->compile, names->at[b], &boards[b], NULL) ||
            !pnr_board_set_profile(&boards[b], o.target.profile, &s->diag))
            return false;
    }
    const compile_orders_in in = {c->order, boards, on_array ? names->len : 0};
    if (!compile_find_orders(&o, &s->compile, &in, &orders))
        return false;
    cli_progress_end(s);
    if (!s->options.every.quiet && !s->options.every.diagnostics)
        fprintf(stderr, "onyx: %u of %u %s of the loops can run\n", orders.can, orders.tried,
                plural(orders.tried, "order", "orders"));
    c->order = "";
    for (uint32_t i = 0; i < orders.found.len; i++)
        c->order = arena_printf(&s->mem, "%s%s%s", c->order, i ? ";" : "", orders.found.at[i]);
    return true;
}

/* ---- the command ------------------------------------------------------------------------------ */

/* Returns the path of the results: in the folder of -o, unless --db names the file. */
static const char *sweep_db(cli_session *s) {
    const char *out = s->options.compile.files.out;
    return out && !s->options.given[OPTION_DB] ? arena_printf(&s->mem, "%s/sweep.db", out)
                                               : s->options.sweep.db;
}

/* A board's file is one of the inputs. */
static bool add_board(sweep_command *c, const char *name) {
    pnr_board board;
    const char *path;
    if (!compile_read_board(&c->session->compile, name, &board, &path))
        return false;
    vec_push(&c->session->mem, &c->job.plan.inputs, path);
    return true;
}

/* Confirmation needs the same bitstream: engine rtl starts all copies together, hence the other engine does,
 * too, unless the user chose a dispatch. */
static void start_together(sweep_command *c) {
    const command_line *o = &c->session->options;
    if (o->sweep.confirm && strcmp(o->sweep.confirm, "rtl") == 0 && !o->given[OPTION_DISPATCHES])
        sweep_pass_on(c, OPTION_DISPATCH, "sorted");
}

/* Every point runs the argument, unless --kernels or a study gives the argument. */
static bool take_argument(sweep_command *c) {
    cli_session *s = c->session;
    text_vec arguments = {0};
    if (!s->options.compile.written.expression)
        return true;
    if (s->options.given[OPTION_KERNELS])
        diag_error(&s->diag, (src_loc){0}, "E0904-argument", "an expression, and --kernels in its place");
    sweep_value value = {0};
    sweep_add_kernel(c, s->options.compile.written.expression, &value);
    vec_push(&s->mem, &arguments, value.words.at[0]);
    for (uint32_t i = 0; i < c->job.plan.arguments.len; i++)
        vec_push(&s->mem, &arguments, c->job.plan.arguments.at[i]);
    memcpy(&c->job.plan.arguments, &arguments, sizeof arguments);
    for (uint32_t i = 0; i < value.inputs.len; i++)
        vec_push(&s->mem, &c->job.plan.inputs, value.inputs.at[i]);
    return !diag_failed(&s->diag);
}

/* Makes what is common to the points, once everything is read. */
static bool make_plan(sweep_command *c) {
    cli_session *s = c->session;
    start_together(c);
    c->job.plan.program = compile_program(&s->compile, "onyx");
    const text_vec boards = sweep_boards(c);
    if (!take_argument(c))
        return false;
    if (c->order && (strcmp(c->order, "all") == 0 || strchr(c->order, '*')) && !find_orders(c, &boards))
        return false;
    if (c->order)
        sweep_add_axis(c, OPTION_ORDER, c->order, "reorder");
    for (uint32_t b = 0; b < boards.len; b++) {
        if (!add_board(c, boards.at[b]))
            return false;
    }
    if (!c->job.plan.axes.len)
        sweep_add_axis(c, OPTION_SEEDS, "1", NULL);
    return !diag_failed(&s->diag);
}

/* Returns the rows of this sweep's points; rows of earlier sweeps in the same database do not count. */
static sweep_row_vec rows_of_points(const sweep_job *job, const sweep_row_vec *rows, arena *mem) {
    sweep_row_vec own = {0};
    for (uint32_t r = 0; r < rows->len; r++) {
        for (uint32_t p = 0; p < job->points.len; p++) {
            if (strcmp(rows->at[r].key, job->points.at[p].key) == 0)
                vec_push(mem, &own, rows->at[r]);
        }
    }
    return own;
}

/* Diagnoses the failed points. */
static void judge(sweep_command *c, const sweep_row_vec *rows) {
    arena scratch = {0};
    const sweep_row_vec own = rows_of_points(&c->job, rows, &scratch);
    const sweep_counts n = sweep_count(own.at, own.len);
    arena_free(&scratch);
    const uint32_t wrong = n.of[SWEEP_WRONG] + n.of_plain[SWEEP_WRONG],
                   broken = n.of[SWEEP_CRASHED] + n.of_plain[SWEEP_CRASHED] + n.of[SWEEP_LATE] +
                            n.of_plain[SWEEP_LATE];
    diagnostics *d = &c->session->diag;
    if (wrong)
        diag_mismatch(d, (src_loc){0}, "E0942-points", "%u %s gave a wrong result", wrong,
                      plural(wrong, "point", "points"));
    if (broken) {
        diag_error(d, (src_loc){0}, "E0942-points", "%u %s crashed or took longer than the time limit",
                   broken, plural(broken, "point", "points"));
        diag_hint(d, "the same command runs them again");
    }
    if (n.of[SWEEP_REFUSED] + n.of[SWEEP_MISTAKE] < c->job.grid)
        return;
    if (n.of[SWEEP_MISTAKE])
        diag_error(d, (src_loc){0}, "E0942-points", "no point gave a result: the table says why");
    else
        diag_unmappable(d, (src_loc){0}, "E0942-points", "no point fits: the table says why");
}

bool sweep_points_run(sweep_command *c, sweep_row_vec *own) {
    cli_session *s = c->session;
    sweep_job *job = &c->job;
    sweep_row_vec rows = {0};
    const command_line *o = &s->options;
    job->mem = &s->mem;
    job->d = &s->diag;
    if (!make_plan(c) || !sweep_points(job))
        return false;
    job->store = sweep_open(sweep_db(s), true, &s->mem, &s->diag);
    bool ok = job->store && sweep_run(job);
    if (ok && o->sweep.confirm && !job->interrupted)
        ok = sweep_confirm(job, o->sweep.confirm, o->sweep.best);
    if (ok)
        ok = sweep_rows(job->store, &s->mem, &s->diag, &rows);
    sweep_close(job->store);
    for (uint32_t r = 0; r < rows.len && ok; r++) {
        if (strcmp(rows.at[r].plan, job->key) == 0)
            vec_push(&s->mem, own, rows.at[r]);
    }
    if (ok)
        judge(c, own);
    return ok;
}

static bool run_sweep(sweep_command *c) {
    cli_session *s = c->session;
    const char *out = s->options.compile.files.out;
    sweep_row_vec own = {0};
    if ((out && !make_folder(out, &s->diag)) || !sweep_points_run(c, &own))
        return false;
    if (!c->job.quiet)
        sweep_print(&own, stdout);
    return sweep_write_reports(s, &own, out ? arena_printf(&s->mem, "%s/sweep.csv", out) : NULL,
                               out ? arena_printf(&s->mem, "%s/sweep.html", out) : NULL) &&
           !diag_failed(&s->diag);
}

/* ---- onyx sweep report -------------------------------------------------------------------------- */

/* A page in another folder needs links relative to its folder. */
static void make_links_absolute(cli_session *s, const char *page, sweep_row_vec *rows) {
    char here[4096];
    if (!strchr(page, '/') || !getcwd(here, sizeof here))
        return;
    for (uint32_t r = 0; r < rows->len; r++) {
        const char *of = rows->at[r].page;
        if (*of && *of != '/')
            rows->at[r].page = arena_printf(&s->mem, "%s/%s", here, of);
    }
}

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

bool sweep_write_reports(cli_session *s, sweep_row_vec *rows, const char *csv, const char *html) {
    if (html)
        make_links_absolute(s, html, rows);
    return write_report(s, csv, rows, sweep_csv) && write_report(s, html, rows, sweep_html);
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
    const char *out = o->compile.files.out, *csv = out ? arena_printf(&s.mem, "%s/sweep.csv", out) : NULL,
               *html = out ? arena_printf(&s.mem, "%s/sweep.html", out) : NULL;
    const char *db = ok && o->arguments.len ? o->arguments.at[o->arguments.len - 1] : sweep_db(&s);
    sweep_store *store = ok ? sweep_open(db, false, &s.mem, &s.diag) : NULL;
    const bool read = store && sweep_rows(store, &s.mem, &s.diag, &rows) &&
                      (!out || make_folder(out, &s.diag)) &&
                      sweep_write_reports(&s, &rows, o->sweep.csv ? o->sweep.csv : csv,
                                          o->sweep.html ? o->sweep.html : html);
    sweep_close(store);
    if (read && !o->sweep.against)
        sweep_print(&rows, stdout);
    return cli_session_end(&s, read && (!o->sweep.against || hold_against(&s, &rows)));
}

int command_sweep(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "report") == 0)
        return command_report(argc - 1, argv + 1);
    cli_session s;
    cli_session_begin(&s);
    sweep_command c = {.session = &s};
    bool ok = cli_parse(&s, COMMAND_SWEEP, argc, argv) && sweep_take_options(&c) && run_sweep(&c);
    bool interrupted = c.job.interrupted;
    int code = cli_session_end(&s, ok);
    return interrupted ? EXIT_INTERRUPTED : code;
}
