/* Chooses the dense operands of a kernel, as far as the user leaves formats open: dense outermost levels, all
 * levels, or column by column. Each form is tried by the chip's predicted time. */
#include "autoschedule/choose_dense.h"
#include "autoschedule/autoschedule.h"
#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "kernel/edges.h"
#include "kernel/lower.h"
#include "sam/coordinates.h"

#include <math.h>

bool compile_are_finite(const tile_operands *all) {
    enum { EXPONENT = 0x7f80 };
    for (uint32_t t = 0; t < all->n && all->dtype == TILE_DTYPE_BF16; t++) {
        for (uint64_t e = 0; e < all->operand[t].nnz; e++) {
            if ((all->operand[t].val[e] & EXPONENT) == EXPONENT)
                return false;
        }
    }
    return true;
}

/* Returns whether the user states how an operand's coordinates are found: a kernel of a precomputed
 * subexpression no longer does. */
static bool is_access_stated(const sam_statement *user, name_id tensor) {
    bool stated = false;
    for (uint32_t e = 1; e <= user->exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(user, (sam_expr){e});
        if (x->kind != SAM_EXPR_ACCESS || !name_eq(sam_tensor_at(user, x->tensor)->name, tensor))
            continue;
        for (uint32_t m = 0; m < sam_tensor_at(user, x->tensor)->order; m++)
            stated = stated || x->protocol[m] != SAM_BEST;
    }
    return stated;
}

/* Returns whether the storage of an operand is open, and may be dense. */
static bool is_format_open(const compile_trying *c, const fe_cin *cin, const sam_statement *s,
                           const sam_expr_data *x) {
    if (x->kind != SAM_EXPR_ACCESS)
        return false;
    const sam_tensor_data *t = sam_tensor_at(s, x->tensor);
    if ((!c->written && compile_is_written(cin, t->name)) || is_access_stated(c->in->user, t->name))
        return false;
    for (uint32_t m = 0; m < t->order; m++) {
        const sam_level_format level = t->level[m];
        if (x->protocol[m] != SAM_BEST || (level != SAM_LEVEL_COMPRESSED && level != SAM_LEVEL_DENSE))
            return false;
    }
    return t->order > 0 && !t->ones && (t->structure == SAM_VALUES || t->structure == SAM_STORED) &&
           !fe_has_format(c->in->in, names_text(s->names, t->called.v ? t->called : t->name));
}

typedef VEC(compile_dense_level) stores;

/* Makes the outermost level of a tensor dense, together with the levels that the access fuses with the
 * outermost level. */
static void make_outer_dense(const fe_kernel *kernel, const sam_expr_data *x, sam_tensor_data *t) {
    const fe_fusion outer = fe_fusion_of(kernel, x->index[t->mode[0]]);
    t->level[0] = SAM_LEVEL_DENSE;
    for (uint32_t l = 1; l < t->order && outer.times; l++) {
        const fe_fusion own = fe_fusion_of(kernel, x->index[t->mode[l]]);
        if (own.times && own.first.v == outer.first.v)
            t->level[l] = SAM_LEVEL_DENSE;
    }
}

/* Makes a kernel with the store; false: the store does not pay. */
static bool make_dense(const compile_trying *c, const fe_kernel *kernel, compile_dense_level to,
                       fe_kernel *out) {
    arena *mem = c->ctx->mem;
    const sam_statement *s = &kernel->s;
    *out = *kernel;
    if (to.alone) {
        out->s.exprs.at = arena_new_n(mem, sam_expr_data, s->exprs.len);
        memcpy(out->s.exprs.at, s->exprs.at, sizeof *s->exprs.at * s->exprs.len);
        sam_expr_at(&out->s, to.access)->outer_dense = true;
    } else {
        compile_own_tensors(out, mem);
        const sam_expr_data *x = sam_expr_at(s, to.access);
        make_outer_dense(kernel, x, sam_tensor_at(&out->s, x->tensor));
    }
    return compile_pays_dense(c, out, to);
}

/* Returns the tensor's name, or the access for a store of a single access. */
static const char *store_text(const sam_statement *s, compile_dense_level to, arena *mem) {
    const sam_expr_data *x = sam_expr_at(s, to.access);
    const sam_tensor_data *t = sam_tensor_at(s, x->tensor);
    const char *text = names_text(s->names, t->name);
    for (uint32_t m = 0; to.alone && m < t->order; m++)
        text = arena_printf(mem, "%s%s%s%s", text, m ? "," : "(", fe_var_text(s, x->index[m]),
                            m + 1 < t->order ? "" : ")");
    return text;
}

/* Lists the possible dense stores of a kernel's operands; for an operand with several accesses each access
 * alone, then all accesses. */
static void list_stores(const compile_trying *c, const fe_cin *cin, const fe_kernel *kernel, stores *out) {
    const sam_statement *s = &kernel->s;
    for (uint32_t e = 1; e <= s->exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        fe_kernel dense;
        if (!is_format_open(c, cin, s, x) || x->outer_dense ||
            sam_tensor_at(s, x->tensor)->level[0] != SAM_LEVEL_COMPRESSED)
            continue;
        const uint32_t accesses = sam_count_reads(s, x->tensor, s->exprs.len);
        const compile_dense_level alone = {{e}, true}, whole = {{e}, false};
        if (accesses > 1 && make_dense(c, kernel, alone, &dense))
            vec_push(c->ctx->mem, out, alone);
        if (sam_count_reads(s, x->tensor, e) == accesses && make_dense(c, kernel, whole, &dense))
            vec_push(c->ctx->mem, out, whole);
    }
}

/* Makes the program with the store in kernel n; false: the store does not pay. */
static bool with_store(const compile_trying *c, const fe_cin *cin, uint32_t n, compile_dense_level to,
                       fe_cin *out) {
    const sam_statement *s = &cin->kernels.at[n].s;
    fe_kernel kernel;
    if (sam_tensor_at(s, sam_expr_at(s, to.access)->tensor)->level[0] == SAM_LEVEL_DENSE ||
        !make_dense(c, &cin->kernels.at[n], to, &kernel))
        return false;
    *out = compile_with_kernel(cin, n, &kernel, c->ctx->mem);
    return true;
}

/* Puts the store with the largest gain of its own in front: two stores may save the same cycles. */
static void best_first(compile_trying *c, const compile_search_in *by, const fe_cin *cin, uint32_t n,
                       stores *all) {
    double least = INFINITY;
    uint32_t best = 0;
    for (uint32_t i = 0; i < all->len && all->len > 1; i++) {
        fe_cin dense;
        const double cycles =
            with_store(c, cin, n, all->at[i], &dense)
                ? compile_expect_below(by, c->ctx, &dense, COMPILE_ORDERS_SHARE * all->len, least)
                : INFINITY;
        best = cycles < least ? i : best;
        least = fmin(cycles, least);
    }
    if (best) {
        const compile_dense_level first = all->at[best];
        memmove(all->at + 1, all->at, best * sizeof *all->at);
        all->at[0] = first;
    }
}

/* Inputs of the search for stores of a kernel. */
typedef struct {
    const compile_search_in *by;
    uint32_t kernel, share;
    double least, own; /* time of the program, and of the kernel in the program */
} storing;

/* Returns why operands are dense; `compressed`: the chip's time with compressed operands, INFINITY if the
 * stated copies do not fit or nothing can be predicted. */
static const char *say_dense(const char *names, double cycles, double compressed, arena *mem) {
    return isfinite(compressed)
               ? arena_printf(mem, "%s dense: %.0f cycles predicted, %.0f compressed", names, cycles,
                              compressed)
               : arena_printf(mem, "%s dense: %.0f cycles predicted; compressed, nothing can be predicted",
                              names, cycles);
}

/* Applies all possible stores of `some` together, if the predicted time falls; false: the time does not fall.
 */
static bool try_stores(compile_trying *c, storing *to, const stores *some, compile_schedule *out) {
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
        vec_push(
            mem, &formats,
            compile_format_text(sam_tensor_at(s, sam_expr_at(s, some->at[i].access)->tensor), name, mem));
    }
    const double cycles =
        formats.len ? compile_expect_below(to->by, c->ctx, &cin, to->share, to->least) : INFINITY;
    if (!compile_is_worth(cycles, to->least, to->own))
        return false;
    out->chosen.at[to->kernel] =
        compile_add_sentence(out->chosen.at[to->kernel], say_dense(names, cycles, to->least, mem), mem);
    for (uint32_t i = 0; i < formats.len; i++)
        vec_push(mem, &out->dense, formats.at[i]);
    out->cin = cin;
    to->own = isfinite(to->least) ? to->own - (to->least - cycles) : cycles;
    to->least = cycles;
    return true;
}

/* Reverses the order in which stores are made. The scanner of a loop takes the first dense level along the
 * loop, a locator the second, so a store may pay only beside another store. */
static void reverse(stores *all) {
    for (uint32_t i = 0; i < all->len / 2; i++) {
        const compile_dense_level first = all->at[i];
        all->at[i] = all->at[all->len - 1 - i];
        all->at[all->len - 1 - i] = first;
    }
}

double compile_choose_stores(compile_trying *c, const compile_search_in *by, uint32_t n,
                             compile_schedule *out) {
    stores all = {0}, remaining = {0};
    if (compile_are_finite(c->whole))
        list_stores(c, &out->cin, &out->cin.kernels.at[n], &all);
    storing to = {.by = by, .kernel = n, .share = COMPILE_ORDERS_SHARE * all.len, .least = INFINITY};
    if (all.len)
        to.least = compile_expect(by, c->ctx, &out->cin, to.share, n, &to.own);
    best_first(c, by, &out->cin, n, &all);
    for (uint32_t i = 0; i < all.len; i++) {
        stores one = {0};
        vec_push(c->ctx->mem, &one, all.at[i]);
        if (!try_stores(c, &to, &one, out) && !all.at[i].alone)
            vec_push(c->ctx->mem, &remaining, all.at[i]);
    }
    if (remaining.len > 1 && !try_stores(c, &to, &remaining, out)) {
        reverse(&remaining);
        try_stores(c, &to, &remaining, out);
    }
    return to.least;
}

/* Returns whether a third of the values of a user's tensor are stored; with functions, whose value at
 * unstored coordinates may differ from the fill, all values. A vector pays with fewer. */
static bool is_full(const compile_trying *c, const sam_statement *s, const sam_tensor_data *t) {
    enum { THIRD = 3, EIGHTH = 8 };
    const tile_tensor *is = tile_find_operand(c->whole, t->name);
    double size = 1;
    for (uint32_t m = 0; is && m < t->order; m++)
        size *= is->dim[m];
    if (!is || t->order == 1)
        return is && EIGHTH * (double)is->nnz >= size;
    return (s->general ? 1 : THIRD) * (double)is->nnz >= size;
}

typedef VEC(sam_tensor) tensors;

/* Lists the nearly full operands of kernel n whose format is open. */
static void list_full(const compile_trying *c, const fe_cin *cin, uint32_t n, tensors *out) {
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
    text_vec formats; /* in the form of -f */
    const char *names;
} full_kernel;

/* Stores all tensors dense except the given tensor (0: no exception). */
static full_kernel make_full(const fe_kernel *kernel, const tensors *all, sam_tensor but, arena *mem) {
    full_kernel out = {.kernel = *kernel, .names = ""};
    compile_own_tensors(&out.kernel, mem);
    for (uint32_t i = 0; i < all->len; i++) {
        sam_tensor_data *t = sam_tensor_at(&out.kernel.s, all->at[i]);
        if (all->at[i].v == but.v)
            continue;
        for (uint32_t l = 0; l < t->order; l++)
            t->level[l] = SAM_LEVEL_DENSE;
        const char *name = names_text(kernel->s.names, t->name);
        out.names = arena_printf(mem, "%s%s%s", out.names, out.tensors.len ? ", " : "", name);
        vec_push(mem, &out.formats, compile_format_text(t, name, mem));
        vec_push(mem, &out.tensors, all->at[i]);
    }
    return out;
}

/* Gives the user's single kernel the written order of its loops; false: the kernel has the written order. */
static bool in_written_order(const compile_trying *c, fe_kernel *kernel) {
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

/* Time of the program with some operands of kernel n dense, in the chosen or in the written order of the
 * loops. */
typedef struct {
    full_kernel full;
    fe_cin cin;
    double cycles;
    bool written;
} full_program;

typedef struct {
    compile_one_kernel one;
    const tensors *dense;
} dense_tensors;

/* Returns whether the chip gets the kernel's dense levels: fe_pad compresses a level that may be absent, or
 * that is scanned inside of a loop that may be empty. */
static bool stay_dense(compile_context *ctx, void *of) {
    const dense_tensors *d = of;
    compile_lowered lowered;
    if (!compile_lower_sam(d->one.c->o, true, ctx, d->one.kernel, &lowered))
        return false;
    for (uint32_t t = 0; t < lowered.statement.tensors.len; t++) {
        const sam_tensor_data *packed = &lowered.statement.tensors.at[t];
        bool is_dense = false;
        for (uint32_t i = 0; i < d->dense->len; i++)
            is_dense |=
                name_eq(sam_tensor_at(&d->one.kernel->s, d->dense->at[i])->name, sam_stored_name(packed));
        if (is_dense && packed->whole)
            return false;
    }
    return true;
}

/* Returns the predicted time, or any value from `least` on if the time is not below `least`; INFINITY: the
 * board cannot run the program. */
static full_program expect_full(compile_trying *c, const compile_search_in *by, const fe_cin *cin, uint32_t n,
                                const full_kernel *full, double least) {
    full_program best = {.full = *full, .cycles = INFINITY};
    for (int as_written = 0; as_written < 2; as_written++) {
        fe_kernel kernel = full->kernel;
        if ((as_written && (cin->kernels.len > 1 || !in_written_order(c, &kernel))) ||
            !compile_maps(c, &kernel) ||
            !compile_works(c, stay_dense, &(dense_tensors){{c, &kernel}, &full->tensors}))
            continue;
        const fe_cin other = compile_with_kernel(cin, n, &kernel, c->ctx->mem);
        const double cycles =
            compile_expect_below(by, c->ctx, &other, COMPILE_ORDERS_SHARE, fmin(least, best.cycles));
        if (cycles < best.cycles)
            best = (full_program){*full, other, cycles, as_written};
    }
    return best;
}

const char *compile_choose_full(compile_trying *c, const compile_search_in *by, uint32_t n,
                                compile_schedule *out) {
    arena *mem = c->ctx->mem;
    const fe_kernel *kernel = &out->cin.kernels.at[n];
    tensors all = {0};
    double own;
    if (compile_are_finite(c->whole))
        list_full(c, &out->cin, n, &all);
    if (!all.len)
        return NULL;
    const full_kernel full = make_full(kernel, &all, (sam_tensor){0}, mem);
    const double now = compile_expect(by, c->ctx, &out->cin, COMPILE_ORDERS_SHARE, n, &own);
    full_program best = expect_full(c, by, &out->cin, n, &full, now);
    if (!isfinite(best.cycles) || !compile_is_worth(best.cycles, now, own))
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
    return say_dense(best.full.names, best.cycles, now, mem);
}

uint32_t compile_count_stores(const compile_trying *c, const fe_cin *cin, uint32_t n) {
    stores all = {0};
    list_stores(c, cin, &cin->kernels.at[n], &all);
    return all.len;
}

/* Makes the vectors under h dense that are compressed and have a fill. */
static void make_dense_below(const compile_trying *c, sam_expr h, fe_kernel *k, text_vec *formats) {
    const sam_expr_data *x = sam_expr_at(&k->s, h);
    const fe_cin alone = {0};
    sam_tensor_data *t = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(&k->s, x->tensor) : NULL;
    if (t && t->order == 1 && t->structure == SAM_VALUES && t->level[0] == SAM_LEVEL_COMPRESSED &&
        sam_fill_of(&k->s, h) && is_format_open(c, &alone, &k->s, x)) {
        t->level[0] = SAM_LEVEL_DENSE;
        vec_push(c->ctx->mem, formats, compile_format_text(t, names_text(k->s.names, t->name), c->ctx->mem));
    }
    if (x->a.v)
        make_dense_below(c, x->a, k, formats);
    if (x->b.v)
        make_dense_below(c, x->b, k, formats);
}

bool compile_dense_below_masks(const compile_trying *c, const fe_kernel *kernel, fe_kernel *out,
                               text_vec *formats) {
    *out = *kernel;
    compile_own_tensors(out, c->ctx->mem);
    for (uint32_t e = 1; e <= kernel->s.exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(&kernel->s, (sam_expr){e});
        if (x->kind == SAM_EXPR_CALL && !x->program && x->operation == SAM_OPERATION_when)
            make_dense_below(c, x->b, out, formats);
    }
    return formats->len && compile_are_finite(c->whole);
}

/* Makes a kernel that takes the columns of dense matrices in sequence: v, a loop of the result, is outermost,
 * and a run has a single coordinate of v. Both levels of a matrix with v are dense, and the other operands'
 * coordinates along the second level locate the matrix like a vector. False: v is no loop of the result, or
 * no matrix has v. */
static bool by_columns(const compile_trying *c, const fe_cin *cin, const fe_kernel *kernel, sam_var v,
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
    compile_own_tensors(out, mem);
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

bool compile_has_columns(const compile_trying *c, const fe_cin *cin, uint32_t n) {
    const fe_kernel *kernel = &cin->kernels.at[n];
    bool some = false;
    fe_kernel unused;
    for (uint32_t l = 0; l < kernel->s.loops.len && !some; l++)
        some = by_columns(c, cin, kernel, kernel->s.loops.at[l], &unused);
    return some && !kernel->relations.len && !kernel->tags.len && compile_are_finite(c->whole);
}

void compile_choose_columns(compile_trying *c, const compile_search_in *by, uint32_t n, double *least,
                            compile_schedule *out) {
    arena *mem = c->ctx->mem;
    const fe_kernel kernel = out->cin.kernels.at[n];
    const uint32_t loops = compile_has_columns(c, &out->cin, n) ? kernel.s.loops.len : 0;
    for (uint32_t l = 0; l < loops; l++) {
        compile_schedule other = *out;
        fe_kernel columns;
        const sam_var v = kernel.s.loops.at[l];
        if (!by_columns(c, &out->cin, &kernel, v, &columns) || !compile_maps(c, &columns))
            continue;
        other.cin = compile_with_kernel(&out->cin, n, &columns, mem);
        if (!(compile_expect_below(by, c->ctx, &other.cin, COMPILE_ORDERS_SHARE, *least) <
              COMPILE_WORTH_CHANGING * *least))
            continue;
        const double before = *least;
        other.tilings.at = NULL;
        other.tilings.len = other.tilings.cap = 0;
        *least = compile_search(by, c->ctx, &other.cin, &other.tilings);
        *out = other;
        out->chosen.at[n] =
            arena_printf(mem, "loops %s, %s one coordinate at a time: %.0f cycles predicted, %s",
                         compile_loops_text(&columns.s, mem), fe_var_text(&columns.s, v), *least,
                         isfinite(before) ? arena_printf(mem, "%.0f otherwise", before)
                                          : "and otherwise nothing can be predicted");
    }
}

/* ---- fewer load streams --------------------------------------------------------------------------- */

/* A kernel with an operand of a dense outermost level, and without. */
typedef struct {
    dense_tensors dense;
    const fe_kernel *before;
} freeing_store;

/* Returns how many copies of a kernel the board has room for. */
static uint32_t room_of(const compile_trying *c, compile_context *ctx, const compile_lowered *k) {
    const tile_options edges = compile_tiling_of(c->o, c->in->board, k);
    const tile_room room = compile_kernel_room(c->o, ctx, c->in->board, k, &edges);
    return room.lockstep > room.independent ? room.lockstep : room.independent;
}

/* Returns whether the chip gets the dense level, which frees load streams for more copies of the kernel. */
static bool frees_streams(compile_context *ctx, void *of) {
    freeing_store *f = of;
    const compile_trying *c = f->dense.one.c;
    compile_lowered before, after;
    if (!stay_dense(ctx, &f->dense) || !compile_lower_sam(c->o, true, ctx, f->before, &before) ||
        !compile_lower_sam(c->o, true, ctx, f->dense.one.kernel, &after) ||
        !compile_make_legal(ctx, &before) || !compile_make_legal(ctx, &after))
        return false;
    return lower_count_loads(&after.hardware, SAM_SHARING_LEVELS) <
               lower_count_loads(&before.hardware, SAM_SHARING_LEVELS) &&
           room_of(c, ctx, &after) > room_of(c, ctx, &before);
}

bool compile_free_streams(compile_trying *c, const fe_cin *cin, uint32_t n, sam_expr access, fe_kernel *out) {
    const fe_kernel *kernel = &cin->kernels.at[n];
    const sam_expr_data *x = sam_expr_at(&kernel->s, access);
    tensors one = {0};
    if (!is_format_open(c, cin, &kernel->s, x) || x->outer_dense ||
        sam_count_reads(&kernel->s, x->tensor, access.v - 1) ||
        sam_tensor_at(&kernel->s, x->tensor)->level[0] != SAM_LEVEL_COMPRESSED ||
        !compile_are_finite(c->whole))
        return false;
    *out = *kernel;
    compile_own_tensors(out, c->ctx->mem);
    make_outer_dense(kernel, x, sam_tensor_at(&out->s, x->tensor));
    vec_push(c->ctx->mem, &one, x->tensor);
    return compile_maps(c, out) &&
           compile_works(c, frees_streams, &(freeing_store){{{c, out}, &one}, kernel});
}
