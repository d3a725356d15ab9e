/* views.c - the tensors a kernel works on, made from the user's (sam_view), and the result brought back. */
#include "tiling/tiling_int.h"

/* What views are made of. */
typedef struct {
    const tile_operands *in;
    const name_table *names;
} viewing;

const tile_tensor *tile_find_operand(const tile_operands *in, name_id name) {
    for (uint32_t t = 0; t < in->n; t++) {
        if (name_eq(in->operand[t].name, name))
            return &in->operand[t];
    }
    return NULL;
}

static const tile_tensor *operand_called(const viewing *from, name_id name) {
    const tile_tensor *t = tile_find_operand(from->in, name);
    BUG_IF(!t, "no operand is called %s", names_text(from->names, name));
    return t;
}

/* Extent of a stored mode: the source's extent, common to equal modes, times the extents of modes fused with
 * the mode, divided and cut off like its coordinates. */
static uint32_t view_extent(const tile_tensor *source, const sam_view *view, const viewing *from,
                            uint32_t v) {
    const uint8_t mode = view->from[v].mode;
    uint32_t dim = 0;
    for (uint32_t m = 0; m < view->source_order; m++) {
        if (view->equal[m] == view->equal[mode] && source->dim[m] > dim)
            dim = source->dim[m];
    }
    if (view->place[mode].stride)
        dim = operand_called(from, view->place[mode].slice)->dim[0];
    if (view->fused[mode].times)
        dim *= view->fused[mode].times;
    return view->from[v].modulo ? view->from[v].modulo : tile_split_extent(dim, view->from[v].divide);
}

static bool kept(const sam_view *view, const uint32_t *crd) {
    for (uint32_t m = 0; m < view->source_order; m++) {
        if (crd[m] != crd[view->equal[m]])
            return false;
    }
    return true;
}

/* Position of the source's coordinates along a mode: in a slice, or with the fused modes. */
static uint32_t placed(const sam_view *view, uint32_t mode, const uint32_t *crd) {
    if (view->place[mode].stride)
        return view->place[mode].low + crd[mode] * view->place[mode].stride;
    if (!view->fused[mode].times)
        return crd[mode];
    uint32_t at = 0;
    for (uint32_t m = 0; m < view->source_order; m++)
        at += view->fused[m].onto == mode ? crd[m] * view->fused[m].times : 0;
    return at;
}

/* Adds an entry of the source if inside the view. */
static void add_viewed(const sam_view *view, uint32_t order, const uint32_t *crd, uint16_t value, arena *mem,
                       tile_entries *out) {
    for (uint32_t v = 0; v < order; v++) {
        const uint8_t mode = view->from[v].mode;
        const uint32_t at = placed(view, mode, crd) / view->from[v].divide;
        vec_push(mem, &out->crd, view->from[v].modulo ? at % view->from[v].modulo : at);
    }
    vec_push(mem, &out->val, value);
}

/* Repeats an entry at the last coordinate of a split mode's loop at all later coordinates of the last
 * block. */
static void repeat_last(const sam_view *view, uint32_t order, const tile_tensor *source, uint64_t e,
                        arena *mem, tile_entries *out) {
    uint32_t crd[SAM_MAX_ORDER];
    memcpy(crd, source->crd + e * source->order, sizeof *crd * source->order);
    for (uint32_t v = 0; v < order; v++) {
        const uint8_t mode = view->from[v].mode;
        const uint32_t size = view->from[v].divide, dim = view->repeats;
        if (size < 2 || crd[mode] != dim - 1)
            continue;
        for (crd[mode] = dim; crd[mode] % size; crd[mode]++)
            add_viewed(view, order, crd, source->val[e], mem, out);
    }
}

static void make_view(const sam_tensor_data *t, const viewing *from, arena *mem, tile_tensor *out) {
    const sam_view *view = &t->view;
    const tile_tensor *source = operand_called(from, view->source);
    arena scratch = {0};
    tile_entries entries = {0};
    *out = (tile_tensor){.name = t->name, .order = t->order, .dim_inferred = source->dim_inferred};
    for (uint32_t v = 0; v < t->order; v++)
        out->dim[v] = view_extent(source, view, from, v);
    for (uint64_t e = 0; e < source->nnz; e++) {
        const uint32_t *crd = source->crd + e * source->order;
        if (!kept(view, crd))
            continue;
        add_viewed(view, t->order, crd, source->val[e], &scratch, &entries);
        if (view->repeats)
            repeat_last(view, t->order, source, e, &scratch, &entries);
    }
    tile_normalise(out, &entries, from->in->dtype, mem);
    arena_free(&scratch);
}

enum { ONES_MOST = 1 << 28 };

/* Returns the number of coordinates of an operand of ones along mode m: a compressed level has only
 * coordinate 0, also along a sum of nothing, which counts as a sum over an empty coordinate. */
static uint32_t ones_along(const sam_tensor_data *t, uint32_t m, uint32_t dim) {
    for (uint32_t l = 0; l < t->order; l++) {
        if (t->mode[l] == m && !sam_level_is_whole(t, l))
            return 1;
    }
    return dim;
}

static bool refuse_ones(const sam_tensor_data *t, diagnostics *d) {
    return diag_error(d, t->loc, "E0331-dense", "this addition fills more than %d points", ONES_MOST);
}

/* Makes an operand with value 1 at every coordinate of a dense level, and at coordinate 0 of a compressed
 * one. */
static bool make_ones(const sam_tensor_data *t, const uint32_t *dim, tile_dtype dtype, arena *mem,
                      diagnostics *d, tile_tensor *out) {
    uint64_t points = 1;
    uint32_t along[SAM_MAX_ORDER];
    *out = (tile_tensor){.name = t->name, .order = t->order};
    for (uint32_t m = 0; m < t->order; m++) {
        along[m] = ones_along(t, m, dim[m]);
        out->dim[m] = dim[m] > along[m] ? dim[m] : along[m];
        points = points > ONES_MOST ? points : points * along[m];
    }
    if (points > ONES_MOST)
        return refuse_ones(t, d);
    uint32_t *crd = arena_new_n(mem, uint32_t, points * t->order + 1);
    uint16_t *val = arena_new_n(mem, uint16_t, points + 1);
    for (uint64_t p = 0; p < points; p++) {
        uint64_t rest = p;
        for (uint32_t m = t->order; m-- > 0; rest /= along[m])
            crd[p * t->order + m] = (uint32_t)(rest % along[m]);
        val[p] = dtype == TILE_DTYPE_BF16 ? bf16_from_float(1) : 1;
    }
    out->nnz = points;
    out->crd = crd;
    out->val = val;
    return true;
}

/* Returns the access of tensor t under h, or none. */
static sam_expr access_of(const sam_statement *s, sam_expr h, sam_tensor t) {
    const sam_expr_data *x = sam_expr_at(s, h);
    if (x->kind == SAM_EXPR_ACCESS)
        return x->tensor.v == t.v ? h : (sam_expr){0};
    sam_expr found = x->a.v ? access_of(s, x->a, t) : (sam_expr){0};
    return found.v || !x->b.v ? found : access_of(s, x->b, t);
}

/* Input of the search for gaps: the coordinates of all tensors with gaps, by the modes of the first, with
 * extents, the modes of the result, and the modes in the order of sorting. */
typedef struct {
    u32_vec crd;
    uint32_t dim[SAM_MAX_ORDER];
    uint8_t key[SAM_MAX_ORDER];
    uint32_t order, results;
    bool near;
    uint8_t from[SAM_MAX_ORDER]; /* by mode of the ones: the mode of the gaps, or SAM_MAX_ORDER */
} gap_search;

/* Adds the entries of `ones` at a coordinate of the tensor with gaps: mode m of `ones` comes from mode
 * from[m], or has every coordinate if none. */
static void add_ones_at(const uint32_t *at, const uint8_t *from, const tile_tensor *ones, tile_dtype dtype,
                        arena *mem, tile_entries *out) {
    const uint32_t order = ones->order, *dim = ones->dim;
    uint64_t points = 1;
    for (uint32_t m = 0; m < order; m++)
        points *= from[m] < SAM_MAX_ORDER ? 1 : dim[m];
    for (uint64_t p = 0; p < points; p++) {
        uint64_t rest = p;
        for (uint32_t m = 0; m < order; m++) {
            vec_push(mem, &out->crd, from[m] < SAM_MAX_ORDER ? at[from[m]] : (uint32_t)(rest % dim[m]));
            rest /= from[m] < SAM_MAX_ORDER ? 1 : dim[m];
        }
        vec_push(mem, &out->val, dtype == TILE_DTYPE_BF16 ? bf16_from_float(1) : 1);
    }
}

/* Moves *at to the next coordinate along the keys [from, to); returns false at the end. */
static bool step_along(const gap_search *g, uint32_t from, uint32_t to, uint32_t *at) {
    for (uint32_t k = to; k-- > from; at[g->key[k]] = 0) {
        if (++at[g->key[k]] < g->dim[g->key[k]])
            return true;
    }
    return false;
}

/* Returns whether the entry is at `at` along the keys [0, n). */
static bool is_at(const gap_search *g, uint64_t entry, uint32_t n, const uint32_t *at) {
    bool equal = true;
    for (uint32_t k = 0; k < n && equal; k++)
        equal = g->crd.at[entry * g->order + g->key[k]] == at[g->key[k]];
    return equal;
}

/* Moves `at` to the result's coordinates of the next entry, for gaps near entries; returns false behind the
 * last entry. */
static bool move_to_entry(const gap_search *g, const uint32_t *sorted, uint32_t next, uint32_t n,
                          uint32_t *at) {
    for (uint32_t k = 0; k < g->results && next < n; k++)
        at[g->key[k]] = g->crd.at[(uint64_t)sorted[next] * g->order + g->key[k]];
    return next < n;
}

/* Makes ones at coordinates without a stored entry of any operand: at the first such coordinate for each of
 * the result's, and at all its coordinates if every one is stored. O(entries log entries + coordinates of the
 * result), without the latter for gaps near entries. */
static void make_gaps(const gap_search *g, tile_dtype dtype, arena *mem, tile_tensor *out) {
    arena scratch = {0};
    tile_entries entries = {0};
    const uint32_t n = (uint32_t)(g->crd.len / g->order);
    uint32_t *sorted = arena_new_n(&scratch, uint32_t, n + 1), at[SAM_MAX_ORDER] = {0}, next = 0;
    bool some = true;
    for (uint32_t m = 0; m < g->order; m++)
        some = some && g->dim[m];
    tile_sort(g->crd.at, g->order, n, (clist_by){g->key, g->order}, sorted, &scratch);
    if (g->near)
        some = some && move_to_entry(g, sorted, next, n, at);
    while (some) {
        bool full = false;
        while (!full && next < n && is_at(g, sorted[next], g->order, at)) {
            while (next < n && is_at(g, sorted[next], g->order, at))
                next++;
            full = !step_along(g, g->results, g->order, at);
        }
        do
            add_ones_at(at, g->from, out, dtype, &scratch, &entries);
        while (full && step_along(g, g->results, g->order, at));
        while (next < n && is_at(g, sorted[next], g->results, at))
            next++;
        for (uint32_t k = g->results; k < g->order; k++)
            at[g->key[k]] = 0;
        some = g->near ? move_to_entry(g, sorted, next, n, at) : step_along(g, 0, g->results, at);
    }
    tile_normalise(out, &entries, dtype, mem);
    arena_free(&scratch);
}

/* Returns the access of the operand `name`. */
static const sam_expr_data *access_called(const sam_statement *s, name_id name) {
    sam_tensor of = {0};
    for (uint32_t i = 0; i < s->tensors.len; i++) {
        if (name_eq(s->tensors.at[i].name, name))
            of.v = i + 1;
    }
    const sam_expr access = of.v ? access_of(s, s->rhs, of) : (sam_expr){0};
    BUG_IF(!access.v, "no operand is called %s", names_text(s->names, name));
    return sam_expr_at(s, access);
}

/* Adds the places of an operand's entries, by the modes of another operand with the same variables. */
static void add_entries(const sam_expr_data *own, const sam_expr_data *first, const tile_tensor *made,
                        arena *mem, gap_search *g) {
    const tile_tensor *t = &made[own->tensor.v - 1];
    for (uint64_t e = 0; e < t->nnz; e++) {
        for (uint32_t m = 0; m < g->order; m++) {
            uint32_t of = 0;
            while (own->index[of].v != first->index[m].v)
                of++;
            vec_push(mem, &g->crd, t->crd[e * t->order + of]);
        }
    }
}

/* The operands of a statement; operands of ones are made last. */
typedef struct {
    const sam_statement *s;
    const uint32_t *extent; /* by variable */
    tile_dtype dtype;
    tile_tensor *made;
} making;

/* Finds the operands with the gaps of `ones`, and the common modes with the first of them. */
static void find_gaps(const making *in, const sam_tensor_data *t, sam_expr ones, arena *mem, gap_search *g) {
    const sam_statement *s = in->s;
    const sam_expr_data *x = access_called(s, t->gaps.of[0]), *y = sam_expr_at(s, ones);
    *g = (gap_search){.order = sam_tensor_at(s, x->tensor)->order, .near = t->gaps.near};
    for (uint32_t i = 0; i < SAM_MAX_GAPS && t->gaps.of[i].v; i++)
        add_entries(access_called(s, t->gaps.of[i]), x, in->made, mem, g);
    uint32_t keys = 0;
    for (int result = 1; result >= 0; result--) {
        for (uint32_t m = 0; m < g->order; m++) {
            if (sam_is_result_var(s, x->index[m]) == (result == 1))
                g->key[keys++] = (uint8_t)m;
        }
        g->results = result ? keys : g->results;
    }
    for (uint32_t m = 0; m < t->order; m++)
        g->from[m] = SAM_MAX_ORDER;
    for (uint32_t m = 0; m < g->order; m++) {
        g->dim[m] = in->extent[x->index[m].v - 1];
        for (uint32_t o = 0; o < t->order; o++)
            g->from[o] = y->index[o].v == x->index[m].v ? (uint8_t)m : g->from[o];
    }
}

/* Makes one operand of ones, for `access`. */
static bool make_one(const making *in, sam_tensor of, sam_expr access, arena *mem, diagnostics *d) {
    const sam_statement *s = in->s;
    const sam_tensor_data *t = sam_tensor_at(s, of);
    tile_tensor *out = &in->made[of.v - 1];
    uint32_t dim[SAM_MAX_ORDER];
    for (uint32_t m = 0; m < t->order; m++)
        dim[m] = in->extent[sam_expr_at(s, access)->index[m].v - 1];
    if (!t->gaps.of[0].v)
        return make_ones(t, dim, in->dtype, mem, d, out);
    arena scratch = {0};
    gap_search g;
    find_gaps(in, t, access, &scratch, &g);
    double points = g.near ? (double)(g.crd.len / g.order) : 1;
    for (uint32_t m = 0; m < t->order; m++) {
        const bool reduced = !sam_is_result_var(s, sam_expr_at(s, access)->index[m]);
        points *= g.from[m] < SAM_MAX_ORDER && (reduced || g.near) ? 1 : dim[m];
    }
    const bool few = points <= ONES_MOST;
    *out = (tile_tensor){.name = t->name, .order = t->order};
    memcpy(out->dim, dim, sizeof *dim * t->order);
    if (few)
        make_gaps(&g, in->dtype, mem, out);
    arena_free(&scratch);
    return few || refuse_ones(t, d);
}

static bool make_all_ones(const sam_statement *s, tile_tensor *made, const tile_operands *operands,
                          arena *mem, diagnostics *d) {
    uint32_t *extent = NULL;
    if (!tile_extents(s, operands, mem, d, &extent))
        return false;
    const making in = {s, extent, operands->dtype, made};
    for (uint32_t t = 0; t < s->tensors.len; t++) {
        sam_expr access = s->tensors.at[t].ones ? access_of(s, s->rhs, (sam_tensor){t + 1}) : (sam_expr){0};
        if (!access.v)
            continue;
        if (!make_one(&in, (sam_tensor){t + 1}, access, mem, d))
            return false;
    }
    return true;
}

bool tile_pack(const sam_statement *packed, const tile_operands *in, arena *mem, diagnostics *d,
               tile_operands *out) {
    tile_tensor *made = arena_new_n(mem, tile_tensor, packed->tensors.len);
    const tile_operands kept = *out;
    const viewing from = {in, packed->names};
    *out = (tile_operands){made, packed->tensors.len, in->dtype};
    bool ones = false;
    for (uint32_t t = 0; t < packed->tensors.len; t++) {
        const sam_tensor_data *data = &packed->tensors.at[t];
        ones = ones || data->ones;
        if (t + 1 == packed->result.v || data->ones)
            continue;
        if (t < kept.n && kept.operand[t].name.v) {
            made[t] = kept.operand[t];
            continue;
        }
        if (data->view.source.v)
            make_view(data, &from, mem, &made[t]);
        else
            made[t] = *operand_called(&from, data->name);
    }
    return !ones || make_all_ones(packed, made, out, mem, d);
}

/* Finds the original coordinate of *crd. Returns false if none exists. */
static bool taken_back(const sam_view *view, uint32_t mode, uint32_t *crd) {
    const uint32_t low = view->place[mode].low, stride = view->place[mode].stride;
    if (!stride)
        return true;
    if (*crd < low || (*crd - low) % stride)
        return false;
    *crd = (*crd - low) / stride;
    return true;
}

/* Splits the coordinates of fused modes. */
static void take_apart(const sam_view *view, uint32_t *crd) {
    uint32_t fused[SAM_MAX_ORDER];
    memcpy(fused, crd, sizeof fused);
    for (uint32_t m = 0; m < view->source_order; m++) {
        const uint32_t times = view->fused[m].times, extent = view->fused[m].extent;
        if (times)
            crd[m] = extent ? fused[view->fused[m].onto] / times % extent : fused[m] / times;
    }
}

void tile_unpack(const sam_tensor_data *result, const tile_tensor *got, const uint32_t *dim, tile_dtype dtype,
                 arena *mem, tile_tensor *out) {
    const sam_view *view = &result->view;
    if (!view->source.v) {
        *out = *got;
        return;
    }
    arena scratch = {0};
    tile_entries entries = {.merge = view->merge};
    *out = (tile_tensor){.name = view->source, .order = view->source_order};
    memcpy(out->dim, dim, sizeof *dim * view->source_order);
    for (uint64_t e = 0; e < got->nnz; e++) {
        uint32_t crd[SAM_MAX_ORDER] = {0};
        bool inside = true;
        for (uint32_t v = 0; v < got->order; v++)
            crd[view->from[v].mode] += got->crd[e * got->order + v] * view->from[v].divide;
        take_apart(view, crd);
        for (uint32_t m = 0; m < view->source_order; m++)
            inside = taken_back(view, m, &crd[m]) && inside;
        for (uint32_t m = 0; m < view->source_order; m++)
            inside = inside && crd[view->equal[m]] < dim[m];
        if (!inside)
            continue; /* the last block of a split loop may exceed the range; or outside of every slice */
        for (uint32_t m = 0; m < view->source_order; m++)
            vec_push(&scratch, &entries.crd, crd[view->equal[m]]);
        vec_push(&scratch, &entries.val, got->val[e]);
    }
    if (view->merge && got->nnz < got->dim[0])
        vec_push(&scratch, &entries.val, got->fill); /* a row has places without a value */
    tile_normalise(out, &entries, dtype, mem);
    out->fill = got->fill;
    arena_free(&scratch);
}
