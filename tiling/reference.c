/* The reference: the statement evaluated as an expression over coordinate maps.
 *
 * Every sub-expression becomes a relation: the points of its variables that differ from a background value,
 * with their values. A product of relations with background zero is a join on the shared variables; any other
 * operation brings both sides to the same variables and merges them point by point. Nothing here knows SAM,
 * levels or tiles. Cost: joins and merges are O(n log n)-free (radix sorts), output-sensitive.
 */
#include "tiling/tiling_int.h"

enum { RELATION_MAX_VARS = 64 };

typedef struct {
    uint32_t vars, var[RELATION_MAX_VARS]; /* variable handles, ascending */
    u32_vec crd;                           /* one tuple per point, in the order of var */
    u16_vec val;
    uint16_t background; /* value of every other point */
} relation;

typedef struct {
    const sam_statement *statement;
    const tile_operands *in;
    const uint32_t *extent; /* by variable handle - 1 */
    arena *mem;
    diagnostics *diag;
} evaluator;

static uint16_t mul(tile_dtype dtype, uint16_t a, uint16_t b) {
    if (dtype == TILE_DTYPE_BF16)
        return bf16_from_float(bf16_to_float(a) * bf16_to_float(b));
    return (uint16_t)((uint32_t)a * b);
}

static uint16_t negate(tile_dtype dtype, uint16_t a) {
    return dtype == TILE_DTYPE_BF16 ? a ^ 0x8000u : (uint16_t)-a;
}

static uint16_t apply(tile_dtype dtype, sam_expr_kind op, uint16_t a, uint16_t b) {
    if (op == SAM_EXPR_MUL)
        return mul(dtype, a, b);
    return tile_add(dtype, a, op == SAM_EXPR_SUB ? negate(dtype, b) : b);
}

static uint16_t number(tile_dtype dtype, double x) {
    return dtype == TILE_DTYPE_BF16 ? bf16_from_float((float)x) : (uint16_t)(uint64_t)(int64_t)x;
}

static int column_of(const relation *r, uint32_t var) {
    for (uint32_t i = 0; i < r->vars; i++) {
        if (r->var[i] == var)
            return (int)i;
    }
    return -1;
}

/* The union of two ascending variable lists. */
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

/* The points of `r` sorted by the variables of `by` that it has; returns the permutation. */
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

static const uint32_t *tuple(const relation *r, uint32_t point) {
    return r->crd.at + (size_t)point * r->vars;
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

/* Product of two relations whose background is zero: a sort-merge join on the shared variables. */
static void join(const evaluator *e, const relation *a, const relation *b, relation *out) {
    relation shared = {0};
    for (uint32_t i = 0; i < a->vars; i++) {
        if (column_of(b, a->var[i]) >= 0)
            shared.var[shared.vars++] = a->var[i];
    }
    merge_vars(a, b, out);
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
                vec_push(e->mem, &out->val, mul(e->in->dtype, a->val.at[oa[i]], b->val.at[ob[k]]));
            }
        }
        j = end;
    }
}

/* The same relation over more variables: every point repeated along the new ones. */
static void expand(const evaluator *e, const relation *r, const relation *over, relation *out) {
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

static void push_point(const evaluator *e, relation *out, const uint32_t *at, uint16_t value) {
    for (uint32_t v = 0; v < out->vars; v++)
        vec_push(e->mem, &out->crd, at[v]);
    vec_push(e->mem, &out->val, value);
}

/* Any operation, point by point over the union of both variable sets. */
static void merge(const evaluator *e, sam_expr_kind op, const relation *a, const relation *b, relation *out) {
    relation wide_a, wide_b;
    merge_vars(a, b, out);
    expand(e, a, out, &wide_a);
    expand(e, b, out, &wide_b);
    out->background = apply(e->in->dtype, op, a->background, b->background);
    const uint32_t *oa = sorted(e, &wide_a, out), *ob = sorted(e, &wide_b, out);
    uint32_t i = 0, j = 0;
    while (i < wide_a.val.len || j < wide_b.val.len) {
        int order = i == wide_a.val.len   ? 1
                    : j == wide_b.val.len ? -1
                                          : compare_on(out, &wide_a, oa[i], &wide_b, ob[j]);
        uint16_t va = order <= 0 ? wide_a.val.at[oa[i]] : a->background;
        uint16_t vb = order >= 0 ? wide_b.val.at[ob[j]] : b->background;
        push_point(e, out, order <= 0 ? tuple(&wide_a, oa[i]) : tuple(&wide_b, ob[j]),
                   apply(e->in->dtype, op, va, vb));
        i += order <= 0;
        j += order >= 0;
    }
}

static uint16_t times(tile_dtype dtype, uint16_t value, uint32_t n) {
    return mul(dtype, value, number(dtype, n));
}

/* Sums along one variable; points that are absent count with the background. */
static void sum(const evaluator *e, uint32_t var, const relation *a, relation *out) {
    uint32_t extent = e->extent[var - 1];
    int gone = column_of(a, var);
    for (uint32_t v = 0; v < a->vars; v++) {
        if ((int)v != gone)
            out->var[out->vars++] = a->var[v];
    }
    out->background = times(e->in->dtype, a->background, extent);
    const uint32_t *order = sorted(e, a, out);
    for (uint32_t i = 0; i < a->val.len;) {
        uint32_t first = i;
        uint16_t total = 0;
        for (; i < a->val.len && compare_on(out, a, order[first], a, order[i]) == 0; i++)
            total = tile_add(e->in->dtype, total, a->val.at[order[i]]);
        uint32_t missing = gone >= 0 ? extent - (i - first) : 0;
        total = gone >= 0 ? tile_add(e->in->dtype, total, times(e->in->dtype, a->background, missing))
                          : times(e->in->dtype, total, extent);
        for (uint32_t v = 0; v < out->vars; v++)
            vec_push(e->mem, &out->crd, tuple(a, order[first])[column_of(a, out->var[v])]);
        vec_push(e->mem, &out->val, total);
    }
}

/* An access: the operand's entries, renamed; a repeated variable keeps the diagonal only. */
static void access(const evaluator *e, const sam_expr_data *x, relation *out) {
    const tile_tensor *t = &e->in->operand[x->tensor.v - 1];
    for (uint32_t m = 0; m < t->order; m++) {
        relation one = {.vars = 1, .var = {x->index[m].v}}, before = *out;
        out->vars = 0;
        merge_vars(&before, &one, out);
    }
    for (uint64_t p = 0; p < t->nnz; p++) {
        const uint32_t *c = t->crd + p * t->order;
        uint32_t at[RELATION_MAX_VARS];
        bool seen[RELATION_MAX_VARS] = {false}, keep = true;
        for (uint32_t m = 0; m < t->order; m++) {
            int column = column_of(out, x->index[m].v);
            keep = keep && (!seen[column] || at[column] == c[m]);
            seen[column] = true;
            at[column] = c[m];
        }
        if (keep)
            push_point(e, out, at, t->val[p]);
    }
}

static bool evaluate(const evaluator *e, sam_expr h, relation *out) {
    const sam_expr_data *x = sam_expr_at(e->statement, h);
    relation a = {0}, b = {0};
    *out = (relation){0};
    switch (x->kind) {
    case SAM_EXPR_ACCESS:
        access(e, x, out);
        return true;
    case SAM_EXPR_LITERAL:
        out->background = number(e->in->dtype, x->literal);
        return true;
    case SAM_EXPR_NEG:
        if (!evaluate(e, x->a, out))
            return false;
        for (uint32_t p = 0; p < out->val.len; p++)
            out->val.at[p] = negate(e->in->dtype, out->val.at[p]);
        out->background = negate(e->in->dtype, out->background);
        return true;
    case SAM_EXPR_SUM:
        if (!evaluate(e, x->a, &a))
            return false;
        sum(e, x->var.v, &a, out);
        return true;
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
    case SAM_EXPR_MUL:
        if (!evaluate(e, x->a, &a) || !evaluate(e, x->b, &b))
            return false;
        if (x->kind == SAM_EXPR_MUL && !a.background && !b.background)
            join(e, &a, &b, out);
        else
            merge(e, x->kind, &a, &b, out);
        return true;
    case SAM_EXPR_DIV:
        diag_error(e->diag, x->loc, "E0322-division", "the reference does not evaluate division yet");
        return false;
    case SAM_EXPR_NONE:
        break;
    }
    BUG("expression kind %d", (int)x->kind);
}

bool tile_reference(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                    tile_tensor *out) {
    arena scratch = {0};
    uint32_t *extent = NULL;
    if (!tile_extents(s, in, &scratch, d, &extent))
        return false;
    evaluator e = {s, in, extent, &scratch, d};
    relation got, wide, all = {0};
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    *out = (tile_tensor){.name = result->name, .order = result->order};
    bool good = evaluate(&e, s->rhs, &got);
    if (good) {
        for (uint32_t m = 0; m < result->order; m++) {
            relation one = {.vars = 1, .var = {s->result_index[m].v}}, before = all;
            all.vars = 0;
            merge_vars(&before, &one, &all);
            out->dim[m] = extent[s->result_index[m].v - 1];
        }
        if (got.background) {
            /* Every point of the result has a value: add the relation to a full one. */
            relation full = {.background = 0}, point = {0};
            vec_push(&scratch, &point.val, 0);
            expand(&e, &point, &all, &full);
            relation sum_of = {0};
            merge(&e, SAM_EXPR_ADD, &got, &full, &sum_of);
            got = sum_of;
        }
        expand(&e, &got, &all, &wide);
        tile_entries entries = {.val = wide.val};
        for (uint32_t p = 0; p < wide.val.len; p++) {
            for (uint32_t m = 0; m < result->order; m++)
                vec_push(&scratch, &entries.crd, tuple(&wide, p)[column_of(&wide, s->result_index[m].v)]);
        }
        tile_normalise(out, &entries, in->dtype, mem);
    }
    arena_free(&scratch);
    return good;
}

/* Visits every access of the expression below h. */
static bool extent_of(const sam_statement *s, sam_expr h, const tile_operands *in, uint32_t *extent,
                      bool *firm, diagnostics *d) {
    if (!h.v)
        return true;
    const sam_expr_data *x = sam_expr_at(s, h);
    if (x->kind != SAM_EXPR_ACCESS)
        return extent_of(s, x->a, in, extent, firm, d) && extent_of(s, x->b, in, extent, firm, d);
    const tile_tensor *t = &in->operand[x->tensor.v - 1];
    if (sam_tensor_at(s, x->tensor)->ones)
        return true; /* as long as the others say */
    for (uint32_t m = 0; m < t->order; m++) {
        uint32_t v = x->index[m].v - 1;
        bool clash = firm[v] && (t->dim_inferred ? t->dim[m] > extent[v] : t->dim[m] != extent[v]);
        clash = clash || (!firm[v] && !t->dim_inferred && t->dim[m] < extent[v]);
        if (clash) {
            diag_error(d, x->loc, "E0320-dimension", "index %s runs to %u in %s but to %u elsewhere",
                       names_text(s->names, s->vars.at[v].name), t->dim[m], names_text(s->names, t->name),
                       extent[v]);
            return false;
        }
        if (t->dim[m] > extent[v])
            extent[v] = t->dim[m];
        firm[v] = firm[v] || !t->dim_inferred;
    }
    return true;
}

/* firm[v]: stated, so an extent of 0 is one. */
static bool known_extents(const sam_statement *s, const tile_operands *in, uint32_t *extent, bool *firm,
                          diagnostics *d) {
    for (uint32_t v = 0; v < s->vars.len; v++) {
        extent[v] = s->vars.at[v].extent;
        firm[v] = s->vars.at[v].extent != 0;
    }
    if (!extent_of(s, s->rhs, in, extent, firm, d))
        return false;
    for (uint32_t v = 0; v < s->vars.len; v++) { /* a split loop comes after the one it was made from */
        const sam_var_data *var = &s->vars.at[v];
        if (!var->split_of.v || extent[v])
            continue;
        extent[v] = var->modulo ? var->modulo : tile_split_extent(extent[var->split_of.v - 1], var->divide);
        firm[v] = firm[var->split_of.v - 1];
    }
    return true;
}

bool tile_known_extents(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                        uint32_t **extent) {
    *extent = arena_new_n(mem, uint32_t, s->vars.len + 1);
    return known_extents(s, in, *extent, arena_new_n(mem, bool, s->vars.len + 1), d);
}

bool tile_extents(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                  uint32_t **extent) {
    *extent = arena_new_n(mem, uint32_t, s->vars.len + 1);
    bool *firm = arena_new_n(mem, bool, s->vars.len + 1);
    if (!known_extents(s, in, *extent, firm, d))
        return false;
    for (uint32_t l = 0; l < s->loops.len; l++) {
        uint32_t v = s->loops.at[l].v - 1;
        if (!(*extent)[v] && !firm[v]) {
            diag_error(d, s->vars.at[v].loc, "E0321-no-extent", "no operand tells how far index %s runs",
                       names_text(s->names, s->vars.at[v].name));
            diag_hint(d, "say so with -d %s:SIZE", names_text(s->names, s->vars.at[v].name));
            return false;
        }
    }
    return true;
}

static const char *entry_text(const tile_tensor *t, uint64_t p, const name_table *names, arena *mem) {
    const char *text = names_text(names, t->name);
    for (uint32_t m = 0; m < t->order; m++)
        text = arena_printf(mem, "%s%s%u", text, m ? "," : "(", t->crd[p * t->order + m] + 1);
    return t->order ? arena_printf(mem, "%s)", text) : text;
}

bool tile_equal(const tile_tensor *got, const tile_tensor *want, const name_table *names, diagnostics *d) {
    uint64_t i = 0, j = 0, wrong = 0;
    BUG_IF(got->order != want->order, "orders %u and %u", got->order, want->order);
    for (uint32_t m = 0; m < got->order; m++) {
        if (got->dim[m] != want->dim[m]) {
            diag_error(d, (src_loc){0}, "E0340-mismatch",
                       "the result's dimension %u is %u, the reference's %u", m + 1, got->dim[m],
                       want->dim[m]);
            return false;
        }
    }
    while (i < got->nnz || j < want->nnz) {
        int order = 0;
        if (i == got->nnz || j == want->nnz)
            order = i == got->nnz ? 1 : -1;
        for (uint32_t m = 0; !order && m < got->order; m++) {
            uint32_t a = got->crd[i * got->order + m], b = want->crd[j * want->order + m];
            order = a < b ? -1 : a > b;
        }
        uint16_t a = order <= 0 ? got->val[i] : 0, b = order >= 0 ? want->val[j] : 0;
        if (a != b && wrong++ < 5)
            diag_error(d, (src_loc){0}, "E0340-mismatch", "%s is %d, the reference says %d",
                       entry_text(order <= 0 ? got : want, order <= 0 ? i : j, names, d->mem),
                       (int)(int16_t)a, (int)(int16_t)b);
        i += order <= 0;
        j += order >= 0;
    }
    if (wrong > 5)
        diag_note(d, (src_loc){0}, "%llu entries differ in all", (unsigned long long)wrong);
    return wrong == 0;
}
