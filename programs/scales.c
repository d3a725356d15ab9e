/* scales.c - scaled integers of a program: statements and swaps tie the scales of its tensors, and the
 * reference of the whole program says which results need more than 16 bits. */
#include "programs/scales.h"
#include "compile/compile.h"
#include "frontend/scales.h"

/* Runs the reference; the scale of the first result that wrapped has to fall. */
static bool judge(const void *of, const compile_options *scaled, bool *fits, name_id *wraps) {
    compile_context quiet = *(const compile_context *)of;
    compile_application a = {0};
    if (!compile_program_reference(scaled, &quiet, &a))
        return false;
    for (uint32_t i = 0; i < a.stages.len && *fits; i++) {
        const fe_step *step = a.stages.at[i].step;
        *fits = a.stages.at[i].wrapped == 0;
        if (!*fits && step->kind == FE_STEP_ASSIGN)
            *wraps = a.program.tensors.at[fe_step_result(step)].name;
    }
    return true;
}

const compile_options *compile_program_scales(const compile_options *o, compile_context *ctx) {
    diagnostics unheard;
    compile_context quiet = *ctx;
    compile_options own = *o;
    compile_application a = {0};
    fe_scales *all = arena_new(ctx->mem, fe_scales);
    diag_init(&unheard, ctx->mem);
    quiet.diag = &unheard;
    own.tensors.dtype = TILE_DTYPE_INT16;
    const bool is_read = compile_program_read(&own, &quiet, &a);
    if (!is_read && !compile_program_read(&own, ctx, &a)) /* once more, to say why */
        return NULL;
    const compile_scaling in = {o, all, a.given, a.program.tensors.len, judge, &quiet};
    return fe_scales_align_program(&a.program, o->tensors.scales.at, o->tensors.scales.len, ctx->diag, all)
               ? compile_fit_scales(&in, ctx)
               : NULL;
}
