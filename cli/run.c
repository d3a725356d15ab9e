/* onyx run and onyx compile: the options, the compilation by compile/, and the report. */
#include "cli/chip.h"
#include "cli/record.h"
#include "cli/usage.h"
#include "compile/compile.h"
#include "kernel/folder.h"
#include "kernel/functions.h"
#include "kernel/written.h"
#include "programs/programs.h"
#include "report/report.h"

#include <stdlib.h>
#include <sys/stat.h>

/* Nothing is said of results before all are in their folder. */
static bool report(const compile_options *o, cli_session *s, const compile_kernel *k, bool ran,
                   const char *check) {
    cJSON *json = compile_report(o, &s->compile, k, ran, check);
    bool ok = compile_publish(o, &s->compile, json);
    if (ok && s->options.every.json)
        cli_print_json(json);
    else if (ok && !s->options.every.quiet)
        compile_summary(o, &s->compile, k, ran, check, stdout);
    cJSON_Delete(json);
    return ok;
}

/* Compiles or runs a program file. */
static bool run_application(const compile_options *given, cli_session *s) {
    compile_application a = {0};
    const compile_options *o = compile_choose_program_type(given, &s->compile);
    if (!o)
        return false;
    if (o->running.compare_cpu || o->running.source)
        diag_note(&s->diag, (src_loc){0}, "%s: it takes an expression, not a program file",
                  o->running.compare_cpu ? "--compare-cpu measures nothing" : "-write-source writes nothing");
    if (!compile_application_run(o, &s->compile, &a))
        return false;
    cJSON *json = compile_application_report(o, &s->compile, &a);
    bool ok = compile_publish(o, &s->compile, json);
    if (ok)
        compile_checkpoint_remove(o, &s->compile);
    if (ok && s->options.every.json)
        cli_print_json(json);
    else if (ok && !s->options.every.quiet)
        compile_application_summary(o, &s->compile, &a, stdout);
    cJSON_Delete(json);
    return ok;
}

bool cli_run(const compile_options *given, cli_session *s, compile_kernel *k) {
    const char *check;
    if (compile_is_application(given->written.expression))
        return run_application(given, s);
    const compile_options *o = compile_choose_type(given, &s->compile);
    if (!o)
        return false;
    /* Functions are read before attempts whose messages, and the sources of these, are dropped. */
    if (!compile_refuse_program_options(o, &s->diag) ||
        !compile_read_functions(o, o->written.expression, &s->compile) ||
        !compile_and_run(o, &s->compile, k, &check))
        return false;
    if (o->running.compare_cpu)
        compile_stage(&s->compile, "measuring a core of this machine", 0);
    const bool core = o->running.compare_cpu || o->running.source;
    return (!core || compile_compare_cpu(&o->running, &s->compile, k)) && report(o, s, k, true, check);
}

/* A command without a folder, but with a file for the result, works in a temporary folder, deleted at its
 * end. */
static bool take_own_folder(cli_session *s) {
    const char *folder = cli_temporary_folder(s);
    if (!folder)
        return false;
    s->options.compile.files.out = folder;
    s->options.compile.files.passing = true;
    return true;
}

static bool take_folder(cli_session *s, option_command which) {
    const compile_options *o = &s->options.compile;
    bool alone = which == COMMAND_RUN && !o->files.out && o->tensors.outputs.len;
    return alone ? take_own_folder(s) : options_want_folder(&s->options, &s->diag);
}

static int command(option_command which, int argc, char **argv,
                   bool (*action)(const compile_options *, cli_session *, compile_kernel *)) {
    cli_session s;
    compile_kernel k = {0};
    cli_session_begin(&s);
    const compile_options *o = &s.options.compile;
    const bool taken = cli_parse(&s, which, argc, argv) && take_folder(&s, which);
    s.compile.record = record_command(&s, which);
    const bool ok = taken && action(o, &s, &k);
    if (o->files.passing)
        remove_folder(o->files.out);
    return cli_session_end(&s, ok);
}

static bool compile(const compile_options *given, cli_session *s, compile_kernel *k) {
    const bool program = compile_is_application(given->written.expression);
    const compile_options *o = program ? given : compile_choose_type(given, &s->compile);
    if (!o)
        return false;
    if (program && o->files.stop_after)
        return diag_error(&s->diag, (src_loc){0}, "E0903-option-value",
                          "--stop-after is about one expression, and '%s' is a program file",
                          o->written.expression);
    if (program)
        return run_application(o, s);
    double start = seconds_now();
    if (!compile_refuse_program_options(o, &s->diag) || !compile_write_outputs(o, &s->compile, NULL) ||
        !compile_to_bitstream(o, &s->compile, k))
        return false;
    if (o->files.stop_after && o->tensors.type_why && !s->options.every.quiet && !s->options.every.json)
        printf("  %s\n", o->tensors.type_why);
    if (o->files.stop_after)
        return compile_publish(o, &s->compile, NULL);
    if (!compile_check_edges(o, &s->compile, k, UINT32_MAX))
        return false;
    k->times.total = seconds_now() - start;
    return report(o, s, k, false, "none");
}

/* Refuses a folder that is no program of the chip. */
static bool refuse_folder(const char *path, cli_session *s) {
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return false;
    diag_error(&s->diag, (src_loc){0}, "E0001-file", "the folder '%s' is nothing that runs", path);
    diag_hint(
        &s->diag,
        "a folder that runs has one program of the chip, with a bitstream and its data (of several, name "
        "NAME_script.h or FILE.bs); else name an "
        "expression or a file: .onx (statements), .gv or .dot (a graph), .bs (a bitstream); 'onyx view "
        "%s' shows what a run left there",
        path);
    return true;
}

/* --data names the data of a program of the chip. */
static bool run(const compile_options *o, cli_session *s, compile_kernel *k) {
    if (exchange_is_program(o->written.expression))
        return cli_run_chip(s, &s->options);
    if (refuse_folder(o->written.expression, s))
        return false;
    cli_refuse_option(s, OPTION_DATA, "onyx run FILE.bs or FOLDER, a program of the chip,");
    return !diag_failed(&s->diag) && cli_run(o, s, k);
}

int command_run(int argc, char **argv) {
    return command(COMMAND_RUN, argc, argv, run);
}
int command_compile(int argc, char **argv) {
    return command(COMMAND_COMPILE, argc, argv, compile);
}
