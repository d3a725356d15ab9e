/* Which statements of a program share an array: configuring it anew takes longer than most of them run. */
#include "compile/application.h"
#include "compile/share.h"

/* Statements that are to have one array. */
typedef struct {
    compile_kernels kernels;
    VEC(compile_stage_of *) stages;
} group;
typedef VEC(group) groups;

/* Adds the statement's kernels; returns whether all of them may share. */
static bool add_kernels(compile_context *ctx, compile_stage_of *stage, compile_kernels *out) {
    compile_kernel *last = &stage->kernel;
    bool may = true;
    for (uint32_t n = 0; n <= last->producers.len && may; n++) {
        compile_kernel *k = n < last->producers.len ? &last->producers.at[n] : last;
        if (k->on_host)
            continue;
        may = compile_may_share(ctx, k);
        vec_push(ctx->mem, out, k);
    }
    return may;
}

/* Adds the statement to the first group that has room for it, or begins one. */
static void add_stage(const compile_options *o, compile_context *ctx, compile_stage_of *stage, groups *all) {
    compile_kernels own = {0};
    if (!add_kernels(ctx, stage, &own) || !own.len)
        return;
    for (uint32_t g = 0; g < all->len; g++) {
        compile_kernels with = {0};
        for (uint32_t i = 0; i < all->at[g].kernels.len; i++)
            vec_push(ctx->mem, &with, all->at[g].kernels.at[i]);
        for (uint32_t i = 0; i < own.len; i++)
            vec_push(ctx->mem, &with, own.at[i]);
        if (!compile_fit_together(o, ctx, &with))
            continue;
        all->at[g].kernels = with;
        vec_push(ctx->mem, &all->at[g].stages, stage);
        return;
    }
    group one = {.kernels = own};
    vec_push(ctx->mem, &one.stages, stage);
    vec_push(ctx->mem, all, one);
}

bool compile_share_stages(const compile_options *o, compile_context *ctx, compile_application *a) {
    groups all = {0};
    uint32_t deepest = 0, arrays = 0;
    bool ok = true;
    if (!o->optimize || o->engine == ENGINE_SAM)
        return true;
    for (uint32_t i = 0; i < a->stages.len; i++)
        deepest = a->stages.at[i].loops > deepest ? a->stages.at[i].loops : deepest;
    for (uint32_t loops = deepest + 1; loops-- > 0;) {
        for (uint32_t i = 0; i < a->stages.len; i++) {
            compile_stage_of *stage = &a->stages.at[i];
            if (stage->loops == loops && stage->step->kind == FE_STEP_ASSIGN && !stage->on_host)
                add_stage(o, ctx, stage, &all);
        }
    }
    for (uint32_t g = 0; g < all.len && ok; g++) {
        group *one = &all.at[g];
        compile_times times = {0};
        if (one->kernels.len < 2)
            continue;
        ok = compile_share(o, ctx, &one->kernels, &times);
        a->times.place += times.place;
        a->times.route += times.route;
        arrays++;
        for (uint32_t i = 0; i < one->stages.len && one->kernels.at[0]->array.parts > 1; i++)
            one->stages.at[i]->array = arrays;
    }
    return ok;
}
