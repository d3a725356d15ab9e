/* words.c - words of operands whose type, or scale, the data choose. */
#include "kernel/words.h"
#include "tiling/level_files.h"
#include "tiling/words.h"

static const tile_tensor *find_read(const compile_context *ctx, const compile_file *of) {
    for (uint32_t i = 0; i < ctx->files.len; i++) {
        const compile_file *one = &ctx->files.at[i];
        if (strcmp(one->path, of->path) == 0 && one->order == of->order && one->values == of->values &&
            one->dtype == of->dtype)
            return &one->t;
    }
    return NULL;
}

const tile_tensor *compile_read_once(compile_context *ctx, const compile_file *of) {
    const tile_tensor *read = find_read(ctx, of);
    compile_file own = *of;
    if (read ||
        !tile_read(of->path, (name_id){0}, of->order, of->dtype, of->values, ctx->mem, ctx->diag, &own.t))
        return read;
    vec_push(ctx->mem, &ctx->files, own);
    return &ctx->files.at[ctx->files.len - 1].t;
}

bool compile_type_original(const compile_options *o, compile_context *ctx, int scale, tile_tensor *t) {
    return !t->original_only || tile_give_words(t, (tile_type){o->tensors.dtype, scale},
                                                names_text(ctx->names, t->name), ctx->mem, ctx->diag);
}

bool compile_read_values(const compile_options *o, compile_context *ctx, const compile_file *of, int scale,
                         tile_tensor *out) {
    compile_file typed = *of;
    typed.dtype = o->tensors.dtype;
    const bool chosen = o->tensors.type_why || o->tensors.scaled;
    const tile_tensor *read = chosen ? compile_read_once(ctx, of) : find_read(ctx, &typed);
    if (!read)
        return !chosen &&
               tile_read(of->path, of->t.name, of->order, typed.dtype, of->values, ctx->mem, ctx->diag, out);
    *out = *read;
    out->name = of->t.name;
    if (chosen)
        return tile_give_words(out, (tile_type){o->tensors.dtype, scale}, of->path, ctx->mem, ctx->diag);
    tile_warn_changed(out, typed.dtype, of->path, ctx->diag);
    return true;
}

bool compile_scale_words(const compile_options *o, compile_context *ctx, int scale, tile_tensor *t) {
    if (!scale)
        return true;
    tile_take_words(t, o->tensors.dtype, ctx->mem);
    return tile_give_words(t, (tile_type){o->tensors.dtype, scale}, names_text(ctx->names, t->name), ctx->mem,
                           ctx->diag);
}

const char *compile_operand_path(compile_context *ctx, const char *path, const char *name) {
    const char *stem = arena_printf(ctx->mem, "%s/tensor_%s", path, name);
    return tile_is_level_files(stem, ctx->mem) ? stem : path;
}

const char *compile_beyond_range(const sam_statement *s) {
    for (uint32_t e = 1; e <= s->exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        const bool operates = x->kind == SAM_EXPR_CALL || x->kind == SAM_EXPR_SUM;
        if (operates && (x->operation == SAM_OPERATION_addhigh || x->operation == SAM_OPERATION_addlow))
            return "became infinite or wrapped around";
    }
    return "wrapped around";
}
