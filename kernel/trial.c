/* Trials: lowers a kernel without showing its diagnostics. */
#include "kernel/trial.h"
#include "kernel/edges.h"
#include "kernel/lower.h"
#include "support/refusals.h"

compile_trial_result compile_try(const compile_context *ctx, compile_trial *trial, void *of) {
    compile_context own = *ctx;
    arena mem = {0};
    diagnostics unheard;
    own.mem = &mem;
    diag_init(&unheard, own.mem);
    own.diag = &unheard;
    own.boards.at = NULL;
    own.boards.len = own.boards.cap = 0;
    compile_trial_result out = {.works = trial(&own, of)};
    out.mistake = unheard.errors > 0;
    if (!out.works && unheard.list.len) {
        const diagnostic *first = &unheard.list.at[0]; /* but notes before tell no reason */
        while (first->kind == DIAG_NOTE && first + 1 < unheard.list.at + unheard.list.len)
            first++;
        out.against =
            (compile_reason){arena_printf(ctx->mem, "%s", first->message),
                             first->hint ? arena_printf(ctx->mem, "%s", first->hint) : NULL, first->refusal};
    }
    for (uint32_t i = 0; i < own.boards.len; i++)
        pnr_board_free(&own.boards.at[i]);
    arena_free(&mem);
    return out;
}

bool compile_lowers(const compile_options *o, compile_context *ctx, const fe_kernel *kernel,
                    const pnr_board *board) {
    const pnr_options rules = {.own_tiles = o->copies.buffers > 1};
    compile_lowered lowered;
    onyx_graph *graph;
    netlist one;
    if (!compile_lower_sam(o, board != NULL, ctx, kernel, &lowered))
        return false;
    if (!board)
        return true;
    const bool extended = pnr_board_extended(board);
    tile_options edges = compile_tiling_of(o, board, &lowered);
    if (!compile_make_legal(ctx, &lowered))
        return false;
    if (o->tried.any_sign && compile_adds_infinity(&lowered.hardware))
        return diag_refuse(ctx->diag, DIAG_UNMAPPABLE, DIAG_REFUSED_RANGE, (src_loc){0},
                           "the chip adds with infinity from 0 to 32767, and operands are negative");
    compile_limit_edges(&lowered, extended, &edges);
    return compile_lower_onyx(ctx, &lowered, &edges, extended, &graph) &&
           lower_pack(graph, ctx->mem, ctx->diag, &one) && pnr_fits(&one, board, &rules, ctx->diag);
}

bool compile_next_order(uint32_t *permutation, uint32_t n) {
    uint32_t i = n, k = n;
    while (i > 1 && permutation[i - 2] > permutation[i - 1])
        i--;
    if (i <= 1)
        return false;
    while (permutation[k - 1] < permutation[i - 2])
        k--;
    uint32_t swap = permutation[k - 1];
    permutation[k - 1] = permutation[i - 2];
    permutation[i - 2] = swap;
    for (uint32_t a = i - 1, b = n - 1; a < b; a++, b--) { /* the rest descends: make it ascend */
        swap = permutation[a];
        permutation[a] = permutation[b];
        permutation[b] = swap;
    }
    return true;
}
