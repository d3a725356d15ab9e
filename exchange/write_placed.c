/* What a kernel's place and route leaves, for tools of the chip's own flow: netlist, placement, routes, names
 * of blocks, and the SAM graph. */
#include "exchange/write_placed.h"

bool exchange_create(compile_context *ctx, file_out *f, const char *folder, const char *name) {
    return file_create(f, arena_printf(ctx->mem, "%s/%s", folder, name), ctx->mem, ctx->diag);
}

bool exchange_copy(compile_context *ctx, const char *from, const char *to) {
    size_t length = 0;
    const char *text = file_read(from, ctx->mem, &length, ctx->diag);
    file_out f;
    if (!text || !file_create(&f, to, ctx->mem, ctx->diag))
        return false;
    fwrite(text, 1, length, f.stream);
    return file_commit(&f, ctx->diag);
}

static bool copy(compile_context *ctx, const char *from, const char *to, const char *name,
                 const char *called) {
    return exchange_copy(ctx, arena_printf(ctx->mem, "%s/%s", from, name),
                         arena_printf(ctx->mem, "%s/%s", to, called));
}

/* Writes a line for each block, "p4: mul": the section of that name of .packed, as a file of its own. */
static bool write_names(compile_context *ctx, const netlist *net, const char *folder) {
    file_out f;
    if (!exchange_create(ctx, &f, folder, "design.id_to_name"))
        return false;
    for (uint32_t c = 0; c < net->cells.len; c++) {
        const net_cell_data *cell = &net->cells.at[c];
        fprintf(f.stream, "%c%u: %s\n", cell->tag, cell->number, names_text(net->names, cell->name));
    }
    return file_commit(&f, ctx->diag);
}

bool exchange_write_placed(compile_context *ctx, const exchange_program *p, const char *folder) {
    return copy(ctx, p->path, folder, "design.packed", "design.packed") &&
           copy(ctx, p->path, folder, "design.place", "design.place") &&
           copy(ctx, p->path, folder, "design.route", "design.route") &&
           copy(ctx, p->path, folder, "sam.gv", "app.gv") && write_names(ctx, p->net, folder);
}
