/* onyx sweep: an expression over tile sizes, copies, loop orders, schedules, seeds and boards. */
#include "sweep/sweep.h"
#include "cli/cli.h"

#include <unistd.h>

typedef struct {
    cli_session *session;
    const char *expression;
    const char *order;
    sweep_plan plan;
    sweep_run_options run;
    const char *db, *confirm;
    uint32_t best;
} sweep_command;

static const char default_db[] = "sweep.db";

/* The values between separators, each one's text what the command takes. */
static void add_axis(sweep_command *c, const char *name, const char *option, const char *list, char separator,
                     const char *pattern) {
    arena *mem = &c->session->mem;
    sweep_axis axis = {.name = name, .option = option};
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, (const char[]){separator, '\0'});
        const char *label = arena_strndup(mem, at, length);
        if (!length)
            cli_bad_value(c->session, arena_printf(mem, "--%s", name), list,
                          arena_printf(mem, "values between '%c'", separator));
        vec_push(mem, &axis.label, label);
        vec_push(mem, &axis.value, pattern ? arena_printf(mem, "%s(%s)", pattern, label) : label);
        at += length;
        if (!*at)
            break;
    }
    for (uint32_t a = 0; a < c->plan.axes.len; a++) {
        if (strcmp(c->plan.axes.at[a].name, name) == 0)
            diag_error(&c->session->diag, (src_loc){0}, "E0914-twice", "a second --%s", name);
    }
    vec_push(mem, &c->plan.axes, axis);
}

static void pass_on(sweep_command *c, const char *option, const char *value) {
    vec_push(&c->session->mem, &c->plan.arguments, option);
    if (value)
        vec_push(&c->session->mem, &c->plan.arguments, value);
}

/* Options with a letter mean what they mean to onyx run. */
static bool parse_letter(sweep_command *c, int key, const char *arg) {
    if (!strchr("fdtsig", key))
        return false;
    if (*arg == '=')
        arg++;
    arena *mem = &c->session->mem;
    const char *colon = strchr(arg, ':');
    if (key == CLI_OPT_INPUT && colon)
        vec_push(mem, &c->plan.inputs, colon + 1);
    pass_on(c, arena_printf(mem, "-%c", key), arg);
    return true;
}

static bool parse_axis(sweep_command *c, int key, const char *arg) {
    switch (key) {
    case CLI_OPT_TILES:
        add_axis(c, "tile", "--tile", arg, strchr(arg, ':') ? ';' : ',', NULL);
        return true;
    case CLI_OPT_UNROLLS:
        add_axis(c, "unroll", "--unroll", arg, ',', NULL);
        return true;
    case CLI_OPT_DISPATCHES:
        add_axis(c, "dispatch", "--dispatch", arg, ',', NULL);
        return true;
    case CLI_OPT_SCHEDULES:
        add_axis(c, "schedules", "-s", arg, ';', NULL);
        return true;
    case CLI_OPT_SEEDS:
        add_axis(c, "seed", "--seed", arg, ',', NULL);
        return true;
    case CLI_OPT_BOARDS:
        add_axis(c, "board", "--board", arg, ',', NULL);
        return true;
    case CLI_OPT_ORDER:
        c->order = arg;
        return true;
    default:
        return false;
    }
}

static error_t parse_sweep(int key, char *arg, struct argp_state *state) {
    const char *const *confirming = cli_engines + 1; /* on the array */
    sweep_command *c = state->input;
    cli_session *s = c->session;
    if ((key > 0 && key < CLI_NO_LETTER && parse_letter(c, key, arg)) || parse_axis(c, key, arg))
        return 0;
    switch (key) {
    case CLI_OPT_ENGINE:
        c->plan.engine = cli_engines[cli_choice(s, "--engine", arg, cli_engines)];
        return 0;
    case CLI_OPT_DB:
        c->db = arg;
        return 0;
    case CLI_OPT_JOBS:
        c->run.jobs = (uint32_t)cli_whole(s, "--jobs", arg, 1, 1024);
        return 0;
    case CLI_OPT_SLURM:
        c->run.slurm = true;
        return 0;
    case CLI_OPT_POINT_LIMIT:
        c->run.time_limit = (uint32_t)cli_whole(s, "--time-limit", arg, 1, 1000000);
        return 0;
    case CLI_OPT_CONFIRM:
        c->confirm = confirming[cli_choice(s, "--confirm", arg, confirming)];
        return 0;
    case CLI_OPT_BEST:
        c->best = (uint32_t)cli_whole(s, "--best", arg, 1, 1000000);
        return 0;
    case CLI_OPT_KEEP:
        c->run.keep = true;
        return 0;
    case ARGP_KEY_ARG:
        if (c->expression)
            diag_error(&s->diag, (src_loc){0}, "E0904-argument", "unexpected argument '%s'", arg);
        c->expression = arg;
        return 0;
    case CLI_OPT_PROFILE:
    case CLI_OPT_DTYPE:
    case CLI_OPT_VALUES:
    case CLI_OPT_NO_CHECK:
    case CLI_OPT_NO_PIPELINE:
    case CLI_OPT_NO_BALANCE:
    case CLI_OPT_HAZARDS:
    case CLI_OPT_DEADLOCK:
        pass_on(c, arena_printf(&s->mem, "--%s", cli_option_name(key)), arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- loop orders ----------------------------------------------------------------------------- */

/* The names of the boards, of which there is always one. */
static text_vec boards_of(const sweep_command *c) {
    text_vec names = {0};
    for (uint32_t a = 0; a < c->plan.axes.len; a++) {
        const sweep_axis *axis = &c->plan.axes.at[a];
        for (uint32_t v = 0; v < axis->value.len && strcmp(axis->name, "board") == 0; v++)
            vec_push(&c->session->mem, &names, axis->value.at[v]);
    }
    if (!names.len)
        vec_push(&c->session->mem, &names, "onyx");
    return names;
}

/* As every point of the sweep gets them. */
static bool options_of_points(sweep_command *c, compile_options *o) {
    arena *mem = &c->session->mem;
    char **argv = arena_new_n(mem, char *, c->plan.arguments.len + 3);
    int argc = 1;
    argv[argc++] = arena_strdup(mem, c->expression);
    for (uint32_t i = 0; i < c->plan.arguments.len; i++)
        argv[argc++] = arena_strdup(mem, c->plan.arguments.at[i]);
    return cli_parse_options(CLI_RUN, argc, argv, c->session, o);
}

/* The stars of --order become orders that can run. */
static bool find_orders(sweep_command *c, const text_vec *names) {
    cli_session *s = c->session;
    compile_options o;
    compile_orders orders;
    pnr_board *boards = arena_new_n(&s->mem, pnr_board, names->len);
    if (!options_of_points(c, &o))
        return false;
    for (uint32_t b = 0; b < names->len; b++) {
        if (!cli_read_board(s, names->at[b], &boards[b], NULL) ||
            !pnr_board_set_profile(&boards[b], o.profile, &s->diag))
            return false;
    }
    bool array = strcmp(c->plan.engine, cli_engines[0]) != 0;
    const compile_orders_in in = {c->order, boards, array ? names->len : 0};
    if (!compile_find_orders(&o, &s->compile, &in, &orders))
        return false;
    cli_progress_end(s);
    if (!s->quiet && !s->json)
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
    if (!cli_read_board(c->session, name, &board, &path))
        return false;
    vec_push(&c->session->mem, &c->plan.inputs, path);
    return true;
}

/* What is confirmed has to be the same bitstream: engine rtl starts all copies together, so that is what the
 * other engine does, too, unless the user asked for something. */
static void start_together(sweep_command *c) {
    bool asked = false;
    for (uint32_t a = 0; a < c->plan.axes.len; a++)
        asked = asked || strcmp(c->plan.axes.at[a].name, "dispatch") == 0;
    if (c->confirm && strcmp(c->confirm, "rtl") == 0 && !asked)
        pass_on(c, "--dispatch", "sorted");
}

/* What the points have in common, once everything was read. */
static bool make_plan(sweep_command *c) {
    cli_session *s = c->session;
    start_together(c);
    c->plan.program = cli_program(s, "onyx");
    const text_vec boards = boards_of(c);
    if (c->order && (strcmp(c->order, "all") == 0 || strchr(c->order, '*')) && !find_orders(c, &boards))
        return false;
    if (c->order)
        add_axis(c, "order", "-s", c->order, ';', "reorder");
    text_vec arguments = {0};
    vec_push(&s->mem, &arguments, c->expression);
    for (uint32_t i = 0; i < c->plan.arguments.len; i++)
        vec_push(&s->mem, &arguments, c->plan.arguments.at[i]);
    memcpy(&c->plan.arguments, &arguments, sizeof arguments);
    for (uint32_t b = 0; b < boards.len; b++) {
        if (!add_board(c, boards.at[b]))
            return false;
    }
    if (!c->plan.axes.len)
        add_axis(c, "seed", "--seed", "1", ',', NULL);
    return !diag_failed(&s->diag);
}

/* Of the points that this sweep asked for. */
static void judge(sweep_command *c, const sweep_row_vec *rows, const sweep_point_vec *points) {
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
    sweep_point_vec points = {0};
    sweep_row_vec rows = {0}, own = {0};
    char plan_key[17];
    if (!make_plan(c) || !sweep_points(&c->plan, &s->mem, &s->diag, &points, plan_key))
        return false;
    sweep_store *store = sweep_open(c->db, true, &s->mem, &s->diag);
    bool ok = store && sweep_run(store, &c->plan, &points, plan_key, &c->run, &s->mem, &s->diag);
    if (ok && c->confirm && !c->run.interrupted)
        ok = sweep_confirm(store, &c->plan, &points, plan_key, c->confirm, c->best, &c->run, &s->mem,
                           &s->diag);
    if (ok)
        ok = sweep_rows(store, &s->mem, &s->diag, &rows);
    sweep_close(store);
    if (!ok)
        return false;
    for (uint32_t r = 0; r < rows.len; r++) {
        if (strcmp(rows.at[r].plan, plan_key) == 0)
            vec_push(&s->mem, &own, rows.at[r]);
    }
    if (!c->run.quiet)
        sweep_print(&own, stdout);
    judge(c, &own, &points);
    return !diag_failed(&s->diag);
}

/* ---- onyx sweep report -------------------------------------------------------------------------- */

typedef struct {
    cli_session *session;
    const char *db, *csv, *html;
} report_command;

static error_t parse_report(int key, char *arg, struct argp_state *state) {
    report_command *c = state->input;
    switch (key) {
    case CLI_OPT_DB:
    case ARGP_KEY_ARG:
        c->db = arg;
        return 0;
    case CLI_OPT_CSV:
        c->csv = arg;
        return 0;
    case CLI_OPT_HTML:
        c->html = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
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

static int command_report(int argc, char **argv) {
    static const struct argp parser = {
        .parser = parse_report, .args_doc = "[FILE]", .doc = "Prints what sweeps found, the fastest first."};
    cli_session s;
    cli_session_begin(&s);
    report_command c = {.session = &s, .db = default_db};
    sweep_row_vec rows = {0};
    bool ok = cli_parse(&parser, CLI_SWEEP_REPORT, argc, argv, &s, &c);
    sweep_store *store = ok ? sweep_open(c.db, false, &s.mem, &s.diag) : NULL;
    ok = store && sweep_rows(store, &s.mem, &s.diag, &rows) && write_report(&s, c.csv, &rows, sweep_csv) &&
         write_report(&s, c.html, &rows, sweep_html);
    sweep_close(store);
    if (ok)
        sweep_print(&rows, stdout);
    return cli_session_end(&s, ok);
}

int command_sweep(int argc, char **argv) {
    static const struct argp parser = {
        .parser = parse_sweep,
        .args_doc = "EXPRESSION\nreport [FILE]",
        .doc =
            "Runs every combination of the axes that FILE has no result of, and says which is the fastest. "
            "Interrupted, it goes on where it was."};
    if (argc > 1 && strcmp(argv[1], "report") == 0)
        return command_report(argc - 1, argv + 1);
    cli_session s;
    cli_session_begin(&s);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    sweep_command c = {.session = &s,
                       .plan = {.engine = "cycle"},
                       .db = default_db,
                       .best = 1,
                       .run = {.jobs = processors > 0 ? (uint32_t)processors : 1}};
    bool ok = cli_parse(&parser, CLI_SWEEP, argc, argv, &s, &c);
    if (ok && !c.expression) {
        diag_error(&s.diag, (src_loc){0}, "E0904-argument", "an expression is missing");
        ok = false;
    }
    c.run.quiet = s.quiet;
    ok = ok && run_sweep(&c);
    bool interrupted = c.run.interrupted;
    int code = cli_session_end(&s, ok);
    return interrupted ? EXIT_INTERRUPTED : code;
}
