/* orders.c - --order of onyx sweep: "all", or outer loops and a star for all orders of the inner loops. Keeps
 * the orders that lower; each order is lowered before the first point runs. */
#include "compile/compile.h"
#include "frontend/schedules/schedules.h"
#include "kernel/edges.h"
#include "kernel/trial.h"

enum { MOST_FREE = 6, MOST_ORDERS = 120 }; /* loops behind a star (6: 720 orders); orders that may remain */

typedef struct {
    compile_context *ctx;
    const compile_options *options; /* of every point */
    const pnr_board *boards;        /* an order must map to at least one board; no boards: engine sam */
    uint32_t n_boards;
    sam_statement statement; /* after the schedule's other commands */
    text_vec found;          /* including the named orders */
    uint32_t tried, can;     /* by stars */
    const char *why;         /* reason of the last refused order */
} ordering;

typedef struct {
    const ordering *r;
    const char *order;
} one_order;

static bool lowers(compile_context *ctx, void *of) {
    const one_order *one = of;
    const ordering *r = one->r;
    compile_options o = *r->options;
    const char **schedule = arena_new_n(ctx->mem, const char *, o.written.schedule.len + 1);
    for (uint32_t i = 0; i < o.written.schedule.len; i++)
        schedule[i] = o.written.schedule.at[i];
    schedule[o.written.schedule.len] = arena_printf(ctx->mem, "reorder(%s)", one->order);
    o.written.schedule.at = schedule;
    o.written.schedule.len++;
    fe_in in;
    sam_statement user;
    fe_cin cin;
    if (!compile_frontend_input(&o, ctx, &in) || !fe_parse(&in, ctx->names, ctx->mem, ctx->diag, &user) ||
        !fe_schedule(&in, &user, ctx->mem, ctx->diag, &cin))
        return false;
    bool found = !r->n_boards && compile_lowers(&o, ctx, &cin.kernels.at[0], NULL);
    for (uint32_t b = 0; b < r->n_boards && !found; b++)
        found = compile_lowers(&o, ctx, &cin.kernels.at[0], &r->boards[b]);
    return found;
}

static bool runs(ordering *r, const char *order) {
    one_order one = {r, order};
    const compile_trial_result a = compile_try(r->ctx, lowers, &one);
    r->why = a.against.why ? a.against.why : r->why;
    return a.works;
}

static void keep(ordering *r, const char *order) {
    for (uint32_t i = 0; i < r->found.len; i++) {
        if (strcmp(r->found.at[i], order) == 0)
            return;
    }
    vec_push(r->ctx->mem, &r->found, order);
}

/* Returns the index of the loop with the name, `n` if no loop has the name. */
static uint32_t find_loop(const sam_statement *st, const char *name) {
    uint32_t l = 0;
    while (l < st->loops.len &&
           strcmp(names_text(st->names, sam_var_at(st, st->loops.at[l])->name), name) != 0)
        l++;
    return l;
}

/* Reads the places of the outer loops of "i,j,*"; returns false after E0903. */
static bool parse_outer(ordering *r, const char *item, u32_vec *outer) {
    compile_context *ctx = r->ctx;
    char *names = arena_strdup(ctx->mem, item), *rest = NULL;
    for (char *name = strtok_r(names, ",", &rest); name && strcmp(name, "*") != 0;
         name = strtok_r(NULL, ",", &rest)) {
        uint32_t at = find_loop(&r->statement, name);
        bool twice = false;
        for (uint32_t i = 0; i < outer->len; i++)
            twice = twice || outer->at[i] == at;
        if (at == r->statement.loops.len || twice)
            return compile_bad_value(ctx->diag, "--order", item,
                                     arena_printf(ctx->mem, "different loops of %s, then *",
                                                  compile_loops_text(&r->statement, ctx->mem)));
        vec_push(ctx->mem, outer, at);
    }
    return true;
}

/* Lists all orders that begin with the outer loops and lower. O(orders) lowerings. */
static bool expand(ordering *r, const char *item) {
    compile_context *ctx = r->ctx;
    uint32_t n = r->statement.loops.len, permutation[MOST_FREE];
    u32_vec outer = {0}, inner = {0};
    if (!parse_outer(r, item, &outer))
        return false;
    for (uint32_t l = 0; l < n; l++) {
        bool is_outer = false;
        for (uint32_t i = 0; i < outer.len; i++)
            is_outer = is_outer || outer.at[i] == l;
        if (!is_outer)
            vec_push(ctx->mem, &inner, l);
    }
    if (inner.len > MOST_FREE) {
        diag_error(ctx->diag, (src_loc){0}, "E0917-orders",
                   "--order %s: %u loops have too many orders to try", item, inner.len);
        return diag_hint(ctx->diag, "say which loops are outside, so that %u are left: --order \"%s,*\"",
                         MOST_FREE,
                         names_text(r->statement.names,
                                    sam_var_at(&r->statement, r->statement.loops.at[inner.at[0]])->name));
    }
    sam_statement ordered = r->statement;
    ordered.loops.at = arena_new_n(ctx->mem, sam_var, n);
    for (uint32_t i = 0; i < inner.len; i++)
        permutation[i] = i;
    do {
        for (uint32_t i = 0; i < n; i++)
            ordered.loops.at[i] =
                r->statement.loops.at[i < outer.len ? outer.at[i] : inner.at[permutation[i - outer.len]]];
        const char *order = compile_loops_text(&ordered, ctx->mem);
        bool can = runs(r, order);
        r->tried++;
        r->can += can;
        if (can)
            keep(r, order);
    } while (compile_next_order(permutation, inner.len));
    return true;
}

/* Lists the loops before --order is applied. */
static bool scheduled(ordering *r) {
    compile_context *ctx = r->ctx;
    fe_in in;
    sam_statement user;
    fe_cin cin;
    if (!compile_frontend_input(r->options, ctx, &in) ||
        !fe_parse(&in, ctx->names, ctx->mem, ctx->diag, &user) ||
        !fe_schedule(&in, &user, ctx->mem, ctx->diag, &cin))
        return false;
    r->statement = cin.kernels.at[0].s;
    if (cin.kernels.len == 1)
        return true;
    diag_error(ctx->diag, (src_loc){0}, "E0917-orders", "the schedule makes %u kernels, --order is about one",
               cin.kernels.len);
    return diag_hint(ctx->diag, "reorder the loops of each in --schedules");
}

static bool few_enough(const ordering *r) {
    diagnostics *d = r->ctx->diag;
    if (!r->can) {
        diag_error(d, (src_loc){0}, "E0917-orders", "none of %u %s of the loops can run", r->tried,
                   plural(r->tried, "order", "orders"));
        diag_hint(d, "the last one: %s", r->why);
    } else if (r->can > MOST_ORDERS) {
        diag_error(d, (src_loc){0}, "E0917-orders", "%u of %u orders of the loops can run, a sweep takes %u",
                   r->can, r->tried, MOST_ORDERS);
        diag_hint(d, "say which loops are outside, or name the orders: --order \"%s,*\" or \"%s;%s\"",
                  names_text(r->statement.names, sam_var_at(&r->statement, r->statement.loops.at[0])->name),
                  r->found.at[0], r->found.at[1]);
    }
    return !diag_failed(d);
}

bool compile_find_orders(const compile_options *o, compile_context *ctx, const compile_orders_in *in,
                         compile_orders *out) {
    ordering r = {.ctx = ctx, .options = o, .boards = in->boards, .n_boards = in->n_boards};
    char *items = arena_strdup(ctx->mem, strcmp(in->list, "all") == 0 ? "*" : in->list), *rest = NULL;
    if (!scheduled(&r))
        return false;
    compile_stage(ctx, "trying orders of the loops", 0);
    for (char *item = strtok_r(items, ";", &rest); item; item = strtok_r(NULL, ";", &rest)) {
        if (!strchr(item, '*'))
            keep(&r, item);
        else if (!expand(&r, item))
            return false;
    }
    *out = (compile_orders){.found = r.found, .tried = r.tried, .can = r.can};
    return few_enough(&r);
}
