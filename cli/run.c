/* onyx run and onyx compile: the options, what compile/ makes of them, and what is said of it. */
#include "cli/cli.h"
#include "compile/folder.h"

/* Nothing is said of results before all are in their folder. */
static bool report(const compile_options *o, cli_session *s, const compile_kernel *k, bool ran,
                   const char *check) {
    cJSON *json = compile_report(o, &s->compile, k, ran, check);
    bool ok =
        (o->again || cli_record_command(s, s->compile.partial)) && compile_publish(o, &s->compile, k, json);
    if (ok && s->options.json)
        cli_print_json(json);
    else if (ok && !s->options.quiet)
        compile_summary(o, &s->compile, k, ran, check, stdout);
    cJSON_Delete(json);
    return ok;
}

bool cli_run(const compile_options *o, cli_session *s, compile_kernel *k) {
    const char *check;
    return compile_and_run(o, &s->compile, k, &check) && report(o, s, k, true, check);
}

static int command(option_command which, int argc, char **argv,
                   bool (*action)(const compile_options *, cli_session *, compile_kernel *)) {
    cli_session s;
    compile_kernel k = {0};
    cli_session_begin(&s);
    const compile_options *o = &s.options.compile;
    bool ok =
        cli_parse(&s, which, argc, argv) && options_want_folder(&s.options, &s.diag) && action(o, &s, &k);
    return cli_session_end(&s, ok);
}

static bool compile(const compile_options *o, cli_session *s, compile_kernel *k) {
    double start = seconds_now();
    bool ok = compile_write_outputs(o, &s->compile, NULL) && compile_to_bitstream(o, &s->compile, k) &&
              compile_check_edges(o, &s->compile, k);
    k->times.total = seconds_now() - start;
    return ok && report(o, s, k, false, "none");
}

int command_run(int argc, char **argv) {
    return command(COMMAND_RUN, argc, argv, cli_run);
}
int command_compile(int argc, char **argv) {
    return command(COMMAND_COMPILE, argc, argv, compile);
}
