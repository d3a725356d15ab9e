/* join.c - predicted places with values of a workspace of products, before any computation. */
#include "sam/operators.h"
#include "tiling/choose.h"
#include "tiling/sample.h"

#include <math.h>

enum { MOST_ENTRIES = 1 << 17, ROUNDS = 8 };

/* A factor, with its entries sorted by the common variables, then by their order. */
typedef struct {
    const sam_expr_data *access;
    const tile_tensor *data;
    uint8_t shared[SAM_MAX_ORDER]; /* its modes along the variables of both, in the same order for both */
    uint32_t *order;
} factor;

static int mode_along(const sam_expr_data *access, uint32_t order, sam_var v) {
    for (uint32_t m = 0; m < order; m++) {
        if (access->index[m].v == v.v)
            return (int)m;
    }
    return -1;
}

/* Returns the operand of the statement's sum, if any. */
static const sam_expr_data *added_up(const sam_statement *s) {
    const sam_expr_data *x = sam_expr_at(s, s->rhs);
    while (x->kind == SAM_EXPR_SUM && x->operation == SAM_OPERATION_add)
        x = sam_expr_at(s, x->a);
    return x;
}

/* Returns whether x is an operand of the user's or a workspace, and none of its diagonals. */
static bool is_factor(const sam_statement *s, const tile_operands *in, const sam_expr_data *x, factor *out) {
    if (x->kind != SAM_EXPR_ACCESS || sam_tensor_at(s, x->tensor)->ones)
        return false;
    *out = (factor){.access = x, .data = &in->operand[x->tensor.v - 1]};
    for (uint32_t m = 0; m < out->data->order; m++) {
        if (mode_along(x, m, x->index[m]) >= 0)
            return false;
    }
    return true;
}

enum { MOST_FACTORS = 16 };

/* Lists the factors of a product; false: factors other than operands and numbers, or too many. */
static bool list_factors(const sam_statement *s, const tile_operands *in, const sam_expr_data *x, factor *all,
                         uint32_t *n) {
    if (x->kind == SAM_EXPR_MUL)
        return list_factors(s, in, sam_expr_at(s, x->a), all, n) &&
               list_factors(s, in, sam_expr_at(s, x->b), all, n);
    return x->kind == SAM_EXPR_LITERAL || (*n < MOST_FACTORS && is_factor(s, in, x, &all[(*n)++]));
}

/* Returns whether b has every index of a; of two with equal indices, the later one counts. */
static bool is_inside(const factor *a, const factor *b) {
    bool all = a->data->order < b->data->order || (a->data->order == b->data->order && a < b);
    for (uint32_t m = 0; m < a->data->order; m++)
        all = all && mode_along(b->access, b->data->order, a->access->index[m]) >= 0;
    return all;
}

/* Finds two factors of the statement's product, or of its sum of products. A factor whose indices all occur
 * in another factor only removes entries, and is passed over, unless no second factor remains. */
static bool find_factors(const sam_statement *s, const tile_operands *in, factor *f) {
    factor all[MOST_FACTORS], passed = {.access = NULL};
    uint32_t n = 0, found = 0;
    if (added_up(s)->kind != SAM_EXPR_MUL || !list_factors(s, in, added_up(s), all, &n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        bool inside = false;
        for (uint32_t other = 0; other < n && !inside; other++)
            inside = other != i && is_inside(&all[i], &all[other]);
        if (inside)
            passed = all[i];
        else if (found++ < 2)
            f[found - 1] = all[i];
    }
    if (found == 1 && passed.access)
        f[found++] = passed;
    return found == 2;
}

static uint32_t sort_shared(factor *f, arena *mem) {
    uint32_t keys = 0;
    for (uint32_t m = 0; m < f[0].data->order; m++) {
        int other = mode_along(f[1].access, f[1].data->order, f[0].access->index[m]);
        if (other < 0)
            continue;
        f[0].shared[keys] = (uint8_t)m;
        f[1].shared[keys++] = (uint8_t)other;
    }
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t n = (uint32_t)f[i].data->nnz;
        f[i].order = arena_new_n(mem, uint32_t, n + 1);
        tile_sort(f[i].data->crd, f[i].data->order, n, (clist_by){f[i].shared, keys}, f[i].order, mem);
    }
    return keys;
}

static const uint32_t *entry_at(const factor *f, uint64_t at) {
    return &f->data->crd[(uint64_t)f->order[at] * f->data->order];
}

/* Compares two entries along the shared variables. */
static int compare(const factor *f, const uint32_t *a, const factor *g, const uint32_t *b, uint32_t keys) {
    for (uint32_t k = 0; k < keys; k++) {
        uint32_t x = a[f->shared[k]], y = b[g->shared[k]];
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static uint64_t end_of_group(const factor *f, uint64_t from, uint32_t keys) {
    uint64_t end = from + 1;
    while (end < f->data->nnz && compare(f, entry_at(f, from), f, entry_at(f, end), keys) == 0)
        end++;
    return end;
}

typedef void on_group(void *of, uint64_t a, uint64_t a_end, uint64_t b, uint64_t b_end);

/* Visits all groups of entries of both with the same shared coordinates. O(entries). */
static void merge(const factor *f, uint32_t keys, on_group *visit, void *of) {
    uint64_t a = 0, b = 0;
    while (a < f[0].data->nnz && b < f[1].data->nnz) {
        int order = compare(&f[0], entry_at(&f[0], a), &f[1], entry_at(&f[1], b), keys);
        uint64_t a_end = order <= 0 ? end_of_group(&f[0], a, keys) : a,
                 b_end = order >= 0 ? end_of_group(&f[1], b, keys) : b;
        if (order == 0)
            visit(of, a, a_end, b, b_end);
        a = a_end;
        b = b_end;
    }
}

static void count_group(void *of, uint64_t a, uint64_t a_end, uint64_t b, uint64_t b_end) {
    *(uint64_t *)of += (a_end - a) * (b_end - b);
}

typedef struct {
    const sam_statement *s;
    const factor *f;
    uint32_t order;
    tile_entries entries;
    arena *mem;
} listed;

static void list_group(void *of, uint64_t a, uint64_t a_end, uint64_t b, uint64_t b_end) {
    listed *l = of;
    for (uint64_t i = a; i < a_end; i++) {
        for (uint64_t j = b; j < b_end; j++) {
            const uint32_t *at[2] = {entry_at(&l->f[0], i), entry_at(&l->f[1], j)};
            for (uint32_t m = 0; m < l->order; m++) {
                sam_var v = l->s->result_index[m];
                int first = mode_along(l->f[0].access, l->f[0].data->order, v);
                int second = mode_along(l->f[1].access, l->f[1].data->order, v);
                vec_push(l->mem, &l->entries.crd, first >= 0 ? at[0][first] : at[1][second]);
            }
            vec_push(l->mem, &l->entries.val, 1);
        }
    }
}

static bool finds_all(const sam_statement *s, const factor *f) {
    for (uint32_t m = 0; m < sam_tensor_at(s, s->result)->order; m++) {
        sam_var v = s->result_index[m];
        if (mode_along(f[0].access, f[0].data->order, v) < 0 &&
            mode_along(f[1].access, f[1].data->order, v) < 0)
            return false;
    }
    return true;
}

/* Adds the places of an operand, along the result's variables; false: a variable is missing. */
static bool add_stored(const sam_statement *s, const factor *f, arena *mem, tile_entries *entries) {
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    int mode[SAM_MAX_ORDER];
    for (uint32_t m = 0; m < result->order; m++) {
        mode[m] = mode_along(f->access, f->data->order, s->result_index[m]);
        if (mode[m] < 0)
            return false;
    }
    for (uint64_t e = 0; e < f->data->nnz; e++) {
        for (uint32_t m = 0; m < result->order; m++)
            vec_push(mem, &entries->crd, f->data->crd[e * f->data->order + (uint32_t)mode[m]]);
        vec_push(mem, &entries->val, 1);
    }
    return true;
}

/* Adds where the terms of a sum are stored; false: they are more than operands, or not along all of the
 * result's variables. */
static bool add_terms(const sam_statement *s, const tile_operands *in, const sam_expr_data *x, arena *mem,
                      tile_entries *entries) {
    factor f;
    if (x->kind == SAM_EXPR_ADD || x->kind == SAM_EXPR_SUB)
        return add_terms(s, in, sam_expr_at(s, x->a), mem, entries) &&
               add_terms(s, in, sam_expr_at(s, x->b), mem, entries);
    return is_factor(s, in, x, &f) && add_stored(s, &f, mem, entries);
}

/* Where the statement adds up operands: where any is stored, along the result's variables. */
static bool add_up(const sam_statement *s, const tile_operands *in, arena *mem, tile_tensor *out) {
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    tile_entries entries = {0};
    diagnostics quiet;
    uint32_t *extent;
    diag_init(&quiet, mem);
    if (!add_terms(s, in, added_up(s), mem, &entries) || !tile_known_extents(s, in, mem, &quiet, &extent))
        return false;
    *out = (tile_tensor){.name = result->name, .order = result->order};
    tile_result_dim(s, extent, out->dim);
    tile_normalise(out, &entries, in->dtype, mem);
    return true;
}

/* Gives every access a separate tensor: a sample may then have different coordinates of an operand with two
 * accesses. */
static void read_apart(const sam_statement *s, const tile_operands *in, arena *mem, tile_sampled *out) {
    tile_tensor *operands = arena_new_n(mem, tile_tensor, s->tensors.len + s->exprs.len);
    *out = (tile_sampled){*s, {operands, in->n, in->dtype}, 1, false};
    out->statement.exprs.at = arena_new_n(mem, sam_expr_data, s->exprs.len + 1);
    out->statement.tensors.at = NULL;
    out->statement.tensors.len = out->statement.tensors.cap = 0;
    memcpy(out->statement.exprs.at, s->exprs.at, sizeof *s->exprs.at * s->exprs.len);
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        vec_push(mem, &out->statement.tensors, s->tensors.at[t]);
        operands[t] = in->operand[t];
    }
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        sam_expr_data *x = &out->statement.exprs.at[e];
        const sam_tensor was = x->tensor;
        if (x->kind != SAM_EXPR_ACCESS)
            continue;
        if (sam_count_reads(s, was, e)) {
            operands[out->statement.tensors.len] = in->operand[was.v - 1];
            vec_push(mem, &out->statement.tensors, s->tensors.at[was.v - 1]);
            x->tensor.v = out->statement.tensors.len;
        }
    }
    out->in.n = out->statement.tensors.len;
}

/* Operands of a product with known matches of entries. */
typedef struct {
    tile_sampled of;
    factor f[2];
    uint32_t keys;
    uint64_t products;
} joined;

static void join(joined *j, arena *mem) {
    j->products = 0;
    find_factors(&j->of.statement, &j->of.in, j->f);
    j->keys = sort_shared(j->f, mem);
    merge(j->f, j->keys, count_group, &j->products);
}

/* Makes a sample with at most MOST_ENTRIES products; its share is the share of products. Returns false if
 * impossible. */
static bool join_sample(const tile_sampled *all, uint64_t whole, arena *mem, joined *j) {
    j->of = *all;
    join(j, mem);
    const double products = (double)j->products;
    double most = (double)(j->f[0].data->nnz + j->f[1].data->nnz);
    sam_statement keep = all->statement;
    keep.uncut |= whole;
    for (uint32_t round = 1; round < ROUNDS && j->products > MOST_ENTRIES; round++) {
        most *= fmin(0.5, sqrt(MOST_ENTRIES / (double)j->products));
        tile_sample(&keep, &all->in, (uint64_t)most, mem, &j->of);
        join(j, mem);
    }
    j->of.share = j->products ? (double)j->products / products : 1;
    return j->products <= MOST_ENTRIES && (j->products || products <= 0);
}

bool tile_workspace(const sam_statement *s, const tile_operands *in, uint64_t whole, arena *mem,
                    tile_tensor *out, double *share) {
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    arena scratch = {0};
    diagnostics quiet;
    tile_sampled all;
    joined j;
    uint32_t *extent = NULL;
    diag_init(&quiet, &scratch);
    *share = 1;
    if (add_up(s, in, mem, out))
        return true;
    if (!find_factors(s, in, j.f) || !finds_all(s, j.f))
        return false;
    read_apart(s, in, &scratch, &all);
    const bool good = join_sample(&all, whole, &scratch, &j) &&
                      tile_known_extents(&j.of.statement, &j.of.in, &scratch, &quiet, &extent);
    if (good) {
        listed l = {.s = s, .f = j.f, .order = result->order, .mem = &scratch};
        merge(j.f, j.keys, list_group, &l);
        *out = (tile_tensor){.name = result->name, .order = result->order};
        tile_result_dim(s, extent, out->dim);
        tile_normalise(out, &l.entries, in->dtype, mem);
        *share = j.of.share;
    }
    arena_free(&scratch);
    return good;
}
