/* What the user left open and the chip cares about: the order of the loops, and whether a statement is one
 * kernel or several. The default order is kept where the chip has all that it needs. Otherwise the first
 * order is taken that it does have, those with the result's loops outside first, since these need no reducer
 * but scalar ones; then, if nothing was scheduled, the statement in stages (fe_staged). A choice is tried by
 * lowering it. */
#include "compile/compile_int.h"

enum { MOST_ORDERS = 120 }; /* tried of one kernel: all of five loops */

typedef struct {
    const compile_options *o;
    compile_context *ctx;
    const compile_kernel *k; /* the board, the tiling */
    const char *why;         /* why the last one that was tried will not do; NULL: a mistake of the user */
} choosing;

/* A context in which a trial's mistakes are nobody's: its diagnostics are `unheard`. */
static compile_context silent(const compile_context *ctx, diagnostics *unheard) {
    compile_context trial = *ctx;
    diag_init(unheard, ctx->mem);
    trial.diag = unheard;
    return trial;
}

/* Whether the chip can run the kernel. */
static bool maps(choosing *c, const fe_kernel *kernel) {
    diagnostics tried;
    compile_context ctx = silent(c->ctx, &tried);
    compile_options once = *c->o;
    compile_kernel trial = {.board = c->k->board, .tiling = c->k->tiling};
    once.unroll = 1;
    bool ok = compile_lower_sam(&once, true, &ctx, kernel, &trial) && compile_lower(&once, &ctx, &trial);
    c->why = NULL;
    if (!ok && tried.errors == 0)
        c->why = arena_printf(ctx.mem, "%s [%s]", tried.list.at[0].message, tried.list.at[0].code);
    return ok;
}

bool compile_next_order(uint32_t *place, uint32_t n) {
    uint32_t i = n, k = n;
    while (i > 1 && place[i - 2] > place[i - 1])
        i--;
    if (i <= 1)
        return false;
    while (place[k - 1] < place[i - 2])
        k--;
    uint32_t swap = place[k - 1];
    place[k - 1] = place[i - 2];
    place[i - 2] = swap;
    for (uint32_t a = i - 1, b = n - 1; a < b; a++, b--) { /* what follows descends: make it ascend */
        swap = place[a];
        place[a] = place[b];
        place[b] = swap;
    }
    return true;
}

/* Whether every loop of the result is outside of every other. */
static bool results_outside(const sam_statement *st) {
    bool sums = false;
    for (uint32_t i = 0; i < st->loops.len; i++) {
        bool result = sam_is_result_var(st, st->loops.at[i]);
        if (result && sums)
            return false;
        sums = sums || !result;
    }
    return true;
}

const char *compile_loops_text(const sam_statement *st, arena *mem) {
    const char *text = "";
    for (uint32_t i = 0; i < st->loops.len; i++)
        text = arena_printf(mem, "%s%s%s", text, i ? "," : "",
                            names_text(st->names, sam_var_at(st, st->loops.at[i])->name));
    return text;
}

/* Gives the kernel the first order of its loops that maps. O(orders) lowerings. */
static bool find_order(choosing *c, fe_kernel *kernel) {
    uint32_t n = kernel->s.loops.len, tried = 0;
    sam_var *loop = arena_new_n(c->ctx->mem, sam_var, n), *other = arena_new_n(c->ctx->mem, sam_var, n);
    uint32_t *place = arena_new_n(c->ctx->mem, uint32_t, n);
    memcpy(loop, kernel->s.loops.at, sizeof *loop * n);
    fe_kernel trial = *kernel;
    trial.s.loops.at = other;
    for (int outside = 1; outside >= 0; outside--) {
        for (uint32_t i = 0; i < n; i++)
            place[i] = i;
        do {
            for (uint32_t i = 0; i < n; i++)
                other[i] = loop[place[i]];
            if (results_outside(&trial.s) != (outside != 0))
                continue;
            if (tried++ == MOST_ORDERS)
                return false;
            if (maps(c, &trial)) {
                memcpy(kernel->s.loops.at, other, sizeof *loop * n);
                return true;
            }
        } while (compile_next_order(place, n));
    }
    return false;
}

/* Orders in which all kernels map; a sentence for each that is not the one it had. */
static bool choose_orders(choosing *c, fe_cin *cin, text_vec *chosen) {
    arena *mem = c->ctx->mem;
    *chosen = (text_vec){0};
    for (uint32_t n = 0; n < cin->kernels.len; n++) {
        fe_kernel *kernel = &cin->kernels.at[n];
        const char *sentence = NULL;
        if (!maps(c, kernel)) {
            const char *why = c->why, *had = compile_loops_text(&kernel->s, mem);
            bool open = why && !kernel->ordered && !kernel->relations.len && !kernel->tags.len;
            bool found = open && find_order(c, kernel);
            c->why = why;
            if (!found)
                return false;
            sentence = arena_printf(mem, "loops %s; in the order %s: %s", compile_loops_text(&kernel->s, mem),
                                    had, why);
        }
        vec_push(mem, chosen, sentence);
    }
    return true;
}

static fe_in with_schedule(const fe_in *in, const char *const *schedule) {
    fe_in other = *in;
    other.schedule = schedule;
    other.n_schedule = 1;
    return other;
}

/* Whether the chip can run the statement as the schedule says, in some order of the loops. */
static bool schedule_maps(choosing *c, const fe_in *in, const char *schedule) {
    diagnostics tried;
    compile_context ctx = silent(c->ctx, &tried);
    const fe_in staged = with_schedule(in, &schedule);
    choosing trial = {.o = c->o, .ctx = &ctx, .k = c->k};
    fe_cin cin;
    text_vec unused;
    return fe_schedule(&staged, &c->k->user, ctx.mem, ctx.diag, &cin) && choose_orders(&trial, &cin, &unused);
}

void compile_choose(const compile_options *o, compile_context *ctx, const fe_in *in, compile_kernel *k,
                    fe_cin *cin, text_vec *chosen) {
    choosing c = {.o = o, .ctx = ctx, .k = k};
    if (choose_orders(&c, cin, chosen) || cin->kernels.len > 1 || !c.why)
        return;
    const char *why = c.why, *schedule = NULL;
    bool found = false;
    for (fe_staging how = 0; how < FE_STAGINGS && !found; how++) {
        schedule = fe_staged(&cin->kernels.at[0], how, ctx->mem);
        found = schedule && schedule_maps(&c, in, schedule);
    }
    if (found && in->n_schedule)
        k->choices.way_out = schedule;
    if (!found || in->n_schedule)
        return;
    const fe_in staged = with_schedule(in, &schedule);
    bool again = fe_schedule(&staged, &k->user, ctx->mem, ctx->diag, cin) && choose_orders(&c, cin, chosen);
    BUG_IF(!again, "'%s' was possible a moment ago", schedule);
    k->choices.staged =
        arena_printf(ctx->mem, "%u kernels, -s \"%s\"; as one: %s", cin->kernels.len, schedule, why);
}
