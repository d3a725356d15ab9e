/* What every stage has at hand: progress for whoever waits, other programs, and how a wrong value of an
 * option is said. */
#include "compile/engine.h"

#include <signal.h>

void compile_bad_value(diagnostics *d, const char *option, const char *value, const char *want) {
    diag_error(d, (src_loc){0}, "E0903-option-value", "%s '%s' must be %s", option, value, want);
}

void compile_stage(const compile_context *ctx, const char *what, uint64_t total) {
    if (ctx->progress)
        ctx->progress->stage(ctx->progress->to, what, total);
}

void compile_count(const compile_context *ctx, uint64_t done) {
    if (ctx->progress)
        ctx->progress->count(ctx->progress->to, done);
}

const char *compile_program(const compile_context *ctx, const char *name) {
    return arena_printf(ctx->mem, "%s%s", ctx->programs, name);
}

bool compile_spawn(compile_context *ctx, const char *const *argv, const char *log) {
    int status = program_run(argv, log);
    if (status == 0)
        return true;
    if (status == -SIGINT) {
        ctx->interrupted = true;
        return false;
    }
    diag_error(ctx->diag, (src_loc){0}, "E0930-tool", "'%s' failed; its output is in '%s'", argv[0], log);
    diag_hint(ctx->diag, "it ended with:\n%s", file_tail(log, 12, ctx->mem));
    return false;
}
