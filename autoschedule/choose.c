/* Mapping of statements that the chip cannot run in the default order of the loops. The default order is kept
 * if the chip has all primitives. Otherwise takes the first order that lowers, orders with the result's loops
 * outside first (scalar reducers are enough); then several kernels (fe_staged), also under a stated order. A
 * trial lowers the choice. */
#include "autoschedule/choose.h"
#include "autoschedule/autoschedule_int.h"
#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "frontend/schedules/schedules.h"
#include "kernel/edges.h"
#include "kernel/lower.h"
#include "kernel/processor.h"
#include "lower_onyx/table.h"
#include "sam/coordinates.h"

#include <math.h>

/* Orders tried of a kernel: all orders of four loops. Of five loops, an order that maps is among the first,
 * or no order maps. */
enum { MOST_ORDERS = 24 };

static bool lowers(compile_context *ctx, void *of) {
    const compile_one_kernel *one = of;
    return compile_lowers(one->c->o, ctx, one->kernel, one->c->in->board);
}

static uint32_t count_operands(const sam_statement *s, sam_expr h) {
    if (!h.v)
        return 0;
    const sam_expr_data *x = sam_expr_at(s, h);
    return x->kind == SAM_EXPR_ACCESS ? 1 : count_operands(s, x->a) + count_operands(s, x->b);
}

bool compile_takes_whole_sums(compile_context *ctx, void *of) {
    const compile_one_kernel *one = of;
    compile_lowered lowered;
    return compile_lower_sam(one->c->o, true, ctx, one->kernel, &lowered) && lowered.statement.uncut;
}

/* Returns how far a variable runs: as stated, or as the data of the user's statement say; 0: neither does. */
static uint32_t extent_of(const compile_trying *c, const sam_statement *s, sam_var v) {
    const sam_statement *user = c->in->user;
    const bool has = !sam_var_at(s, v)->extent && c->in->data && c->in->data->extent &&
                     v.v <= user->vars.len && name_eq(sam_var_at(user, v)->name, sam_var_at(s, v)->name);
    return has ? c->in->data->extent[v.v - 1] : sam_var_at(s, v)->extent;
}

bool compile_may_have_tables(const sam_statement *s) {
    bool any = false;
    for (uint32_t e = 1; e <= s->exprs.len && !any; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        any = (x->kind == SAM_EXPR_DIV && !s->integers) ||
              (x->kind == SAM_EXPR_CALL && (x->program || x->operation == SAM_OPERATION_exp));
    }
    return any;
}

static bool reads_dense_levels(const sam_statement *s, sam_expr h) {
    const sam_expr_data *x = h.v ? sam_expr_at(s, h) : NULL;
    bool any = false;
    if (!x)
        return false;
    if (x->kind != SAM_EXPR_ACCESS)
        return reads_dense_levels(s, x->a) || reads_dense_levels(s, x->b);
    for (uint32_t l = 0; l < sam_tensor_at(s, x->tensor)->order; l++)
        any = any || sam_level_is_whole(sam_tensor_at(s, x->tensor), l);
    return any;
}

/* Returns whether the divisor is a scalar of a program, no workspace: the scalar has a value in every run, so
 * every point of the quotient is stored, 0 / 0 included. */
static bool is_scalar(const compile_trying *c, const sam_statement *s, sam_expr divisor) {
    const sam_expr_data *x = sam_expr_at(s, divisor);
    const sam_tensor_data *t = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(s, x->tensor) : NULL;
    return t && !t->order && c->o->asked.statement && fe_find_tensor(c->o->asked.statement, t->name).v;
}

/* Returns whether a quotient of bf16 may be 0 / 0 where neither operand has a value but a dense level has a
 * coordinate: the array would store NaN there, and the point is not stored (docs/index_notation.md). */
static bool divides_nothing(const compile_trying *c, const sam_statement *s) {
    bool any = false;
    for (uint32_t e = 1; e <= s->exprs.len && !any && !s->integers; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        any = x->kind == SAM_EXPR_DIV && !sam_fill_of(s, x->a) && !sam_fill_of(s, x->b) &&
              !is_scalar(c, s, x->b) && (reads_dense_levels(s, x->a) || reads_dense_levels(s, x->b));
    }
    return any;
}

/* Returns whether no more points are in the set than one operand stores. */
static bool is_stored_set(const sam_statement *s, const sam_algebra *all, sam_set h, uint64_t loops) {
    const sam_set_data *set = h.v ? &all->sets.at[h.v - 1] : NULL;
    if (!set)
        return false;
    const bool a = set->a.v && is_stored_set(s, all, set->a, loops),
               b = set->b.v && is_stored_set(s, all, set->b, loops);
    return set->kind == SAM_SET_STORED  ? !(loops & ~sam_vars_of(s, set->of))
           : set->kind == SAM_SET_MEET  ? a || b
           : set->kind == SAM_SET_UNITE ? a && b
                                        : false;
}

/* A run of the array goes to every point that an operation has coordinates at; the host leaves out those
 * where the data say that nothing comes of them (tiling/each.c). */
enum { MOST_SPREAD = 1 << 16 };

/* Returns whether an operation with tables is computed at more points than operands store, and many. */
static bool is_spread(const compile_trying *c, const sam_statement *s) {
    sam_algebra algebra = {.mem = c->ctx->mem};
    uint64_t loops = 0;
    double points = 1;
    if (!compile_may_have_tables(s))
        return false;
    for (uint32_t l = 0; l < s->loops.len; l++) {
        const sam_var v = s->loops.at[l];
        loops |= UINT64_C(1) << (v.v - 1);
        points *= fmax(extent_of(c, s, v), 1);
    }
    return points > MOST_SPREAD && !is_stored_set(s, &algebra, sam_joined_of(&algebra, s, s->rhs), loops);
}

/* Returns why the array does not run a kernel whose graph it could hold, or NULL. */
static const char *without_trial(const compile_trying *c, const sam_statement *s) {
    if (c->o->tried.operands && count_operands(s, s->rhs) > c->o->tried.operands)
        return "another kernel with as many operands was tried, and does not run";
    if (is_spread(c, s))
        return "an operation with tables has values at more points than operands store, which the array "
               "would all compute";
    return divides_nothing(c, s) ? "the array would divide 0 by 0 where no operand has a value" : NULL;
}

bool compile_maps(compile_trying *c, const fe_kernel *kernel) {
    compile_one_kernel one = {c, kernel};
    c->last = (compile_reason){.why = without_trial(c, &kernel->s)};
    if (c->last.why)
        return false;
    const compile_trial_result a = compile_try(c->ctx, lowers, &one);
    if (!a.mistake)
        c->last = a.against;
    return a.works;
}

/* A kernel with a store. */
typedef struct {
    compile_one_kernel one;
    compile_dense_level store;
} dense_kernel;

/* Returns whether the board can run the kernel with the dense level. A tensor of two levels or more must be
 * located, since its other levels stay. Operands that the chip's dense scanner cannot read are stored
 * compressed anyway (fe_pad), without a gain. */
static bool pays_dense(compile_context *ctx, void *of) {
    const dense_kernel *d = of;
    const compile_trying *c = d->one.c;
    const sam_statement *s = &d->one.kernel->s;
    const sam_tensor tensor = sam_expr_at(s, d->store.access)->tensor;
    compile_lowered lowered;
    bool located = sam_tensor_at(s, tensor)->order == 1;
    if (!compile_lower_sam(c->o, true, ctx, d->one.kernel, &lowered))
        return false;
    for (uint32_t e = 1; e <= lowered.statement.exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(&lowered.statement, (sam_expr){e});
        const bool is_it = d->store.alone ? e == d->store.access.v : x->tensor.v == tensor.v;
        if (x->kind != SAM_EXPR_ACCESS || !is_it)
            continue;
        located = located || x->located;
        if (sam_tensor_at(&lowered.statement, x->tensor)->whole)
            return false;
    }
    /* A dense scan of an outermost level also saves a load stream. */
    return (located || c->crowded) && compile_lowers(c->o, ctx, d->one.kernel, c->in->board);
}

bool compile_pays_dense(const compile_trying *c, const fe_kernel *kernel, compile_dense_level store) {
    return compile_works(c, pays_dense, &(dense_kernel){{c, kernel}, store});
}

bool compile_loops_are_open(const fe_kernel *kernel) {
    bool open = !kernel->tags.len;
    for (uint32_t r = 0; r < kernel->relations.len; r++)
        open = open && fe_is_fused(kernel, &kernel->relations.at[r]);
    return open;
}

/* Returns whether every loop of the result is outside of every other. */
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

/* Gives the kernel the first order of its loops with a mapping. O(orders) lowerings. */
static bool find_order(compile_trying *c, fe_kernel *kernel) {
    uint32_t n = kernel->s.loops.len, tried = 0;
    sam_var *loop = arena_new_n(c->ctx->mem, sam_var, n), *other = arena_new_n(c->ctx->mem, sam_var, n);
    uint32_t *permutation = arena_new_n(c->ctx->mem, uint32_t, n);
    memcpy(loop, kernel->s.loops.at, sizeof *loop * n);
    fe_kernel trial = *kernel;
    trial.s.loops.at = other;
    for (int outside = 1; outside >= 0; outside--) {
        for (uint32_t i = 0; i < n; i++)
            permutation[i] = i;
        do {
            for (uint32_t i = 0; i < n; i++)
                other[i] = loop[permutation[i]];
            if (results_outside(&trial.s) != (outside != 0))
                continue;
            if (tried++ == MOST_ORDERS)
                return false;
            if (compile_maps(c, &trial)) {
                memcpy(kernel->s.loops.at, other, sizeof *loop * n);
                return true;
            }
        } while (compile_next_order(permutation, n));
    }
    return false;
}

/* Rows are at most as long as their number, and an accumulator pays with more than a few values. */
enum { ROW_LEAST = 4, ROW_MOST = 64 };

static uint32_t row_of(uint32_t extent) {
    uint32_t row = ROW_LEAST;
    while (row < ROW_MOST && 4 * row * row <= extent)
        row *= 2;
    return row;
}

/* Returns whether the kernel reads a tensor that is none of the user's statement. */
static bool reads_workspace(const compile_trying *c, const sam_statement *s) {
    bool any = false;
    for (uint32_t e = 1; e <= s->exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        any = any || (x->kind == SAM_EXPR_ACCESS &&
                      !fe_find_tensor(c->in->user, sam_user_name(sam_tensor_at(s, x->tensor))).v);
    }
    return any;
}

/* Returns whether a run of the kernel is refused, since an operation takes whole sums of a workspace: the
 * extents of the sums are unknown before the run, and sub-tiles must not cut the sums (fit_to_extents of
 * kernel/edges.c). */
static bool cuts_sums(compile_trying *c, const fe_kernel *kernel) {
    compile_one_kernel one = {c, kernel};
    return c->o->running.executes && reads_workspace(c, &kernel->s) &&
           compile_works(c, compile_takes_whole_sums, &one);
}

/* Gives the kernel rows along its loop, if the loop's extent is known and the kernel maps with rows. */
static bool cut_in_rows(compile_trying *c, fe_kernel *kernel) {
    const sam_var loop = fe_row_loop(kernel);
    const uint32_t extent = loop.v ? extent_of(c, &kernel->s, loop) : 0;
    if (extent < ROW_LEAST * ROW_LEAST || c->o->cutting.tile.along.len)
        return false;
    const uint32_t stated = sam_var_at(&kernel->s, loop)->extent;
    sam_var_at(&kernel->s, loop)->extent = extent;
    kernel->s.rows = row_of(extent);
    if (compile_maps(c, kernel) && !cuts_sums(c, kernel))
        return true;
    sam_var_at(&kernel->s, loop)->extent = stated;
    kernel->s.rows = 0;
    return false;
}

/* Gives the sums of kernel n kernels of their own if a run of the kernel would cut the sums. */
static bool finish_sums(compile_trying *c, fe_cin *cin, uint32_t n) {
    const fe_kernel *kernel = &cin->kernels.at[n];
    fe_cin inner;
    if (!n || !cuts_sums(c, kernel) || !compile_maps(c, kernel) ||
        !fe_stage_subexprs(kernel, FE_STAGED_SUMS, c->ctx->mem, &inner))
        return false;
    *cin = compile_with_kernels(cin, n, &inner, c->ctx->mem);
    return true;
}

bool compile_choose_orders(compile_trying *c, fe_cin *cin, text_vec *chosen) {
    arena *mem = c->ctx->mem;
    *chosen = (text_vec){0};
    for (uint32_t n = 0; n < cin->kernels.len; n++) {
        cin->kernels.at[n].s.singly = false; /* of an earlier choice, whose kernels it may be */
        cin->kernels.at[n].s.rows = 0;
        const char *sentence =
            finish_sums(c, cin, n)
                ? "finishes sums that an operation takes whole, which the schedule does not"
                : NULL;
        fe_kernel *kernel = &cin->kernels.at[n];
        if (!kernel->on_host && !compile_maps(c, kernel)) {
            const compile_reason first = c->last;
            const char *why = first.why, *had = compile_loops_text(&kernel->s, mem);
            bool open = why && !kernel->ordered && compile_loops_are_open(kernel) &&
                        !(c->nested && first.refusal == DIAG_REFUSED_TOO_LARGE);
            bool found = open && find_order(c, kernel);
            if (!found && open && c->singly)
                found = cut_in_rows(c, kernel);
            if (!found && why && c->singly) {
                kernel->s.singly = true;
                found = compile_maps(c, kernel) || (open && find_order(c, kernel));
            }
            c->last = first;
            if (!found)
                return false;
            const char *loops = compile_loops_text(&kernel->s, mem);
            sentence = kernel->s.rows ? arena_printf(mem, "in rows of %u, whose values the host combines: %s",
                                                     kernel->s.rows, why)
                       : strcmp(loops, had) == 0
                           ? arena_printf(mem, "the host combines the values that the chip cannot: %s", why)
                           : arena_printf(mem, "loops %s, since the order %s fails: %s", loops, had, why);
        }
        vec_push(mem, chosen, sentence);
    }
    return true;
}

static bool schedule_lowers(compile_context *ctx, void *of) {
    const compile_trying *c = of;
    const fe_in staged = compile_with_schedule(c->in->in, &c->schedule);
    compile_trying trial = {.o = c->o, .ctx = ctx, .in = c->in, .singly = c->singly};
    fe_cin cin;
    text_vec unused;
    return fe_schedule(&staged, c->in->user, ctx->mem, ctx->diag, &cin) &&
           compile_choose_orders(&trial, &cin, &unused);
}

bool compile_schedule_maps(const compile_trying *c, const char *schedule) {
    compile_trying trial = *c;
    trial.schedule = schedule;
    return compile_works(c, schedule_lowers, &trial);
}

const char *compile_find_staging(compile_trying *c, const fe_kernel *kernel) {
    const bool singly = c->singly;
    const char *schedule = NULL;
    bool found = false;
    for (fe_staging how = 0; how < FE_STAGINGS && !found; how++) {
        c->singly = singly || how == FE_STAGE_ROWS;
        schedule = fe_staged(kernel, how, c->ctx->mem);
        found = schedule && compile_schedule_maps(c, schedule);
    }
    if (!found)
        c->singly = singly;
    return found ? schedule : NULL;
}

/* Makes kernels of sums inside of the expression, of intersected unions, or of both. */
static bool choose_staged(compile_trying *c, const char *why, compile_schedule *out) {
    static const char *const what[FE_STAGED_KINDS] = {"sum", "union that is met",
                                                      "sum and union that is met"};
    fe_cin cin;
    text_vec chosen;
    for (fe_staged_kinds kinds = 0; kinds < FE_STAGED_KINDS; kinds++) {
        if (!fe_stage_subexprs(&out->cin.kernels.at[0], kinds, c->ctx->mem, &cin) ||
            !compile_choose_orders(c, &cin, &chosen))
            continue;
        out->cin = cin;
        out->chosen = chosen;
        out->staged = arena_printf(c->ctx->mem, "%u kernels, one for each %s; as one: %s", cin.kernels.len,
                                   what[kinds], why);
        return true;
    }
    return false;
}

/* Returns whether the kernel is one operation that needs tables: the array lacks the operation if it has no
 * room for those. */
static bool is_table_alone(const fe_kernel *one) {
    const sam_expr_data *x = sam_expr_at(&one->s, one->s.rhs);
    const sam_expr operand[2] = {x->a, x->b};
    for (int k = 0; k < 2; k++) {
        if (operand[k].v && sam_expr_at(&one->s, operand[k])->a.v)
            return false;
    }
    return compile_may_have_tables(&one->s);
}

static fe_fit fits(void *of, const fe_kernel *one) {
    compile_trying trial = *(compile_trying *)of;
    fe_cin cin = {0};
    text_vec unused;
    vec_push(trial.ctx->mem, &cin.kernels, *one);
    trial.nested = true;
    if (compile_choose_orders(&trial, &cin, &unused))
        return FE_FITS;
    return trial.last.refusal == DIAG_REFUSED_TOO_LARGE && !is_table_alone(one) ? FE_TOO_LARGE : FE_LACKED;
}

/* Returns whether the processor of the chip has functions of the kernel. */
static bool is_processors(const fe_kernel *k) {
    bool is = false;
    for (uint32_t e = 0; e < k->s.exprs.len; e++)
        is = is || compile_called_at(&k->s, e);
    return is;
}

/* Returns words for the places of kernels outside of the array, to follow their number. */
static const char *where_of(const fe_cin *cin, arena *mem) {
    static const char *const places[] = {"on the host", "on the chip's processor"};
    const char *text = "";
    uint32_t n[2] = {0};
    for (uint32_t i = 0; i < cin->kernels.len; i++) {
        if (cin->kernels.at[i].on_host)
            n[is_processors(&cin->kernels.at[i])]++;
    }
    for (uint32_t p = 0; p < 2; p++) {
        if (n[p] == cin->kernels.len)
            return arena_printf(mem, ", %s", places[p]);
        if (n[p])
            text = arena_printf(mem, "%s, %u of them %s", text, n[p], places[p]);
    }
    return text;
}

/* Returns the kernel with lists of values that are too long for the tables of a kernel dealt to several
 * functions. */
static fe_kernel with_short_lists(const fe_kernel *k, arena *mem) {
    fe_kernel out = *k;
    table_form *form = arena_new(mem, table_form);
    uint32_t shapes;
    fe_copy_statement(&k->s, mem, &out.s);
    for (uint32_t e = 1; e <= k->s.exprs.len; e++) {
        const sam_program *p = sam_expr_at(&k->s, (sam_expr){e})->program;
        if (fe_is_list(p) && !table_find_form(p->words, form, &shapes)) {
            fe_deal_list(&out.s, (sam_expr){e}, TABLE_LIST);
            out.s.general = true;
        }
    }
    return out;
}

/* Splits into as many kernels as needed, some on the host if the user permits. */
static bool choose_fitting(compile_trying *c, const char *why, compile_schedule *out) {
    arena *mem = c->ctx->mem;
    const fe_kernel kernel = with_short_lists(&out->cin.kernels.at[0], mem);
    fe_cin cin;
    text_vec chosen;
    uint32_t on_host = 0;
    if (!fe_stage_fitting(&kernel, fits, c, mem, &cin) || !compile_choose_orders(c, &cin, &chosen))
        return false;
    for (uint32_t n = 0; n < cin.kernels.len; n++)
        on_host += cin.kernels.at[n].on_host;
    if (on_host && compile_array_alone(c->o))
        return false;
    for (uint32_t n = 0; n < cin.kernels.len; n++) {
        if (cin.kernels.at[n].on_host)
            compile_fall_back(c->ctx, &cin.kernels.at[n]);
    }
    out->cin = cin;
    out->chosen = chosen;
    out->staged = arena_printf(mem, "%u %s%s; as one on the array: %s", cin.kernels.len,
                               plural(cin.kernels.len, "kernel", "kernels"), where_of(&cin, mem), why);
    return true;
}

bool compile_choose_kernels(compile_trying *c, compile_schedule *out) {
    const fe_in *in = c->in->in;
    if (compile_choose_orders(c, &out->cin, &out->chosen))
        return true;
    const compile_reason first = c->last;
    const char *why = first.why;
    const bool single = out->cin.kernels.len == 1;
    const char *schedule = why && single ? compile_find_staging(c, &out->cin.kernels.at[0]) : NULL;
    c->singly |= why && !schedule;
    if (why && !schedule &&
        (compile_choose_orders(c, &out->cin, &out->chosen) ||
         (single && !in->n_schedule && (choose_staged(c, why, out) || choose_fitting(c, why, out)))))
        return true;
    for (uint32_t n = 0; n < out->cin.kernels.len; n++)
        out->cin.kernels.at[n].s.singly = false;
    c->last = first;
    if (!schedule)
        return false;
    const fe_in staged = compile_with_schedule(in, &schedule);
    bool again = fe_schedule(&staged, c->in->user, c->ctx->mem, c->ctx->diag, &out->cin) &&
                 compile_choose_orders(c, &out->cin, &out->chosen);
    BUG_IF(!again, "'%s' was possible a moment ago", schedule);
    out->staged =
        arena_printf(c->ctx->mem, "%u kernels, -s \"%s\"; as one: %s", out->cin.kernels.len, schedule, why);
    return true;
}

bool compile_choose_with(const compile_options *o, compile_context *ctx, const compile_choosing *in,
                         const char *schedule, compile_schedule *out) {
    compile_trying c = {.o = o, .ctx = ctx, .in = in, .singly = true};
    const fe_in with = compile_with_schedule(in->in, &schedule);
    return compile_schedule_maps(&c, schedule) &&
           fe_schedule(&with, in->user, ctx->mem, ctx->diag, &out->cin) &&
           compile_choose_orders(&c, &out->cin, &out->chosen);
}
