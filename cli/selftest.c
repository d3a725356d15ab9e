/* onyx program --selftest: tests a board without data, and leaves a report to send back. */
#include "cli/selftest.h"
#include "cli/usage.h"
#include "host/selftest.h"
#include "support/program.h"

#include "onyx_version.h" /* made by cmake/version.cmake */

#include <stdlib.h>

/* Kernels with known words, after the components of the chip: through compiler, firmware and check. */
static const struct {
    const char *step, *expression, *operands[2];
} kernels[] = {
    {"identity", "x(i) = b(i)", {"b:20:0.5:1", NULL}},
    {"product", "X(i,j) = B(i,k) * C(k,j)", {"B:12x12:0.5:1", "C:12x12:0.5:2"}},
};

/* Returns the first error of a log. */
static const char *error_of(const char *log, arena *mem) {
    size_t length = 0;
    const char *said = file_read_if_there(log, mem, &length), *error = said ? strstr(said, "error: ") : NULL;
    return error ? arena_printf(mem, "%.*s", (int)strcspn(error + 7, "\n"), error + 7) : "no message";
}

/* Runs a command of onyx; returns its exit code. */
static int onyx(cli_session *s, const char *log, text_vec *argv) {
    vec_push(&s->mem, argv, NULL);
    return program_run(argv->at, log);
}

static void add_words(cli_session *s, text_vec *argv, const char *const *words) {
    for (; *words; words++)
        vec_push(&s->mem, argv, *words);
}

/* Compiles a kernel and runs the kernel on the board. */
static host_finding run_kernel(cli_session *s, size_t i, const char *board, const char *folder) {
    const host_options *o = &s->options.host;
    const char *out = arena_printf(&s->mem, "%s/%s", folder, kernels[i].step),
               *log = arena_printf(&s->mem, "%s/%s.log", folder, kernels[i].step),
               *program = compile_program(&s->compile, "onyx");
    host_finding f = {kernels[i].step, arena_printf(&s->mem, "%s is right", kernels[i].expression),
                      HOST_TEST_GOOD};
    text_vec compile = {0}, run = {0};
    remove(log);
    add_words(
        s, &compile,
        (const char *const[]){program, "compile", kernels[i].expression, "--board", board, "-o", out, NULL});
    for (size_t n = 0; n < 2 && kernels[i].operands[n]; n++)
        add_words(s, &compile, (const char *const[]){"-g", kernels[i].operands[n], NULL});
    add_words(s, &run,
              (const char *const[]){program, "program", "--board", board, "--reload", "--verify-config",
                                    "--idcode", "off", "--openocd", o->openocd, "--timeout",
                                    arena_printf(&s->mem, "%.0f", o->timeout), out, NULL});
    if (o->config) {
        run.len--;
        add_words(s, &run, (const char *const[]){"--config", o->config, out, NULL});
    }
    if (onyx(s, log, &compile) == 0 && onyx(s, log, &run) == 0)
        return f;
    f.text = error_of(log, &s->mem);
    f.result = strstr(f.text, "[E0701-compiler-missing]") ? HOST_TEST_OMITTED : HOST_TEST_FAILED;
    return f;
}

typedef VEC(host_finding) findings;
typedef struct {
    cli_session *s;
    findings all;
    host_finding failed; /* step NULL: none */
} report;

static void put_finding(FILE *out, uint32_t number, const host_finding *f) {
    fprintf(out, "%2u %-20s %-10s %s\n", number, f->step, host_test_word(f->result), f->text);
}

static void tell(void *context, const host_finding *f) {
    report *r = context;
    vec_push(&r->s->mem, &r->all, *f);
    if (f->result == HOST_TEST_FAILED)
        r->failed = *f;
    if (!r->s->options.every.quiet)
        put_finding(stdout, r->all.len, f);
    fflush(stdout);
}

static bool write_report(const report *r, const char *path, const pnr_board *b) {
    file_out out;
    if (!file_create(&out, path, &r->s->mem, &r->s->diag))
        return false;
    fprintf(out.stream, "onyx " ONYX_VERSION " (" ONYX_REVISION "), self test of board %s\n", b->name);
    for (uint32_t i = 0; i < r->all.len; i++)
        put_finding(out.stream, i + 1, &r->all.at[i]);
    return file_commit(&out, &r->s->diag);
}

static bool test_board(cli_session *s, const pnr_board *b, const char *board_path) {
    const char *folder = s->options.compile.files.out ? s->options.compile.files.out : "selftest",
               *path = arena_printf(&s->mem, "%s/report.txt", folder);
    report r = {.s = s};
    host_options o = s->options.host;
    o.board_path = board_path;
    o.cosim = compile_program(&s->compile, "onyx-cosim");
    if (!make_folder(folder, &s->diag))
        return false;
    bool ok = host_selftest(b, &o, &(host_selftest_job){folder, tell, &r}, &s->mem, &s->diag);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        host_finding f = {kernels[i].step, kernels[i].expression, HOST_TEST_OMITTED};
        if (ok && !r.failed.step)
            f = run_kernel(s, i, s->options.compile.target.board, folder);
        tell(&r, &f);
    }
    ok = write_report(&r, path, b) && ok;
    if (r.failed.step) {
        diag_error(&s->diag, (src_loc){0}, "E0793-selftest", "%s: %s", r.failed.step, r.failed.text);
        diag_hint(&s->diag,
                  "the report is '%s', to send back with the logs beside the report (docs/silicon.md)", path);
    }
    return ok && !r.failed.step;
}

int command_selftest(int argc, char **argv) {
    cli_session s;
    pnr_board board;
    const char *path;
    cli_session_begin(&s);
    const bool ok = cli_parse(&s, COMMAND_PROGRAM, argc, argv) &&
                    cli_want_arguments(&s, 0, "onyx program --selftest [--board NAME] [-o DIR]") &&
                    compile_read_board(&s.compile, s.options.compile.target.board, &board, &path);
    return cli_session_end(&s, ok && test_board(&s, &board, path));
}
