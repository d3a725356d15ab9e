/* What every stage has at hand: progress for whoever waits, other programs, and how a wrong value of an
 * option is said. */
#include "compile/engine.h"

#include <signal.h>

const compile_engine_facts compile_engines[ENGINES] = {
    [ENGINE_NONE] = {"none", true, false},
#define ENGINE(key, name, by_processor, from_job) [ENGINE_##key] = {#name, by_processor, from_job},
#include "compile/engines.def"
#undef ENGINE
};

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

static void remove_all(const char *const *paths) {
    for (; *paths; paths++)
        remove(*paths);
}

bool compile_spawn(compile_context *ctx, const char *const *argv, const char *log, const char *const *makes) {
    remove(log);
    remove_all(makes);
    int status = program_run(argv, log);
    if (status == 0)
        return true;
    if (status == -SIGINT) {
        ctx->interrupted = true;
        remove_all(makes);
        return false;
    }
    size_t length = 0;
    const char *said = file_read_if_there(log, ctx->mem, &length);
    diag_error(ctx->diag, (src_loc){0}, "E0930-tool", "'%s' failed; its output is in '%s'", argv[0], log);
    diag_hint(ctx->diag, "it ended with:\n%s", said ? text_tail(said, length, 12) : "");
    return false;
}
