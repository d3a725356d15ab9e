/* scales.c - scaled integers of a program: statements and swaps tie the scales of its tensors, and the
 * reference of the whole program says which results need more than 16 bits. */
#include "programs/scales.h"
#include "compile/compile.h"
#include "frontend/language/language.h"
#include "frontend/schedules/schedules.h"
#include "programs/compile_plans.h"

#include <math.h>

/* Runs the reference; the scale of the first result that wrapped has to fall. */
static bool judge(const void *of, const compile_options *o, compile_judged *out) {
    compile_context quiet = *(const compile_context *)of;
    compile_application a = {0};
    arena scratch = {0};
    quiet.mem = &scratch;
    *out = (compile_judged){.fits = true};
    const bool good = compile_program_reference(o, &quiet, &a);
    for (uint32_t i = 0; good && i < a.plans.len && out->fits; i++) {
        const fe_step *step = a.plans.at[i].step;
        out->fits = a.plans.at[i].wrapped == 0;
        if (!out->fits && step->kind == FE_STEP_ASSIGN)
            out->wraps = a.program.tensors.at[fe_step_result(step)].name;
    }
    for (uint32_t i = 0; good && i < a.program.results.len; i++)
        out->lost = fmax(out->lost, a.accuracy[i].lost);
    arena_free(&scratch);
    return good;
}

static bool adds(const compile_application *a) {
    bool any = false;
    for (uint32_t i = 0; i < a->plans.len; i++) {
        const sam_statement *st = &a->plans.at[i].step->statement;
        for (uint32_t e = 0; e < st->exprs.len; e++)
            any = any ||
                  (st->exprs.at[e].kind == SAM_EXPR_SUM && st->exprs.at[e].operation == SAM_OPERATION_add);
    }
    return any;
}

/* Reads the program as one of bf16. */
static void read_floats(const compile_options *o, compile_context *ctx, compile_scaling *in) {
    compile_options own = *o;
    compile_application a = {0};
    own.tensors.dtype = TILE_DTYPE_BF16;
    own.tensors.typing = COMPILE_TYPE_STATED;
    in->floats = compile_program_read(&own, ctx, &a);
    if (!in->floats)
        return;
    compile_list_plans(&own, ctx, &a, &a.program.steps, 0, false);
    in->adds = adds(&a);
}

const compile_options *compile_program_scales(const compile_options *o, const char *why,
                                              compile_context *ctx) {
    diagnostics unheard;
    compile_context quiet = *ctx;
    compile_options own = *o;
    compile_application a = {0};
    fe_scales *all = arena_new(ctx->mem, fe_scales);
    diag_init(&unheard, ctx->mem);
    quiet.diag = &unheard;
    own.tensors.dtype = TILE_DTYPE_INT16;
    own.tensors.typing = COMPILE_TYPE_SCALED;
    const bool is_read = compile_program_read(&own, &quiet, &a);
    if (!is_read && !why)
        compile_program_read(&own, ctx, &a); /* once more, to say why */
    const bool is_aligned =
        is_read && fe_scales_align_program(&a.program, o->tensors.scales.at, o->tensors.scales.len,
                                           why ? quiet.diag : ctx->diag, all);
    if (!is_aligned && !why)
        return NULL;
    compile_scaling in = {.o = o, .all = is_aligned ? all : NULL, .why = why, .judge = judge, .of = &quiet};
    in.first = a.initial;
    in.n = is_aligned ? a.program.tensors.len : 0;
    if (why)
        read_floats(o, &quiet, &in);
    return compile_fit_scales(&in, ctx);
}
