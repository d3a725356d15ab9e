/* The reference: the statement evaluated as an expression over coordinate maps.
 *
 * Every sub-expression becomes a relation: the points of its variables that differ from a background value,
 * with their values. An operation that has its background wherever a side is absent, as a product of
 * relations with background zero, is a join on the shared variables; any other brings both sides to the same
 * variables and merges them point by point. Nothing here knows SAM, levels or tiles. Cost: joins and merges
 * are O(n log n)-free (radix sorts), output-sensitive.
 *
 * int16 wraps, so the order of additions does not matter; division truncates, and by zero gives zero. Each
 * value carries what it would be without wrapping, to a relative error of some 2^-24, which tells it from one
 * that is 2^16 or more away. bfloat16 rounds after each operation, so a sum depends on its order, which index
 * notation does not fix. Each value therefore carries how many roundings may differ, d, and the sum of the
 * magnitudes it is made of: two orders differ by at most 2 d u magnitude, u = 2^-8 (Higham, Accuracy and
 * Stability, 4.2). Without a sum d is 0 and the comparison exact.
 */
#include "sam/coordinates.h"
#include "support/bf16.h"
#include "tiling/tiling_int.h"

#include <math.h>

enum { RELATION_MAX_VARS = 64 };

static const float BF16_ROUNDOFF = 0x1p-8f;
/* The error of a product is below 5/8 of a unit in the last place, that of a sum at most 1/2. */
static const float ROUNDINGS_OF_PRODUCT = 1.25f;

/* A value, and how far another order of the same additions may be from it. */
typedef struct {
    uint16_t bits;
    float roundings; /* bfloat16 only: d */
    float magnitude; /* bfloat16: the sum of the absolute values; int16: the value itself, not wrapped */
} number;

typedef struct {
    uint32_t vars, var[RELATION_MAX_VARS]; /* variable handles, ascending */
    u32_vec crd;                           /* one tuple per point, in the order of var */
    VEC(number) val;
    number background; /* value of every other point */
} relation;

typedef struct {
    const sam_statement *statement;
    const tile_operands *in;
    const uint32_t *extent; /* by variable handle - 1 */
    arena *mem;
    const relation *within; /* only its points count, whatever is elsewhere; NULL: all do */
} evaluator;

/* ---- arithmetic ------------------------------------------------------------------------------ */

static number exactly(tile_dtype dtype, uint16_t bits) {
    return (number){.bits = bits,
                    .magnitude =
                        dtype == TILE_DTYPE_BF16 ? fabsf(bf16_to_float(bits)) : (float)(int16_t)bits};
}

static number constant(tile_dtype dtype, double x) {
    if (dtype == TILE_DTYPE_BF16)
        return exactly(dtype, bf16_from_float((float)x));
    return (number){.bits = (uint16_t)(uint64_t)(int64_t)x, .magnitude = (float)x};
}

static bool is_zero(tile_dtype dtype, number a) {
    return !(dtype == TILE_DTYPE_BF16 ? a.bits & 0x7fffu : a.bits);
}

/* 0 - a: the zero of a sum, and of what is absent, is positive. */
static number negate(tile_dtype dtype, number a) {
    if (dtype == TILE_DTYPE_INT16)
        return (number){.bits = (uint16_t)-a.bits, .magnitude = -a.magnitude};
    a.bits = is_zero(dtype, a) ? 0 : a.bits ^ 0x8000u;
    return a;
}

static bool has_wrapped(number a) {
    return fabsf(a.magnitude - (float)(int16_t)a.bits) > 0x1p15f;
}

/* What becomes of operands whose higher bits matter, and which may have wrapped: the value then counts as one
 * that has, though it fits. The chip has no other operands than the wrapped ones. */
static number of_wrapped(uint16_t bits, number a, number b) {
    number r = exactly(TILE_DTYPE_INT16, bits);
    r.magnitude += has_wrapped(a) || has_wrapped(b) ? 0x1p20f : 0;
    return r;
}

static number apply_int16(sam_expr_kind op, number a, number b) {
    if (op == SAM_EXPR_DIV)
        return of_wrapped((uint16_t)(b.bits ? (int16_t)a.bits / (int16_t)b.bits : 0), a, b);
    if (op == SAM_EXPR_MUL)
        return (number){.bits = (uint16_t)((uint32_t)a.bits * b.bits),
                        .magnitude = a.magnitude * b.magnitude};
    if (op == SAM_EXPR_ADD)
        return (number){.bits = (uint16_t)(a.bits + b.bits), .magnitude = a.magnitude + b.magnitude};
    return (number){.bits = (uint16_t)(a.bits - b.bits), .magnitude = a.magnitude - b.magnitude};
}

/* b's error, relative to its value, passes into the quotient; beyond a half nothing can be said. */
static float quotient_magnitude(number a, number b) {
    float y = fabsf(bf16_to_float(b.bits)), error = 2 * b.roundings * BF16_ROUNDOFF * b.magnitude;
    if (b.roundings == 0)
        return a.magnitude / y;
    return 2 * error < y ? 2 * (a.magnitude / y) * (b.magnitude / y) : INFINITY;
}

static number apply_bf16(sam_expr_kind op, number a, number b) {
    float x = bf16_to_float(a.bits), y = bf16_to_float(b.bits), roundings = a.roundings + b.roundings;
    number r = {.roundings = roundings > 0 ? roundings + 1 : 0, .magnitude = a.magnitude + b.magnitude};
    if (op == SAM_EXPR_MUL) {
        r.bits = bf16_product(a.bits, b.bits);
        r.roundings = roundings > 0 ? roundings + ROUNDINGS_OF_PRODUCT : 0;
        r.magnitude = a.magnitude * b.magnitude;
        return r;
    }
    if (op == SAM_EXPR_DIV)
        r.magnitude = quotient_magnitude(a, b);
    r.bits = bf16_from_float(op == SAM_EXPR_ADD ? x + y : op == SAM_EXPR_SUB ? x - y : x / y);
    return r;
}

/* A value that another order of additions may have changed may compare otherwise, too, in bfloat16. */
static number call_bf16(const sam_operator *f, sam_operation op, number a, number b) {
    number r = exactly(TILE_DTYPE_BF16, f->apply(a.bits, b.bits));
    bool compares = op == SAM_OPERATION_eq || op == SAM_OPERATION_ne || op == SAM_OPERATION_lt ||
                    op == SAM_OPERATION_le || op == SAM_OPERATION_gt || op == SAM_OPERATION_ge ||
                    op == SAM_OPERATION_land || op == SAM_OPERATION_lor || op == SAM_OPERATION_when ||
                    op == SAM_OPERATION_unless;
    if (op == SAM_OPERATION_addhigh || op == SAM_OPERATION_addlow || op == SAM_OPERATION_add)
        return (number){r.bits, apply_bf16(SAM_EXPR_ADD, a, b).roundings, a.magnitude + b.magnitude};
    if (op == SAM_OPERATION_mul)
        return apply_bf16(SAM_EXPR_MUL, a, b);
    r.roundings = a.roundings + b.roundings;
    r.magnitude = r.roundings > 0 && compares ? INFINITY : fmaxf(a.magnitude, b.magnitude);
    return r;
}

/* An int16 that became infinite has the magnitude of what it cannot hold. */
static number call_int16(const sam_operator *f, sam_operation op, number a, number b) {
    uint16_t bits = f->apply(a.bits, b.bits);
    bool infinite = bits == 0x7fff || bits == 0x8000;
    if (op == SAM_OPERATION_add || op == SAM_OPERATION_mul)
        return apply_int16(op == SAM_OPERATION_add ? SAM_EXPR_ADD : SAM_EXPR_MUL, a, b);
    if ((op == SAM_OPERATION_addhigh || op == SAM_OPERATION_addlow) && infinite && bits != a.bits &&
        bits != b.bits)
        return (number){.bits = bits, .magnitude = bits == 0x7fff ? 0x1p20f : -0x1p20f};
    if (op == SAM_OPERATION_ashr || op == SAM_OPERATION_lshr || op == SAM_OPERATION_div ||
        op == SAM_OPERATION_rem)
        return of_wrapped(bits, a, b);
    if (bits == a.bits || bits == b.bits)
        return bits == a.bits ? a : b;
    return exactly(TILE_DTYPE_INT16, bits);
}

static number call(tile_dtype dtype, sam_operation op, number a, number b) {
    const sam_operator *f = sam_operator_of(op, dtype == TILE_DTYPE_BF16);
    return dtype == TILE_DTYPE_BF16 ? call_bf16(f, op, a, b) : call_int16(f, op, a, b);
}

static number apply(tile_dtype dtype, sam_expr_kind op, number a, number b) {
    return dtype == TILE_DTYPE_BF16 ? apply_bf16(op, a, b) : apply_int16(op, a, b);
}

/* A function with loops compares what it computes. */
static number call_program(tile_dtype dtype, const sam_program *p, number a, number b) {
    number r = exactly(dtype, sam_apply(&p->of, a.bits, b.bits));
    if (dtype == TILE_DTYPE_BF16)
        r.roundings = a.roundings + b.roundings;
    if (r.roundings > 0)
        r.magnitude = INFINITY;
    return r;
}

/* What expression x makes of the values of its operands. */
static number apply_expr(tile_dtype dtype, const sam_expr_data *x, number a, number b) {
    if (x->program)
        return call_program(dtype, x->program, a, b);
    return x->kind == SAM_EXPR_CALL ? call(dtype, (sam_operation)x->operation, a, b)
                                    : apply(dtype, x->kind, a, b);
}

/* One more operand of a reduction; bfloat16 rounds products and sums in some order. */
static number combine(tile_dtype dtype, sam_operation op, number total, number a) {
    number r = call(dtype, op, total, a);
    bool rounds = op == SAM_OPERATION_mul || op == SAM_OPERATION_addhigh || op == SAM_OPERATION_addlow;
    if (rounds && dtype == TILE_DTYPE_BF16)
        r.roundings = total.roundings + a.roundings + (op == SAM_OPERATION_mul ? ROUNDINGS_OF_PRODUCT : 1);
    return r;
}

/* Combines n equal values by an operation whose order does not matter: log n steps. */
static number power(tile_dtype dtype, sam_operation op, number a, uint32_t n) {
    number result = a;
    for (n--; n; n >>= 1, a = combine(dtype, op, a, a)) {
        if (n & 1)
            result = combine(dtype, op, result, a);
    }
    return result;
}

/* One more addend of a sum of several: any of them may have been added first. */
static number accumulate(tile_dtype dtype, number total, number a, bool first) {
    if (first)
        return a;
    float roundings = total.roundings + a.roundings + 1;
    total = apply(dtype, SAM_EXPR_ADD, total, a);
    total.roundings = dtype == TILE_DTYPE_BF16 ? roundings : 0;
    return total;
}

/* Adds up n equal addends. */
static number times(tile_dtype dtype, number a, uint32_t n) {
    number product = apply(dtype, SAM_EXPR_MUL, a, constant(dtype, n));
    product.roundings = dtype == TILE_DTYPE_BF16 && n > 1 ? (a.roundings + 1) * (float)n : a.roundings;
    return product;
}

/* ---- relations ------------------------------------------------------------------------------- */

static int column_of(const relation *r, uint32_t var) {
    for (uint32_t i = 0; i < r->vars; i++) {
        if (r->var[i] == var)
            return (int)i;
    }
    return -1;
}

/* Unites two ascending variable lists. */
static void merge_vars(const relation *a, const relation *b, relation *out) {
    uint32_t i = 0, j = 0;
    while (i < a->vars || j < b->vars) {
        uint32_t next;
        if (j == b->vars || (i < a->vars && a->var[i] <= b->var[j])) {
            next = a->var[i];
            j += j < b->vars && b->var[j] == next;
            i++;
        } else {
            next = b->var[j++];
        }
        BUG_IF(out->vars == RELATION_MAX_VARS, "more than %d index variables", RELATION_MAX_VARS);
        out->var[out->vars++] = next;
    }
}

/* Sorts the points of `r` by the variables of `by` that it has; returns the permutation. */
static const uint32_t *sorted(const evaluator *e, const relation *r, const relation *by) {
    uint8_t key[RELATION_MAX_VARS];
    uint32_t keys = 0;
    for (uint32_t i = 0; i < by->vars; i++) {
        int column = column_of(r, by->var[i]);
        if (column >= 0)
            key[keys++] = (uint8_t)column;
    }
    uint32_t *order = arena_new_n(e->mem, uint32_t, r->val.len + 1);
    tile_sort(r->crd.at, r->vars, r->val.len, key, keys, order, e->mem);
    return order;
}

/* Sorts entries in the order of the result's indices. */
static const uint32_t *sorted_by_result(const evaluator *e, const relation *r) {
    uint32_t n = sam_tensor_at(e->statement, e->statement->result)->order;
    uint8_t key[SAM_MAX_ORDER];
    for (uint32_t m = 0; m < n; m++)
        key[m] = (uint8_t)column_of(r, e->statement->result_index[m].v);
    uint32_t *order = arena_new_n(e->mem, uint32_t, r->val.len + 1);
    tile_sort(r->crd.at, r->vars, r->val.len, key, n, order, e->mem);
    return order;
}

/* A relation without variables has no coordinates at all. */
static const uint32_t *tuple(const relation *r, uint32_t point) {
    return r->vars ? r->crd.at + (size_t)point * r->vars : NULL;
}

static int compare_on(const relation *shared, const relation *a, uint32_t pa, const relation *b,
                      uint32_t pb) {
    for (uint32_t i = 0; i < shared->vars; i++) {
        uint32_t ca = tuple(a, pa)[column_of(a, shared->var[i])];
        uint32_t cb = tuple(b, pb)[column_of(b, shared->var[i])];
        if (ca != cb)
            return ca < cb ? -1 : 1;
    }
    return 0;
}

/* What the operation makes where both sides have a point: a sort-merge join on the shared variables. */
static void join(const evaluator *e, const sam_expr_data *x, const relation *a, const relation *b,
                 relation *out) {
    relation shared = {0};
    for (uint32_t i = 0; i < a->vars; i++) {
        if (column_of(b, a->var[i]) >= 0)
            shared.var[shared.vars++] = a->var[i];
    }
    const uint32_t *oa = sorted(e, a, &shared), *ob = sorted(e, b, &shared);
    uint32_t i = 0, j = 0;
    while (i < a->val.len && j < b->val.len) {
        int order = compare_on(&shared, a, oa[i], b, ob[j]);
        if (order) {
            *(order < 0 ? &i : &j) += 1;
            continue;
        }
        uint32_t end = j;
        while (end < b->val.len && compare_on(&shared, a, oa[i], b, ob[end]) == 0)
            end++;
        for (; i < a->val.len && compare_on(&shared, a, oa[i], b, ob[j]) == 0; i++) {
            for (uint32_t k = j; k < end; k++) {
                for (uint32_t v = 0; v < out->vars; v++) {
                    int column = column_of(a, out->var[v]);
                    vec_push(e->mem, &out->crd,
                             column >= 0 ? tuple(a, oa[i])[column]
                                         : tuple(b, ob[k])[column_of(b, out->var[v])]);
                }
                vec_push(e->mem, &out->val, apply_expr(e->in->dtype, x, a->val.at[oa[i]], b->val.at[ob[k]]));
            }
        }
        j = end;
    }
}

/* Extends the relation to the variables of `over`: every point is repeated along the new ones. */
static void expand(const evaluator *e, const relation *r, const relation *over, relation *out) {
    if (r->vars == over->vars) { /* there are none */
        *out = *r;
        return;
    }
    *out = (relation){.vars = over->vars, .background = r->background};
    memcpy(out->var, over->var, sizeof out->var);
    uint32_t at[RELATION_MAX_VARS];
    uint64_t copies = 1;
    for (uint32_t v = 0; v < out->vars; v++) {
        if (column_of(r, out->var[v]) < 0)
            copies *= e->extent[out->var[v] - 1];
    }
    for (uint32_t p = 0; p < r->val.len; p++) {
        for (uint64_t copy = 0; copy < copies; copy++) {
            uint64_t rest = copy;
            for (uint32_t v = out->vars; v-- > 0;) {
                int column = column_of(r, out->var[v]);
                uint32_t extent = e->extent[out->var[v] - 1];
                at[v] = column >= 0 ? tuple(r, p)[column] : (uint32_t)(rest % extent);
                rest = column >= 0 ? rest : rest / extent;
            }
            for (uint32_t v = 0; v < out->vars; v++)
                vec_push(e->mem, &out->crd, at[v]);
            vec_push(e->mem, &out->val, r->val.at[p]);
        }
    }
}

static void push_point(const evaluator *e, relation *out, const uint32_t *at, number value) {
    for (uint32_t v = 0; v < out->vars; v++)
        vec_push(e->mem, &out->crd, at[v]);
    vec_push(e->mem, &out->val, value);
}

/* The value of the operation with its sides in their places. */
static number apply_sides(const evaluator *e, const sam_expr_data *x, bool first, number one, number other) {
    return first ? apply_expr(e->in->dtype, x, one, other) : apply_expr(e->in->dtype, x, other, one);
}

/* Whether the operation has its background wherever `one` has none of its points, whatever `other` is there:
 * so has a mask where it is absent, and a sum with infinities where one side is infinite. */
static bool absorbs(const evaluator *e, const sam_expr_data *x, bool first, const relation *one,
                    const relation *other, number background) {
    for (uint32_t p = 0; p < other->val.len; p++) {
        const number made = apply_sides(e, x, first, one->background, other->val.at[p]);
        const bool zeros = is_zero(e->in->dtype, made) && is_zero(e->in->dtype, background);
        if ((made.bits != background.bits && !zeros) || made.roundings != background.roundings ||
            made.magnitude != background.magnitude)
            return false;
    }
    return true;
}

/* What the operation makes at the points of `one`, outside of which it has its background. */
static void look_up(const evaluator *e, const sam_expr_data *x, bool first, const relation *one,
                    const relation *other, relation *out) {
    relation wide;
    expand(e, one, out, &wide);
    const uint32_t *at = sorted(e, &wide, other), *order = sorted(e, other, other);
    for (uint32_t i = 0, j = 0; i < wide.val.len; i++) {
        while (j < other->val.len && compare_on(other, other, order[j], &wide, at[i]) < 0)
            j++;
        const bool met = j < other->val.len && compare_on(other, other, order[j], &wide, at[i]) == 0;
        push_point(
            e, out, tuple(&wide, at[i]),
            apply_sides(e, x, first, wide.val.at[at[i]], met ? other->val.at[order[j]] : other->background));
    }
}

/* The points of `all` by the variables of `out`, each once. */
static relation points_of(const evaluator *e, const relation *all, const relation *out) {
    relation at = {.vars = out->vars};
    memcpy(at.var, out->var, sizeof at.var);
    const uint32_t *order = sorted(e, all, out);
    for (uint32_t i = 0; i < all->val.len; i++) {
        if (i && compare_on(out, all, order[i - 1], all, order[i]) == 0)
            continue;
        for (uint32_t v = 0; v < out->vars; v++)
            vec_push(e->mem, &at.crd, tuple(all, order[i])[column_of(all, out->var[v])]);
        vec_push(e->mem, &at.val, (number){0});
    }
    return at;
}

static bool has_all(const relation *r, const relation *of) {
    for (uint32_t v = 0; v < of->vars; v++) {
        if (column_of(r, of->var[v]) < 0)
            return false;
    }
    return true;
}

/* Extends the relation to the variables of `over`, where that counts. */
static void spread(const evaluator *e, const relation *r, const relation *over, relation *out) {
    const sam_expr_data reach = {.kind = SAM_EXPR_CALL, .operation = SAM_OPERATION_reach};
    if (r->vars == over->vars || !e->within || !has_all(e->within, over)) {
        expand(e, r, over, out);
        return;
    }
    const relation at = points_of(e, e->within, over);
    *out = (relation){.vars = over->vars, .background = r->background};
    memcpy(out->var, over->var, sizeof out->var);
    join(e, &reach, r, &at, out);
}

/* Any operation, point by point over the union of both variable sets. */
static void unite(const evaluator *e, const sam_expr_data *x, const relation *a, const relation *b,
                  relation *out) {
    relation wide_a, wide_b;
    spread(e, a, out, &wide_a);
    spread(e, b, out, &wide_b);
    const uint32_t *oa = sorted(e, &wide_a, out), *ob = sorted(e, &wide_b, out);
    uint32_t i = 0, j = 0;
    while (i < wide_a.val.len || j < wide_b.val.len) {
        int order = i == wide_a.val.len   ? 1
                    : j == wide_b.val.len ? -1
                                          : compare_on(out, &wide_a, oa[i], &wide_b, ob[j]);
        number va = order <= 0 ? wide_a.val.at[oa[i]] : a->background;
        number vb = order >= 0 ? wide_b.val.at[ob[j]] : b->background;
        push_point(e, out, order <= 0 ? tuple(&wide_a, oa[i]) : tuple(&wide_b, ob[j]),
                   apply_expr(e->in->dtype, x, va, vb));
        i += order <= 0;
        j += order >= 0;
    }
}

/* Any operation. Points are repeated along what the other side alone has only where they may count. */
static void merge(const evaluator *e, const sam_expr_data *x, const relation *a, const relation *b,
                  relation *out) {
    const bool nothing = is_zero(e->in->dtype, a->background) && is_zero(e->in->dtype, b->background);
    merge_vars(a, b, out);
    if (x->kind == SAM_EXPR_MUL && nothing) {
        join(e, x, a, b, out);
        return;
    }
    if (x->kind != SAM_EXPR_DIV || !nothing) /* nothing divided by nothing is nothing */
        out->background = apply_expr(e->in->dtype, x, a->background, b->background);
    if (is_zero(e->in->dtype, out->background))
        out->background.bits = 0;
    const bool alike = a->vars == out->vars && b->vars == out->vars;
    const bool plain = alike || x->program; /* a loop may end for the values there are, and for no other */
    const bool of_a = !plain && absorbs(e, x, true, a, b, out->background);
    const bool of_b = !plain && absorbs(e, x, false, b, a, out->background);
    if (of_a && of_b)
        join(e, x, a, b, out);
    else if (of_a || of_b)
        look_up(e, x, of_a, of_a ? a : b, of_a ? b : a, out);
    else
        unite(e, x, a, b, out);
}

/* n addends that are equal, or n operands of a reduction. */
static number repeated(const evaluator *e, sam_operation op, number a, uint32_t n) {
    if (op != SAM_OPERATION_add)
        return n ? power(e->in->dtype, op, a, n)
                 : exactly(e->in->dtype, sam_operator_of(op, e->in->dtype == TILE_DTYPE_BF16)->monoid.value);
    return times(e->in->dtype, a, n);
}

/* Reduces along one variable; points that are absent count with the background. */
static void sum(const evaluator *e, const sam_expr_data *x, const relation *a, relation *out) {
    const sam_operation op = (sam_operation)x->operation;
    const uint32_t var = x->var.v;
    const uint16_t nothing = sam_operator_of(op, e->in->dtype == TILE_DTYPE_BF16)->monoid.value;
    uint32_t extent = e->extent[var - 1];
    int gone = column_of(a, var);
    for (uint32_t v = 0; v < a->vars; v++) {
        if ((int)v != gone)
            out->var[out->vars++] = a->var[v];
    }
    out->background = repeated(e, op, a->background, extent);
    const uint32_t *order = sorted(e, a, out);
    for (uint32_t i = 0; i < a->val.len;) {
        uint32_t first = i;
        number total = {0};
        for (; i < a->val.len && compare_on(out, a, order[first], a, order[i]) == 0; i++)
            total = op && i != first ? combine(e->in->dtype, op, total, a->val.at[order[i]])
                                     : accumulate(e->in->dtype, total, a->val.at[order[i]], i == first);
        uint32_t missing = gone >= 0 ? extent - (i - first) : 0;
        if (gone < 0)
            total = repeated(e, op, total, extent);
        else if (op && missing && a->background.bits != nothing)
            total = combine(e->in->dtype, op, total, repeated(e, op, a->background, missing));
        else if (!op && missing && !is_zero(e->in->dtype, a->background))
            total = accumulate(e->in->dtype, total, times(e->in->dtype, a->background, missing), false);
        for (uint32_t v = 0; v < out->vars; v++)
            vec_push(e->mem, &out->crd, tuple(a, order[first])[column_of(a, out->var[v])]);
        vec_push(e->mem, &out->val, total);
    }
}

/* A function along x->var, of the points of each fiber that differ from the background. */
static void fibers(const evaluator *e, const sam_expr_data *x, relation *r) {
    relation by = {0};
    const int along = column_of(r, x->var.v);
    for (uint32_t v = 0; v < r->vars; v++) {
        if ((int)v != along)
            by.var[by.vars++] = r->var[v];
    }
    const relation outer = by;
    by.var[by.vars++] = x->var.v;
    const uint32_t *order = sorted(e, r, &by);
    uint16_t *word = arena_new_n(e->mem, uint16_t, r->val.len + 1);
    uint32_t *from = arena_new_n(e->mem, uint32_t, r->val.len + 1);
    int *crd = arena_new_n(e->mem, int, r->val.len + 1);
    for (uint32_t i = 0, first = 0; i < r->val.len; first = i) {
        uint32_t n = 0;
        float off = 0; /* how far an operand may be from what another order of sums gives */
        for (; i < r->val.len && compare_on(&outer, r, order[first], r, order[i]) == 0; i++) {
            const number a = r->val.at[order[i]];
            word[n] = a.bits;
            crd[n] = (int)tuple(r, order[i])[along];
            from[n] = order[i];
            off = fmaxf(off, a.roundings * a.magnitude);
            n += a.bits != r->background.bits;
        }
        sam_apply_fiber(x->program, n, crd, word);
        for (uint32_t k = 0; k < n; k++) {
            number *made = &r->val.at[from[k]];
            *made = exactly(e->in->dtype, word[k]);
            if (off > 0 && e->in->dtype == TILE_DTYPE_BF16) {
                made->roundings = 1;
                made->magnitude +=
                    x->program->sensitivity > 0 ? (float)x->program->sensitivity * off : INFINITY;
            }
        }
    }
}

/* Evaluates an access: the operand's entries, renamed; a repeated variable keeps the diagonal only. */
static void access(const evaluator *e, const sam_expr_data *x, relation *out) {
    const tile_tensor *t = &e->in->operand[x->tensor.v - 1];
    out->background = exactly(e->in->dtype, sam_tensor_at(e->statement, x->tensor)->fill);
    for (uint32_t m = 0; m < t->order; m++) {
        relation one = {.vars = 1, .var = {x->index[m].v}}, before = *out;
        out->vars = 0;
        merge_vars(&before, &one, out);
    }
    for (uint64_t p = 0; p < t->nnz; p++) {
        const uint32_t *c = t->order ? t->crd + p * t->order : NULL;
        uint32_t at[RELATION_MAX_VARS];
        bool seen[RELATION_MAX_VARS] = {false}, keep = true;
        for (uint32_t m = 0; m < t->order; m++) {
            int column = column_of(out, x->index[m].v);
            keep = keep && (!seen[column] || at[column] == c[m]);
            seen[column] = true;
            at[column] = c[m];
        }
        if (keep)
            push_point(e, out, at, exactly(e->in->dtype, t->val[p]));
    }
}

static void evaluate(const evaluator *e, sam_expr h, relation *out);

static bool is_stored(const sam_statement *s, sam_expr h) {
    const sam_expr_data *x = sam_expr_at(s, h);
    return x->kind == SAM_EXPR_ACCESS || (x->kind == SAM_EXPR_CALL && !x->b.v && is_stored(s, x->a));
}

/* Whether the operation has one value where a side has `absent`, whatever number the other side is. */
static bool decides(const evaluator *e, const sam_expr_data *x, bool first, number absent) {
    const tile_dtype dtype = e->in->dtype;
    const number made = apply_sides(e, x, first, absent, (number){0});
    for (uint32_t bits = 0; bits <= UINT16_MAX; bits++) {
        if (apply_sides(e, x, first, absent, exactly(dtype, (uint16_t)bits)).bits != made.bits)
            return false;
    }
    return true;
}

/* Evaluates both sides: an operand by itself first, and the other side only where the operand has points, if
 * nothing else of it counts. */
static void evaluate_sides(const evaluator *e, const sam_expr_data *x, relation *a, relation *b) {
    const sam_statement *s = e->statement;
    const bool first = is_stored(s, x->a) || !is_stored(s, x->b);
    const sam_expr other = first ? x->b : x->a;
    relation *one = first ? a : b, *rest = first ? b : a;
    evaluate(e, first ? x->a : x->b, one);
    evaluator inside = *e;
    const bool product = x->kind == SAM_EXPR_MUL && is_zero(e->in->dtype, one->background);
    const bool apart = one->vars > 1 && !x->program && !is_stored(s, other); /* else nothing is repeated */
    if (apart && (product || decides(e, x, first, one->background)))
        inside.within = one;
    evaluate(&inside, other, rest);
    if (apart && product && e->in->dtype == TILE_DTYPE_BF16 && !is_zero(e->in->dtype, rest->background))
        evaluate(e, other, rest); /* 0 times infinity is something */
}

static void evaluate(const evaluator *e, sam_expr h, relation *out) {
    const sam_expr_data *x = sam_expr_at(e->statement, h);
    relation a = {0}, b = {0};
    arena inner = {0}; /* of the operands: there may be many more points than the result has */
    const evaluator operands = {e->statement, e->in, e->extent, &inner, e->within};
    *out = (relation){0};
    switch (x->kind) {
    case SAM_EXPR_ACCESS:
        access(e, x, out);
        return;
    case SAM_EXPR_LITERAL:
        out->background = constant(e->in->dtype, x->literal);
        return;
    case SAM_EXPR_NEG:
        evaluate(e, x->a, out);
        for (uint32_t p = 0; p < out->val.len; p++)
            out->val.at[p] = negate(e->in->dtype, out->val.at[p]);
        out->background = negate(e->in->dtype, out->background);
        return;
    case SAM_EXPR_SUM:
        evaluate(&operands, x->a, &a);
        sum(e, x, &a, out);
        arena_free(&inner);
        return;
    case SAM_EXPR_CALL:
        if (!x->b.v) {
            const evaluator all = {e->statement, e->in, e->extent, e->mem, NULL};
            evaluate(sam_takes_fiber(x) ? &all : e, x->a, out);
            if (sam_takes_fiber(x)) {
                fibers(e, x, out);
                return;
            }
            for (uint32_t p = 0; p < out->val.len; p++)
                out->val.at[p] = apply_expr(e->in->dtype, x, out->val.at[p], out->val.at[p]);
            out->background = apply_expr(e->in->dtype, x, out->background, out->background);
            return;
        }
        evaluate_sides(&operands, x, &a, &b);
        merge(e, x, &a, &b, out);
        arena_free(&inner);
        return;
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
    case SAM_EXPR_MUL:
    case SAM_EXPR_DIV:
        evaluate_sides(&operands, x, &a, &b);
        merge(e, x, &a, &b, out);
        arena_free(&inner);
        return;
    case SAM_EXPR_NONE:
        break;
    }
    BUG("expression kind %d", (int)x->kind);
}

static bool has_division(const sam_statement *s, sam_expr h) {
    const sam_expr_data *x = sam_expr_at(s, h);
    return x->kind == SAM_EXPR_DIV || (x->a.v && has_division(s, x->a)) || (x->b.v && has_division(s, x->b));
}

/* Makes a tensor of the relation, with the tolerance of each entry. */
static void to_tensor(const evaluator *e, const relation *r, arena *mem, tile_tensor *out) {
    const sam_statement *s = e->statement;
    const uint32_t *order = sorted_by_result(e, r);
    uint32_t *crd = arena_new_n(mem, uint32_t, (size_t)r->val.len * out->order + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, r->val.len + 1);
    float *tolerance = arena_new_n(mem, float, r->val.len + 1);
    for (uint32_t p = 0; p < r->val.len; p++) {
        number n = r->val.at[order[p]];
        for (uint32_t m = 0; m < out->order; m++)
            crd[(size_t)p * out->order + m] = tuple(r, order[p])[column_of(r, s->result_index[m].v)];
        val[p] = n.bits;
        tolerance[p] = 2 * n.roundings * BF16_ROUNDOFF * n.magnitude;
        if (e->in->dtype == TILE_DTYPE_INT16)
            out->wrapped += has_wrapped(n);
    }
    out->nnz = r->val.len;
    out->crd = crd;
    out->val = val;
    out->tolerance = tolerance;
    out->divides = has_division(s, s->rhs);
}

bool tile_reference(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                    tile_tensor *out) {
    arena scratch = {0};
    uint32_t *extent = NULL;
    if (!tile_extents(s, in, &scratch, d, &extent))
        return false;
    evaluator e = {s, in, extent, &scratch, NULL};
    relation got, wide, all = {0};
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    *out = (tile_tensor){.name = result->name, .order = result->order};
    evaluate(&e, s->rhs, &got);
    for (uint32_t m = 0; m < result->order; m++) {
        relation one = {.vars = 1, .var = {s->result_index[m].v}}, before = all;
        all.vars = 0;
        merge_vars(&before, &one, &all);
    }
    tile_result_dim(s, extent, out->dim);
    out->fill = result->fill;
    if (got.background.bits != result->fill) {
        /* Every point of the result has a value: add the relation to a full one. */
        relation full = {0}, point = {0};
        vec_push(&scratch, &point.val, (number){0});
        expand(&e, &point, &all, &full);
        relation sum_of = {.background = got.background};
        const sam_expr_data everywhere = {.kind = SAM_EXPR_CALL, .operation = SAM_OPERATION_reach};
        merge_vars(&got, &full, &sum_of);
        unite(&e, &everywhere, &got, &full, &sum_of);
        got = sum_of;
    }
    expand(&e, &got, &all, &wide);
    to_tensor(&e, &wide, mem, out);
    arena_free(&scratch);
    for (uint32_t i = 0; i < s->exprs.len; i++) {
        if (s->exprs.at[i].program && !sam_program_ended(s->exprs.at[i].program, d))
            return false;
    }
    return true;
}
