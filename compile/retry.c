/* What was chosen by the data may turn out not to run on these data: another mapping is tried before the user
 * hears of it. */
#include "compile/search.h"

/* Returns whether another mapping may do: it does not fit the hardware, or ran into what the chip gets wrong.
 */
static bool may_retry(const diagnostics *before, const diagnostics *now) {
    if (now->list.len <= before->list.len || now->mismatches > before->mismatches)
        return false;
    for (uint32_t i = before->list.len; i < now->list.len; i++) {
        const diagnostic *d = &now->list.at[i];
        if (d->kind == DIAG_ERROR && strncmp(d->code, "E0802", 5) != 0)
            return false;
    }
    return true;
}

/* Returns whether anything was chosen by the data. */
static bool was_chosen(const compile_kernel *k) {
    bool chosen = k->tiling.expected.edge || k->array.copies > 1 || k->choices.staged;
    for (uint32_t n = 0; n < k->producers.len; n++)
        chosen = chosen || was_chosen(&k->producers.at[n]);
    return chosen;
}

bool compile_retrying(const compile_options *o, compile_context *ctx, compile_kernel *k,
                      compile_action *action) {
    const diagnostics before = *ctx->diag;
    const compile_kernel empty = *k;
    if (action(o, ctx, k))
        return true;
    if (ctx->interrupted || !may_retry(&before, ctx->diag) || !was_chosen(k) ||
        !(compile_edges_open(o) || compile_copies_open(o)))
        return false;
    const char *why = ctx->diag->list.at[before.list.len].message;
    compile_options plain = *o;
    plain.plain = true;
    *ctx->diag = before; /* what it refused is not said: the user did not ask for it */
    *k = empty;
    bool ok = action(&plain, ctx, k);
    if (ok)
        k->choices.instead = why;
    return ok;
}
