/* Input files of the published SAM simulator: the graph, and each operand as text files of its levels. */
#include "exchange/write_placed.h"
#include "support/number.h"
#include "tiling/levels.h"

static bool write_numbers(compile_context *ctx, const char *path, const uint32_t *at, uint32_t n) {
    file_out f;
    if (!file_create(&f, path, ctx->mem, ctx->diag))
        return false;
    for (uint32_t i = 0; i < n; i++)
        fprintf(f.stream, "%u\n", at[i]);
    return file_commit(&f, ctx->diag);
}

static bool write_values(compile_context *ctx, const char *path, const sam_tensor_levels *t,
                         tile_dtype dtype) {
    file_out f;
    if (!file_create(&f, path, ctx->mem, ctx->diag))
        return false;
    for (uint32_t i = 0; i < t->n_vals; i++)
        number_print(f.stream, "%.9g\n", tile_to_double(dtype, t->vals[i]));
    return file_commit(&f, ctx->diag);
}

/* Files are named by the mode of the level's tensor; a dense level has none. */
static bool write_tensor(compile_context *ctx, const char *folder, const sam_tensor_data *format,
                         const tile_tensor *t, tile_dtype dtype) {
    sam_tensor_levels levels;
    if (!tile_levels(t, format, ctx->mem, ctx->diag, &levels))
        return false;
    const char *stem =
        arena_printf(ctx->mem, "%s/tensor_%s_mode_", folder, names_text(ctx->names, format->name));
    bool ok = true;
    for (uint32_t l = 0; l < levels.order && ok; l++) {
        const sam_level_data *one = &levels.level[l];
        const uint32_t mode = format->mode[l];
        if (one->format == SAM_LEVEL_COMPRESSED)
            ok = write_numbers(ctx, arena_printf(ctx->mem, "%s%u_seg", stem, mode), one->seg, one->n_seg) &&
                 write_numbers(ctx, arena_printf(ctx->mem, "%s%u_crd", stem, mode), one->crd, one->n_crd);
    }
    return ok && write_numbers(ctx, arena_printf(ctx->mem, "%sshape", stem), t->dim, t->order) &&
           write_values(ctx, arena_printf(ctx->mem, "%svals", stem), &levels, dtype);
}

bool exchange_write_sam(compile_context *ctx, const compile_kernel *k, const char *folder) {
    const sam_statement *s = &k->lowered.statement;
    const tile_dtype dtype = k->data.packed.dtype;
    bool ok = make_folder(folder, ctx->diag) &&
              exchange_copy(ctx, arena_printf(ctx->mem, "%s/sam.gv", k->final_folder),
                            arena_printf(ctx->mem, "%s/sam.gv", folder));
    for (uint32_t t = 0; t < s->tensors.len && ok; t++) {
        const bool result = t + 1 == s->result.v;
        const char *to = result ? arena_printf(ctx->mem, "%s/gold", folder) : folder;
        ok = (!result || make_folder(to, ctx->diag)) &&
             write_tensor(ctx, to, &s->tensors.at[t], result ? &k->ran.result : &k->data.packed.operand[t],
                          dtype);
    }
    return ok;
}
