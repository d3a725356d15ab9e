/* Choices by the data for each kernel: the order of its loops together with its dense operands, and fused
 * loops, by the chip's predicted time. */
#include "autoschedule/choose_by_data.h"
#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "frontend/schedules/schedules.h"
#include "kernel/edges.h"
#include "kernel/lower.h"
#include "sam/operators.h"

#include <math.h>

/* Orders that are lowered; of these, the ones that are costed. */
enum { MOST_LOWERED = 24, MOST_COSTED = 5 };

static bool is_in_all(const sam_statement *s, sam_var v) {
    for (uint32_t e = 1; e <= s->exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        bool has = x->kind != SAM_EXPR_ACCESS;
        for (uint32_t m = 0; !has && m < sam_tensor_at(s, x->tensor)->order; m++)
            has = x->index[m].v == v.v;
        if (!has)
            return false;
    }
    return true;
}

/* Returns a multiply phase and a merge phase as a schedule, NULL where the kernel has none. Loops over
 * indices of all factors are outside, so that each entry of a factor is scanned once. */
const char *compile_phases_of(const fe_kernel *kernel, arena *mem) {
    fe_kernel outer = *kernel;
    outer.ordered = true;
    outer.s.loops.at = NULL;
    outer.s.loops.len = outer.s.loops.cap = 0;
    for (int pass = 1; pass >= 0; pass--) {
        for (uint32_t l = 0; l < kernel->s.loops.len; l++) {
            if (is_in_all(&kernel->s, kernel->s.loops.at[l]) == (pass == 1))
                vec_push(mem, &outer.s.loops, kernel->s.loops.at[l]);
        }
    }
    return fe_staged(&outer, FE_STAGE_PHASES, mem);
}

typedef VEC(fe_cin) cins;

/* Adds the program with kernel `at` in other orders of its loops that the board can run, those first that
 * differ in the inner loops only. */
static void add_orders(compile_trying *c, const fe_cin *cin, uint32_t at, cins *all) {
    arena *mem = c->ctx->mem;
    const fe_kernel *kernel = &cin->kernels.at[at];
    const uint32_t n = kernel->s.loops.len;
    uint32_t *permutation = arena_new_n(mem, uint32_t, n + 1), tried = 0;
    for (uint32_t i = 0; i < n; i++)
        permutation[i] = i;
    while (tried++ < MOST_LOWERED && all->len <= MOST_COSTED && n > 1 && compile_next_order(permutation, n)) {
        fe_kernel other = *kernel;
        other.s.loops.at = arena_new_n(mem, sam_var, n);
        for (uint32_t i = 0; i < n; i++)
            other.s.loops.at[i] = kernel->s.loops.at[permutation[i]];
        if (!compile_maps(c, &other))
            continue;
        vec_push(mem, all, compile_with_kernel(cin, at, &other, mem));
    }
}

/* Returns the schedule with the program in place of its own, of which kernel n has another order of loops. */
static compile_schedule in_order(const compile_schedule *s, const fe_cin *cin, uint32_t n, double cycles,
                                 double before, arena *mem) {
    compile_schedule out = *s;
    out.chosen = (text_vec){0};
    out.dense = (text_vec){0};
    for (uint32_t i = 0; i < s->chosen.len; i++)
        vec_push(mem, &out.chosen, s->chosen.at[i]);
    for (uint32_t i = 0; i < s->dense.len; i++)
        vec_push(mem, &out.dense, s->dense.at[i]);
    if (cin != &s->cin)
        out.chosen.at[n] = isfinite(before)
                               ? arena_printf(mem, "loops %s: %.0f cycles predicted, %.0f in the order %s",
                                              compile_loops_text(&cin->kernels.at[n].s, mem), cycles, before,
                                              compile_loops_text(&s->cin.kernels.at[n].s, mem))
                               : arena_printf(mem, "loops %s, since the kernel does not fit in the order %s",
                                              compile_loops_text(&cin->kernels.at[n].s, mem),
                                              compile_loops_text(&s->cin.kernels.at[n].s, mem));
    out.cin = *cin;
    return out;
}

enum { MORE_ORDERS = 2, ORDERS_WITHIN = 2 /* how much more an order may take of compressed operands */ };

/* Further orders of a kernel's loops, which count if some operand is stored dense in them. */
typedef struct {
    compile_schedule schedule[MORE_ORDERS];
    bool written[MORE_ORDERS]; /* the order as written */
    uint32_t n;
} more_orders;

/* Gives kernel n the order of its loops with the least predicted time of the program. *more gets the best
 * other order in which some operand may be stored dense, and the order as written. */
static void choose_order(compile_trying *c, const compile_search_in *by, uint32_t n, compile_schedule *out,
                         more_orders *more) {
    arena *mem = c->ctx->mem;
    const compile_schedule had = *out;
    cins all = {0};
    vec_push(mem, &all, out->cin);
    add_orders(c, &out->cin, n, &all);
    double *cycles = arena_new_n(mem, double, all.len);
    uint32_t best = 0, other = 0, most = 0;
    double own = 0, of_it;
    for (uint32_t a = 0; a < all.len && all.len > 1; a++) {
        const compile_search_in less = compile_below(by, a ? ORDERS_WITHIN * cycles[best] : INFINITY);
        cycles[a] = compile_expect(&less, c->ctx, &all.at[a], COMPILE_ORDERS_SHARE * all.len, n, &of_it);
        own = a ? own : of_it;
        if (a && (best ? cycles[a] < cycles[best] : compile_is_worth(cycles[a], cycles[0], own)))
            best = a;
    }
    for (uint32_t a = 1; a < all.len; a++) {
        const bool may = a != best && (!other || cycles[a] <= cycles[other]);
        const uint32_t stores = may ? compile_count_stores(c, &all.at[a], n) : 0;
        if (!stores || (other && cycles[a] == cycles[other] && stores <= most))
            continue;
        other = a;
        most = stores;
    }
    if (best)
        *out = in_order(&had, &all.at[best], n, cycles[best], cycles[0], mem);
    if (other)
        more->schedule[more->n++] = in_order(&had, &all.at[other], n, cycles[other], cycles[0], mem);
    if (best) {
        more->written[more->n] = true;
        more->schedule[more->n++] = in_order(&had, &had.cin, n, cycles[0], cycles[0], mem);
    }
}

/* Chooses the order of kernel n's loops and which of its operands are dense along their outermost levels.
 * Chooses both together: the best order of compressed operands may differ from the best order of dense
 * operands. Returns the predicted time of the program, INFINITY without a prediction. */
static double choose_order_and_stores(compile_trying *c, const compile_search_in *by, uint32_t n,
                                      compile_schedule *out) {
    const uint32_t dense = out->dense.len;
    more_orders more = {.n = 0};
    if (compile_loops_are_open(&out->cin.kernels.at[n]))
        choose_order(c, by, n, out, &more);
    double least = compile_choose_stores(c, by, n, out);
    for (uint32_t i = 0; i < more.n; i++) {
        const double other = compile_choose_stores(c, by, n, &more.schedule[i]);
        if (more.schedule[i].dense.len == dense)
            continue;
        if (!isfinite(least))
            least = compile_expect_below(by, c->ctx, &out->cin, COMPILE_ORDERS_SHARE, INFINITY);
        if (other < (more.written[i] ? 1 : COMPILE_WORTH_CHANGING) * least) {
            *out = more.schedule[i];
            least = other;
        }
    }
    return least;
}

/* Operands that are dense along all levels may take less than compressed ones, and more than operands that
 * are dense along their outermost levels: the choice is made from both. */
void compile_choose_loops_and_stores(compile_trying *c, const compile_search_in *by, uint32_t n,
                                     compile_schedule *out) {
    compile_schedule other = in_order(out, &out->cin, n, 0, 0, c->ctx->mem);
    const char *full = compile_choose_full(c, by, n, out);
    double least = choose_order_and_stores(c, by, n, out);
    if (!full)
        return;
    out->chosen.at[n] = compile_add_sentence(full, out->chosen.at[n], c->ctx->mem);
    if (!isfinite(least))
        least = compile_expect_below(by, c->ctx, &out->cin, COMPILE_ORDERS_SHARE, INFINITY);
    if (compile_choose_stores(c, by, n, &other) < COMPILE_WORTH_CHANGING * least)
        *out = other;
}

/* Chooses the dense operands of a single kernel whose loops a schedule orders. */
void compile_choose_ordered_stores(compile_trying *c, const compile_search_in *by, compile_schedule *out) {
    const char *full = compile_choose_full(c, by, 0, out);
    compile_choose_stores(c, by, 0, out);
    if (full)
        out->chosen.at[0] = compile_add_sentence(full, out->chosen.at[0], c->ctx->mem);
}

/* Chooses edges for a program. Returns the predicted time, INFINITY unless the time is below the given
 * fraction of `least`. */
double compile_search_below(const compile_search_in *by, compile_context *ctx, double fraction, double least,
                            compile_schedule *s) {
    const compile_search_in less = compile_below(by, least);
    const double cycles = compile_search(&less, ctx, &s->cin, &s->tilings);
    return cycles < fraction * least ? cycles : INFINITY;
}

/* Returns whether the tree below e has a sum inside a mask, or inside a function that maps a zero condition
 * to 0. */
bool compile_masks_sum(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_CALL && x->operation == SAM_OPERATION_when &&
        sam_expr_at(s, x->b)->kind == SAM_EXPR_SUM)
        return true;
    return (x->a.v && compile_masks_sum(s, x->a)) || (x->b.v && compile_masks_sum(s, x->b));
}

/* Replaces kernel n by its two phases, if it has some and their predicted time is below *least, the time of
 * the program now. */
static void choose_phases_of(compile_trying *c, const compile_search_in *by, uint32_t n, double *least,
                             compile_schedule *out) {
    arena *mem = c->ctx->mem;
    const fe_kernel *kernel = &out->cin.kernels.at[n];
    const char *phases = compile_phases_of(kernel, mem);
    if (!phases)
        return;
    const compile_choosing own_kernel = {c->in->in, &kernel->s, c->in->board, NULL};
    const fe_in with = compile_with_schedule(c->in->in, &phases);
    compile_trying again = *c;
    again.in = &own_kernel;
    compile_schedule other = {.dense = out->dense};
    fe_cin two;
    if (!compile_schedule_maps(&again, phases) || !fe_schedule(&with, &kernel->s, mem, c->ctx->diag, &two))
        return;
    other.cin = compile_with_kernels(&out->cin, n, &two, mem);
    if (!compile_choose_orders(c, &other.cin, &other.chosen))
        return;
    const double cycles = compile_search_below(by, c->ctx, COMPILE_WORTH_SEVERAL, *least, &other);
    if (!isfinite(cycles))
        return;
    *out = other;
    *least = cycles;
}

/* Fuses the loops of a kernel whose variables stand together. Returns the schedule; NULL: no variables stand
 * together, or the kernel has a schedule already. */
const char *compile_fuse_loops(const compile_trying *c, const compile_search_in *by, const fe_kernel *kernel,
                               fe_kernel *out) {
    arena *mem = c->ctx->mem;
    const sam_statement *s = &kernel->s, *user = c->in->user;
    uint32_t *extent = arena_new_n(mem, uint32_t, s->vars.len + 1);
    fe_cin sized, fused;
    fe_in in = *c->in->in;
    if (kernel->on_host || kernel->relations.len || kernel->tags.len || !fe_stand_together(kernel))
        return NULL;
    for (uint32_t v = 0; v < s->vars.len && v < user->vars.len; v++)
        extent[v] = name_eq(s->vars.at[v].name, user->vars.at[v].name) ? by->data->extent[v] : 0;
    in.extents = extent;
    in.n_schedule = 0;
    if (!fe_schedule(&in, s, mem, c->ctx->diag, &sized))
        return NULL;
    const char *how = fe_fusing(&sized.kernels.at[0], mem);
    const fe_in with = compile_with_schedule(&in, &how);
    if (!how || !fe_schedule(&with, s, mem, c->ctx->diag, &fused))
        return NULL;
    *out = fused.kernels.at[0];
    return how;
}

/* Prepends to the kernel's sentence how its loops are fused. */
void compile_say_fused(const char *how, double cycles, double before, arena *mem, const char **chosen) {
    *chosen = compile_add_sentence(
        arena_printf(mem, "-s \"%s\": %.0f cycles predicted, %.0f apart", how, cycles, before), *chosen, mem);
}

/* Fuses the loops of kernel n of several, if the predicted time falls below *least, the time of the program
 * now. */
static void choose_fused_of(compile_trying *c, const compile_search_in *by, uint32_t n, double *least,
                            compile_schedule *out) {
    arena *mem = c->ctx->mem;
    const fe_kernel *kernel = &out->cin.kernels.at[n];
    fe_kernel fused;
    const char *how = compile_fuse_loops(c, by, kernel, &fused);
    if (!how || !compile_maps(c, &fused))
        return;
    const fe_cin cin = compile_with_kernel(&out->cin, n, &fused, mem);
    compile_schedule other = in_order(out, &cin, n, 0, 0, mem);
    other.chosen.at[n] = NULL;
    compile_choose_stores(c, by, n, &other);
    const double cycles = compile_search_below(by, c->ctx, COMPILE_FUSE_BELOW, *least, &other);
    if (!isfinite(cycles))
        return;
    compile_say_fused(how, cycles, *least, mem, &other.chosen.at[n]);
    *out = other;
    *least = cycles;
}

/* Chooses orders of the loops, dense operands, columns and phases for each kernel. Returns the chip's
 * predicted time for all kernels. */
double compile_choose_each(compile_trying *c, const compile_search_in *by, compile_schedule *out) {
    for (uint32_t n = 0; n < out->cin.kernels.len; n++)
        compile_choose_loops_and_stores(c, by, n, out);
    double several = compile_search(by, c->ctx, &out->cin, &out->tilings);
    const bool several_kernels = out->cin.kernels.len > 1;
    for (uint32_t n = out->cin.kernels.len; n--;) {
        compile_choose_columns(c, by, n, &several, out);
        if (!out->cin.kernels.at[n].s.single && several_kernels)
            choose_fused_of(c, by, n, &several, out);
        if (!out->cin.kernels.at[n].s.single)
            choose_phases_of(c, by, n, &several, out);
    }
    return several;
}
