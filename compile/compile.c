/* From options to bitstreams: runs the passes (passes.def), again with another mapping if the chosen mapping
 * does not fit. */
#include "compile/fallback.h"
#include "compile/passes.h"
#include "graphs/graphs.h"

static bool go_through(const compile_options *o, bool chip, compile_context *ctx, compile_kernel *k) {
    compile_passing p = {
        .o = o, .ctx = ctx, .chip = chip, .graph = compile_is_graph(o->written.expression), .all = k};
    return compile_go_through(&p);
}

bool compile_to_graph(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    return go_through(o, false, ctx, k);
}

bool compile_statement(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    return go_through(o, true, ctx, k);
}

bool compile_to_bitstream(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    return compile_with_fallbacks(o, ctx, k, compile_to_bitstream_once);
}

bool compile_to_bitstream_once(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    return compile_take_folder(ctx, o->files.out) &&
           compile_read_board(ctx, o->target.board, &k->board, &k->board_path) &&
           pnr_board_set_profile(&k->board, o->target.profile, ctx->diag) && compile_statement(o, ctx, k);
}
