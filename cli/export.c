/* onyx export: a folder's kernel in other tools' file formats. */
#include "cli/chip.h"
#include "cli/usage.h"
#include "programs/programs.h"

#include <stdlib.h>

static bool refuse(cli_session *s, const char *what) {
    diag_error(&s->diag, (src_loc){0}, "E0976-export", "%s", what);
    return diag_hint(&s->diag,
                     "onyx export takes one expression that is one kernel on the array, of profile onyx");
}

/* Returns whether a program of the chip can be made of the kernel. */
static bool is_one_kernel(cli_session *s, const compile_options *o, const compile_kernel *k) {
    if (k->producers.len)
        return refuse(s, "the expression is several kernels, one behind the other");
    if (k->on_host)
        return refuse(s, "the host computes the expression: nothing of it is on the array");
    return strcmp(o->target.profile, PNR_PROFILE) == 0 ||
           refuse(s, "profile onyx-ext has primitives that the chip lacks");
}

static bool write_files(cli_session *s, const compile_kernel *k, const exchange_program *p,
                        const exchange_array *a) {
    const char *to = s->options.compile.files.out;
    exchange_target how = {.folder = to, .name = s->options.export_name};
    switch (s->options.export_to) {
    case OPTIONS_EXPORT_VERILATOR:
        how.form = EXCHANGE_BENCH_VERILATOR;
        break;
    case OPTIONS_EXPORT_SV:
        how.form = EXCHANGE_BENCH_SV;
        break;
    case OPTIONS_EXPORT_COCOTB:
        how.form = EXCHANGE_BENCH_COCOTB;
        break;
    default:
        how.form = EXCHANGE_AHA;
    }
    return exchange_write(&s->compile, k, p, a, &how);
}

/* Runs the folder's command once more, on the cycle model and in a temporary folder, and writes the files for
 * other tools. */
static bool export_from(cli_session *s, compile_options *o, const char *to, const char *made) {
    const bool quiet = s->options.every.quiet, json = s->options.every.json;
    compile_kernel *k = arena_new(&s->mem, compile_kernel);
    exchange_program *p = arena_new(&s->mem, exchange_program);
    exchange_array *a = arena_new(&s->mem, exchange_array);
    o->target.engine = ENGINE_CYCLE;
    o->running.io_trace = true;
    o->files.again = o->running.wave = o->running.compare_cpu = false;
    o->files.out = made;
    if (s->options.export_to == OPTIONS_EXPORT_SAM)
        o->optimize = 0; /* the simulator has the expression's own graph */
    s->options.every.quiet = true;
    s->options.every.json = false;
    const bool ran = cli_run(o, s, k);
    s->options.every.quiet = quiet;
    s->options.every.json = json;
    o->running.io_trace = false;
    if (!ran || !is_one_kernel(s, o, k))
        return false;
    if (s->options.export_to == OPTIONS_EXPORT_SAM)
        return exchange_write_sam(&s->compile, k, to);
    if (!exchange_of_kernel(o, &s->compile, k, p, a) || !write_files(s, k, p, a))
        return false;
    if (!quiet)
        printf("%s: %u configuration words, %u streams in, %u out, %u %s\n", to, p->bits.words.len,
               p->inputs.len, p->outputs.len, a->plan.runs.len, plural(a->plan.runs.len, "run", "runs"));
    return true;
}

static bool export_folder(cli_session *s, command_line *then) {
    compile_options *o = &then->compile;
    const char *to = s->options.compile.files.out;
    if (exchange_is_program(o->written.expression))
        return refuse(s, "a program of the chip is in the files of its own flow already");
    if (compile_is_application(o->written.expression))
        return refuse(s, "a program of several statements is none of the chip's applications");
    if (!options_want_folder(&s->options, &s->diag))
        return false;
    const char *made = cli_temporary_folder(s);
    if (!made)
        return false;
    const bool ok = export_from(s, o, to, made);
    remove_folder(made);
    return ok;
}

int command_export(int argc, char **argv) {
    return cli_command_again(COMMAND_EXPORT, argc, argv, export_folder);
}
