/* onyx program: runs the result folder of `onyx run` or `onyx compile` on a board. Replays the folder's
 * command (again.c), with the board as engine: results are collected, checked and reported as for any
 * engine. */
#include "cli/chip.h"
#include "cli/selftest.h"
#include "cli/usage.h"
#include "programs/programs.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- the board --------------------------------------------------------------------------------- */

/* Checks that the board equals the folder's board, except name and link. */
static bool same_array(cli_session *s, const char *compiled_for, const pnr_board *board) {
    static const char *const own[] = {"name", "link"};
    pnr_board compiled;
    if (!compile_read_board(&s->compile, compiled_for, &compiled, NULL))
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

/* Shows progress by the session's bar, on a terminal; the only progress for a program of several statements,
 * since most of its batches have a single run. */
static void show_bar(void *context, const host_progress *now) {
    cli_session *s = context;
    if (now->done == 0)
        progress_stage(s->progress.to, "running on the board", now->all_runs);
    progress_count(s->progress.to, now->all_done);
}

/* Shows progress elsewhere by a line for each batch. */
static void show(void *context, const host_progress *now) {
    const cli_session *s = context;
    show_bar(context, now);
    if (now->done == now->runs && !s->options.every.quiet && !s->options.every.diagnostics &&
        !isatty(STDERR_FILENO))
        fprintf(stderr, "onyx: batch %u of %u is done, %llu of %llu %s\n", now->batch + 1, now->batches,
                (unsigned long long)now->all_done, (unsigned long long)now->all_runs,
                plural(now->all_runs, "run", "runs"));
}

/* ---- the command ------------------------------------------------------------------------------- */

static bool program(cli_session *s, command_line *then) {
    compile_options *o = &then->compile;
    cli_refuse_option(s, OPTION_SELFTEST_OUT, "onyx program --selftest");
    if (s->diag.errors)
        return false;
    compile_on_board on = {.host = s->options.host};
    compile_kernel k = {0};
    const char *board = s->options.compile.target.board;
    if (!compile_read_board(&s->compile, board, &on.board, &on.host.board_path) ||
        !same_array(s, o->target.board, &on.board))
        return false;
    on.host.cosim = compile_program(&s->compile, "onyx-cosim");
    on.host.progress = compile_is_application(o->written.expression) ? show_bar : show;
    on.host.context = s;
    on.host.unchecked = o->running.unchecked;
    on.host.reload = on.host.reload || o->running.verify_config;
    o->target.board = board;
    o->target.engine = ENGINE_PROGRAM;
    o->running.on_board = &on;
    bool ok = exchange_is_program(o->written.expression) ? cli_run_chip(s, then) : cli_run(o, s, &k);
    if (s->compile.interrupted) {
        cli_progress_end(s);
        fprintf(stderr, "onyx: interrupted; the same command goes on after %s\n",
                o->running.checkpoint ? "the last pass that was kept" : "the batches that are done");
    }
    return ok;
}

/* Options are spelled in full: options.h. */
static bool asks_for_selftest(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--selftest") == 0)
            return true;
    }
    return false;
}

int command_program(int argc, char **argv) {
    if (asks_for_selftest(argc, argv))
        return command_selftest(argc, argv);
    return cli_command_again(COMMAND_PROGRAM, argc, argv, program);
}
