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

/* ---- the engine -------------------------------------------------------------------------------- */

bool cli_run_program(const cli_options *o, cli_session *s, cli_kernel *k, cli_batches *batches,
                     tile_collector *c, cli_outcome *out) {
    arena *mem = &s->mem;
    const char *folder = arena_printf(mem, "%s/firmware", o->out);
    const host_job job = {.elf = arena_printf(mem, "%s/app.elf", folder),
                          .batches = arena_printf(mem, "%s/batches.bin", folder),
                          .result = arena_printf(mem, "%s/result.bin", folder),
                          .folder = folder,
                          .design = &k->design};
    fw_app app;
    host_outcome done;
    uint64_t cycles = 0, ratio = host_cycles_ratio(&k->board);
    if (!make_folder(folder, &s->diag) ||
        !cli_write_batch_file(o, s, k, FW_BUFFERS_MOST, job.batches, batches, out))
        return false;
    double start = seconds_now();
    if (!cli_firmware_is_there(s, k, folder) && !cli_build_firmware(s, k, folder, &app))
        return false;
    k->times.firmware = seconds_now() - start;
    cli_progress_stage(s, "loading the board", 0);
    bool ok = host_program(&o->on_board->board, &job, &o->on_board->host, mem, &s->diag, &done);
    if (!ok && done.interrupted) {
        cli_progress_end(s);
        fputs("onyx: interrupted; the same command goes on after the batches that are done\n", stderr);
        exit(EXIT_INTERRUPTED);
    }
    out->host = done;
    out->config_cycles = done.config_cycles * ratio;
    out->kernel_cycles = done.kernel_cycles * ratio;
    out->firmware_cycles = done.firmware_cycles * ratio;
    out->total_cycles = out->config_cycles + out->kernel_cycles + out->firmware_cycles;
    return ok && cli_collect_batches(batches, job.result, c, &cycles);
}

/* ---- the command ------------------------------------------------------------------------------- */

typedef struct {
    cli_again again;
    cli_on_board on;
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

static bool program(cli_again *again, cli_options *o) {
    cli_session *s = again->tool.session;
    cli_on_board *on = &((program_options *)again)->on; /* its first member */
    cli_kernel k = {0};
    if (!cli_read_board(s, again->tool.board, &on->board, &on->host.board_path) ||
        !same_array(s, o->board, &on->board))
        return false;
    on->host.cosim = cli_program(s, "onyx-cosim");
    on->host.progress = show;
    on->host.context = s;
    o->board = again->tool.board;
    o->engine = ENGINE_PROGRAM;
    o->on_board = on;
    return cli_run(o, s, &k);
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
