/* onyx run and onyx compile: the options, what compile/ makes of them, and what is written and said of it. */
#include "cli/cli.h"

bool cli_write_outputs(const compile_options *o, cli_session *s, const tile_tensor *result) {
    for (uint32_t i = 0; i < o->outputs.len; i++) {
        const char *path = strchr(o->outputs.at[i], ':') + 1;
        if (!result) {
            diag_error(&s->diag, (src_loc){0}, "E0903-option-value",
                       "-o %s: nothing runs, so there is no result to write", o->outputs.at[i]);
            return false;
        }
        if (!tile_write(result, o->dtype, path, &s->diag))
            return false;
    }
    return true;
}

static bool write_result(const compile_options *o, cli_session *s, const tile_tensor *t) {
    const char *end = t->order <= 2 ? "mtx" : "tns";
    return cli_write_outputs(o, s, t) &&
           tile_write(t, o->dtype,
                      arena_printf(&s->mem, "%s/%s.%s", o->out, names_text(&s->names, t->name), end),
                      &s->diag);
}

bool cli_compile(const compile_options *o, cli_session *s, compile_kernel *k) {
    return cli_take_folder(s, o->out) && cli_read_board(s, o->board, &k->board, &k->board_path) &&
           compile_to_bitstream(o, &s->compile, k);
}

bool cli_run(const compile_options *o, cli_session *s, compile_kernel *k) {
    double start = seconds_now();
    bool ok = o->engine == ENGINE_SAM
                  ? cli_take_folder(s, o->out) && compile_to_graph(o, false, &s->compile, k)
                  : cli_compile(o, s, k);
    if (!ok || (!k->data.operands.operand && !compile_read_operands(o, &s->compile, &k->user, &k->data)) ||
        !compile_run_kernels(o, &s->compile, k, &k->data.operands))
        return false;
    const char *check = compile_check(o, &s->compile, k, &k->data.operands, &k->ran.result);
    k->times.total = seconds_now() - start;
    return write_result(o, s, &k->ran.result) && cli_report(o, s, k, true, check);
}

static int command(option_command which, int argc, char **argv,
                   bool (*action)(const compile_options *, cli_session *, compile_kernel *)) {
    cli_session s;
    compile_kernel k = {0};
    cli_session_begin(&s);
    const compile_options *o = &s.options.compile;
    bool ok = cli_parse(&s, which, argc, argv) && cli_want_folder(&s) && action(o, &s, &k) &&
              cli_record_command(&s, o->out);
    return cli_session_end(&s, ok);
}

static bool compile(const compile_options *o, cli_session *s, compile_kernel *k) {
    double start = seconds_now();
    bool ok = cli_write_outputs(o, s, NULL) && cli_compile(o, s, k) && compile_check_edges(o, &s->compile, k);
    k->times.total = seconds_now() - start;
    return ok && cli_report(o, s, k, false, "none");
}

int command_run(int argc, char **argv) {
    return command(COMMAND_RUN, argc, argv, cli_run);
}
int command_compile(int argc, char **argv) {
    return command(COMMAND_COMPILE, argc, argv, compile);
}
