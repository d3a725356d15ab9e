/* What the data decide: the order of the loops with the operands that are dense in it, and whether a
 * statement is one kernel or several, by what the chip is expected to take. */
#include "autoschedule/choosing.h"
#include "autoschedule/contract.h"
#include "frontend/fuse.h"
#include "frontend/sums.h"
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

/* Adds the program with kernel `at` in other orders of its loops that the board can run, those first that
 * differ in the inner loops only. */
static void add_orders(compile_trying *c, const fe_cin *cin, uint32_t at, cins *all) {
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
        out.chosen.at[n] =
            arena_printf(mem, "loops %s: %.0f cycles of the chip expected, %.0f in the order %s",
                         compile_loops_text(&cin->kernels.at[n].s, mem), cycles, before,
                         compile_loops_text(&s->cin.kernels.at[n].s, mem));
    out.cin = *cin;
    return out;
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
static void choose_order(compile_trying *c, const compile_search_in *by, uint32_t n, compile_schedule *out,
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
        const compile_search_in less = compile_below(by, a ? ORDERS_WITHIN * cycles[best] : INFINITY);
        cycles[a] = compile_expect(&less, c->ctx, &all.at[a], COMPILE_ORDERS_PART * all.len, n, &of_it);
        own = a ? own : of_it;
        if (a && (best ? cycles[a] < cycles[best] : compile_is_worth(cycles[a], cycles[0], own)))
            best = a;
    }
    for (uint32_t a = 1; a < all.len; a++) {
        if (a != best && (!other || cycles[a] < cycles[other]) && compile_has_stores(c, &all.at[a], n))
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
static void choose_loops_and_stores(compile_trying *c, const compile_search_in *by, uint32_t n,
                                    compile_schedule *out) {
    const char *full = compile_choose_full(c, by, n, out);
    const fe_kernel *kernel = &out->cin.kernels.at[n];
    const uint32_t dense = out->dense.len;
    more_orders more = {.n = 0};
    if (compile_loops_are_open(kernel))
        choose_order(c, by, n, out, &more);
    double least = compile_choose_stores(c, by, n, out);
    for (uint32_t i = 0; i < more.n; i++) {
        const double other = compile_choose_stores(c, by, n, &more.schedule[i]);
        if (more.schedule[i].dense.len == dense)
            continue;
        if (!isfinite(least))
            least = compile_expect_below(by, c->ctx, &out->cin, COMPILE_ORDERS_PART, INFINITY);
        if (other < (more.written[i] ? 1 : COMPILE_WORTH_CHANGING) * least) {
            *out = more.schedule[i];
            least = other;
        }
    }
    if (full)
        out->chosen.at[n] = compile_add_sentence(full, out->chosen.at[n], c->ctx->mem);
}

/* Chooses which operands of the only kernel, whose loops a schedule orders, are dense. */
static void choose_ordered_stores(compile_trying *c, const compile_search_in *by, compile_schedule *out) {
    const char *full = compile_choose_full(c, by, 0, out);
    compile_choose_stores(c, by, 0, out);
    if (full)
        out->chosen.at[0] = compile_add_sentence(full, out->chosen.at[0], c->ctx->mem);
}

/* Chooses edges for a program that is to take less than this part of `least`. Returns what it is expected to
 * take, INFINITY where that is not less. */
static double search_below(const compile_search_in *by, compile_context *ctx, double part, double least,
                           compile_schedule *s) {
    const compile_search_in less = compile_below(by, least);
    const double cycles = compile_search(&less, ctx, &s->cin, &s->tilings);
    return cycles < part * least ? cycles : INFINITY;
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
static void choose_several(compile_trying *c, const compile_search_in *by, const char *schedule,
                           double *least, compile_schedule *out) {
    const fe_in with = compile_with_schedule(c->in->in, &schedule);
    compile_schedule other = {0};
    compile_trying again = *c;
    const bool masks = masks_sum(&out->cin.kernels.at[0].s, out->cin.kernels.at[0].s.rhs);
    if (!schedule || !compile_schedule_maps(c, schedule))
        return;
    const bool good = fe_schedule(&with, c->in->user, c->ctx->mem, c->ctx->diag, &other.cin) &&
                      compile_choose_orders(&again, &other.cin, &other.chosen);
    BUG_IF(!good, "'%s' was possible a moment ago", schedule);
    for (uint32_t n = 0; n < other.cin.kernels.len && masks; n++)
        choose_loops_and_stores(&again, by, n, &other);
    const double several = search_below(by, c->ctx, COMPILE_WORTH_SEVERAL, *least, &other);
    if (!isfinite(several))
        return;
    *out = other;
    out->staged =
        arena_printf(c->ctx->mem, "%u kernels, -s \"%s\": %.0f cycles of the chip expected, %.0f as one",
                     other.cin.kernels.len, schedule, several, *least);
    *least = several;
}

/* Returns whether the array can run the kernel, and adds up matrices in it, whose sub-tiles are small. */
static bool adds_matrices(compile_context *ctx, void *of) {
    const compile_one_kernel *one = of;
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
    const compile_one_kernel *one = of;
    compile_lowered lowered;
    return compile_lower_sam(one->c->o, true, ctx, one->kernel, &lowered) && lowered.statement.uncut;
}

/* Takes the two phases of kernel n in its place, where it has some and they are expected to take less than
 * *least, what the program takes now. */
static void choose_phases_of(compile_trying *c, const compile_search_in *by, uint32_t n, double *least,
                             compile_schedule *out) {
    arena *mem = c->ctx->mem;
    const fe_kernel *kernel = &out->cin.kernels.at[n];
    const char *phases = phases_of(kernel, mem);
    if (!phases)
        return;
    const compile_choosing part = {c->in->in, &kernel->s, c->in->board, NULL};
    const fe_in with = compile_with_schedule(c->in->in, &phases);
    compile_trying again = *c;
    again.in = &part;
    compile_schedule other = {.dense = out->dense};
    fe_cin two;
    if (!compile_schedule_maps(&again, phases) || !fe_schedule(&with, &kernel->s, mem, c->ctx->diag, &two))
        return;
    fe_name_apart(&two, &out->cin);
    for (uint32_t at = 0; at < out->cin.kernels.len; at++) {
        for (uint32_t m = 0; m < two.kernels.len && at == n; m++)
            vec_push(mem, &other.cin.kernels, two.kernels.at[m]);
        if (at != n)
            vec_push(mem, &other.cin.kernels, out->cin.kernels.at[at]);
    }
    if (!compile_choose_orders(c, &other.cin, &other.chosen))
        return;
    const double cycles = search_below(by, c->ctx, COMPILE_WORTH_SEVERAL, *least, &other);
    if (!isfinite(cycles))
        return;
    *out = other;
    *least = cycles;
}

/* Loops are fused where that is expected to take this part of what they do apart: the host stores operands
 * either way, and of both the same is known. */
#define FUSE_BELOW 0.97

/* Fuses the loops of a kernel whose variables stand together. Returns how, as a schedule; NULL: none do, or
 * it has one. */
static const char *fuse_loops(const compile_trying *c, const compile_search_in *by, const fe_kernel *kernel,
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

/* Says of a kernel how its loops are fused, before what else was chosen. */
static void say_fused(const char *how, double cycles, double before, arena *mem, const char **chosen) {
    *chosen = compile_add_sentence(
        arena_printf(mem, "-s \"%s\": %.0f cycles of the chip expected, %.0f apart", how, cycles, before),
        *chosen, mem);
}

/* Fuses the loops of kernel n, one of several, where that is expected to take less than *least, what the
 * program takes now. */
static void choose_fused_of(compile_trying *c, const compile_search_in *by, uint32_t n, double *least,
                            compile_schedule *out) {
    arena *mem = c->ctx->mem;
    const fe_kernel *kernel = &out->cin.kernels.at[n];
    fe_kernel fused;
    const char *how = fuse_loops(c, by, kernel, &fused);
    if (!how || !compile_maps(c, &fused))
        return;
    const fe_cin cin = compile_with_kernel(&out->cin, n, &fused, mem);
    compile_schedule other = in_order(out, &cin, n, 0, 0, mem);
    other.chosen.at[n] = NULL;
    compile_choose_stores(c, by, n, &other);
    const double cycles = search_below(by, c->ctx, FUSE_BELOW, *least, &other);
    if (!isfinite(cycles))
        return;
    say_fused(how, cycles, *least, mem, &other.chosen.at[n]);
    *out = other;
    *least = cycles;
}

/* Chooses the orders of the loops, what is dense, columns and phases of each kernel. Returns what the chip is
 * expected to take for all of them. */
static double choose_each(compile_trying *c, const compile_search_in *by, compile_schedule *out) {
    for (uint32_t n = 0; n < out->cin.kernels.len; n++)
        choose_loops_and_stores(c, by, n, out);
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

/* Leaves what -f could say: of the user's operands. */
static void keep_users(compile_schedule *s, arena *mem) {
    text_vec said = {0};
    for (uint32_t i = 0; i < s->dense.len; i++) {
        const char *text = s->dense.at[i];
        const name_id name =
            names_intern_n(s->cin.kernels.at[0].s.names, text, (uint32_t)strcspn(text, ":("));
        if (!compile_is_written(&s->cin, name))
            vec_push(mem, &said, text);
    }
    s->dense = said;
}

/* How much more several kernels may be expected to take as they stand: orders and dense operands of their own
 * save no more than that. */
enum { HOPELESS = 4 };

/* Takes several kernels, which are as `how` says, where they are expected to take less than *least, what the
 * program takes now. */
static void take_several(const compile_trying *c, const compile_search_in *by, const char *how, double *least,
                         compile_schedule *several, compile_schedule *out) {
    arena *mem = c->ctx->mem;
    compile_trying again = *c;
    again.written = true;
    if (!compile_choose_orders(&again, &several->cin, &several->chosen) ||
        (isfinite(*least) && compile_expect_below(by, again.ctx, &several->cin, COMPILE_ORDERS_PART,
                                                  HOPELESS * *least) > HOPELESS * *least))
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
static void choose_scheduled(compile_trying *c, const compile_search_in *by, const char *what,
                             const char *schedule, double *least, compile_schedule *out) {
    const fe_in with = compile_with_schedule(c->in->in, &schedule);
    compile_schedule other = {0};
    if (schedule && compile_schedule_maps(c, schedule) &&
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
static void choose_sums_apart(compile_trying *c, const compile_search_in *by, double *least,
                              compile_schedule *out) {
    compile_schedule other = {.dense = out->dense};
    if (fe_stage_parts(&out->cin.kernels.at[0], FE_PARTS_SUMS, c->ctx->mem, &other.cin))
        take_several(c, by, "with the sums apart", least, &other, out);
}

/* Makes one loop of those of the user's statement whose variables stand together, where that is expected to
 * take less than *least, what the program takes now. */
static void choose_fused(compile_trying *c, const compile_search_in *by, const fe_kernel *user, double *least,
                         compile_schedule *out) {
    compile_schedule other = {0};
    fe_kernel fused;
    const char *how = fuse_loops(c, by, user, &fused);
    if (!how)
        return;
    vec_push(c->ctx->mem, &other.cin.kernels, fused);
    if (!compile_choose_orders(c, &other.cin, &other.chosen))
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
    compile_one_kernel one;
    const uint32_t *extent;
} sized_kernel;

/* Returns whether --tile states an edge that would cut the loop of a whole sum. */
static bool cuts_whole_sum(compile_context *ctx, void *of) {
    const sized_kernel *sized = of;
    const compile_trying *c = sized->one.c;
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
static void choose_cut_sums(compile_trying *c, const compile_search_in *by, compile_schedule *out) {
    sized_kernel sized = {{c, &out->cin.kernels.at[0]}, by->data->extent};
    compile_schedule other = {0};
    if (!compile_works(c, cuts_whole_sum, &sized) ||
        !fe_stage_parts(&out->cin.kernels.at[0], FE_PARTS_SUMS, c->ctx->mem, &other.cin) ||
        !compile_choose_orders(c, &other.cin, &other.chosen))
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
    compile_trying c = {.o = by->options, .ctx = ctx, .in = in, .whole = &by->data->operands};
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
    compile_one_kernel as_one = {&c, kernel};
    const bool whole = open && out->chosen.len && compile_works(&c, takes_whole_sums, &as_one);
    const bool columns = open && out->chosen.len && compile_has_columns(&c, &out->cin, 0);
    fe_cin written;
    const bool again = unsaid && fe_schedule(in->in, in->user, ctx->mem, ctx->diag, &written);
    const fe_kernel *user = again ? &written.kernels.at[0] : NULL;
    const char *contracted = user ? compile_contraction(by->data, user, ctx->mem) : NULL;
    /* A sum that lacks some of the loops is computed anew in each of their steps. */
    const char *factors = user && user->s.loops.len > 2 ? fe_staged(user, FE_STAGE_FACTORS, ctx->mem) : NULL;
    const char *matrices = ordered && out->chosen.len && compile_works(&c, adds_matrices, &as_one)
                               ? compile_find_staging(&c, kernel)
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
        compile_choose_columns(&c, &sampled, 0, &least, out);
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
