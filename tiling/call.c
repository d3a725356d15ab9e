/* call.c - computes a statement by calls of a function of arrays.
 *
 * Every operand is one array in the order of its modes. A call gets copies: of each index of the function's
 * pattern a range of the coordinates of the statement's, in the order in which the pattern stores them. An
 * int16 is a double exactly, and so is every sum of products below 2^53: the wrapped result is that of
 * wrapped sums. O(calls * values of a call).
 */
#include "tiling/call.h"
#include "sam/calls.h"

#include <math.h>

enum { MOST_VALUES = 1 << 24, MOST_LOOPS = 64 };

/* A tensor of the pattern, and its counterpart in the statement. */
typedef struct {
    double *whole, *taken;            /* one array, if a single call takes the whole array in place */
    double largest;                   /* of all values, without signs */
    uint32_t order;                   /* levels of the taken array */
    uint32_t var[SAM_MAX_ORDER];      /* by level: the pattern's variable - 1 */
    uint64_t stride[SAM_MAX_ORDER];   /* by level: in `whole` */
    uint64_t loop_stride[MOST_LOOPS]; /* by loop around the calls */
} array;

/* A loop around the calls: over coordinates of a fixed index, or over tiles of a cut index. */
typedef struct {
    uint32_t step, end, at; /* coordinates; `at` is the loop's */
    uint32_t var;           /* the pattern's variable - 1, or the variable of a fixed index */
    bool fixed;
} loop;

typedef struct {
    const tile_call_in *in;
    const sam_binding *by;
    array *arrays; /* by the pattern's tensor - 1 */
    loop loops[MOST_LOOPS];
    uint32_t n_loops;
    int *extent; /* of this call, by the pattern's variable - 1 */
    arena *mem;
} calls;

static uint32_t extent_of(const calls *c, sam_var v) {
    return v.v ? c->in->extent[v.v - 1] : 1;
}

/* ---- arrays ------------------------------------------------------------------------------------ */

static bool is_too_large(const calls *c, uint32_t order, const sam_var *index) {
    double all = 1;
    for (uint32_t m = 0; m < order; m++)
        all *= extent_of(c, index[m]);
    return all > MOST_VALUES;
}

static bool refuse_size(const calls *c, src_loc loc, const char *name, diagnostics *d) {
    diag_unmappable(d, loc, "E0322-everywhere",
                    "'%s' would be handed an array of %s with more than %d values", c->by->name, name,
                    MOST_VALUES);
    return diag_hint(d, "the array, or bind(e,host), takes what is stored alone");
}

/* Returns whether a single call takes an array in place. */
static bool lies_so(const calls *c, const array *a) {
    uint64_t all = 1;
    bool so = !c->n_loops;
    for (uint32_t l = a->order; l-- > 0;) {
        const uint32_t extent = extent_of(c, c->by->var[a->var[l]]);
        so = so && (a->stride[l] == all || extent == 1);
        all *= extent;
    }
    return so;
}

static void set_strides(const calls *c, array *a, const sam_tensor_data *as, const sam_var *pattern,
                        const sam_var *index, uint32_t order) {
    uint64_t stride[SAM_MAX_ORDER + 1], all = 1;
    for (uint32_t m = order; m-- > 0; all *= extent_of(c, index[m]))
        stride[m] = all;
    a->order = as->order;
    for (uint32_t l = 0; l < as->order; l++) {
        const sam_var v = c->by->var[pattern[as->mode[l]].v - 1];
        a->var[l] = pattern[as->mode[l]].v - 1;
        for (uint32_t m = 0; m < order; m++)
            a->stride[l] += v.v == index[m].v ? stride[m] : 0;
    }
    for (uint32_t n = 0; n < c->n_loops; n++) {
        const uint32_t v = c->loops[n].fixed ? c->loops[n].var + 1 : c->by->var[c->loops[n].var].v;
        for (uint32_t m = 0; m < order; m++)
            a->loop_stride[n] += v == index[m].v ? stride[m] : 0;
    }
    a->whole = arena_new_n(c->mem, double, all);
    a->taken = lies_so(c, a) ? a->whole : arena_new_n(c->mem, double, all);
}

static const tile_tensor *operand_of(const calls *c, sam_tensor t) {
    const tile_tensor *of = tile_find_operand(c->in->named, sam_tensor_at(c->in->s, t)->name);
    BUG_IF(!of, "an operand that nobody gave");
    return of;
}

/* Fills an operand's array; ignores entries outside of the ranges of the indices. */
static void fill_array(const calls *c, array *a, const sam_expr_data *x, const tile_tensor *t) {
    const double fill = sam_word_number(sam_tensor_at(c->in->s, x->tensor)->fill, !c->in->s->integers);
    const bool fp = !c->in->s->integers;
    uint64_t all = 1;
    for (uint32_t m = 0; m < t->order; m++)
        all *= extent_of(c, x->index[m]);
    for (uint64_t i = 0; i < all; i++)
        a->whole[i] = fill;
    for (uint64_t e = 0; e < t->nnz; e++) {
        uint64_t at = 0;
        bool inside = true;
        for (uint32_t m = 0; m < t->order; m++) {
            const uint32_t crd = t->crd[e * t->order + m], extent = extent_of(c, x->index[m]);
            inside = inside && crd < extent;
            at = at * extent + crd;
        }
        if (inside)
            a->whole[at] = sam_word_number(t->val[e], fp);
    }
    for (uint64_t i = 0; i < all; i++)
        a->largest = fmax(a->largest, fabs(a->whole[i]));
}

static bool make_arrays(calls *c, diagnostics *d) {
    const sam_statement *p = c->by->pattern, *s = c->in->s;
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    c->arrays = arena_new_n(c->mem, array, p->tensors.len);
    for (uint32_t t = 1; t < p->tensors.len; t++) {
        const sam_expr_data *x = sam_expr_at(s, c->by->operand[t]);
        array *a = &c->arrays[t];
        const bool literal = x->kind == SAM_EXPR_LITERAL;
        const tile_tensor *data = literal ? NULL : operand_of(c, x->tensor);
        const uint32_t order = literal ? 0 : data->order;
        if (is_too_large(c, order, x->index))
            return refuse_size(c, x->loc, names_text(s->names, sam_tensor_at(s, x->tensor)->name), d);
        set_strides(c, a, &p->tensors.at[t], sam_index_of(p, (sam_tensor){t + 1}), x->index, order);
        if (!literal)
            fill_array(c, a, x, data);
        else
            a->whole[0] = sam_word_number(sam_literal_word(x->literal, !s->integers), !s->integers);
        a->largest = literal ? fabs(a->whole[0]) : a->largest;
    }
    if (is_too_large(c, result->order, s->result_index))
        return refuse_size(c, result->loc, names_text(s->names, result->name), d);
    set_strides(c, &c->arrays[0], sam_tensor_at(p, p->result), p->result_index, s->result_index,
                result->order);
    return true;
}

/* ---- exactness --------------------------------------------------------------------------------- */

/* Returns an upper bound on values of an expression of the pattern. */
static double bound_of(const calls *c, sam_expr e) {
    const sam_statement *p = c->by->pattern;
    const sam_expr_data *x = sam_expr_at(p, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return c->arrays[x->tensor.v - 1].largest;
    if (x->kind == SAM_EXPR_LITERAL)
        return fabs(x->literal);
    const double a = bound_of(c, x->a), b = x->b.v ? bound_of(c, x->b) : 0;
    const sam_operation by = sam_operation_of(x);
    const bool sum = x->kind == SAM_EXPR_SUM;
    if (by == SAM_OPERATION_mul)
        return sum ? INFINITY : a * b;
    if (by == SAM_OPERATION_add && sum)
        return a * extent_of(c, c->by->var[x->var.v - 1]);
    return by == SAM_OPERATION_add || by == SAM_OPERATION_sub ? a + b : fmax(a, b);
}

static bool is_exact(const calls *c, diagnostics *d) {
    const sam_statement *s = c->in->s;
    const double most = bound_of(c, c->by->pattern->rhs);
    if (!s->integers || most <= 9007199254740992.0)
        return true;
    const src_loc loc = sam_tensor_at(s, s->result)->loc;
    diag_unmappable(d, loc, "E0168-inexact", "values in '%s' may come to %.3g, and doubles are exact to 2^53",
                    c->by->name, most);
    return diag_hint(d, "smaller operands, or let the array compute it");
}

/* ---- calls ------------------------------------------------------------------------------------- */

static void add_loop(calls *c, loop one) {
    BUG_IF(c->n_loops == MOST_LOOPS, "more than %d loops", MOST_LOOPS);
    c->loops[c->n_loops++] = one;
}

static void add_loops(calls *c) {
    for (uint32_t v = 0; c->by->fixed >> v; v++) {
        if (c->by->fixed >> v & 1)
            add_loop(c, (loop){.step = 1, .end = c->in->extent[v], .var = v, .fixed = true});
    }
    for (uint32_t p = 0; p < c->by->pattern->vars.len; p++) {
        const uint32_t all = extent_of(c, c->by->var[p]);
        if (c->by->tile[p] && c->by->tile[p] < all)
            add_loop(c, (loop){.step = c->by->tile[p], .end = all, .var = p});
    }
}

/* Copies what a call takes of an array, or adds the call's result to the whole. */
static uint64_t copy(const calls *c, const array *a, bool out) {
    uint64_t base = 0, n = 1;
    uint32_t at[SAM_MAX_ORDER] = {0};
    for (uint32_t l = 0; l < c->n_loops; l++)
        base += c->loops[l].at * a->loop_stride[l];
    for (uint32_t l = 0; l < a->order; l++)
        n *= (uint64_t)c->extent[a->var[l]];
    for (uint64_t i = 0; i < n && a->taken != a->whole; i++) {
        uint64_t from = base;
        for (uint32_t l = 0; l < a->order; l++)
            from += at[l] * a->stride[l];
        if (out)
            a->whole[from] += a->taken[i];
        else
            a->taken[i] = a->whole[from];
        for (uint32_t l = a->order; l-- > 0 && ++at[l] == (uint32_t)c->extent[a->var[l]];)
            at[l] = 0;
    }
    return n;
}

/* Records a call for another processor, or takes the processor's result. */
static void pass_on(const calls *c, bool fp) {
    arena mem = {0};
    sam_calls *to = c->by->calls;
    uint64_t n = 1;
    for (uint32_t t = 0; t < c->by->pattern->tensors.len; t++) {
        const uint32_t which = (t + 1) % c->by->pattern->tensors.len; /* the result comes last */
        const array *a = &c->arrays[which];
        n = 1;
        for (uint32_t l = 0; l < a->order; l++)
            n *= (uint64_t)c->extent[a->var[l]];
        uint16_t *word = arena_new_n(&mem, uint16_t, n + 1);
        for (uint64_t i = 0; i < n; i++)
            word[i] = sam_number_word(a->taken[i], fp);
        if (which)
            sam_calls_give(to, which - 1, word, n);
        else
            sam_calls_take(to, word, n);
        for (uint64_t i = 0; i < n && !which && to->made; i++)
            a->taken[i] = sam_word_number(word[i], fp);
    }
    for (uint32_t v = 0; v < c->by->pattern->vars.len && !to->made; v++)
        vec_push(to->mem, &to->extents, c->extent[v]);
    arena_free(&mem);
}

/* Returns how many values of an array this call has. */
static uint64_t values_of(const calls *c, const array *a) {
    uint64_t values = 1;
    for (uint32_t l = 0; l < a->order; l++)
        values *= (uint64_t)c->extent[a->var[l]];
    return values;
}

static void call_once(const calls *c, double **taken, uint64_t *values, tile_each_work *work) {
    const uint32_t tensors = c->by->pattern->tensors.len;
    for (uint32_t p = 0; p < c->by->pattern->vars.len; p++)
        c->extent[p] = (int)extent_of(c, c->by->var[p]);
    for (uint32_t l = 0; l < c->n_loops; l++) {
        const loop *one = &c->loops[l];
        const uint32_t remaining = one->end - one->at;
        if (!one->fixed)
            c->extent[one->var] = (int)(remaining < one->step ? remaining : one->step);
    }
    for (uint32_t t = 0; t < tensors; t++) {
        taken[t] = c->arrays[t].taken;
        values[t] = values_of(c, &c->arrays[t]);
        if (t)
            copy(c, &c->arrays[t], false);
    }
    const array *result = &c->arrays[0];
    memset(result->taken, 0, values[0] * sizeof *result->taken);
    sam_foreign_arrays(c->by->call, &(sam_array_call){.vars = c->by->pattern->vars.len,
                                                      .arrays = tensors,
                                                      .extent = c->extent,
                                                      .array = taken,
                                                      .values = values});
    if (c->by->calls)
        pass_on(c, !c->in->s->integers);
    work->computed += copy(c, result, true);
    work->calls++;
}

/* Goes to the next coordinates of the loops around the calls. */
static bool next(calls *c) {
    for (uint32_t l = c->n_loops; l-- > 0;) {
        c->loops[l].at += c->loops[l].step;
        if (c->loops[l].at < c->loops[l].end)
            return true;
        c->loops[l].at = 0;
    }
    return false;
}

/* Collects the values unequal to the fill. */
static void collect(const calls *c, arena *mem, tile_tensor *out) {
    const sam_statement *s = c->in->s;
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    const array *a = &c->arrays[0];
    *out = (tile_tensor){.name = result->name, .order = result->order, .fill = result->fill};
    uint64_t all = 1;
    for (uint32_t m = 0; m < out->order; m++) {
        out->dim[m] = extent_of(c, s->result_index[m]);
        all *= out->dim[m];
    }
    uint32_t *crd = arena_new_n(mem, uint32_t, all * out->order + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, all + 1);
    uint32_t at[SAM_MAX_ORDER] = {0};
    for (uint64_t i = 0; i < all; i++) {
        const uint16_t word = sam_number_word(a->whole[i], !s->integers);
        if (word != out->fill || !out->order) {
            memcpy(crd + out->nnz * out->order, at, out->order * sizeof *crd);
            val[out->nnz++] = word;
        }
        for (uint32_t m = out->order; m-- > 0 && ++at[m] == out->dim[m];)
            at[m] = 0;
    }
    out->crd = crd;
    out->val = val;
}

bool tile_call(const tile_call_in *in, arena *mem, diagnostics *d, tile_tensor *out, tile_each_work *work) {
    arena scratch = {0};
    calls c = {.in = in, .by = in->by, .mem = &scratch};
    double **taken = arena_new_n(&scratch, double *, in->by->pattern->tensors.len);
    uint64_t *values = arena_new_n(&scratch, uint64_t, in->by->pattern->tensors.len);
    c.extent = arena_new_n(&scratch, int, in->by->pattern->vars.len + 1);
    add_loops(&c);
    *work = (tile_each_work){0};
    bool ok = make_arrays(&c, d) && is_exact(&c, d);
    bool any = ok;
    for (uint32_t l = 0; l < c.n_loops; l++)
        any = any && c.loops[l].end > 0;
    for (bool more = any; more; more = next(&c))
        call_once(&c, taken, values, work);
    ok = ok && sam_foreign_ended(in->by->call, in->by->name, sam_tensor_at(in->s, in->s->result)->loc, d);
    if (ok)
        collect(&c, mem, out);
    arena_free(&scratch);
    return ok;
}
