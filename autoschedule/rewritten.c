/* Rewrites the statement over operands made by the host (kernel/rewriting.h), if the chip's predicted time
 * falls. */
#include "autoschedule/choose.h"
#include "kernel/diagonals.h"
#include "kernel/runs.h"

static compile_rewriter *const rewriters[] = {compile_rewrite_diagonals, compile_rewrite_runs};

/* Returns the chip's predicted time for the statement, INFINITY unless the statement is a single kernel of
 * the array. */
static double expect(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                     const compile_rewriting *r, compile_schedule *out) {
    compile_options own = *by->options;
    compile_search_in instead = *by;
    own.written.formats = r->formats;
    instead.options = &own;
    return compile_choose_instead(&instead, ctx, &(compile_choosing){&r->in, r->statement, in->board, NULL},
                                  out);
}

bool compile_choose_rewritten(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                              compile_schedule *out) {
    bool taken = false;
    for (uint32_t rewriter = 0; rewriter < sizeof rewriters / sizeof *rewriters && !taken; rewriter++) {
        compile_rewriting all[COMPILE_REWRITINGS];
        compile_tilings unused;
        const uint32_t n = rewriters[rewriter](by->options, ctx, in->in, in->user, by->data, all);
        const double whole = n ? compile_search(by, ctx, &out->cin, &unused) : 0;
        double least = whole;
        for (uint32_t r = 0; r < n; r++) {
            compile_schedule made = {.staged = NULL};
            const double cycles = expect(by, ctx, in, &all[r], &made);
            if (!(cycles < least))
                continue;
            least = cycles;
            *out = made;
            out->staged = arena_printf(ctx->mem, "%s: %.0f cycles predicted, %.0f %s", all[r].how, cycles,
                                       whole, all[r].than);
            taken = true;
        }
    }
    return taken;
}
