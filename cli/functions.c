/* onyx functions: lists functions of files, and checks descriptions against their computation. */
#include "kernel/functions.h"
#include "cli/bitstream.h"
#include "cli/usage.h"
#include "frontend/functions/functions.h"

enum { SEED = 1 };

/* Reads the files of --functions; `path` first. */
static bool read_them(cli_session *s, const char *path) {
    text_vec all = {0};
    vec_push(&s->mem, &all, path);
    for (uint32_t i = 0; i < s->options.compile.written.functions.len; i++) {
        if (strcmp(s->options.compile.written.functions.at[i], path) != 0)
            vec_push(&s->mem, &all, s->options.compile.written.functions.at[i]);
    }
    compile_options o = s->options.compile;
    o.written.functions = all;
    s->compile.functions = NULL;
    return compile_read_functions(&o, NULL, &s->compile);
}

static bool list(cli_session *s) {
    if (!read_them(s, "library"))
        return false;
    fe_print_functions(s->compile.functions, &s->diag, stdout);
    return true;
}

/* Each data type has functions of its own. */
static bool check(cli_session *s) {
    static const tile_dtype types[] = {TILE_DTYPE_INT16, TILE_DTYPE_BF16};
    const char *path = s->options.arguments.len > 1 ? s->options.arguments.at[1] : "library";
    uint32_t checked = 0;
    bool ok = true;
    for (uint32_t i = 0; i < sizeof types / sizeof *types; i++) {
        s->options.compile.tensors.dtype = types[i];
        if (!read_them(s, path))
            return false;
        ok = fe_check_functions(s->compile.functions, SEED, &s->diag, &checked) &&
             cli_check_bitstreams(s, SEED, &checked) && ok;
    }
    if (!s->options.every.quiet)
        printf("%u checked on %d inputs each, a function of two data types twice\n", checked,
               FE_CHECK_INPUTS);
    return ok;
}

int command_functions(int argc, char **argv) {
    static const char *const actions[] = {"check", "bitstream", NULL};
    cli_session s;
    cli_session_begin(&s);
    bool ok = cli_parse(&s, COMMAND_FUNCTIONS, argc, argv);
    const uint32_t given = s.options.arguments.len;
    uint32_t action = 0;
    if (ok && given) {
        action = options_choose("onyx functions", s.options.arguments.at[0], actions, &s.mem, &s.diag);
        cli_refuse_option(&s, OPTION_FUNCTIONS, "onyx functions");
        cli_refuse_option(&s, OPTION_DTYPE, "onyx functions");
        ok = !diag_failed(&s.diag) &&
             (action ? cli_want_arguments(&s, 3, "onyx functions bitstream FOLDER NAME")
                     : given == 1 || cli_want_arguments(&s, 2, "onyx functions check [FILE.xf]"));
    }
    if (ok)
        ok = !given ? list(&s) : action ? cli_describe_bitstream(&s) : check(&s);
    return cli_session_end(&s, ok);
}
