/* onyx program: what `onyx run` or `onyx compile` left in a folder, on a board. The command that made the
 * folder is gone through again (again.c), with the board as engine: so results are collected, checked and
 * reported as by any other. */
#include "cli/cli.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- the board --------------------------------------------------------------------------------- */

/* What the folder was compiled for, but for name and link. */
static bool same_array(cli_session *s, const char *compiled_for, const pnr_board *board) {
    static const char *const own[] = {"name", "link"};
    pnr_board compiled;
    if (!cli_read_board(s, compiled_for, &compiled, NULL))
        return false;
    cJSON *a = cJSON_Duplicate(compiled.json, true), *b = cJSON_Duplicate(board->json, true);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        cJSON_DeleteItemFromObject(a, own[i]);
        cJSON_DeleteItemFromObject(b, own[i]);
    }
    bool same = cJSON_Compare(a, b, true);
    cJSON_Delete(a);
    cJSON_Delete(b);
    if (!same) {
        diag_error(&s->diag, (src_loc){0}, "E0951-other-board",
                   "this was compiled for board '%s', which is not like '%s'", compiled.name, board->name);
        diag_hint(&s->diag, "compile again with --board %s", board->name);
    }
    return same;
}

/* ---- progress ---------------------------------------------------------------------------------- */

/* On a terminal the session's bar; elsewhere a line a batch. */
static void show(void *context, const host_progress *now) {
    cli_session *s = context;
    if (now->done == 0)
        cli_progress_stage(s, "running on the board", now->all_runs);
    cli_progress_count(s, now->all_done);
    if (now->done == now->runs && !s->quiet && !s->json && !isatty(STDERR_FILENO))
        fprintf(stderr, "onyx: batch %u of %u is done, %llu of %llu %s\n", now->batch + 1, now->batches,
                (unsigned long long)now->all_done, (unsigned long long)now->all_runs,
                plural(now->all_runs, "run", "runs"));
}

/* ---- the command ------------------------------------------------------------------------------- */

typedef struct {
    cli_again again;
    compile_on_board on;
} program_options;

static error_t parse_program(int key, char *arg, struct argp_state *state) {
    program_options *o = state->input;
    cli_session *s = o->again.tool.session;
    switch (key) {
    case CLI_OPT_BOARD: /* paths are from here, not from where the folder's command ran */
        o->again.tool.board = strstr(arg, ".json") ? cli_absolute(s, arg) : arg;
        return 0;
    case CLI_OPT_CONFIG:
        o->on.host.config = cli_absolute(s, arg);
        return 0;
    case CLI_OPT_OPENOCD:
        o->on.host.openocd = arg;
        return 0;
    case CLI_OPT_TIMEOUT:
        o->on.host.timeout = (double)cli_whole(s, "--timeout", arg, 1, 1000000);
        return 0;
    default:
        return cli_parse_again(key, arg, state);
    }
}

static bool program(cli_again *again, compile_options *o) {
    cli_session *s = again->tool.session;
    compile_on_board *on = &((program_options *)again)->on; /* its first member */
    compile_kernel k = {0};
    if (!cli_read_board(s, again->tool.board, &on->board, &on->host.board_path) ||
        !same_array(s, o->board, &on->board))
        return false;
    on->host.cosim = cli_program(s, "onyx-cosim");
    on->host.progress = show;
    on->host.context = s;
    o->board = again->tool.board;
    o->engine = ENGINE_PROGRAM;
    o->on_board = on;
    bool ok = cli_run(o, s, &k);
    if (s->compile.interrupted) {
        cli_progress_end(s);
        fputs("onyx: interrupted; the same command goes on after the batches that are done\n", stderr);
    }
    return ok;
}

int command_program(int argc, char **argv) {
    static const struct argp parser = {
        .parser = parse_program,
        .args_doc = "DIR",
        .doc =
            "Loads what onyx run or onyx compile left in DIR into a board, runs it there, checks the result. "
            "Started again after it was cut off, it goes on with the first batch that is not done."};
    program_options o = {.again = {.tool = {.board = "onyx"}}, .on = {.host = host_options_default()}};
    return cli_command_again(&parser, CLI_PROGRAM, argc, argv, &o.again, program);
}
