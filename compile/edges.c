/* Edges along loops by their names (--tile, --glb-tile): in a kernel's tiling, in its lowering and in texts.
 */
#include "compile/compile_int.h"

/* Fills edge[] for the loops of st; found[i]: st has a loop of along.at[i]. */
static void resolve(const compile_edges *edges, const sam_statement *st, uint32_t *edge, bool *found) {
    for (uint32_t i = 0; i < edges->along.len; i++) {
        for (uint32_t l = 0; l < st->loops.len; l++) {
            sam_var v = st->loops.at[l];
            if (strcmp(names_text(st->names, sam_var_at(st, v)->name), edges->along.at[i].loop) != 0)
                continue;
            edge[v.v - 1] = edges->along.at[i].edge;
            found[i] = true;
        }
    }
}

static bool all_found(compile_context *ctx, const char *option, const compile_edges *edges, const bool *found,
                      const char *loops) {
    bool all = true;
    for (uint32_t i = 0; i < edges->along.len; i++) {
        if (!found[i])
            compile_bad_value(ctx->diag, option, edges->along.at[i].loop,
                              arena_printf(ctx->mem, "a loop of %s", loops));
        all = all && found[i];
    }
    return all;
}

bool compile_set_tiling(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    bool *found = arena_new_n(ctx->mem, bool, o->tile.along.len + 1),
         *glb_found = arena_new_n(ctx->mem, bool, o->glb_tile.along.len + 1);
    const char *loops = compile_loops_text(&k->lowered.statement, ctx->mem);
    for (uint32_t n = 0; n <= k->producers.len; n++) {
        compile_kernel *one = n < k->producers.len ? &k->producers.at[n] : k;
        one->tiling.options = (tile_options){.tile = o->tile.all,
                                             .glb_tile = o->glb_tile.all,
                                             .mem_words = k->board.mem_words,
                                             .bank_words = k->board.glb_bank_bytes / 2,
                                             .vector_reducer = pnr_board_extended(&k->board)};
        resolve(&o->tile, &one->lowered.statement, one->tiling.options.edge, found);
        resolve(&o->glb_tile, &one->lowered.statement, one->tiling.options.glb_edge, glb_found);
        if (n < k->producers.len)
            loops = arena_printf(ctx->mem, "%s; %s", loops,
                                 compile_loops_text(&one->lowered.statement, ctx->mem));
    }
    return all_found(ctx, "--tile", &o->tile, found, loops) &&
           all_found(ctx, "--glb-tile", &o->glb_tile, glb_found, loops);
}

void compile_lower_edges(compile_context *ctx, const compile_kernel *k, lower_options *out) {
    uint32_t n = k->lowered.statement.loops.len;
    lower_piece *edges = arena_new_n(ctx->mem, lower_piece, n + 1);
    for (uint32_t l = 0; l < n; l++) {
        sam_var v = k->lowered.statement.loops.at[l];
        edges[l] = (lower_piece){sam_var_at(&k->lowered.statement, v)->name,
                                 tile_edge(&k->lowered.statement, &k->tiling.options, v)};
    }
    out->tile_edge = n ? tile_longest(&k->lowered.statement, &k->tiling.options, NULL) : 1;
    out->edges = edges;
    out->n_edges = n;
}

const char *compile_edges_text(const sam_statement *st, const uint32_t *edge, arena *mem) {
    const char *text = "";
    bool same = true;
    for (uint32_t l = 0; l < st->loops.len; l++) {
        sam_var v = st->loops.at[l];
        same = same && edge[v.v - 1] == edge[st->loops.at[0].v - 1];
        text = arena_printf(mem, "%s%s%s:%u", text, l ? "," : "",
                            names_text(st->names, sam_var_at(st, v)->name), edge[v.v - 1]);
    }
    return same && st->loops.len ? arena_printf(mem, "%u", edge[st->loops.at[0].v - 1]) : text;
}
