/* Replays the command recorded in a folder: `onyx cosim`, `onyx firmware` and `onyx merge`, and `onyx
 * program` (program.c). Files are read in their current state. */
#include "cli/chip.h"
#include "cli/record.h"
#include "cli/usage.h"
#include "compile/compile.h"
#include "engines/engines.h"
#include "kernel/commit.h"
#include "kernel/folder.h"
#include "programs/programs.h"

#include <stdlib.h>
#include <unistd.h>

/* Files among the arguments are named relative to the command's folder, possibly deleted. */
static bool replay(cli_session *s, const char *folder, command_line *then) {
    cli_record r;
    if (!record_read(s, folder, false, &r))
        return false;
    const char *self = record_absolute(s, folder);
    if (strcmp(r.from, record_folder(s)) != 0 && chdir(r.from) == 0)
        folder = self;
    *then = r.then;
    then->compile.files.out = folder;
    then->compile.tensors.outputs.len = then->compile.sam.trace_edges.len =
        0; /* nothing is written outside of the folder */
    then->compile.sam.stats = then->compile.sam.trace = NULL;
    then->compile.files.again = true;
    then->compile.running.executes =
        compile_is_application(then->compile.written.expression); /* other commands decide themselves */
    return true;
}

/* ---- a command on a recorded folder ------------------------------------------------------------- */

/* Makes paths of the current command absolute: they are relative to this folder, not to the recorded
 * command's. */
static void hold_paths(cli_session *s) {
    const char **board = &s->options.compile.target.board, **config = &s->options.host.config;
    *board = strstr(*board, ".json") ? record_absolute(s, *board) : *board;
    *config = *config ? record_absolute(s, *config) : NULL;
    const char **out = &s->options.compile.files.out;
    *out = *out ? record_absolute(s, *out) : NULL;
}

int cli_command_again(option_command command, int argc, char **argv,
                      bool (*action)(cli_session *, command_line *)) {
    cli_session s;
    command_line then;
    cli_session_begin(&s);
    bool ok =
        cli_parse(&s, command, argc, argv) && cli_want_arguments(&s, 1, option_commands[command].arguments);
    if (ok) {
        hold_paths(&s);
        ok = replay(&s, s.options.arguments.at[0], &then);
    }
    if (ok) {
        const compile_options *now = &s.options.compile;
        compile_options *o = &then.compile;
        o->running.wave = now->running.wave;
        o->running.io_trace = false;
        o->running.check = o->running.check && now->running.check;
        o->running.unchecked = o->running.unchecked || now->running.unchecked;
        o->running.processor = now->running.processor ? now->running.processor : o->running.processor;
        o->running.verify_config = o->running.verify_config || now->running.verify_config;
        o->running.checkpoint = now->running.checkpoint ? now->running.checkpoint : o->running.checkpoint;
        o->target.hazards = s.options.given[OPTION_HAZARDS] ? now->target.hazards : o->target.hazards;
        ok = action(&s, &then);
    }
    return cli_session_end(&s, ok);
}

/* ---- onyx cosim, onyx firmware ----------------------------------------------------------------- */

static bool cosim(cli_session *s, command_line *then) {
    compile_options *o = &then->compile;
    compile_kernel k = {0};
    o->target.engine = ENGINE_SOC;
    return exchange_is_program(o->written.expression) ? cli_run_chip(s, then) : cli_run(o, s, &k);
}

/* Builds the program of a kernel. */
static bool build(cli_session *s, const compile_options *o, const compile_kernel *k, fw_app *app) {
    if (!compile_build_firmware(o, &s->compile, k, app))
        return false;
    app->elf = arena_printf(&s->mem, "%s/firmware/app.elf", k->final_folder);
    return true;
}

static void add_json(cJSON *list, const fw_app *app) {
    cJSON *one = json_add_item(list);
    cJSON_AddStringToObject(one, "elf", app->elf);
    cJSON_AddNumberToObject(one, "code_bytes", app->code_bytes);
    cJSON_AddNumberToObject(one, "data_bytes", app->data_bytes);
    cJSON_AddNumberToObject(one, "stack_bytes", app->stack_bytes);
    cJSON_AddNumberToObject(one, "bitstream_bytes", app->bitstream_bytes);
}

typedef VEC(fw_app) apps;

static void print_apps(cli_session *s, const fw_app *all, uint32_t n) {
    cJSON *list = cJSON_CreateArray();
    cli_progress_end(s);
    for (uint32_t i = 0; i < n; i++) {
        const fw_app *app = &all[i];
        add_json(list, app);
        if (!s->options.every.json && !s->options.every.quiet)
            printf("%s: %u bytes of program, %u of data, at most %u of stack; a bitstream of %u bytes\n",
                   app->elf, app->code_bytes, app->data_bytes, app->stack_bytes, app->bitstream_bytes);
    }
    if (s->options.every.json)
        cli_print_json(list);
    cJSON_Delete(list);
}

/* Builds the programs of a statement's kernels, and adds them to the list. */
static bool build_all(cli_session *s, const compile_options *o, const compile_kernel *k, apps *built) {
    bool ok = true;
    for (uint32_t n = 0; ok && n <= k->producers.len; n++) {
        const compile_kernel *one = compile_kernel_at(k, n);
        fw_app app;
        if (one->on_host)
            continue;
        ok = build(s, o, one, &app);
        if (ok)
            vec_push(&s->mem, built, app);
    }
    return ok;
}

/* Builds the programs of a program file's statements. */
static bool build_application(cli_session *s, compile_options *o, apps *built) {
    compile_application a = {0};
    o->running.executes = false;
    const compile_options *typed = compile_choose_program_type(o, &s->compile);
    bool ok = typed && compile_application_run(typed, &s->compile, &a);
    for (uint32_t i = 0; ok && i < a.plans.len; i++) {
        const compile_statement_plan *plan = &a.plans.at[i];
        ok = plan->step->kind != FE_STEP_ASSIGN || compile_runs_on_host(plan) ||
             build_all(s, o, &plan->kernel, built);
    }
    return ok;
}

/* Those of one expression. */
static bool build_expression(cli_session *s, const compile_options *given, apps *built) {
    compile_kernel k = {.final_folder = given->files.out};
    const compile_options *o = compile_choose_type(given, &s->compile);
    return o && compile_to_bitstream(o, &s->compile, &k) && build_all(s, o, &k, built);
}

static bool firmware(cli_session *s, command_line *then) {
    compile_options *o = &then->compile;
    apps built = {0};
    if (exchange_is_program(o->written.expression)) {
        diag_error(&s->diag, (src_loc){0}, "E0950-not-compiled",
                   "'%s' is a program of the chip, whose firmware is built when it runs",
                   o->written.expression);
        return diag_hint(&s->diag, "onyx cosim and onyx program take the folder");
    }
    const bool ok = compile_is_application(o->written.expression) ? build_application(s, o, &built)
                                                                  : build_expression(s, o, &built);
    if (!ok)
        return false;
    if (!built.len) {
        diag_error(&s->diag, (src_loc){0}, "E0950-not-compiled",
                   "nothing of it is on the array: the host computes it");
        return diag_hint(&s->diag, "its report.json says why");
    }
    if (!compile_publish(o, &s->compile, NULL))
        return false;
    print_apps(s, built.at, built.len);
    return true;
}

/* ---- onyx merge -------------------------------------------------------------------------------- */

/* Returns the words of the command for all runs, or for the share that onyx merge --shard makes, in `out`. */
static text_vec whole_command(cli_session *s, const command_line *of_shard, const char *out) {
    arena *mem = &s->mem;
    text_vec words = {0};
    const compile_run_options *now = &s->options.compile.running;
    vec_push(mem, &words, of_shard->compile.written.expression);
    for (uint32_t i = 0; i < of_shard->in_order.len; i++) {
        const option_given *o = &of_shard->in_order.at[i];
        if (o->key == OPTION_SHARD || o->key == OPTION_OUTPUT)
            continue;
        vec_push(mem, &words, options_spelling(o->key, mem));
        if (option_rows[o->key].value)
            vec_push(mem, &words, o->value);
    }
    if (now->shards) {
        vec_push(mem, &words, "--shard");
        vec_push(mem, &words, arena_printf(mem, "%u/%u", now->shard, now->shards));
    }
    vec_push(mem, &words, "-o");
    vec_push(mem, &words, out);
    return words;
}

static bool want_shards(cli_session *s) {
    if (s->options.arguments.len)
        return true;
    diag_error(&s->diag, (src_loc){0}, "E0904-argument", "the folders of the shards are missing");
    return diag_hint(&s->diag, "onyx merge DIR... -o DIR");
}

/* Runs the shards' command with the results of the shards. */
static bool merge(cli_session *s) {
    command_line then;
    compile_kernel k = {0};
    text_vec folders = {0};
    if (!want_shards(s) || !options_want_folder(&s->options, &s->diag))
        return false;
    const char *out = record_absolute(s, s->options.compile.files.out);
    for (uint32_t i = 0; i < s->options.arguments.len; i++)
        vec_push(&s->mem, &folders, record_absolute(s, s->options.arguments.at[i]));
    if (!replay(s, folders.at[0], &then))
        return false;
    compile_options *o = &then.compile;
    o->files.out = out;
    o->files.again = false;
    o->running.executes = true;
    o->running.shard = s->options.compile.running.shard;
    o->running.shards = s->options.compile.running.shards;
    o->running.merged = folders;
    o->running.check = o->running.check && s->options.compile.running.check;
    s->options.words = whole_command(s, &then, out);
    s->compile.record = record_command(s, COMMAND_RUN);
    return cli_run(o, s, &k);
}

int command_merge(int argc, char **argv) {
    cli_session s;
    cli_session_begin(&s);
    const bool ok = cli_parse(&s, COMMAND_MERGE, argc, argv) && merge(&s);
    return cli_session_end(&s, ok);
}

/* ---- the commands ------------------------------------------------------------------------------ */

int command_cosim(int argc, char **argv) {
    return cli_command_again(COMMAND_COSIM, argc, argv, cosim);
}

int command_firmware(int argc, char **argv) {
    return cli_command_again(COMMAND_FIRMWARE, argc, argv, firmware);
}
