/* written.c - files of results: text, and files in a format. */
#include "kernel/written.h"
#include "kernel/formats.h"
#include "tiling/fills.h"

static bool is_stored(const char *path) {
    const size_t length = strlen(path);
    return length > 7 && strcmp(path + length - 7, ".stored") == 0;
}

static bool find_format(const compile_options *o, compile_context *ctx, const compile_written *w,
                        tile_format *out) {
    const char *compressed = "";
    for (uint32_t l = 0; l < w->order; l++)
        compressed = arena_printf(ctx->mem, "%ss", compressed);
    return compile_find_format_of(o, ctx, w->format ? w->format : compressed, w->order, out);
}

bool compile_can_write(const compile_options *o, compile_context *ctx, const compile_written *w) {
    tile_format f;
    return is_stored(w->path) && w->order ? find_format(o, ctx, w, &f)
                                          : tile_can_write(w->order, w->path, ctx->diag);
}

/* A .stored file has no fill but 0. */
static bool store_fill(compile_context *ctx, tile_tensor *t) {
    uint64_t cells = 1;
    tile_store_fill(t, ctx->mem);
    for (uint32_t m = 0; m < t->order && cells <= t->nnz; m++)
        cells *= t->dim[m];
    if (!t->fill || cells <= t->nnz)
        return true;
    diag_error(
        ctx->diag, (src_loc){0}, "E0331-dense",
        "a .stored file has every value of %s, which is not 0 where it stores nothing: these are too many",
        names_text(ctx->names, t->name));
    return diag_hint(ctx->diag, "write .mtx or .tns, which state the fill, or give --fill %s:0",
                     names_text(ctx->names, t->name));
}

bool compile_write(const compile_options *o, compile_context *ctx, const compile_written *w,
                   const tile_tensor *t) {
    tile_format f;
    tile_stored stored;
    if (!is_stored(w->path) || !w->order)
        return tile_write(t, o->tensors.dtype, w->path, ctx->diag);
    tile_tensor all = *t;
    if (!store_fill(ctx, &all))
        return false;
    return find_format(o, ctx, w, &f) &&
           tile_store(&all, &f, o->tensors.dtype, ctx->mem, ctx->diag, &stored) &&
           tile_stored_write(&stored, o->tensors.dtype, w->path, ctx->diag);
}

bool compile_write_outputs(const compile_options *o, compile_context *ctx, const tile_tensor *result) {
    for (uint32_t i = 0; i < o->tensors.outputs.len; i++) {
        const char *path = strchr(o->tensors.outputs.at[i], ':') + 1;
        if (!result)
            return diag_error(ctx->diag, (src_loc){0}, "E0903-option-value",
                              "-o %s: nothing runs, so there is no result to write",
                              o->tensors.outputs.at[i]);
        const char *said = compile_argument_for(&o->written.formats, names_text(ctx->names, result->name));
        const compile_written w = {path, said, result->order};
        if (!compile_write(o, ctx, &w, result))
            return false;
    }
    return true;
}

bool compile_write_result(const compile_options *o, compile_context *ctx, const char *format,
                          const tile_tensor *t) {
    const char *base = arena_printf(ctx->mem, "%s/%s", ctx->partial, names_text(ctx->names, t->name));
    const char *path = arena_printf(ctx->mem, "%s.%s", base, t->order <= 2 ? "mtx" : "tns");
    const compile_written w = {arena_printf(ctx->mem, "%s.stored", base), format, t->order};
    return tile_write(t, o->tensors.dtype, path, ctx->diag) &&
           (!format || !compile_is_host_format(format) || compile_write(o, ctx, &w, t));
}
