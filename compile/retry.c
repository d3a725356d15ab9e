/* What was chosen by the data may turn out not to run on these data: another mapping is tried before the user
 * hears of it. */
#include "compile/retry.h"

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

static bool was_refused(const diagnostics *before, const diagnostics *now, const char *code) {
    bool was = false;
    for (uint32_t i = before->list.len; i < now->list.len; i++)
        was = was || strcmp(now->list.at[i].code, code) == 0;
    return was;
}

/* Forgets what came of the attempt before, and makes another. */
static bool retry(const compile_options *o, compile_context *ctx, const diagnostics *before,
                  const compile_kernel *empty, compile_kernel *k, compile_action *action) {
    *ctx->diag = *before; /* what it refused is not said: the user did not ask for it */
    *k = *empty;
    return action(o, ctx, k);
}

/* Forgets the attempt, and makes another, behind which there may be more. */
static bool start_again(const compile_options *o, compile_context *ctx, const diagnostics *before,
                        const compile_kernel *empty, compile_kernel *k, compile_action *action) {
    *ctx->diag = *before;
    *k = *empty;
    return compile_retrying(o, ctx, k, action);
}

/* Returns whether kernels of fewer operands may do where one was refused that lowers, and the user leaves
 * open how the statement is mapped; edges that are stated are those of the smaller kernels, too, so that they
 * do not keep a statement from another mapping whose data meet what the chip gets wrong. */
static bool may_be_smaller(const compile_options *o, const diagnostics *before, const diagnostics *now) {
    const bool hazard = was_refused(before, now, "E0803-hazard"),
               met = hazard && !was_refused(before, now, "E0802-cycle-stuck"),
               may = hazard || was_refused(before, now, "E0450-deadlock") ||
                     was_refused(before, now, "E0332-whole-sum") ||
                     (was_refused(before, now, "E0510-too-large") && strcmp(o->board, "onyx") == 0);
    return may && o->runs && o->optimize && !o->schedule.len && (met || compile_edges_open(o)) &&
           compile_copies_open(o) && !compile_array_alone(o);
}

/* Runs the statement in ever smaller kernels, at last with the host for every operation of two operands. What
 * was refused as it stands without choosing by the data (`plain`), or with larger kernels, is not compiled
 * again where that makes the same kernels. */
static bool retry_smaller(const compile_options *o, compile_context *ctx, const diagnostics *before,
                          const compile_kernel *empty, bool plain, compile_kernel *k,
                          compile_action *action) {
    compile_options smaller = *o;
    bool ok = false, again = true;
    smaller.plain = true;
    smaller.refused = plain ? k->choices.kernels : NULL;
    for (smaller.operands = 6; !ok && again && smaller.operands; smaller.operands--) {
        const diagnostics refused = *ctx->diag;
        ok = retry(&smaller, ctx, before, empty, k, action);
        if (!ok && k->choices.tried)
            *ctx->diag = refused; /* which it would be for the same reason */
        smaller.refused = k->choices.kernels;
        again = !ctx->interrupted && may_retry(before, ctx->diag);
    }
    return ok;
}

bool compile_retrying(const compile_options *o, compile_context *ctx, compile_kernel *k,
                      compile_action *action) {
    const diagnostics before = *ctx->diag;
    const compile_kernel empty = *k;
    if (action(o, ctx, k))
        return true;
    if (ctx->interrupted || !may_retry(&before, ctx->diag))
        return false;
    /* The other shards have not met it, and keep their mapping. */
    if ((o->shards || o->merged.len) && (was_refused(&before, ctx->diag, "E0803-hazard") ||
                                         was_refused(&before, ctx->diag, "E0802-cycle-stuck")))
        return false;
    if (!o->any_sign && !compile_array_alone(o) && was_refused(&before, ctx->diag, "E0418-range")) {
        compile_options any_sign = *o;
        any_sign.any_sign = true;
        return start_again(&any_sign, ctx, &before, &empty, k, action);
    }
    if (!o->keeps_absent && was_refused(&before, ctx->diag, "E0155-complement")) {
        compile_options keeps_absent = *o;
        keeps_absent.keeps_absent = true;
        return start_again(&keeps_absent, ctx, &before, &empty, k, action);
    }
    const char *why = ctx->diag->list.at[before.list.len].message;
    /* A union that is met has two ways to the joiner behind it, of which one may be too short. */
    if (!o->met_first && strcmp(o->profile, PNR_PROFILE) != 0 &&
        was_refused(&before, ctx->diag, "E0450-deadlock")) {
        compile_options met_first = *o;
        met_first.met_first = true;
        const bool found = start_again(&met_first, ctx, &before, &empty, k, action);
        k->choices.instead = found ? why : NULL;
        return found;
    }
    const bool open = compile_edges_open(o) || compile_copies_open(o), chosen = open && was_chosen(k);
    bool ok = false;
    /* Whether the array meets what the chip gets wrong depends on the timing, and a run of the cycle model
     * tells. */
    const bool divisible = may_be_smaller(o, &before, ctx->diag);
    if (was_refused(&before, ctx->diag, "E0803-hazard") && open && o->optimize == 1) {
        compile_options measured = *o;
        measured.optimize = 2;
        ok = retry(&measured, ctx, &before, &empty, k, action);
        if (!ok && (ctx->interrupted || !may_retry(&before, ctx->diag)))
            return false;
    }
    if (!ok && chosen) {
        compile_options plain = *o;
        plain.plain = true;
        ok = retry(&plain, ctx, &before, &empty, k, action);
    }
    if (!ok && divisible)
        ok = retry_smaller(o, ctx, &before, &empty, chosen, k, action);
    if (ok)
        k->choices.instead = why;
    return ok;
}
