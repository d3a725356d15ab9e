/* The reference: the statement evaluated as an expression over coordinate maps.
 *
 * Every sub-expression becomes a relation: the points of its variables that differ from a background value,
 * with their values. An operation that has its background wherever a side is absent, as a product of
 * relations with background zero, is a join on the shared variables; any other brings both sides to the same
 * variables and merges them point by point. Nothing here knows SAM, levels or tiles. Cost: joins and merges
 * are O(n log n)-free (radix sorts), output-sensitive.
 *
 * Beside its word each value has what tiling/numbers.h describes: the number of double precision that it
 * stands for, whether a word had wrapped on the way, and how far another order of sums and products may be
 * from it.
 */
#include "sam/coordinates.h"
#include "tiling/ranges.h"
#include "tiling/relation.h"

#include <math.h>

enum { RANGE_ENTRIES = 1 << 14, ROOM_MOST = 4 };

typedef struct {
    const sam_statement *statement;
    const tile_operands *in;
    const uint32_t *extent; /* by variable handle - 1 */
    arena *mem;
    const relation *within;       /* only its points count, whatever is elsewhere; NULL: all do */
    const reference_range *range; /* only points in this range count; NULL: all do */
} evaluator;

/* ---- relations ------------------------------------------------------------------------------- */

/* Sorts entries in the order of the result's indices. */
static const uint32_t *sorted_by_result(const evaluator *e, const relation *r) {
    uint32_t n = sam_tensor_at(e->statement, e->statement->result)->order;
    uint8_t key[SAM_MAX_ORDER];
    for (uint32_t m = 0; m < n; m++)
        key[m] = (uint8_t)relation_column(r, e->statement->result_index[m].v);
    uint32_t *order = arena_new_n(e->mem, uint32_t, r->val.len + 1);
    tile_sort(r->crd.at, r->vars, r->val.len, (clist_by){key, n}, order, e->mem);
    return order;
}

/* Computes the operation at points present on both sides, in the order of a. */
static void join(const evaluator *e, const sam_expr_data *x, const relation *a, const relation *b,
                 relation *out) {
    const uint32_t *ob = relation_sorted(e->mem, b, a);
    const relation_span *met = relation_meet(e->mem, a, b, ob, e->extent);
    int from_a[RELATION_MAX_VARS], from_b[RELATION_MAX_VARS];
    uint64_t points = 0;
    for (uint32_t v = 0; v < out->vars; v++) {
        from_a[v] = relation_column(a, out->var[v]);
        from_b[v] = relation_column(b, out->var[v]);
    }
    for (uint32_t i = 0; i < a->val.len; i++)
        points += met[i].end - met[i].first;
    vec_room(e->mem, &out->crd, points * out->vars);
    vec_room(e->mem, &out->val, points);
    for (uint32_t i = 0; i < a->val.len; i++) {
        const uint32_t *of_a = relation_point(a, i);
        for (uint32_t k = met[i].first; k < met[i].end; k++) {
            const uint32_t *of_b = relation_point(b, ob[k]);
            for (uint32_t v = 0; v < out->vars; v++)
                vec_push(e->mem, &out->crd, from_a[v] >= 0 ? of_a[from_a[v]] : of_b[from_b[v]]);
            vec_push(e->mem, &out->val, tile_apply(e->in->dtype, x, a->val.at[i], b->val.at[ob[k]]));
        }
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
        if (relation_column(r, out->var[v]) < 0)
            copies *= e->extent[out->var[v] - 1];
    }
    for (uint32_t p = 0; p < r->val.len; p++) {
        for (uint64_t copy = 0; copy < copies; copy++) {
            uint64_t rest = copy;
            for (uint32_t v = out->vars; v-- > 0;) {
                int column = relation_column(r, out->var[v]);
                uint32_t extent = e->extent[out->var[v] - 1];
                at[v] = column >= 0 ? relation_point(r, p)[column] : (uint32_t)(rest % extent);
                rest = column >= 0 ? rest : rest / extent;
            }
            for (uint32_t v = 0; v < out->vars; v++)
                vec_push(e->mem, &out->crd, at[v]);
            vec_push(e->mem, &out->val, r->val.at[p]);
        }
    }
}

static void push_point(const evaluator *e, relation *out, const uint32_t *at, tile_number value) {
    for (uint32_t v = 0; v < out->vars; v++)
        vec_push(e->mem, &out->crd, at[v]);
    vec_push(e->mem, &out->val, value);
}

/* The value of the operation with its sides in their places. */
static tile_number apply_sides(const evaluator *e, const sam_expr_data *x, bool first, tile_number one,
                               tile_number other) {
    return first ? tile_apply(e->in->dtype, x, one, other) : tile_apply(e->in->dtype, x, other, one);
}

/* Whether the operation has its background at all points absent from `one`, for any `other`: true for an
 * absent mask, and for a sum with infinities if one side is infinite. */
static bool absorbs(const evaluator *e, const sam_expr_data *x, bool first, const relation *one,
                    const relation *other, tile_number background) {
    for (uint32_t p = 0; p < other->val.len; p++) {
        const tile_number made = apply_sides(e, x, first, one->background, other->val.at[p]);
        if (!tile_same_number(e->in->dtype, made, background))
            return false;
    }
    return true;
}

/* Computes the operation at the points of `one`; elsewhere the result is its background. */
static void look_up(const evaluator *e, const sam_expr_data *x, bool first, const relation *one,
                    const relation *other, relation *out) {
    relation wide;
    expand(e, one, out, &wide);
    const uint32_t *at = relation_sorted(e->mem, &wide, other),
                   *order = relation_sorted(e->mem, other, other);
    const relation_sides by = relation_sides_of(other, other, &wide);
    for (uint32_t i = 0, j = 0; i < wide.val.len; i++) {
        while (j < other->val.len && relation_compare(&by, order[j], at[i]) < 0)
            j++;
        const bool met = j < other->val.len && relation_compare(&by, order[j], at[i]) == 0;
        push_point(
            e, out, relation_point(&wide, at[i]),
            apply_sides(e, x, first, wide.val.at[at[i]], met ? other->val.at[order[j]] : other->background));
    }
}

/* The points of `all` by the variables of `out`, each once. */
static relation points_of(const evaluator *e, const relation *all, const relation *out) {
    relation at = {.vars = out->vars};
    memcpy(at.var, out->var, sizeof at.var);
    const uint32_t *order = relation_sorted(e->mem, all, out);
    const relation_sides by = relation_sides_of(out, all, all);
    for (uint32_t i = 0; i < all->val.len; i++) {
        if (i && relation_compare(&by, order[i - 1], order[i]) == 0)
            continue;
        for (uint32_t v = 0; v < out->vars; v++)
            vec_push(e->mem, &at.crd, relation_point(all, order[i])[relation_column(all, out->var[v])]);
        vec_push(e->mem, &at.val, (tile_number){0});
    }
    return at;
}

static bool has_all(const relation *r, const relation *of) {
    for (uint32_t v = 0; v < of->vars; v++) {
        if (relation_column(r, of->var[v]) < 0)
            return false;
    }
    return true;
}

/* Extends the relation to the variables of `over`, if this matters. */
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
    const uint32_t *oa = relation_sorted(e->mem, &wide_a, out), *ob = relation_sorted(e->mem, &wide_b, out);
    const relation_sides by = relation_sides_of(out, &wide_a, &wide_b);
    uint32_t i = 0, j = 0;
    while (i < wide_a.val.len || j < wide_b.val.len) {
        int order = i == wide_a.val.len ? 1 : j == wide_b.val.len ? -1 : relation_compare(&by, oa[i], ob[j]);
        tile_number va = order <= 0 ? wide_a.val.at[oa[i]] : a->background;
        tile_number vb = order >= 0 ? wide_b.val.at[ob[j]] : b->background;
        push_point(e, out, order <= 0 ? relation_point(&wide_a, oa[i]) : relation_point(&wide_b, ob[j]),
                   tile_apply(e->in->dtype, x, va, vb));
        i += order <= 0;
        j += order >= 0;
    }
}

/* Any operation. Points are repeated along variables of the other side only if they may count. */
static void merge(const evaluator *e, const sam_expr_data *x, const relation *a, const relation *b,
                  relation *out) {
    const bool nothing =
        tile_is_zero(e->in->dtype, a->background) && tile_is_zero(e->in->dtype, b->background);
    relation_unite_vars(a, b, out);
    if (x->kind == SAM_EXPR_MUL && nothing) {
        join(e, x, a, b, out);
        return;
    }
    if (x->kind != SAM_EXPR_DIV || !nothing) /* nothing divided by nothing is nothing */
        out->background = tile_apply(e->in->dtype, x, a->background, b->background);
    if (tile_is_zero(e->in->dtype, out->background))
        out->background.bits = 0;
    const bool alike = a->vars == out->vars && b->vars == out->vars;
    const bool plain = alike || x->program; /* a loop may end for the present values, and for no other */
    const bool of_a = !plain && absorbs(e, x, true, a, b, out->background);
    const bool of_b = !plain && absorbs(e, x, false, b, a, out->background);
    if (of_a && of_b)
        join(e, x, a, b, out);
    else if (of_a || of_b)
        look_up(e, x, of_a, of_a ? a : b, of_a ? b : a, out);
    else
        unite(e, x, a, b, out);
}

/* Reduces along one variable; absent points count with the background. */
static void sum(const evaluator *e, const sam_expr_data *x, const relation *a, relation *out) {
    const tile_dtype dtype = e->in->dtype;
    const uint8_t op = x->operation;
    const uint32_t var = x->var.v;
    const uint16_t nothing = sam_operator_of((sam_operation)op, dtype == TILE_DTYPE_BF16)->monoid.value;
    const tile_number none = tile_number_of(dtype, nothing);
    const bool counts = !tile_same_number(dtype, a->background, none);
    uint32_t extent = e->extent[var - 1];
    int gone = relation_column(a, var);
    for (uint32_t v = 0; v < a->vars; v++) {
        if ((int)v != gone)
            out->var[out->vars++] = a->var[v];
    }
    out->background = tile_repeat(dtype, op, a->background, extent);
    const uint32_t *order = relation_sorted(e->mem, a, out);
    const relation_sides by = relation_sides_of(out, a, a);
    for (uint32_t i = 0; i < a->val.len;) {
        uint32_t first = i;
        tile_number total = {0};
        for (; i < a->val.len && relation_compare(&by, order[first], order[i]) == 0; i++)
            total = i == first ? a->val.at[order[i]] : tile_combine(dtype, op, total, a->val.at[order[i]]);
        uint32_t missing = gone >= 0 ? extent - (i - first) : 0;
        if (gone < 0)
            total = tile_repeat(dtype, op, total, extent);
        else if (missing && counts)
            total = tile_combine(dtype, op, total, tile_repeat(dtype, op, a->background, missing));
        for (uint32_t v = 0; v < out->vars; v++)
            vec_push(e->mem, &out->crd, relation_point(a, order[first])[by.of_a[v]]);
        vec_push(e->mem, &out->val, total);
    }
}

/* Adds the background points for a function along an index: all points, or the points of the existing fibers
 * `outer`. */
static void add_background(const evaluator *e, const sam_expr_data *x, const relation *outer, relation *r) {
    const sam_expr_data everywhere = {.kind = SAM_EXPR_CALL, .operation = SAM_OPERATION_reach};
    relation at = {0}, full = {0}, all = {.vars = r->vars}, sum_of = {.background = r->background};
    memcpy(all.var, r->var, sizeof all.var);
    if (x->takes == SAM_TAKES_ALL)
        vec_push(e->mem, &at.val, (tile_number){0});
    else
        at = points_of(e, r, outer);
    expand(e, &at, &all, &full);
    relation_unite_vars(r, &full, &sum_of);
    unite(e, &everywhere, r, &full, &sum_of);
    *r = sum_of;
}

/* Gathers a fiber's argument points: order[from] up to order[to]. Returns their number. */
static uint32_t gather(const relation *r, const sam_expr_data *x, const uint32_t *order, uint32_t from,
                       uint32_t to, uint32_t *at) {
    uint32_t n = 0, stored = 0;
    for (uint32_t i = from; i < to; i++) {
        const bool differs = r->val.at[order[i]].bits != r->background.bits;
        at[n] = order[i];
        n += differs || x->takes != SAM_TAKES_STORED;
        stored += differs;
    }
    return stored || x->takes == SAM_TAKES_ALL ? n : 0;
}

/* Computes a function along x->var, on the argument points of each fiber. */
static void fibers(const evaluator *e, const sam_expr_data *x, relation *r) {
    relation by = {0};
    const int along = relation_column(r, x->var.v);
    for (uint32_t v = 0; v < r->vars; v++) {
        if ((int)v != along)
            by.var[by.vars++] = r->var[v];
    }
    const relation outer = by;
    by.var[by.vars++] = x->var.v;
    if (x->takes != SAM_TAKES_STORED)
        add_background(e, x, &outer, r);
    const uint32_t *order = relation_sorted(e->mem, r, &by);
    tile_number *value = arena_new_n(e->mem, tile_number, r->val.len + 1);
    uint32_t *from = arena_new_n(e->mem, uint32_t, r->val.len + 1);
    int *crd = arena_new_n(e->mem, int, r->val.len + 1);
    const relation_sides all = relation_sides_of(&outer, r, r);
    for (uint32_t i = 0, first = 0; i < r->val.len; first = i) {
        while (i < r->val.len && relation_compare(&all, order[first], order[i]) == 0)
            i++;
        const uint32_t n = gather(r, x, order, first, i, from);
        for (uint32_t k = 0; k < n; k++) {
            value[k] = r->val.at[from[k]];
            crd[k] = (int)relation_point(r, from[k])[along];
        }
        tile_apply_fiber(e->in->dtype, x->program, n, crd, value);
        for (uint32_t k = first, taken = 0; k < i; k++) {
            if (taken < n && from[taken] == order[k])
                r->val.at[order[k]] = value[taken++];
            else if (x->program->chooses)
                r->val.at[order[k]] = (tile_number){0};
            else
                tile_become_word(e->in->dtype, &r->val.at[order[k]]);
        }
    }
    if (x->program->chooses)
        r->background = (tile_number){0};
}

static bool is_in(const reference_range *range, uint32_t at) {
    return at >= range->first && at < range->end;
}

/* Counts the entries in the range. */
static uint64_t entries_in(const evaluator *e, const sam_expr_data *x, const tile_tensor *t) {
    uint64_t n = 0;
    uint32_t mode = 0;
    while (mode < t->order && (!e->range || x->index[mode].v != e->range->var))
        mode++;
    if (mode == t->order)
        return t->nnz;
    for (uint64_t p = 0; p < t->nnz; p++)
        n += is_in(e->range, t->crd[p * t->order + mode]);
    return n;
}

/* Evaluates an access: the operand's entries, renamed; a repeated variable keeps the diagonal only. */
static void access(const evaluator *e, const sam_expr_data *x, relation *out) {
    const tile_tensor *t = &e->in->operand[x->tensor.v - 1];
    out->background = tile_number_of(e->in->dtype, sam_tensor_at(e->statement, x->tensor)->fill);
    for (uint32_t m = 0; m < t->order; m++) {
        relation one = {.vars = 1, .var = {x->index[m].v}}, before = *out;
        out->vars = 0;
        relation_unite_vars(&before, &one, out);
    }
    const uint64_t room = entries_in(e, x, t);
    vec_room(e->mem, &out->crd, room * out->vars);
    vec_room(e->mem, &out->val, room);
    const int ranged = e->range ? relation_column(out, e->range->var) : -1;
    for (uint64_t p = 0; p < t->nnz; p++) {
        const uint32_t *c = t->order ? t->crd + p * t->order : NULL;
        uint32_t at[RELATION_MAX_VARS];
        bool seen[RELATION_MAX_VARS] = {false}, keep = true;
        for (uint32_t m = 0; m < t->order; m++) {
            int column = relation_column(out, x->index[m].v);
            keep = keep && (!seen[column] || at[column] == c[m]);
            seen[column] = true;
            at[column] = c[m];
        }
        if (keep && (ranged < 0 || is_in(e->range, at[ranged])))
            push_point(e, out, at, tile_number_at(e->in->dtype, t, p));
    }
}

static void evaluate(const evaluator *e, sam_expr h, relation *out);

static bool is_stored(const sam_statement *s, sam_expr h) {
    const sam_expr_data *x = sam_expr_at(s, h);
    return x->kind == SAM_EXPR_ACCESS || (x->kind == SAM_EXPR_CALL && !x->b.v && is_stored(s, x->a));
}

/* Whether the operation has a single value at `absent`, for any number of the other side. */
static bool decides(const evaluator *e, const sam_expr_data *x, bool first, tile_number absent) {
    const tile_dtype dtype = e->in->dtype;
    const tile_number made = apply_sides(e, x, first, absent, (tile_number){0});
    for (uint32_t bits = 0; bits <= UINT16_MAX; bits++) {
        if (apply_sides(e, x, first, absent, tile_number_of(dtype, (uint16_t)bits)).bits != made.bits)
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
    const bool product = x->kind == SAM_EXPR_MUL && tile_is_zero(e->in->dtype, one->background);
    const bool apart = one->vars > 1 && !x->program && !is_stored(s, other); /* else nothing is repeated */
    if (apart && (product || decides(e, x, first, one->background)))
        inside.within = one;
    evaluate(&inside, other, rest);
    if (apart && product && e->in->dtype == TILE_DTYPE_BF16 && !tile_is_zero(e->in->dtype, rest->background))
        evaluate(e, other, rest); /* 0 times infinity is something */
}

/* A literal beside an operation of bits is a pattern of bits: 0xff00 is 65280, and has not wrapped. */
static void take_pattern(const evaluator *e, const sam_expr_data *x, sam_expr side, relation *r) {
    const bool bits = x->operation == SAM_OPERATION_and || x->operation == SAM_OPERATION_or ||
                      x->operation == SAM_OPERATION_xor;
    if (bits && sam_expr_at(e->statement, side)->kind == SAM_EXPR_LITERAL)
        r->background = tile_number_of(e->in->dtype, r->background.bits);
}

static void evaluate(const evaluator *e, sam_expr h, relation *out) {
    const sam_expr_data *x = sam_expr_at(e->statement, h);
    relation a = {0}, b = {0};
    arena inner = {0}; /* of the operands: possibly many more points than the result has */
    evaluator operands = *e;
    operands.mem = &inner;
    *out = (relation){0};
    switch (x->kind) {
    case SAM_EXPR_ACCESS:
        access(e, x, out);
        return;
    case SAM_EXPR_LITERAL:
        out->background = tile_literal_number(e->in->dtype, x->literal);
        out->background.exact += x->rounded_off;
        return;
    case SAM_EXPR_NEG:
        evaluate(e, x->a, out);
        for (uint32_t p = 0; p < out->val.len; p++)
            out->val.at[p] = tile_negate(e->in->dtype, out->val.at[p]);
        out->background = tile_negate(e->in->dtype, out->background);
        return;
    case SAM_EXPR_SUM:
        evaluate(&operands, x->a, &a);
        sum(e, x, &a, out);
        arena_free(&inner);
        return;
    case SAM_EXPR_CALL:
        if (!x->b.v) {
            evaluator all = *e;
            all.within = NULL;
            evaluate(sam_takes_fiber(x) ? &all : e, x->a, out);
            if (sam_takes_fiber(x)) {
                fibers(e, x, out);
                return;
            }
            for (uint32_t p = 0; p < out->val.len; p++)
                out->val.at[p] = tile_apply(e->in->dtype, x, out->val.at[p], out->val.at[p]);
            out->background = tile_apply(e->in->dtype, x, out->background, out->background);
            return;
        }
        evaluate_sides(&operands, x, &a, &b);
        take_pattern(e, x, x->a, &a);
        take_pattern(e, x, x->b, &b);
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

/* Makes room for points of ranges like this range, and for a tenth more: arrays that grow leave their former
 * places behind. */
static void give_room(const evaluator *e, const relation *one, uint32_t ranges, relation *out) {
    const uint64_t room = (uint64_t)one->val.len * (ranges < ROOM_MOST ? ranges : ROOM_MOST) * 11 / 10;
    if (room * one->vars > UINT32_MAX)
        return;
    vec_room(e->mem, &out->crd, room * one->vars);
    vec_room(e->mem, &out->val, room);
}

/* Evaluates range after range of an index of the result: each value depends on points at its own coordinate
 * of the index alone. */
static void evaluate_ranges(const evaluator *e, uint64_t entries, relation *out) {
    const reference_ranges ranges = reference_ranges_of(e->statement, e->in, entries);
    if (ranges.n == 1) {
        evaluate(e, e->statement->rhs, out);
        return;
    }
    *out = (relation){0};
    for (uint32_t i = 0; i < ranges.n; i++) {
        const reference_range *range = &ranges.at[i];
        arena mem = {0};
        evaluator inside = *e;
        relation one;
        inside.mem = &mem;
        inside.range = range;
        evaluate(&inside, e->statement->rhs, &one);
        const int ranged = relation_column(&one, range->var);
        out->vars = one.vars;
        out->background = one.background;
        memcpy(out->var, one.var, sizeof out->var);
        if (!out->val.cap)
            give_room(e, &one, ranges.n, out);
        for (uint32_t p = 0; p < one.val.len; p++) {
            if (is_in(range, relation_point(&one, p)[ranged]))
                push_point(e, out, relation_point(&one, p), one.val.at[p]);
        }
        arena_free(&mem);
    }
}

static bool has_division(const sam_statement *s, sam_expr h) {
    const sam_expr_data *x = sam_expr_at(s, h);
    return x->kind == SAM_EXPR_DIV || (x->a.v && has_division(s, x->a)) || (x->b.v && has_division(s, x->b));
}

/* Makes a tensor of the relation, with the range of each entry. */
static void to_tensor(const evaluator *e, const relation *r, arena *mem, tile_tensor *out) {
    const sam_statement *s = e->statement;
    const uint32_t *order = sorted_by_result(e, r);
    uint64_t cells = 1;
    for (uint32_t m = 0; m < out->order && cells <= r->val.len; m++)
        cells *= out->dim[m];
    out->fill_wrapped =
        e->in->dtype == TILE_DTYPE_INT16 && r->val.len < cells && tile_has_wrapped(r->background);
    out->wrapped = out->fill_wrapped;
    uint32_t *crd = arena_new_n(mem, uint32_t, (size_t)r->val.len * out->order + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, r->val.len + 1);
    double *exact = arena_new_n(mem, double, r->val.len + 1);
    const bool floats = e->in->dtype == TILE_DTYPE_BF16;
    tile_bound *bound = floats ? arena_new_n(mem, tile_bound, r->val.len + 1) : NULL;
    for (uint32_t p = 0; p < r->val.len; p++) {
        const tile_number n = r->val.at[order[p]];
        for (uint32_t m = 0; m < out->order; m++)
            crd[(size_t)p * out->order + m] =
                relation_point(r, order[p])[relation_column(r, s->result_index[m].v)];
        val[p] = n.bits;
        exact[p] = n.exact;
        if (floats)
            bound[p] = tile_bound_of(n);
        out->addends = fmaxf(out->addends, n.adds + 1);
        if (e->in->dtype == TILE_DTYPE_INT16)
            out->wrapped += tile_has_wrapped(n);
    }
    out->nnz = r->val.len;
    out->crd = crd;
    out->val = val;
    out->bound = bound;
    out->original = exact;
    out->original_as = val;
    out->divides = has_division(s, s->rhs);
    tile_widen(s, e->in, &(tile_numbers){r->val.at, order}, mem, out);
}

bool tile_reference(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                    tile_tensor *out) {
    return tile_reference_by(s, in, RANGE_ENTRIES, mem, d, out);
}

bool tile_reference_by(const sam_statement *s, const tile_operands *in, uint64_t entries, arena *mem,
                       diagnostics *d, tile_tensor *out) {
    arena scratch = {0};
    uint32_t *extent = NULL;
    if (!tile_extents(s, in, &scratch, d, &extent))
        return false;
    evaluator e = {s, in, extent, &scratch, NULL, NULL};
    relation got, wide, all = {0};
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    *out = (tile_tensor){.name = result->name, .order = result->order, .scale = result->scale};
    evaluate_ranges(&e, entries, &got);
    for (uint32_t m = 0; m < result->order; m++) {
        relation one = {.vars = 1, .var = {s->result_index[m].v}}, before = all;
        all.vars = 0;
        relation_unite_vars(&before, &one, &all);
    }
    tile_result_dim(s, extent, out->dim);
    out->fill = result->fill;
    if (got.background.bits != result->fill) {
        /* Every point of the result has a value: add the relation to a full one. */
        relation full = {0}, point = {0};
        vec_push(&scratch, &point.val, (tile_number){0});
        expand(&e, &point, &all, &full);
        relation sum_of = {.background = got.background};
        const sam_expr_data everywhere = {.kind = SAM_EXPR_CALL, .operation = SAM_OPERATION_reach};
        relation_unite_vars(&got, &full, &sum_of);
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
