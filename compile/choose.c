/* What the user left open and the chip cares about: the order of the loops, and whether a statement is one
 * kernel or several. The default order is kept where the chip has all that it needs. Otherwise the first
 * order is taken that it does have, those with the result's loops outside first, since these need no reducer
 * but scalar ones; then the statement in stages (fe_staged), in an order that was asked for, too. A choice is
 * tried by lowering it. */
#include "compile/choose.h"
#include "compile/contract.h"
#include "compile/processor.h"
#include "frontend/fuse.h"
#include "frontend/rows.h"
#include "frontend/sums.h"
#include "sam/operators.h"

#include <math.h>

/* Orders tried of one kernel: all of four loops. Of five, one that maps is among the first or not there. */
enum { MOST_ORDERS = 24 };

typedef struct {
    const compile_options *o;
    compile_context *ctx;
    const compile_choosing *in;
    const char *schedule; /* the one on trial */
    bool singly;          /* the host combines what the chip does not (sam_statement.singly) */
    bool part;            /* of a statement: what is too large in one order of the loops is cut further */
    bool written;         /* what one kernel computes for another may be stored dense, too */
    const char *why;      /* why the last one that was tried will not do; NULL: a mistake of the user */
    const tile_operands *whole; /* the user's operands, where what is chosen goes by a sample of them */
} choosing;

typedef struct {
    const choosing *c;
    const fe_kernel *kernel;
} one_kernel;

static bool lowers(compile_context *ctx, void *of) {
    const one_kernel *one = of;
    return compile_lowers(one->c->o, ctx, one->kernel, one->c->in->board);
}

static uint32_t count_operands(const sam_statement *s, sam_expr h) {
    if (!h.v)
        return 0;
    const sam_expr_data *x = sam_expr_at(s, h);
    return x->kind == SAM_EXPR_ACCESS ? 1 : count_operands(s, x->a) + count_operands(s, x->b);
}

/* Returns whether the chip can run the kernel. */
static bool maps(choosing *c, const fe_kernel *kernel) {
    one_kernel one = {c, kernel};
    if (c->o->operands && count_operands(&kernel->s, kernel->s.rhs) > c->o->operands) {
        c->why = "another kernel with as many operands was tried, and does not run";
        return false;
    }
    const compile_attempt a = compile_try(c->ctx, lowers, &one);
    c->why = a.mistake ? NULL : a.why;
    return a.works;
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

static bool is_too_large(const char *why) {
    return strstr(why, "[E0510-too-large]") != NULL;
}

/* Rows are not longer than they are many, and an accumulator is better with more than a few values. */
enum { ROW_LEAST = 4, ROW_MOST = 64 };

static uint32_t row_of(uint32_t extent) {
    uint32_t row = ROW_LEAST;
    while (row < ROW_MOST && 4 * row * row <= extent)
        row *= 2;
    return row;
}

/* Returns how far a variable runs: as stated, or as the data of the user's statement say; 0: neither does. */
static uint32_t extent_of(const choosing *c, const sam_statement *s, sam_var v) {
    const sam_statement *user = c->in->user;
    const bool has = !sam_var_at(s, v)->extent && c->in->data && c->in->data->extent &&
                     v.v <= user->vars.len && name_eq(sam_var_at(user, v)->name, sam_var_at(s, v)->name);
    return has ? c->in->data->extent[v.v - 1] : sam_var_at(s, v)->extent;
}

/* Gives the kernel rows along its loop, where it is known how far that runs, and maps so. */
static bool cut_in_rows(choosing *c, fe_kernel *kernel) {
    const sam_var loop = fe_row_loop(kernel);
    const uint32_t extent = loop.v ? extent_of(c, &kernel->s, loop) : 0;
    if (extent < ROW_LEAST * ROW_LEAST || c->o->tile.along.len)
        return false;
    const uint32_t stated = sam_var_at(&kernel->s, loop)->extent;
    sam_var_at(&kernel->s, loop)->extent = extent;
    kernel->s.rows = row_of(extent);
    if (maps(c, kernel))
        return true;
    sam_var_at(&kernel->s, loop)->extent = stated;
    kernel->s.rows = 0;
    return false;
}

/* Orders in which all kernels map; a sentence for each that is not the one it had. */
static bool choose_orders(choosing *c, fe_cin *cin, text_vec *chosen) {
    arena *mem = c->ctx->mem;
    *chosen = (text_vec){0};
    for (uint32_t n = 0; n < cin->kernels.len; n++) {
        fe_kernel *kernel = &cin->kernels.at[n];
        const char *sentence = NULL;
        kernel->s.singly = false;
        kernel->s.rows = 0;
        if (!kernel->on_host && !maps(c, kernel)) {
            const char *why = c->why, *had = compile_loops_text(&kernel->s, mem);
            bool open =
                why && !kernel->ordered && compile_loops_are_open(kernel) && !(c->part && is_too_large(why));
            bool found = open && find_order(c, kernel);
            if (!found && open && c->singly)
                found = cut_in_rows(c, kernel);
            if (!found && why && c->singly) {
                kernel->s.singly = true;
                found = maps(c, kernel) || (open && find_order(c, kernel));
            }
            c->why = why;
            if (!found)
                return false;
            const char *loops = compile_loops_text(&kernel->s, mem);
            sentence = kernel->s.rows ? arena_printf(mem, "in rows of %u, whose values the host combines: %s",
                                                     kernel->s.rows, why)
                       : strcmp(loops, had) == 0
                           ? arena_printf(mem, "the host combines what the chip does not: %s", why)
                           : arena_printf(mem, "loops %s; in the order %s: %s", loops, had, why);
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

static bool schedule_lowers(compile_context *ctx, void *of) {
    const choosing *c = of;
    const fe_in staged = with_schedule(c->in->in, &c->schedule);
    choosing trial = {.o = c->o, .ctx = ctx, .in = c->in, .singly = c->singly};
    fe_cin cin;
    text_vec unused;
    return fe_schedule(&staged, c->in->user, ctx->mem, ctx->diag, &cin) &&
           choose_orders(&trial, &cin, &unused);
}

/* Returns whether the chip can run the statement as the schedule says, in some order of the loops. */
static bool schedule_maps(const choosing *c, const char *schedule) {
    choosing trial = *c;
    trial.schedule = schedule;
    return compile_try(c->ctx, schedule_lowers, &trial).works;
}

/* The first way to make several kernels of one in which all map; NULL: there is none. At last the host may
 * combine what comes of single points or rows (choosing.singly), if only those of a vector. */
static const char *find_staging(choosing *c, const fe_kernel *kernel) {
    const bool singly = c->singly;
    const char *schedule = NULL;
    bool found = false;
    for (fe_staging how = 0; how < FE_STAGINGS && !found; how++) {
        c->singly = singly || how == FE_STAGE_ROWS;
        schedule = fe_staged(kernel, how, c->ctx->mem);
        found = schedule && schedule_maps(c, schedule);
    }
    if (!found)
        c->singly = singly;
    return found ? schedule : NULL;
}

/* Sums inside of the expression, unions that are met, or both become kernels. */
static bool choose_parts(choosing *c, const char *why, compile_schedule *out) {
    static const char *const what[FE_PARTS_KINDS] = {"sum", "union that is met", "sum and union that is met"};
    fe_cin cin;
    text_vec chosen;
    for (fe_parts parts = 0; parts < FE_PARTS_KINDS; parts++) {
        if (!fe_stage_parts(&out->cin.kernels.at[0], parts, c->ctx->mem, &cin) ||
            !choose_orders(c, &cin, &chosen))
            continue;
        out->cin = cin;
        out->chosen = chosen;
        out->staged = arena_printf(c->ctx->mem, "%u kernels, one for each %s; as one: %s", cin.kernels.len,
                                   what[parts], why);
        return true;
    }
    return false;
}

static fe_fit fits(void *of, const fe_kernel *one) {
    choosing trial = *(choosing *)of;
    fe_cin cin = {0};
    text_vec unused;
    vec_push(trial.ctx->mem, &cin.kernels, *one);
    trial.part = true;
    if (choose_orders(&trial, &cin, &unused))
        return FE_FITS;
    return trial.why && is_too_large(trial.why) ? FE_TOO_LARGE : FE_LACKED;
}

/* Returns whether the processor of the chip has functions of the kernel. */
static bool is_processors(const fe_kernel *k) {
    bool is = false;
    for (uint32_t e = 0; e < k->s.exprs.len; e++)
        is = is || compile_called_at(&k->s, e);
    return is;
}

/* Returns where kernels run that the array does not, as words behind how many there are. */
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

/* As many kernels as it takes, some of them on the host if the user lets it. */
static bool choose_fitting(choosing *c, const char *why, compile_schedule *out) {
    arena *mem = c->ctx->mem;
    fe_cin cin;
    text_vec chosen;
    uint32_t on_host = 0;
    if (!fe_stage_fitting(&out->cin.kernels.at[0], fits, c, mem, &cin) || !choose_orders(c, &cin, &chosen))
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

void compile_choose(const compile_options *o, compile_context *ctx, const compile_choosing *in,
                    compile_schedule *out) {
    choosing c = {.o = o, .ctx = ctx, .in = in};
    if (choose_orders(&c, &out->cin, &out->chosen))
        return;
    const char *why = c.why;
    const bool single = out->cin.kernels.len == 1;
    const char *schedule = why && single ? find_staging(&c, &out->cin.kernels.at[0]) : NULL;
    c.singly |= why && !schedule;
    if (why && !schedule &&
        (choose_orders(&c, &out->cin, &out->chosen) ||
         (single && !in->in->n_schedule && (choose_parts(&c, why, out) || choose_fitting(&c, why, out)))))
        return;
    for (uint32_t n = 0; n < out->cin.kernels.len; n++)
        out->cin.kernels.at[n].s.singly = false;
    if (!schedule)
        return;
    const fe_in staged = with_schedule(in->in, &schedule);
    bool again = fe_schedule(&staged, in->user, ctx->mem, ctx->diag, &out->cin) &&
                 choose_orders(&c, &out->cin, &out->chosen);
    BUG_IF(!again, "'%s' was possible a moment ago", schedule);
    out->staged =
        arena_printf(ctx->mem, "%u kernels, -s \"%s\"; as one: %s", out->cin.kernels.len, schedule, why);
}

bool compile_choose_with(const compile_options *o, compile_context *ctx, const compile_choosing *in,
                         const char *schedule, compile_schedule *out) {
    choosing c = {.o = o, .ctx = ctx, .in = in, .singly = true};
    const fe_in with = with_schedule(in->in, &schedule);
    return schedule_maps(&c, schedule) && fe_schedule(&with, in->user, ctx->mem, ctx->diag, &out->cin) &&
           choose_orders(&c, &out->cin, &out->chosen);
}

/* ---- by the data ------------------------------------------------------------------------------- */

/* Orders that are lowered; of these, the ones that are costed; and the part of the steps of a search that all
 * of them share. */
enum { MOST_LOWERED = 24, MOST_COSTED = 5, ORDERS_PART = 4 };

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

/* Returns a multiply phase and a merge phase as a schedule, NULL where the kernel has none. What all factors
 * have is outside, so that each of their entries is scanned once. */
static const char *phases_of(const fe_kernel *kernel, arena *mem) {
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

/* Returns the program with another kernel in the place of kernel `at`. */
static fe_cin with_kernel(const fe_cin *cin, uint32_t at, const fe_kernel *kernel, arena *mem) {
    fe_cin out = *cin;
    out.kernels.at = NULL;
    out.kernels.len = out.kernels.cap = 0;
    for (uint32_t n = 0; n < cin->kernels.len; n++)
        vec_push(mem, &out.kernels, n == at ? *kernel : cin->kernels.at[n]);
    return out;
}

/* Adds the program with kernel `at` in other orders of its loops that the board can run, those first that
 * differ in the inner loops only. */
static void add_orders(choosing *c, const fe_cin *cin, uint32_t at, cins *all) {
    arena *mem = c->ctx->mem;
    const fe_kernel *kernel = &cin->kernels.at[at];
    const uint32_t n = kernel->s.loops.len;
    uint32_t *place = arena_new_n(mem, uint32_t, n + 1), tried = 0;
    for (uint32_t i = 0; i < n; i++)
        place[i] = i;
    while (tried++ < MOST_LOWERED && all->len <= MOST_COSTED && n > 1 && compile_next_order(place, n)) {
        fe_kernel other = *kernel;
        other.s.loops.at = arena_new_n(mem, sam_var, n);
        for (uint32_t i = 0; i < n; i++)
            other.s.loops.at[i] = kernel->s.loops.at[place[i]];
        if (!maps(c, &other))
            continue;
        vec_push(mem, all, with_kernel(cin, at, &other, mem));
    }
}

/* Returns whether zero times every value is zero. */
static bool are_finite(const tile_operands *all) {
    enum { EXPONENT = 0x7f80 };
    for (uint32_t t = 0; t < all->n && all->dtype == TILE_DTYPE_BF16; t++) {
        for (uint64_t e = 0; e < all->operand[t].nnz; e++) {
            if ((all->operand[t].val[e] & EXPONENT) == EXPONENT)
                return false;
        }
    }
    return true;
}

/* Returns whether some kernel of the program writes the tensor. */
static bool is_written(const fe_cin *cin, name_id tensor) {
    for (uint32_t n = 0; n < cin->kernels.len; n++) {
        const sam_statement *s = &cin->kernels.at[n].s;
        if (name_eq(sam_tensor_at(s, s->result)->name, tensor))
            return true;
    }
    return false;
}

/* Returns whether nobody says how an operand is to be stored, so that it may be dense. */
static bool is_format_open(const choosing *c, const fe_cin *cin, const sam_statement *s,
                           const sam_expr_data *x) {
    if (x->kind != SAM_EXPR_ACCESS)
        return false;
    const sam_tensor_data *t = sam_tensor_at(s, x->tensor);
    if (!c->written && is_written(cin, t->name))
        return false;
    for (uint32_t m = 0; m < t->order; m++) {
        const sam_level_format level = t->level[m];
        if (x->protocol[m] != SAM_BEST || (level != SAM_LEVEL_COMPRESSED && level != SAM_LEVEL_DENSE))
            return false;
    }
    return t->order > 0 && !t->ones && (t->structure == SAM_VALUES || t->structure == SAM_STORED) &&
           !fe_has_format(c->in->in, names_text(s->names, t->called.v ? t->called : t->name));
}

/* An operand's outermost level stored dense: for all accesses of the tensor, or for this one alone. */
typedef struct {
    sam_expr access;
    bool alone;
} store;
typedef VEC(store) stores;

/* A kernel with one. */
typedef struct {
    one_kernel one;
    store store;
} dense_kernel;

/* Returns whether the board can run it. What is no vector has to be located for it: its other levels stay. */
static bool pays_dense(compile_context *ctx, void *of) {
    const dense_kernel *d = of;
    const choosing *c = d->one.c;
    const sam_statement *s = &d->one.kernel->s;
    const sam_tensor tensor = sam_expr_at(s, d->store.access)->tensor;
    compile_lowered lowered;
    bool located = sam_tensor_at(s, tensor)->order == 1;
    if (!compile_lower_sam(c->o, true, ctx, d->one.kernel, &lowered))
        return false;
    for (uint32_t e = 1; e <= lowered.statement.exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(&lowered.statement, (sam_expr){e});
        const bool is_it = d->store.alone ? e == d->store.access.v : x->tensor.v == tensor.v;
        located = located || (x->kind == SAM_EXPR_ACCESS && is_it && x->located);
    }
    return located && compile_lowers(c->o, ctx, d->one.kernel, c->in->board);
}

/* Gives the kernel tensors of its own, whose levels may change. */
static void own_tensors(fe_kernel *kernel, arena *mem) {
    const sam_tensor_data *had = kernel->s.tensors.at;
    kernel->s.tensors.at = arena_new_n(mem, sam_tensor_data, kernel->s.tensors.len);
    memcpy(kernel->s.tensors.at, had, sizeof *had * kernel->s.tensors.len);
}

/* Makes the outermost level of a tensor dense, and those that are fused with it by this access. */
static void make_outer_dense(const fe_kernel *kernel, const sam_expr_data *x, sam_tensor_data *t) {
    const fe_fusion outer = fe_fusion_of(kernel, x->index[t->mode[0]]);
    t->level[0] = SAM_LEVEL_DENSE;
    for (uint32_t l = 1; l < t->order && outer.times; l++) {
        const fe_fusion own = fe_fusion_of(kernel, x->index[t->mode[l]]);
        if (own.times && own.first.v == outer.first.v)
            t->level[l] = SAM_LEVEL_DENSE;
    }
}

/* Makes of the kernel one with such a store; false: that does not pay. */
static bool make_dense(const choosing *c, const fe_kernel *kernel, store to, fe_kernel *out) {
    arena *mem = c->ctx->mem;
    const sam_statement *s = &kernel->s;
    *out = *kernel;
    if (to.alone) {
        out->s.exprs.at = arena_new_n(mem, sam_expr_data, s->exprs.len);
        memcpy(out->s.exprs.at, s->exprs.at, sizeof *s->exprs.at * s->exprs.len);
        sam_expr_at(&out->s, to.access)->outer_dense = true;
    } else {
        own_tensors(out, mem);
        const sam_expr_data *x = sam_expr_at(s, to.access);
        make_outer_dense(kernel, x, sam_tensor_at(&out->s, x->tensor));
    }
    return compile_try(c->ctx, pays_dense, &(dense_kernel){{c, out}, to}).works;
}

/* Returns the tensor's name, or the access where that alone is meant. */
static const char *store_text(const sam_statement *s, store to, arena *mem) {
    const sam_expr_data *x = sam_expr_at(s, to.access);
    const sam_tensor_data *t = sam_tensor_at(s, x->tensor);
    const char *text = names_text(s->names, t->name);
    for (uint32_t m = 0; to.alone && m < t->order; m++)
        text = arena_printf(mem, "%s%s%s%s", text, m ? "," : "(", fe_var_text(s, x->index[m]),
                            m + 1 < t->order ? "" : ")");
    return text;
}

/* Returns what -f would say of it. */
static const char *dense_format(const sam_tensor_data *t, const char *name, arena *mem) {
    const char *format = arena_printf(mem, "%s:d", name);
    for (uint32_t l = 1; l < t->order; l++)
        format = arena_printf(mem, "%s%c", format, t->level[l] == SAM_LEVEL_DENSE ? 'd' : 's');
    return format;
}

/* Lists what may be stored dense of a kernel's operands: of one that is read several times each access by
 * itself, then all of them. */
static void list_stores(const choosing *c, const fe_cin *cin, const fe_kernel *kernel, stores *out) {
    const sam_statement *s = &kernel->s;
    for (uint32_t e = 1; e <= s->exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        fe_kernel dense;
        if (!is_format_open(c, cin, s, x) || x->outer_dense ||
            sam_tensor_at(s, x->tensor)->level[0] != SAM_LEVEL_COMPRESSED)
            continue;
        const uint32_t accesses = sam_count_reads(s, x->tensor, s->exprs.len);
        const store alone = {{e}, true}, whole = {{e}, false};
        if (accesses > 1 && make_dense(c, kernel, alone, &dense))
            vec_push(c->ctx->mem, out, alone);
        if (sam_count_reads(s, x->tensor, e) == accesses && make_dense(c, kernel, whole, &dense))
            vec_push(c->ctx->mem, out, whole);
    }
}

/* Returns `by` for a program of which nothing is wanted but whether it takes less than `least`. */
static compile_search_in below(const compile_search_in *by, double least) {
    compile_search_in out = *by;
    if (isfinite(least) && (!(out.most > 0) || least < out.most))
        out.most = least;
    return out;
}

/* Returns what the chip is expected to take, found in one of `share` parts of the steps of a search; *own
 * gets the part of kernel n. */
static double expect_with(choosing *c, const compile_search_in *by, const fe_cin *cin, uint32_t share,
                          uint32_t n, double *own) {
    compile_search_in part = *by;
    compile_tilings tilings;
    part.share = share;
    const double all = compile_search(&part, c->ctx, cin, &tilings);
    *own = cin->kernels.len > 1 && tilings.at[n].expected.cost > 0 ? fmin(tilings.at[n].expected.cost, all)
                                                                   : all;
    return all;
}

/* Returns what the chip is expected to take, `least` or more where it is not less than that. */
static double expect_below(choosing *c, const compile_search_in *by, const fe_cin *cin, uint32_t share,
                           double least) {
    const compile_search_in less = below(by, least);
    double unused;
    return expect_with(c, &less, cin, share, 0, &unused);
}

/* Returns whether a program is expected to take so much less with another form of a kernel that this is worth
 * it: as a part of what the kernel takes now. */
static bool is_worth(double cycles, double now, double own) {
    return isfinite(now) ? cycles < now - (1 - COMPILE_WORTH_CHANGING) * own : isfinite(cycles);
}

/* Returns the program with such a store in kernel n; false: that does not pay. */
static bool with_store(const choosing *c, const fe_cin *cin, uint32_t n, store to, fe_cin *out) {
    const sam_statement *s = &cin->kernels.at[n].s;
    fe_kernel kernel;
    if (sam_tensor_at(s, sam_expr_at(s, to.access)->tensor)->level[0] == SAM_LEVEL_DENSE ||
        !make_dense(c, &cin->kernels.at[n], to, &kernel))
        return false;
    *out = with_kernel(cin, n, &kernel, c->ctx->mem);
    return true;
}

/* Puts the store that is best by itself in front: what one saves another one may save, too. */
static void best_first(choosing *c, const compile_search_in *by, const fe_cin *cin, uint32_t n, stores *all) {
    double least = INFINITY;
    uint32_t best = 0;
    for (uint32_t i = 0; i < all->len && all->len > 1; i++) {
        fe_cin dense;
        const double cycles = with_store(c, cin, n, all->at[i], &dense)
                                  ? expect_below(c, by, &dense, ORDERS_PART * all->len, least)
                                  : INFINITY;
        best = cycles < least ? i : best;
        least = fmin(cycles, least);
    }
    if (best) {
        const store first = all->at[best];
        memmove(all->at + 1, all->at, best * sizeof *all->at);
        all->at[0] = first;
    }
}

static const char *add_sentence(const char *before, const char *next, arena *mem) {
    return before && next ? arena_printf(mem, "%s; %s", before, next) : before ? before : next;
}

/* What the search for stores of a kernel goes by. */
typedef struct {
    const compile_search_in *by;
    uint32_t kernel, share;
    double least, own; /* what the program, and the kernel in it, take now */
} storing;

/* Stores those that may be of `some` dense, where all of that together is expected to take less; false: it
 * is not. */
static bool try_stores(choosing *c, storing *to, const stores *some, compile_schedule *out) {
    arena *mem = c->ctx->mem;
    fe_cin cin = out->cin, next;
    text_vec formats = {0};
    const char *names = "";
    for (uint32_t i = 0; i < some->len; i++) {
        const sam_statement *s = &cin.kernels.at[to->kernel].s;
        if (!with_store(c, &cin, to->kernel, some->at[i], &next))
            continue;
        const char *name = store_text(s, some->at[i], mem);
        cin = next;
        s = &cin.kernels.at[to->kernel].s;
        names = arena_printf(mem, "%s%s%s", names, formats.len ? ", " : "", name);
        vec_push(mem, &formats,
                 dense_format(sam_tensor_at(s, sam_expr_at(s, some->at[i].access)->tensor), name, mem));
    }
    const double cycles = formats.len ? expect_below(c, to->by, &cin, to->share, to->least) : INFINITY;
    if (!is_worth(cycles, to->least, to->own))
        return false;
    out->chosen.at[to->kernel] =
        add_sentence(out->chosen.at[to->kernel],
                     arena_printf(mem, "%s dense: %.0f cycles of the chip expected, %.0f compressed", names,
                                  cycles, to->least),
                     mem);
    for (uint32_t i = 0; i < formats.len; i++)
        vec_push(mem, &out->dense, formats.at[i]);
    out->cin = cin;
    to->own = isfinite(to->least) ? to->own - (to->least - cycles) : cycles;
    to->least = cycles;
    return true;
}

/* Stores operands of kernel n dense along their outermost levels, one after the other, where that is
 * expected to take less, and what is left together: two that are added to each other are scanned as long as
 * one of them is. Returns what the chip is then expected to take for all kernels; INFINITY: no operand
 * may be stored so. */
static double choose_stores(choosing *c, const compile_search_in *by, uint32_t n, compile_schedule *out) {
    stores all = {0}, left = {0};
    if (are_finite(c->whole))
        list_stores(c, &out->cin, &out->cin.kernels.at[n], &all);
    storing to = {.by = by, .kernel = n, .share = ORDERS_PART * all.len, .least = INFINITY};
    if (all.len)
        to.least = expect_with(c, by, &out->cin, to.share, n, &to.own);
    best_first(c, by, &out->cin, n, &all);
    for (uint32_t i = 0; i < all.len; i++) {
        stores one = {0};
        vec_push(c->ctx->mem, &one, all.at[i]);
        if (!try_stores(c, &to, &one, out) && !all.at[i].alone)
            vec_push(c->ctx->mem, &left, all.at[i]);
    }
    if (left.len > 1)
        try_stores(c, &to, &left, out);
    return to.least;
}

/* Returns whether a third of the values of a user's tensor are stored: beside functions, for which what is
 * not stored may not count as the fill does, all of them. A vector pays with fewer. */
static bool is_full(const choosing *c, const sam_statement *s, const sam_tensor_data *t) {
    enum { THIRD = 3, EIGHTH = 8 };
    const tile_tensor *is = NULL;
    double size = 1;
    for (uint32_t i = 0; i < c->whole->n && !is; i++)
        is = name_eq(c->whole->operand[i].name, t->name) ? &c->whole->operand[i] : NULL;
    for (uint32_t m = 0; is && m < t->order; m++)
        size *= is->dim[m];
    if (!is || t->order == 1)
        return is && EIGHTH * (double)is->nnz >= size;
    return (s->general ? 1 : THIRD) * (double)is->nnz >= size;
}

typedef VEC(sam_tensor) tensors;

/* Lists the operands of kernel n that are nearly full, of which nobody says how they are to be stored. */
static void list_full(const choosing *c, const fe_cin *cin, uint32_t n, tensors *out) {
    const sam_statement *s = &cin->kernels.at[n].s;
    for (uint32_t e = 1; e <= s->exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        if (!is_format_open(c, cin, s, x) || x->outer_dense)
            continue;
        const sam_tensor_data *t = sam_tensor_at(s, x->tensor);
        bool listed = false;
        for (uint32_t i = 0; i < out->len; i++)
            listed = listed || out->at[i].v == x->tensor.v;
        if (!listed && t->level[t->order - 1] != SAM_LEVEL_DENSE && is_full(c, s, t))
            vec_push(c->ctx->mem, out, x->tensor);
    }
}

/* A kernel with some of its tensors dense along all levels. */
typedef struct {
    fe_kernel kernel;
    tensors tensors;
    text_vec formats; /* as -f has them */
    const char *names;
} full_kernel;

/* Makes it of all of the tensors but one, or 0. */
static full_kernel make_full(const fe_kernel *kernel, const tensors *all, sam_tensor but, arena *mem) {
    full_kernel out = {.kernel = *kernel, .names = ""};
    own_tensors(&out.kernel, mem);
    for (uint32_t i = 0; i < all->len; i++) {
        sam_tensor_data *t = sam_tensor_at(&out.kernel.s, all->at[i]);
        if (all->at[i].v == but.v)
            continue;
        for (uint32_t l = 0; l < t->order; l++)
            t->level[l] = SAM_LEVEL_DENSE;
        const char *name = names_text(kernel->s.names, t->name);
        out.names = arena_printf(mem, "%s%s%s", out.names, out.tensors.len ? ", " : "", name);
        vec_push(mem, &out.formats, dense_format(t, name, mem));
        vec_push(mem, &out.tensors, all->at[i]);
    }
    return out;
}

/* Gives the user's only kernel the order that its loops are written in; false: it has that. */
static bool in_written_order(const choosing *c, fe_kernel *kernel) {
    const sam_statement *user = c->in->user;
    const uint32_t n = kernel->s.loops.len;
    if (kernel->ordered || !compile_loops_are_open(kernel) || user->loops.len != n ||
        memcmp(user->loops.at, kernel->s.loops.at, sizeof *user->loops.at * n) == 0)
        return false;
    kernel->s.loops.at = arena_new_n(c->ctx->mem, sam_var, n);
    memcpy(kernel->s.loops.at, user->loops.at, sizeof *user->loops.at * n);
    kernel->s.singly = false;
    kernel->s.rows = 0;
    return true;
}

/* What the program takes with some of kernel n dense, in the order of its loops or in that as written. */
typedef struct {
    full_kernel full;
    fe_cin cin;
    double cycles;
    bool written;
} full_program;

/* Returns what is expected of it, `least` or more where it is not less than that; INFINITY: the board cannot
 * run it. */
static full_program expect_full(choosing *c, const compile_search_in *by, const fe_cin *cin, uint32_t n,
                                const full_kernel *full, double least) {
    full_program best = {.full = *full, .cycles = INFINITY};
    for (int as_written = 0; as_written < 2; as_written++) {
        fe_kernel kernel = full->kernel;
        if ((as_written && (cin->kernels.len > 1 || !in_written_order(c, &kernel))) || !maps(c, &kernel))
            continue;
        const fe_cin other = with_kernel(cin, n, &kernel, c->ctx->mem);
        const double cycles = expect_below(c, by, &other, ORDERS_PART, fmin(least, best.cycles));
        if (cycles < best.cycles)
            best = (full_program){*full, other, cycles, as_written};
    }
    return best;
}

/* Stores what is nearly full dense along all levels, where that is expected to take less, and not what then
 * takes less without: it needs no coordinates, and the order of the loops that is best of it may be another
 * one, also the order as written if that maps only so. Returns a sentence, or NULL: nothing is stored so. */
static const char *choose_full(choosing *c, const compile_search_in *by, uint32_t n, compile_schedule *out) {
    arena *mem = c->ctx->mem;
    const fe_kernel *kernel = &out->cin.kernels.at[n];
    tensors all = {0};
    double own;
    if (are_finite(c->whole))
        list_full(c, &out->cin, n, &all);
    if (!all.len)
        return NULL;
    const full_kernel full = make_full(kernel, &all, (sam_tensor){0}, mem);
    const double now = expect_with(c, by, &out->cin, ORDERS_PART, n, &own);
    full_program best = expect_full(c, by, &out->cin, n, &full, now);
    if (!isfinite(best.cycles) || !is_worth(best.cycles, now, own))
        return NULL;
    for (uint32_t i = 0; i < all.len && best.full.tensors.len > 1; i++) {
        const full_kernel less = make_full(kernel, &best.full.tensors, all.at[i], mem);
        const full_program without = expect_full(c, by, &out->cin, n, &less, best.cycles);
        best = without.cycles < best.cycles ? without : best;
    }
    out->cin = best.cin;
    out->chosen.at[n] = best.written ? NULL : out->chosen.at[n];
    for (uint32_t i = 0; i < best.full.formats.len; i++)
        vec_push(mem, &out->dense, best.full.formats.at[i]);
    return arena_printf(mem, "%s dense: %.0f cycles of the chip expected, %.0f compressed", best.full.names,
                        best.cycles, now);
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
        out.chosen.at[n] =
            arena_printf(mem, "loops %s: %.0f cycles of the chip expected, %.0f in the order %s",
                         compile_loops_text(&cin->kernels.at[n].s, mem), cycles, before,
                         compile_loops_text(&s->cin.kernels.at[n].s, mem));
    out.cin = *cin;
    return out;
}

/* Returns whether some operand of kernel n may be stored dense. */
static bool has_stores(const choosing *c, const fe_cin *cin, uint32_t n) {
    stores all = {0};
    list_stores(c, cin, &cin->kernels.at[n], &all);
    return all.len > 0;
}

enum { MORE_ORDERS = 2, ORDERS_WITHIN = 2 /* how much more an order may take of compressed operands */ };

/* Further orders of a kernel's loops, which count if some operand is stored dense in them. */
typedef struct {
    compile_schedule schedule[MORE_ORDERS];
    bool written[MORE_ORDERS]; /* it is the order as written */
    uint32_t n;
} more_orders;

/* Gives kernel n the order of its loops with which the program is expected to take least. Of the others *more
 * has the best one in which some operand may be stored dense, and the order as written. */
static void choose_order(choosing *c, const compile_search_in *by, uint32_t n, compile_schedule *out,
                         more_orders *more) {
    arena *mem = c->ctx->mem;
    const compile_schedule had = *out;
    cins all = {0};
    vec_push(mem, &all, out->cin);
    add_orders(c, &out->cin, n, &all);
    double *cycles = arena_new_n(mem, double, all.len);
    uint32_t best = 0, other = 0;
    double own = 0, of_it;
    for (uint32_t a = 0; a < all.len && all.len > 1; a++) {
        const compile_search_in less = below(by, a ? ORDERS_WITHIN * cycles[best] : INFINITY);
        cycles[a] = expect_with(c, &less, &all.at[a], ORDERS_PART * all.len, n, &of_it);
        own = a ? own : of_it;
        if (a && (best ? cycles[a] < cycles[best] : is_worth(cycles[a], cycles[0], own)))
            best = a;
    }
    for (uint32_t a = 1; a < all.len; a++) {
        if (a != best && (!other || cycles[a] < cycles[other]) && has_stores(c, &all.at[a], n))
            other = a;
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

/* Chooses the order of kernel n's loops and which of its operands are dense. These go together: the order
 * that is best of compressed operands may not be the one that is best of dense ones. */
static void choose_loops_and_stores(choosing *c, const compile_search_in *by, uint32_t n,
                                    compile_schedule *out) {
    const char *full = choose_full(c, by, n, out);
    const fe_kernel *kernel = &out->cin.kernels.at[n];
    const uint32_t dense = out->dense.len;
    more_orders more = {.n = 0};
    if (compile_loops_are_open(kernel))
        choose_order(c, by, n, out, &more);
    double least = choose_stores(c, by, n, out);
    for (uint32_t i = 0; i < more.n; i++) {
        const double other = choose_stores(c, by, n, &more.schedule[i]);
        if (more.schedule[i].dense.len == dense)
            continue;
        if (!isfinite(least))
            least = expect_below(c, by, &out->cin, ORDERS_PART, INFINITY);
        if (other < (more.written[i] ? 1 : COMPILE_WORTH_CHANGING) * least) {
            *out = more.schedule[i];
            least = other;
        }
    }
    if (full)
        out->chosen.at[n] = add_sentence(full, out->chosen.at[n], c->ctx->mem);
}

/* Chooses which operands of the only kernel, whose loops a schedule orders, are dense. */
static void choose_ordered_stores(choosing *c, const compile_search_in *by, compile_schedule *out) {
    const char *full = choose_full(c, by, 0, out);
    choose_stores(c, by, 0, out);
    if (full)
        out->chosen.at[0] = add_sentence(full, out->chosen.at[0], c->ctx->mem);
}

/* Makes of a kernel one that takes the columns of dense matrices one after the other: v, a loop of the
 * result, is outermost, and a run has one coordinate of it. Both levels of the matrices that have it are
 * dense, so that what others have along the second locates it, as it does a vector. False: v is no loop of
 * the result, or there is no such matrix. */
static bool by_columns(const choosing *c, const fe_cin *cin, const fe_kernel *kernel, sam_var v,
                       fe_kernel *out) {
    arena *mem = c->ctx->mem;
    bool some = false;
    *out = *kernel;
    out->s.loops.at = NULL;
    out->s.loops.len = out->s.loops.cap = 0;
    vec_push(mem, &out->s.loops, v);
    for (uint32_t l = 0; l < kernel->s.loops.len; l++) {
        if (kernel->s.loops.at[l].v != v.v)
            vec_push(mem, &out->s.loops, kernel->s.loops.at[l]);
    }
    own_tensors(out, mem);
    for (uint32_t e = 1; e <= kernel->s.exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(&kernel->s, (sam_expr){e});
        sam_tensor_data *t = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(&out->s, x->tensor) : NULL;
        if (!t || t->order != 2 || (x->index[0].v != v.v && x->index[1].v != v.v))
            continue;
        const bool dense = t->level[0] == SAM_LEVEL_DENSE && t->level[1] == SAM_LEVEL_DENSE;
        if (x->index[0].v == x->index[1].v ||
            (!dense && (kernel->s.general || !is_format_open(c, cin, &kernel->s, x))))
            return false;
        t->level[0] = t->level[1] = SAM_LEVEL_DENSE;
        some = true;
    }
    out->s.single = UINT64_C(1) << (v.v - 1);
    return some && sam_is_result_var(&kernel->s, v);
}

/* Returns whether there is a way to take kernel n by columns. */
static bool has_columns(const choosing *c, const fe_cin *cin, uint32_t n) {
    const fe_kernel *kernel = &cin->kernels.at[n];
    bool some = false;
    fe_kernel unused;
    for (uint32_t l = 0; l < kernel->s.loops.len && !some; l++)
        some = by_columns(c, cin, kernel, kernel->s.loops.at[l], &unused);
    return some && !kernel->relations.len && !kernel->tags.len && are_finite(c->whole);
}

/* Takes kernel n by columns of dense matrices where that is expected to take less than *least, what the
 * program takes now. */
static void choose_columns(choosing *c, const compile_search_in *by, uint32_t n, double *least,
                           compile_schedule *out) {
    arena *mem = c->ctx->mem;
    const fe_kernel kernel = out->cin.kernels.at[n];
    const uint32_t loops = has_columns(c, &out->cin, n) ? kernel.s.loops.len : 0;
    for (uint32_t l = 0; l < loops; l++) {
        compile_schedule other = *out;
        fe_kernel columns;
        const sam_var v = kernel.s.loops.at[l];
        if (!by_columns(c, &out->cin, &kernel, v, &columns) || !maps(c, &columns))
            continue;
        other.cin = with_kernel(&out->cin, n, &columns, mem);
        if (!(expect_below(c, by, &other.cin, ORDERS_PART, *least) < COMPILE_WORTH_CHANGING * *least))
            continue;
        const double before = *least;
        other.tilings.at = NULL;
        other.tilings.len = other.tilings.cap = 0;
        *least = compile_search(by, c->ctx, &other.cin, &other.tilings);
        *out = other;
        out->chosen.at[n] = arena_printf(
            mem, "loops %s, %s one coordinate at a time: %.0f cycles of the chip expected, %.0f otherwise",
            compile_loops_text(&columns.s, mem), fe_var_text(&columns.s, v), *least, before);
    }
}

/* Returns whether a mask, or a function that makes 0 of a zero condition, is of a sum below e. */
static bool masks_sum(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_CALL && x->operation == SAM_OPERATION_when &&
        sam_expr_at(s, x->b)->kind == SAM_EXPR_SUM)
        return true;
    return (x->a.v && masks_sum(s, x->a)) || (x->b.v && masks_sum(s, x->b));
}

/* Takes several kernels, as a schedule says, where they are expected to take less than *least, what the
 * program takes now, of which they are another form. */
static void choose_several(choosing *c, const compile_search_in *by, const char *schedule, double *least,
                           compile_schedule *out) {
    const fe_in with = with_schedule(c->in->in, &schedule);
    compile_schedule other = {0};
    choosing again = *c;
    const bool masks = masks_sum(&out->cin.kernels.at[0].s, out->cin.kernels.at[0].s.rhs);
    if (!schedule || !schedule_maps(c, schedule))
        return;
    const bool good = fe_schedule(&with, c->in->user, c->ctx->mem, c->ctx->diag, &other.cin) &&
                      choose_orders(&again, &other.cin, &other.chosen);
    BUG_IF(!good, "'%s' was possible a moment ago", schedule);
    for (uint32_t n = 0; n < other.cin.kernels.len && masks; n++)
        choose_loops_and_stores(&again, by, n, &other);
    const compile_search_in less = below(by, *least);
    const double several = compile_search(&less, c->ctx, &other.cin, &other.tilings);
    if (!(several < COMPILE_WORTH_SEVERAL * *least))
        return;
    *out = other;
    out->staged =
        arena_printf(c->ctx->mem, "%u kernels, -s \"%s\": %.0f cycles of the chip expected, %.0f as one",
                     other.cin.kernels.len, schedule, several, *least);
    *least = several;
}

/* Returns whether the array can run the kernel, and adds up matrices in it, whose sub-tiles are small. */
static bool adds_matrices(compile_context *ctx, void *of) {
    const one_kernel *one = of;
    compile_lowered lowered;
    bool adds = false;
    if (!compile_lower_sam(one->c->o, true, ctx, one->kernel, &lowered))
        return false;
    for (uint32_t n = 0; n < lowered.sam.nodes.len; n++)
        adds |= lowered.sam.nodes.at[n].kind == SAM_VECTORREDUCER && lowered.sam.nodes.at[n].depth > 1;
    return adds;
}

/* Returns whether the array can run the kernel, and an operation in it takes whole sums. */
static bool takes_whole_sums(compile_context *ctx, void *of) {
    const one_kernel *one = of;
    compile_lowered lowered;
    return compile_lower_sam(one->c->o, true, ctx, one->kernel, &lowered) && lowered.statement.uncut;
}

/* Takes the two phases of kernel n in its place, where it has some and they are expected to take less than
 * *least, what the program takes now. */
static void choose_phases_of(choosing *c, const compile_search_in *by, uint32_t n, double *least,
                             compile_schedule *out) {
    arena *mem = c->ctx->mem;
    const fe_kernel *kernel = &out->cin.kernels.at[n];
    const char *phases = phases_of(kernel, mem);
    if (!phases)
        return;
    const compile_choosing part = {c->in->in, &kernel->s, c->in->board, NULL};
    const fe_in with = with_schedule(c->in->in, &phases);
    choosing again = *c;
    again.in = &part;
    compile_schedule other = {.dense = out->dense};
    fe_cin two;
    if (!schedule_maps(&again, phases) || !fe_schedule(&with, &kernel->s, mem, c->ctx->diag, &two))
        return;
    fe_name_apart(&two, &out->cin);
    for (uint32_t at = 0; at < out->cin.kernels.len; at++) {
        for (uint32_t m = 0; m < two.kernels.len && at == n; m++)
            vec_push(mem, &other.cin.kernels, two.kernels.at[m]);
        if (at != n)
            vec_push(mem, &other.cin.kernels, out->cin.kernels.at[at]);
    }
    if (!choose_orders(c, &other.cin, &other.chosen))
        return;
    const compile_search_in less = below(by, *least);
    const double cycles = compile_search(&less, c->ctx, &other.cin, &other.tilings);
    if (!(cycles < COMPILE_WORTH_SEVERAL * *least))
        return;
    *out = other;
    *least = cycles;
}

/* Loops are fused where that is expected to take this part of what they do apart: the host stores operands
 * either way, and of both the same is known. */
#define FUSE_BELOW 0.97

/* Fuses the loops of a kernel whose variables stand together. Returns how, as a schedule; NULL: none do, or
 * it has one. */
static const char *fuse_loops(const choosing *c, const compile_search_in *by, const fe_kernel *kernel,
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
    const fe_in with = with_schedule(&in, &how);
    if (!how || !fe_schedule(&with, s, mem, c->ctx->diag, &fused))
        return NULL;
    *out = fused.kernels.at[0];
    return how;
}

/* Says of a kernel how its loops are fused, before what else was chosen. */
static void say_fused(const char *how, double cycles, double before, arena *mem, const char **chosen) {
    *chosen = add_sentence(
        arena_printf(mem, "-s \"%s\": %.0f cycles of the chip expected, %.0f apart", how, cycles, before),
        *chosen, mem);
}

/* Fuses the loops of kernel n, one of several, where that is expected to take less than *least, what the
 * program takes now. */
static void choose_fused_of(choosing *c, const compile_search_in *by, uint32_t n, double *least,
                            compile_schedule *out) {
    arena *mem = c->ctx->mem;
    const fe_kernel *kernel = &out->cin.kernels.at[n];
    fe_kernel fused;
    const char *how = fuse_loops(c, by, kernel, &fused);
    if (!how || !maps(c, &fused))
        return;
    const fe_cin cin = with_kernel(&out->cin, n, &fused, mem);
    compile_schedule other = in_order(out, &cin, n, 0, 0, mem);
    other.chosen.at[n] = NULL;
    choose_stores(c, by, n, &other);
    const compile_search_in less = below(by, *least);
    const double cycles = compile_search(&less, c->ctx, &other.cin, &other.tilings);
    if (!(cycles < FUSE_BELOW * *least))
        return;
    say_fused(how, cycles, *least, mem, &other.chosen.at[n]);
    *out = other;
    *least = cycles;
}

/* Chooses the orders of the loops, what is dense, columns and phases of each kernel. Returns what the chip is
 * expected to take for all of them. */
static double choose_each(choosing *c, const compile_search_in *by, compile_schedule *out) {
    for (uint32_t n = 0; n < out->cin.kernels.len; n++)
        choose_loops_and_stores(c, by, n, out);
    double several = compile_search(by, c->ctx, &out->cin, &out->tilings);
    const bool several_kernels = out->cin.kernels.len > 1;
    for (uint32_t n = out->cin.kernels.len; n--;) {
        choose_columns(c, by, n, &several, out);
        if (!out->cin.kernels.at[n].s.single && several_kernels)
            choose_fused_of(c, by, n, &several, out);
        if (!out->cin.kernels.at[n].s.single)
            choose_phases_of(c, by, n, &several, out);
    }
    return several;
}

/* Leaves what -f could say: of the user's operands. */
static void keep_users(compile_schedule *s, arena *mem) {
    text_vec said = {0};
    for (uint32_t i = 0; i < s->dense.len; i++) {
        const char *text = s->dense.at[i];
        const name_id name =
            names_intern_n(s->cin.kernels.at[0].s.names, text, (uint32_t)strcspn(text, ":("));
        if (!is_written(&s->cin, name))
            vec_push(mem, &said, text);
    }
    s->dense = said;
}

/* How much more several kernels may be expected to take as they stand: orders and dense operands of their own
 * save no more than that. */
enum { HOPELESS = 4 };

/* Takes several kernels, which are as `how` says, where they are expected to take less than *least, what the
 * program takes now. */
static void take_several(const choosing *c, const compile_search_in *by, const char *how, double *least,
                         compile_schedule *several, compile_schedule *out) {
    arena *mem = c->ctx->mem;
    choosing again = *c;
    again.written = true;
    if (!choose_orders(&again, &several->cin, &several->chosen) ||
        (isfinite(*least) &&
         expect_below(&again, by, &several->cin, ORDERS_PART, HOPELESS * *least) > HOPELESS * *least))
        return;
    const double cycles = choose_each(&again, by, several);
    if (!(cycles < COMPILE_WORTH_SEVERAL * *least))
        return;
    *out = *several;
    keep_users(out, mem);
    out->staged = arena_printf(
        mem, "%u kernels, %s: %.0f cycles of the chip expected, %s", out->cin.kernels.len, how, cycles,
        isfinite(*least) ? arena_printf(mem, "%.0f as one", *least) : "and as one it does not fit");
    *least = cycles;
}

/* Takes the kernels of a schedule, where it is not NULL and they are expected to take less than *least, what
 * the program takes now; `what` says what they are. */
static void choose_scheduled(choosing *c, const compile_search_in *by, const char *what, const char *schedule,
                             double *least, compile_schedule *out) {
    const fe_in with = with_schedule(c->in->in, &schedule);
    compile_schedule other = {0};
    if (schedule && schedule_maps(c, schedule) &&
        fe_schedule(&with, c->in->user, c->ctx->mem, c->ctx->diag, &other.cin))
        take_several(c, by, arena_printf(c->ctx->mem, "%s, -s \"%s\"", what, schedule), least, &other, out);
}

/* Returns whether a sum is a part of the expression, and not of all of it. */
static bool has_inner_sum(const sam_statement *s) {
    sam_expr body = s->rhs;
    while (sam_expr_at(s, body)->kind == SAM_EXPR_SUM)
        body = sam_expr_at(s, body)->a;
    return fe_has_sum(s, body);
}

/* Gives every sum inside of the expression a kernel where that is expected to take less than *least, what the
 * program takes now. Sub-tiles then cut the loops of these sums; in one kernel some may not be cut, and runs
 * of whole loops have little of the result each. Nor does an order of the loops that is good for a sum have
 * to be one for what is beside it. */
static void choose_sums_apart(choosing *c, const compile_search_in *by, double *least,
                              compile_schedule *out) {
    compile_schedule other = {.dense = out->dense};
    if (fe_stage_parts(&out->cin.kernels.at[0], FE_PARTS_SUMS, c->ctx->mem, &other.cin))
        take_several(c, by, "with the sums apart", least, &other, out);
}

/* Makes one loop of those of the user's statement whose variables stand together, where that is expected to
 * take less than *least, what the program takes now. */
static void choose_fused(choosing *c, const compile_search_in *by, const fe_kernel *user, double *least,
                         compile_schedule *out) {
    compile_schedule other = {0};
    fe_kernel fused;
    const char *how = fuse_loops(c, by, user, &fused);
    if (!how)
        return;
    vec_push(c->ctx->mem, &other.cin.kernels, fused);
    if (!choose_orders(c, &other.cin, &other.chosen))
        return;
    const double cycles = choose_each(c, by, &other);
    if (!(cycles < FUSE_BELOW * *least))
        return;
    say_fused(how, cycles, *least, c->ctx->mem, &other.chosen.at[0]);
    *out = other;
    *least = cycles;
}

/* Returns whether the statement's operands are the user's as they are stored, and their extents those of its
 * loops: then blocks of coordinates can be left out of all of them alike. */
static bool can_sample(const sam_statement *s, const tile_operands *all) {
    uint64_t seen = 0;
    bool plain = s->tensors.len <= 64 && s->tensors.len <= all->n;
    for (uint32_t v = 0; v < s->vars.len; v++)
        plain = plain && !s->vars.at[v].extent && !s->vars.at[v].split_of.v;
    for (uint32_t e = 1; e <= s->exprs.len && plain; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        if (x->kind != SAM_EXPR_ACCESS)
            continue;
        const sam_tensor_data *t = sam_tensor_at(s, x->tensor);
        plain = !(seen >> (x->tensor.v - 1) & 1) && !t->view.source.v && !t->ones && !t->windowed &&
                name_eq(all->operand[x->tensor.v - 1].name, t->name);
        seen |= UINT64_C(1) << (x->tensor.v - 1);
        for (uint32_t m = 0; m < t->order; m++) {
            for (uint32_t before = 0; before < m; before++)
                plain = plain && x->index[before].v != x->index[m].v;
        }
    }
    return plain;
}

/* Makes a search by a sample of the operands, which all that is tried of the kernel shares; what there is no
 * sample of stays as it is. */
static void share_sample(const sam_statement *s, arena *mem, compile_data *data, compile_search_in *by) {
    double share;
    if (!can_sample(s, &data->operands) ||
        !tile_share_sample(s, &data->operands, mem, &data->operands, &share))
        return;
    by->data = data;
    by->part = share;
}

/* A kernel of the user's statement, and how far its variables run. */
typedef struct {
    one_kernel one;
    const uint32_t *extent;
} sized_kernel;

/* Returns whether --tile states an edge that would cut the loop of a whole sum. */
static bool cuts_whole_sum(compile_context *ctx, void *of) {
    const sized_kernel *sized = of;
    const choosing *c = sized->one.c;
    compile_lowered lowered;
    if (!compile_lower_sam(c->o, true, ctx, sized->one.kernel, &lowered))
        return false;
    const tile_options edges = compile_tiling_of(c->o, c->in->board, &lowered);
    for (uint32_t v = 0; v < c->in->user->vars.len; v++) {
        if (lowered.statement.uncut >> v & 1 && edges.edge[v] && edges.edge[v] < sized->extent[v])
            return true;
    }
    return false;
}

/* Gives the sums inside of the expression kernels, whose sub-tiles cut their loops as the user says. */
static void choose_cut_sums(choosing *c, const compile_search_in *by, compile_schedule *out) {
    sized_kernel sized = {{c, &out->cin.kernels.at[0]}, by->data->extent};
    compile_schedule other = {0};
    if (!compile_try(c->ctx, cuts_whole_sum, &sized).works ||
        !fe_stage_parts(&out->cin.kernels.at[0], FE_PARTS_SUMS, c->ctx->mem, &other.cin) ||
        !choose_orders(c, &other.cin, &other.chosen))
        return;
    *out = other;
    out->staged = arena_printf(c->ctx->mem, "%u kernels, with the sums apart, whose loops --tile cuts",
                               other.cin.kernels.len);
}

void compile_choose_by_data(const compile_search_in *given, compile_context *ctx, const compile_choosing *in,
                            compile_schedule *out) {
    compile_searched searched = {0};
    compile_search_in with = *given;
    with.searched = &searched;
    const compile_search_in *by = &with;
    choosing c = {.o = by->options, .ctx = ctx, .in = in, .whole = &by->data->operands};
    if (by->options->tile.along.len && out->cin.kernels.len == 1 && !in->in->n_schedule && out->chosen.len)
        choose_cut_sums(&c, by, out);
    const fe_kernel *kernel = &out->cin.kernels.at[0];
    compile_search_in sampled = *by;
    compile_data data = {.operands = by->data->operands};
    const bool unsaid = !by->options->tile.along.len && !in->in->n_schedule,
               single = out->cin.kernels.len == 1, bare = single && !by->options->tile.along.len,
               open = single && unsaid;
    const char *phases = open ? phases_of(kernel, ctx->mem) : NULL;
    const char *apart = open && masks_sum(&kernel->s, kernel->s.rhs)
                            ? fe_staged(kernel, FE_STAGE_PARTIAL_SUMS, ctx->mem)
                            : NULL;
    /* A schedule that only orders the loops leaves open how operands are stored. */
    const bool ordered = bare && in->in->n_schedule && compile_loops_are_open(kernel);
    if (open && by->options->optimize < 3) /* which has no bound */
        share_sample(&kernel->s, ctx->mem, &data, &sampled);
    if (open && out->chosen.len) /* there is an order that the chip runs */
        choose_loops_and_stores(&c, &sampled, 0, out);
    else if (ordered && out->chosen.len)
        choose_ordered_stores(&c, by, out);
    one_kernel as_one = {&c, kernel};
    const bool whole = open && out->chosen.len && compile_try(ctx, takes_whole_sums, &as_one).works;
    const bool columns = open && out->chosen.len && has_columns(&c, &out->cin, 0);
    fe_cin written;
    const bool again = unsaid && fe_schedule(in->in, in->user, ctx->mem, ctx->diag, &written);
    const fe_kernel *user = again ? &written.kernels.at[0] : NULL;
    const char *contracted = user ? compile_contraction(by->data, user, ctx->mem) : NULL;
    /* A sum that lacks some of the loops is computed anew in each of their steps. */
    const char *factors = user && user->s.loops.len > 2 ? fe_staged(user, FE_STAGE_FACTORS, ctx->mem) : NULL;
    const char *matrices = ordered && out->chosen.len && compile_try(ctx, adds_matrices, &as_one).works
                               ? find_staging(&c, kernel)
                               : NULL;
    const bool inner = open && user && has_inner_sum(&user->s);
    const char *scaled = user && user->s.loops.len > 2 && !inner ? fe_scaled(user, ctx->mem) : NULL;
    const bool together =
        unsaid && user && fe_stand_together(user) && by->options->dispatch != TILE_DISPATCH_BANKS;
    if (!phases && !apart && !whole && !columns && !contracted && !factors && !scaled && !matrices &&
        !together && single)
        return; /* its edges are chosen when it is compiled */
    double least = compile_search(&sampled, ctx, &out->cin, &out->tilings);
    if (columns)
        choose_columns(&c, &sampled, 0, &least, out);
    choose_several(&c, &sampled, phases, &least, out);
    choose_several(&c, &sampled, apart, &least, out);
    choose_scheduled(&c, &sampled, "one sum after the other", contracted, &least, out);
    choose_scheduled(&c, &sampled, "sums that are factors first", factors, &least, out);
    choose_scheduled(&c, &sampled, "what scales a factor first", scaled, &least, out);
    choose_several(&c, &sampled, matrices, &least, out);
    if ((whole || inner) && out->cin.kernels.len == 1)
        choose_sums_apart(&c, &sampled, &least, out);
    if (together)
        choose_fused(&c, by, user, &least, out);
    if (out->cin.kernels.len == 1 && pnr_board_extended(in->board))
        out->tilings.len = 0; /* chosen anew when it is compiled, with store streams that levels share, too */
}

/* ---- another statement in place of the user's ---------------------------------------------------- */

/* Finds the operands of the statement among the data, by name. */
static tile_operands operands_of(compile_context *ctx, const sam_statement *s, const compile_data *data) {
    tile_tensor *all = arena_new_n(ctx->mem, tile_tensor, s->tensors.len);
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        for (uint32_t i = 0; i < data->operands.n; i++) {
            if (name_eq(data->operands.operand[i].name, s->tensors.at[t].name))
                all[t] = data->operands.operand[i];
        }
    }
    return (tile_operands){all, s->tensors.len, data->operands.dtype};
}

double compile_choose_instead(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                              compile_schedule *out) {
    compile_data data = {.operands = operands_of(ctx, in->user, by->data)};
    compile_search_in own = *by;
    compile_tilings unused;
    own.data = &data;
    if (!tile_extents(in->user, &data.operands, ctx->mem, ctx->diag, &data.extent) ||
        !fe_schedule(in->in, in->user, ctx->mem, ctx->diag, &out->cin))
        return INFINITY;
    compile_choose(by->options, ctx, in, out);
    compile_choose_by_data(&own, ctx, in, out);
    if (out->cin.kernels.len != 1 || out->cin.kernels.at[0].on_host)
        return INFINITY;
    const double cycles = compile_search(&own, ctx, &out->cin, &unused);
    if (!out->tilings.len)
        out->tilings = unused;
    return cycles;
}

/* Returns whether all that a kernel reads is the user's. */
static bool reads_users(const sam_statement *s, const compile_data *data) {
    const tile_operands *all = &data->operands;
    for (uint32_t t = 1; t <= s->tensors.len; t++) {
        bool is = t == s->result.v || s->tensors.at[t - 1].ones;
        for (uint32_t i = 0; i < all->n && !is; i++)
            is = name_eq(all->operand[i].name, s->tensors.at[t - 1].name);
        if (!is)
            return false;
    }
    return true;
}

void compile_choose_beside_host(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                                compile_schedule *out) {
    fe_in unsaid = *in->in;
    unsaid.n_schedule = 0;
    for (uint32_t n = 0; n < out->cin.kernels.len && out->chosen.len; n++) {
        fe_kernel *kernel = &out->cin.kernels.at[n];
        const compile_choosing part = {&unsaid, &kernel->s, in->board, NULL};
        compile_schedule own = {0};
        if (kernel->on_host || kernel->relations.len || kernel->tags.len ||
            !reads_users(&kernel->s, by->data) || !isfinite(compile_choose_instead(by, ctx, &part, &own)))
            continue;
        *kernel = own.cin.kernels.at[0];
        out->chosen.at[n] = own.chosen.at[0];
    }
}

bool compile_is_free(const compile_context *ctx, const sam_statement *st, const char *name) {
    const name_id id = names_find(ctx->names, name);
    bool is = true;
    for (uint32_t t = 0; id.v && t < st->tensors.len; t++)
        is = is && !name_eq(st->tensors.at[t].name, id);
    return is;
}
