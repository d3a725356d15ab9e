/* fusions.c - the decisions about statements that might become subexpressions of others, for people and as
 * JSON. */
#include "programs/fusions.h"

#include <math.h>

uint32_t compile_line_of_step(const compile_context *ctx, const fe_step *step) {
    uint32_t line = 0, column;
    return diag_line_col(ctx->diag, step->loc, &line, &column) ? line : 0;
}

static const char *tensor_of(const compile_context *ctx, const compile_application *a, const fe_step *step) {
    return names_text(ctx->names, a->program.tensors.at[fe_step_result(step)].name);
}

static const char *expected_text(const compile_fusion *f, arena *mem) {
    if (!isfinite(f->after))
        return "";
    const char *fused = text_thousands((uint64_t)f->after, mem);
    return isfinite(f->before) ? arena_printf(mem, ": %s cycles of a run expected, %s apart", fused,
                                              text_thousands((uint64_t)f->before, mem))
                               : arena_printf(mem, ": %s cycles of a run expected", fused);
}

static const char *levels_text(const compile_fusion *f, arena *mem) {
    if (!isfinite(f->after) || !isfinite(f->before) || f->before <= 0)
        return "";
    return arena_printf(mem, "%s %s cycles of all runs expected dense, %s compressed", f->why ? ";" : ":",
                        text_thousands((uint64_t)f->after, mem), text_thousands((uint64_t)f->before, mem));
}

void compile_print_fusions(const compile_options *o, const compile_context *ctx, const compile_application *a,
                           FILE *out) {
    for (uint32_t i = 0; i < a->fusions.len; i++) {
        const compile_fusion *f = &a->fusions.at[i];
        const char *name = tensor_of(ctx, a, f->from), *expected = expected_text(f, ctx->mem);
        const uint32_t line = compile_line_of_step(ctx, f->from);
        if (f->denser && o->written.explain)
            fprintf(out, "  %s %s of line %u%s%s%s\n", f->done ? "dense    " : "sparse   ", name, line,
                    f->why ? ": " : "", f->why ? f->why : "", levels_text(f, ctx->mem));
        else if (f->denser)
            continue;
        else if (f->hoisted && o->written.explain)
            fprintf(out, "  moved     %s of line %u in front of the loop of line %u\n", name, line,
                    compile_line_of_step(ctx, f->into));
        else if (f->joined && o->written.explain)
            fprintf(out, "  %s %s of line %u with line %u%s%s%s\n", f->done ? "joined   " : "apart    ", name,
                    line, compile_line_of_step(ctx, f->into), f->why ? ": " : "", f->why ? f->why : "",
                    expected);
        else if (f->joined)
            continue;
        else if (f->reused && (o->written.explain || f->rounds))
            fprintf(out, "  reused    %s of line %u in line %u%s\n", name, line,
                    compile_line_of_step(ctx, f->into),
                    f->rounds ? "; sums of bf16 may round otherwise than apart" : "");
        else if (f->done && (o->written.explain || f->rounds))
            fprintf(out, "  fused     %s of line %u into line %u%s%s\n", name, line,
                    compile_line_of_step(ctx, f->into), o->written.explain ? expected : "",
                    f->rounds ? "; sums of bf16 may round otherwise than apart" : "");
        else if (!f->done && !f->hoisted && !f->reused && o->written.explain)
            fprintf(out, "  apart     %s of line %u: %s%s\n", name, line, f->why, expected);
    }
}

cJSON *compile_fusions_json(const compile_context *ctx, const compile_application *a) {
    cJSON *list = cJSON_CreateArray();
    for (uint32_t i = 0; i < a->fusions.len; i++) {
        const compile_fusion *f = &a->fusions.at[i];
        cJSON *one = json_add_item(list);
        cJSON_AddStringToObject(one, "tensor", tensor_of(ctx, a, f->from));
        cJSON_AddNumberToObject(one, "line", compile_line_of_step(ctx, f->from));
        if (f->into)
            cJSON_AddNumberToObject(one, "into", compile_line_of_step(ctx, f->into));
        if (f->denser)
            cJSON_AddBoolToObject(one, "dense", f->done);
        cJSON_AddBoolToObject(one, "fused", f->done && !f->denser && !f->joined);
        if (f->joined)
            cJSON_AddBoolToObject(one, "joined", f->done);
        if (f->reused)
            cJSON_AddBoolToObject(one, "reused", true);
        if (f->hoisted)
            cJSON_AddBoolToObject(one, "moved", true);
        if (isfinite(f->after))
            cJSON_AddNumberToObject(one, "cycles_fused", floor(f->after));
        if (isfinite(f->before))
            cJSON_AddNumberToObject(one, "cycles_apart", floor(f->before));
        if (f->why)
            cJSON_AddStringToObject(one, "why", f->why);
    }
    return list;
}
