/* each.c - computes a statement coordinate by coordinate.
 *
 * A point is a number, in mixed radix over the loops: the result's loops, and behind them the variable of the
 * sum. A set of points is over some of the loops: it says nothing about the others, of which its numbers have
 * digit 0. Meeting two sets is a join over the loops that both have; uniting them, a merge after both have
 * been spread over the loops of the other. Points in their order have those that are summed up side by side.
 */
#include "tiling/each.h"
#include "sam/binding.h"
#include "sam/calls.h"
#include "sam/coordinates.h"
#include "tiling/tiling_int.h"
#include "tiling/wide.h"

#include <stdlib.h>

enum { MOST_POINTS = 1 << 24 };

/* A set: ascending numbers, bit l of `loops` for each loop of the set. */
typedef struct {
    uint64_t *at, n;
    uint32_t loops;
} points;

typedef struct {
    const sam_statement *s;
    const tile_operands *named;
    const sam_expr_data *sum; /* around the right side, or NULL */
    sam_expr body;            /* inside of it */
    uint32_t n;               /* loops */
    sam_var loop[SAM_MAX_ORDER + 1];
    uint64_t dim[SAM_MAX_ORDER + 1], weight[SAM_MAX_ORDER + 1]; /* of a loop; of its digit */
    arena *mem;
    bool too_many, wide; /* the result has numbers behind its words (tiling/wide.h) */
    uint64_t calls;      /* of a function along an index */
} each;

/* A value, and the number behind it. */
typedef struct {
    uint16_t word;
    double number;
} valued;

static uint32_t digit(const each *w, uint64_t point, uint32_t loop) {
    return (uint32_t)(point / w->weight[loop] % w->dim[loop]);
}

/* The point without its digits of other loops. */
static uint64_t project(const each *w, uint64_t point, uint32_t loops) {
    uint64_t offset = 0;
    for (uint32_t l = 0; l < w->n; l++)
        offset += loops >> l & 1 ? digit(w, point, l) * w->weight[l] : 0;
    return offset;
}

static uint32_t loop_of(const each *w, sam_var v) {
    uint32_t l = 0;
    while (l < w->n && w->loop[l].v != v.v)
        l++;
    BUG_IF(l == w->n, "a variable without a loop");
    return l;
}

static points new_points(each *w, uint64_t most, uint32_t loops) {
    w->too_many = w->too_many || most > MOST_POINTS;
    return (points){arena_new_n(w->mem, uint64_t, w->too_many ? 1 : most + 1), 0, loops};
}

/* ---- operands -------------------------------------------------------------------------------- */

static const tile_tensor *operand_of(const each *w, sam_tensor t) {
    const name_id name = sam_tensor_at(w->s, t)->name;
    uint32_t i = 0;
    while (i < w->named->n && !name_eq(w->named->operand[i].name, name))
        i++;
    BUG_IF(i == w->named->n, "an operand that nobody gave");
    return &w->named->operand[i];
}

/* Returns the entry of the access at a point; as many as there are if nothing is stored. O(log entries). */
static uint64_t entry_at(const each *w, const sam_expr_data *access, const tile_tensor *t, uint64_t point) {
    uint32_t crd[SAM_MAX_ORDER] = {0};
    uint64_t low = 0, high = t->nnz;
    for (uint32_t m = 0; m < t->order; m++)
        crd[m] = digit(w, point, loop_of(w, access->index[m]));
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const uint32_t *entry = t->crd + middle * t->order;
        uint32_t m = 0;
        while (m < t->order && entry[m] == crd[m])
            m++;
        if (m == t->order)
            return middle;
        if (entry[m] < crd[m])
            low = middle + 1;
        else
            high = middle;
    }
    return t->nnz;
}

static uint16_t value_at(const each *w, const sam_expr_data *access, uint64_t point) {
    const tile_tensor *t = operand_of(w, access->tensor);
    const uint64_t entry = entry_at(w, access, t, point);
    return entry < t->nnz ? t->val[entry] : sam_tensor_at(w->s, access->tensor)->fill;
}

/* Returns the number behind the value, which the operand has. */
static double number_at(const each *w, const sam_expr_data *access, uint64_t point) {
    const tile_tensor *t = operand_of(w, access->tensor);
    const uint64_t entry = entry_at(w, access, t, point);
    return entry < t->nnz ? tile_wide(t)[entry] : 0;
}

/* ---- sets ------------------------------------------------------------------------------------ */

static int ascending(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Brings the numbers into their order, each once. */
static void arrange(points *p) {
    uint64_t n = 0, sorted = 1;
    while (sorted < p->n && p->at[sorted - 1] <= p->at[sorted])
        sorted++;
    if (sorted < p->n)
        qsort(p->at, p->n, sizeof *p->at, ascending);
    for (uint64_t i = 0; i < p->n; i++) {
        if (!n || p->at[n - 1] != p->at[i])
            p->at[n++] = p->at[i];
    }
    p->n = n;
}

static void stored(void *context, sam_expr e, void *out) {
    each *w = context;
    const sam_expr_data *x = sam_expr_at(w->s, e);
    const tile_tensor *t = operand_of(w, x->tensor);
    points p = new_points(w, t->nnz, 0);
    for (uint32_t m = 0; m < t->order; m++)
        p.loops |= 1u << loop_of(w, x->index[m]);
    for (uint64_t i = 0; i < t->nnz && !w->too_many; i++) {
        uint64_t point = 0;
        bool inside = true;
        for (uint32_t m = 0; m < t->order; m++) {
            const uint32_t loop = loop_of(w, x->index[m]), crd = t->crd[i * t->order + m];
            inside = inside && crd < w->dim[loop];
            point += crd * w->weight[loop];
        }
        if (inside)
            p.at[p.n++] = point;
    }
    arrange(&p);
    *(points *)out = p;
}

/* Extends a set to more loops, with every coordinate along them. */
static points spread(each *w, points p, uint32_t loops) {
    for (uint32_t m = 0; m < w->n && !w->too_many; m++) {
        if (!(loops & ~p.loops & 1u << m))
            continue;
        points wide = new_points(w, p.n * w->dim[m], p.loops | 1u << m);
        for (uint64_t i = 0; i < p.n && !w->too_many; i++) {
            for (uint32_t c = 0; c < w->dim[m]; c++)
                wide.at[wide.n++] = p.at[i] + c * w->weight[m];
        }
        p = wide;
    }
    if (!w->too_many)
        arrange(&p);
    return p;
}

static void unite(void *context, sam_expr of, void *a, const void *b) {
    each *w = context;
    const uint32_t loops = ((points *)a)->loops | ((const points *)b)->loops;
    const points x = spread(w, *(points *)a, loops), y = spread(w, *(const points *)b, loops);
    (void)of;
    points all = new_points(w, x.n + y.n, loops);
    if (w->too_many)
        return;
    memcpy(all.at, x.at, x.n * sizeof *x.at);
    memcpy(all.at + x.n, y.at, y.n * sizeof *y.at);
    all.n = x.n + y.n;
    arrange(&all);
    *(points *)a = all;
}

/* A point, and its offset over the common loops of a join. */
typedef struct {
    uint64_t common, point;
} keyed;

static int by_common(const void *a, const void *b) {
    const keyed *x = a, *y = b;
    return x->common != y->common ? (x->common > y->common) - (x->common < y->common)
                                  : (x->point > y->point) - (x->point < y->point);
}

static keyed *key(each *w, const points *p, uint32_t common) {
    keyed *all = arena_new_n(w->mem, keyed, p->n + 1);
    for (uint64_t i = 0; i < p->n; i++)
        all[i] = (keyed){project(w, p->at[i], common), p->at[i]};
    qsort(all, p->n, sizeof *all, by_common);
    return all;
}

/* Returns the end of the run of equal keys from `i`. */
static uint64_t end_of_run(const keyed *all, uint64_t n, uint64_t i) {
    const uint64_t common = all[i].common;
    while (i < n && all[i].common == common)
        i++;
    return i;
}

/* Joins equal keys of both; with a set, stores the points. Returns the number of points. */
static uint64_t pair_up(const keyed *x, uint64_t nx, const keyed *y, uint64_t ny, points *out) {
    uint64_t n = 0;
    for (uint64_t i = 0, k = 0; i < nx && k < ny;) {
        const uint64_t i_end = end_of_run(x, nx, i), k_end = end_of_run(y, ny, k);
        if (x[i].common != y[k].common) {
            if (x[i].common < y[k].common)
                i = i_end;
            else
                k = k_end;
            continue;
        }
        n += (i_end - i) * (k_end - k);
        for (uint64_t p = i; out && p < i_end; p++) {
            for (uint64_t q = k; q < k_end; q++)
                out->at[out->n++] = x[p].point + y[q].point - x[p].common;
        }
        i = i_end;
        k = k_end;
    }
    return n;
}

static void meet(void *context, sam_expr of, void *a, const void *b) {
    each *w = context;
    const points x = *(points *)a, y = *(const points *)b;
    (void)of;
    if (w->too_many)
        return;
    const keyed *left = key(w, &x, x.loops & y.loops), *right = key(w, &y, x.loops & y.loops);
    points both = new_points(w, pair_up(left, x.n, right, y.n, NULL), x.loops | y.loops);
    if (!w->too_many)
        pair_up(left, x.n, right, y.n, &both);
    arrange(&both);
    *(points *)a = both;
}

/* Whether nothing counts but where the first operand, which has all loops, is stored: of a mask, and of a
 * quotient of bf16 unless the other operand stores a 0. */
static bool decides(const each *w, const sam_expr_data *x) {
    const bool mask = x->kind == SAM_EXPR_CALL && !x->program && x->operation == SAM_OPERATION_when,
               quotient = x->kind == SAM_EXPR_DIV && !w->s->integers;
    if (!mask && !quotient)
        return false;
    const sam_expr_data *first = sam_expr_at(w->s, x->a);
    if (first->kind != SAM_EXPR_ACCESS || operand_of(w, first->tensor)->order != w->n ||
        sam_tensor_at(w->s, first->tensor)->fill)
        return false;
    const sam_expr_data *below = sam_expr_at(w->s, x->b);
    if (mask || below->kind != SAM_EXPR_ACCESS)
        return mask;
    const tile_tensor *by = operand_of(w, below->tensor);
    bool zero = by->order < w->n && !sam_tensor_at(w->s, below->tensor)->fill;
    for (uint64_t i = 0; i < by->nnz && zero; i++)
        zero = !(sam_apply(sam_operator_of(sam_operation_of(x), true), 0, by->val[i]) & 0x7fff);
    return zero;
}

/* Lets the points be about fewer loops. */
static void project_all(const each *w, points *p, uint32_t kept) {
    for (uint64_t i = 0; i < p->n; i++)
        p->at[i] = project(w, p->at[i], kept);
    p->loops = kept;
    arrange(p);
}

/* Returns the points of the right side's computation: points with coordinates, and points where fills give a
 * value unequal to the fill. */
static points where_computed(each *w) {
    const sam_statement *s = w->s;
    uint64_t *origin = arena_new(w->mem, uint64_t); /* outlives this function where there is no loop */
    const uint32_t all = (1u << w->n) - 1;
    const points everywhere = {origin, 1, 0};
    const sam_fold_by by = {sizeof everywhere, &everywhere, stored, meet, unite, NULL};
    sam_algebra algebra = {.mem = w->mem};
    const sam_coordinates c = sam_coordinates_of(&algebra, s, w->body, NULL);
    const sam_sum_reach reach = w->sum ? sam_reach_of_sum(s, s->rhs) : SAM_SUM_STORED;
    points p = everywhere;
    const sam_expr_data *x = sam_expr_at(s, w->body);
    const bool somewhere = c.set.v && sam_fill_of(s, s->rhs) == sam_tensor_at(s, s->result)->fill;
    if (sam_takes_fiber(x) && x->takes == SAM_TAKES_FIBER) {
        stored(w, x->a, &p);
        project_all(w, &p, p.loops & ~(1u << loop_of(w, x->var)));
    } else if (somewhere && !w->sum && decides(w, x))
        stored(w, x->a, &p);
    else if (somewhere && reach != SAM_SUM_EVERYWHERE)
        sam_fold(&algebra, c.set, &by, w, &p);
    if (reach == SAM_SUM_ALONG && !w->too_many)
        project_all(w, &p, p.loops & all >> 1);
    return spread(w, p, all);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Reports a function without termination. */
static bool all_ended(const sam_statement *s, sam_expr e, diagnostics *d) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return (!x->program || sam_program_ended(x->program, d)) && (!x->a.v || all_ended(s, x->a, d)) &&
           (!x->b.v || all_ended(s, x->b, d));
}

static uint16_t compute(const each *w, sam_expr e, uint64_t point) {
    const sam_expr_data *x = sam_expr_at(w->s, e);
    const bool fp = !w->s->integers;
    if (x->kind == SAM_EXPR_ACCESS)
        return value_at(w, x, point);
    if (x->kind == SAM_EXPR_LITERAL)
        return sam_literal_word(x->literal, fp);
    const uint16_t a = compute(w, x->a, point), b = x->b.v ? compute(w, x->b, point) : 0;
    return x->program ? sam_call(x->program, a, b)
                      : sam_apply(sam_operator_of(sam_operation_of(x), fp), a, b);
}

/* The points of a fiber, and their values. */
typedef struct {
    uint32_t n;
    uint16_t *word;
    int *crd;
    bool *takes; /* by point of the fiber: an argument of the function */
} taken_fiber;

/* Gathers the values of a fiber that the function takes; all[0] to all[n - 1] are its points. */
static void gather_fiber(const each *w, const sam_expr_data *x, const keyed *all, uint64_t n,
                         taken_fiber *out) {
    const sam_expr_data *of = sam_expr_at(w->s, x->a);
    const uint16_t fill = sam_tensor_at(w->s, of->tensor)->fill;
    bool stored = x->takes == SAM_TAKES_ALL;
    for (uint64_t q = 0; q < n; q++)
        stored = stored || value_at(w, of, all[q].point) != fill;
    out->n = 0;
    for (uint64_t q = 0; q < n; q++) {
        const uint16_t word = value_at(w, of, all[q].point);
        out->takes[q] = word != fill || (stored && x->takes != SAM_TAKES_STORED);
        out->word[out->n] = word;
        out->crd[out->n] = (int)digit(w, all[q].point, loop_of(w, x->var));
        out->n += out->takes[q];
    }
}

/* Applies the function to a fiber; `number` receives its values before they are words, or is NULL. */
static void apply_fiber(const each *w, const sam_program *f, const taken_fiber *fiber, double *number) {
    const tile_dtype dtype = w->s->integers ? TILE_DTYPE_INT16 : TILE_DTYPE_BF16;
    arena mem = {0};
    double *in = arena_new_n(&mem, double, fiber->n + 1), one = w->s->integers ? INT16_MAX : 1;
    for (uint32_t i = 0; i < fiber->n; i++)
        in[i] = tile_to_double(dtype, fiber->word[i]);
    if (number && fiber->n)
        sam_foreign_fiber(f->foreign,
                          &(sam_fiber_call){(int)fiber->n, fiber->crd, in, number, one, .behind = 0});
    for (uint32_t i = 0; number && i < fiber->n; i++)
        number[i] = tile_wide_number(dtype, number[i]);
    sam_apply_fiber(f, fiber->n, fiber->crd, fiber->word);
    arena_free(&mem);
}

/* Computes a function along a variable on its argument fibers: one value for each point. */
static valued *compute_fibers(each *w, const points *p) {
    const sam_expr_data *x = sam_expr_at(w->s, w->body);
    const uint32_t along = loop_of(w, x->var), all = (1u << w->n) - 1;
    const uint16_t fill =
        x->program->chooses ? 0 : sam_tensor_at(w->s, sam_expr_at(w->s, x->a)->tensor)->fill;
    keyed *point = key(w, p, all & ~(1u << along));
    uint16_t *word = arena_new_n(w->mem, uint16_t, p->n + 1);
    double *number = w->wide ? arena_new_n(w->mem, double, p->n + 1) : NULL;
    valued *made = arena_new_n(w->mem, valued, p->n + 1), *sorted = arena_new_n(w->mem, valued, p->n + 1);
    taken_fiber fiber = {0, word, arena_new_n(w->mem, int, p->n + 1), arena_new_n(w->mem, bool, p->n + 1)};
    for (uint64_t i = 0; i < p->n;) {
        const uint64_t first = i, end = end_of_run(point, p->n, i);
        gather_fiber(w, x, point + first, end - first, &fiber);
        w->calls += fiber.n > 0;
        apply_fiber(w, x->program, &fiber, number);
        for (uint32_t k = 0; i < end; i++) {
            const bool takes = fiber.takes[i - first];
            made[i] = (valued){takes ? word[k] : fill, takes && number ? number[k] : 0};
            point[i] = (keyed){point[i].point, i};
            k += takes;
        }
    }
    qsort(point, p->n, sizeof *point, by_common);
    for (uint64_t i = 0; i < p->n; i++)
        sorted[i] = made[point[i].point];
    return sorted;
}

static bool set_loops(each *w, const uint32_t *extent) {
    uint64_t all = 1;
    w->n = sam_tensor_at(w->s, w->s->result)->order;
    memcpy(w->loop, w->s->result_index, sizeof *w->loop * w->n);
    if (w->sum)
        w->loop[w->n++] = w->sum->var;
    for (uint32_t l = w->n; l-- > 0;) {
        w->dim[l] = extent[w->loop[l].v - 1];
        w->weight[l] = all;
        if (w->dim[l] && all > INT64_MAX / w->dim[l])
            return false;
        all *= w->dim[l];
    }
    return true;
}

/* Entries of a result in the making. */
typedef struct {
    uint32_t *crd;
    uint16_t *val;
    double *wide;
} entries;

/* Adds the value at a point of the result, unless equal to the fill. */
static void put(const each *w, uint64_t point, valued v, const entries *to, tile_tensor *out) {
    if (v.word == out->fill && out->order && !(w->wide && v.number != 0))
        return;
    for (uint32_t m = 0; m < out->order; m++)
        to->crd[out->nnz * out->order + m] = digit(w, point, m);
    if (w->wide)
        to->wide[out->nnz] = v.number;
    to->val[out->nnz++] = v.word;
}

/* Reduces what stands at one point of the result, from point *i on. Bfloat16 numbers are added in float32,
 * and rounded once. */
static valued reduce(each *w, const points *p, uint32_t kept, uint64_t *i) {
    const sam_expr_data *body = sam_expr_at(w->s, w->body);
    const uint64_t of = project(w, p->at[*i], kept);
    const sam_operator *by = w->sum ? sam_operator_of(sam_operation_of(w->sum), !w->s->integers) : NULL;
    const bool floats = by && !w->s->integers && sam_operation_of(w->sum) == SAM_OPERATION_add;
    double number = w->wide ? number_at(w, body, p->at[*i]) : 0;
    uint16_t word = compute(w, w->body, p->at[(*i)++]);
    float sum = bf16_to_float(word);
    for (; by && *i < p->n && project(w, p->at[*i], kept) == of; ++*i) {
        const uint16_t one = compute(w, w->body, p->at[*i]);
        sum += bf16_to_float(one);
        number += w->wide ? number_at(w, body, p->at[*i]) : 0;
        word = floats ? bf16_from_float(sum) : sam_apply(by, word, one);
    }
    if (!w->wide)
        return (valued){word, 0};
    number = tile_wide_number(w->s->integers ? TILE_DTYPE_INT16 : TILE_DTYPE_BF16, number);
    return (valued){sam_number_word(number, !w->s->integers), number};
}

static void compute_all(each *w, const points *p, arena *mem, tile_tensor *out) {
    const uint32_t kept = (1u << out->order) - 1;
    const entries to = {arena_new_n(mem, uint32_t, p->n * out->order + 1),
                        arena_new_n(mem, uint16_t, p->n + 1),
                        w->wide ? arena_new_n(mem, double, p->n + 1) : NULL};
    const valued *made = sam_takes_fiber(sam_expr_at(w->s, w->s->rhs)) ? compute_fibers(w, p) : NULL;
    for (uint64_t i = 0; made && i < p->n; i++)
        put(w, p->at[i], made[i], &to, out);
    for (uint64_t i = made ? p->n : 0; i < p->n;) {
        const uint64_t of = project(w, p->at[i], kept);
        put(w, of, reduce(w, p, kept, &i), &to, out);
    }
    if (!out->order && !out->nnz)
        to.val[out->nnz++] = out->fill;
    out->crd = to.crd;
    out->val = to.val;
    tile_set_wide(out, to.wide);
}

/* Returns whether the result has numbers: of a function, or of a sum over an operand that has numbers. */
static bool has_numbers(const each *w, const sam_tensor_data *result) {
    const sam_expr_data *x = sam_expr_at(w->s, w->body);
    const bool is = !result->fill && tile_inside_sums(w->s).v == w->body.v;
    return is && (!w->sum || x->kind == SAM_EXPR_ACCESS) &&
           tile_is_wide(w->s, w->body, x->tensor.v ? operand_of(w, x->tensor) : NULL);
}

bool tile_each(const sam_statement *s, const tile_operands *named, const uint32_t *extent, arena *mem,
               diagnostics *d, tile_tensor *out, tile_each_work *work) {
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    const sam_expr_data *x = sam_expr_at(s, s->rhs);
    const bool sums = x->kind == SAM_EXPR_SUM;
    arena scratch = {0};
    each w = {.s = s, .named = named, .sum = sums ? x : NULL, .body = sums ? x->a : s->rhs, .mem = &scratch};
    points p = {0};
    w.wide = has_numbers(&w, result);
    w.too_many = !set_loops(&w, extent);
    if (!w.too_many)
        p = where_computed(&w);
    if (w.too_many) {
        diag_unmappable(d, result->loc, "E0322-everywhere",
                        "the host would compute more than %d values for %s", MOST_POINTS,
                        names_text(s->names, result->name));
        diag_hint(d, "operands whose fill the operation makes the result's, as 0 / x is 0");
        arena_free(&scratch);
        return false;
    }
    *out = (tile_tensor){.name = result->name, .order = result->order, .fill = result->fill};
    for (uint32_t m = 0; m < result->order; m++)
        out->dim[m] = (uint32_t)w.dim[m];
    compute_all(&w, &p, mem, out);
    *work = (tile_each_work){p.n, w.calls};
    arena_free(&scratch);
    return all_ended(s, s->rhs, d);
}
