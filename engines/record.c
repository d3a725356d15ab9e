/* Data of --io-trace of all runs of a kernel (record.h). */
#include "engines/record.h"

#include <stdlib.h>

bool compile_record_begin(const compile_engine_in *in, compile_record *r) {
    compile_context *ctx = in->ctx;
    *r = (compile_record){0};
    if (!in->how.io_trace)
        return true;
    r->job_path = arena_printf(ctx->mem, "%s/job.bin", in->folder);
    r->trace_path = arena_printf(ctx->mem, "%s/io.trace", in->folder);
    if (in->again)
        r->before = file_read_if_there(r->trace_path, ctx->mem, &r->length);
    if (!tile_job_begin(&r->job, r->job_path, in->again, ctx->diag))
        return false;
    r->first = r->job.runs;
    return true;
}

void compile_record_add(compile_record *r, const tile_plan *plan) {
    if (r->job_path)
        tile_job_add(&r->job, plan);
}

/* Puts the earlier passes in front of the engine's trace, whose runs are renumbered. */
static bool join_traces(const compile_engine_in *in, const compile_record *r) {
    compile_context *ctx = in->ctx;
    size_t length = 0;
    char *now = file_read_if_there(r->trace_path, ctx->mem, &length), *line, *rest = NULL;
    file_out f;
    if (!now || !r->before)
        return true;
    if (!file_create(&f, r->trace_path, ctx->mem, ctx->diag))
        return false;
    fwrite(r->before, 1, r->length, f.stream);
    for (line = strtok_r(now, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *behind;
        const unsigned long run = strtoul(line + strlen("run "), &behind, 10);
        fprintf(f.stream, "run %lu%s\n", run + r->first, behind);
    }
    return file_commit(&f, ctx->diag);
}

bool compile_record_end(const compile_engine_in *in, compile_record *r, bool good) {
    if (!r->job_path)
        return good;
    const bool any = r->job.plans > 0, kept = tile_job_end(&r->job, any, in->ctx->diag) || !any;
    return join_traces(in, r) && kept && good;
}
