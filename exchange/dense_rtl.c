/* A dense program on the RTL of its tiles: onyx-array reads words, register writes and the global buffer from
 * files in DIR/rtl, and leaves the buffer and what the streams did. */
#include "exchange/exchange_int.h"
#include "kernel/folder.h"

static bool write_writes(const dense_program *p, const dense_streams *streams, const char *path,
                         diagnostics *d) {
    dense_program own = {.path = p->path};
    file_out f;
    if (!p->writes.len)
        dense_writes_of(streams, d->mem, &own);
    const dense_program *from = p->writes.len ? p : &own;
    if (!file_create(&f, path, d->mem, d))
        return false;
    for (uint32_t i = 0; i < from->writes.len; i++)
        fprintf(f.stream, "%X %X\n", from->writes.at[i].offset, from->writes.at[i].value);
    return file_commit(&f, d);
}

bool exchange_dense_on_rtl(const compile_options *o, compile_context *ctx, const dense_program *p,
                           const dense_streams *streams, dense_outcome *out) {
    const char *folder = arena_printf(ctx->mem, "%s/rtl", ctx->partial),
               *words = arena_printf(ctx->mem, "%s/design.bs", folder),
               *writes = arena_printf(ctx->mem, "%s/writes.txt", folder),
               *memory = arena_printf(ctx->mem, "%s/memory.bin", folder),
               *result = arena_printf(ctx->mem, "%s/streams.json", folder), *board_path = NULL;
    pnr_board *board = arena_new(ctx->mem, pnr_board);
    *out = (dense_outcome){.memory = dense_memory_of(p, ctx->mem)};
    if (!compile_read_board(ctx, o->target.board, board, &board_path) || !make_folder(folder, ctx->diag) ||
        !bits_write(&p->bits, words, ctx->diag) || !write_writes(p, streams, writes, ctx->diag) ||
        !dense_write_memory(out->memory, memory, ctx->diag))
        return false;
    const char *const argv[] = {
        compile_program(ctx, "onyx-array"), "--dense", board_path, words, writes, memory, result, NULL};
    compile_stage(ctx, "running the tiles", 0);
    return compile_spawn(ctx, argv, arena_printf(ctx->mem, "%s/run.log", folder),
                         (const char *const[]){result, NULL}) &&
           dense_read_streams(result, streams, ctx->diag, out) &&
           dense_read_memory(memory, ctx->diag, out->memory) && remove(memory) == 0;
}
