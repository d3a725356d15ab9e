/* The reference beside the run: a thread has an arena and diagnostics of its own. */
#include "compile/reference.h"
#include "support/thread.h"

struct compile_evaluation {
    pthread_t thread;
    arena mem; /* freed with the context */
    sam_statement statement;
    tile_operands in;
    diagnostics diag;
    tile_tensor want;
    bool ok, joined;
};

static void *evaluate(void *of) {
    struct compile_evaluation *r = of;
    r->ok = tile_reference(&r->statement, &r->in, &r->mem, &r->diag, &r->want);
    return NULL;
}

static void join(struct compile_evaluation *r) {
    if (!r->joined)
        BUG_IF(pthread_join(r->thread, NULL) != 0, "a thread cannot be joined");
    r->joined = true;
}

/* A run that is only tried leaves its evaluation to the end of the context. */
static void end_evaluation(void *of) {
    struct compile_evaluation *r = of;
    join(r);
    arena_free(&r->mem);
}

static bool calls_files(const sam_statement *s) {
    bool any = false;
    for (uint32_t e = 0; e < s->exprs.len; e++)
        any = any || s->exprs.at[e].program;
    return any;
}

void compile_begin_reference(const compile_options *o, compile_context *ctx, compile_kernel *k) {
    k->reference = NULL;
    if (o->running.jobs < 2 || !o->running.check || o->running.shards || k->graph.is || calls_files(&k->user))
        return;
    struct compile_evaluation *r = arena_new(ctx->mem, struct compile_evaluation);
    r->statement = k->user;
    r->in = k->data.operands;
    diag_init(&r->diag, &r->mem);
    if (!thread_begin(&r->thread, evaluate, r))
        return;
    arena_at_end(ctx->mem, end_evaluation, r);
    k->reference = r;
}

void compile_drop_reference(compile_kernel *k) {
    if (k->reference)
        join(k->reference);
    k->reference = NULL;
}

bool compile_take_reference(compile_context *ctx, compile_kernel *k, const tile_operands *in,
                            tile_tensor *want) {
    const struct compile_evaluation *r = k->reference;
    compile_drop_reference(k);
    if (!r || !r->ok || r->diag.list.len) /* messages come from this thread */
        return tile_reference(&k->user, in, ctx->mem, ctx->diag, want);
    *want = r->want;
    return true;
}
