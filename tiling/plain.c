/* plain.c - the statement as nested loops over coordinates.
 *
 * `at` has the coordinate of every bound variable. A loop goes over its whole extent, or over the coordinates
 * of operands (`leads`) outside of which the expression is known to be 0. Nothing is shared with reference.c
 * but the extents, the tables of operators and the operands: no relation, no join, no sort of points.
 */
#include "tiling/plain.h"
#include "sam/calls.h"
#include "sam/coordinates.h"
#include "tiling/operands.h"

#include <stdlib.h>

enum { MOST_VALUES = 1 << 27 };

typedef struct {
    uint16_t word;
    bool stored; /* some operand is stored: 0 divided by 0 without operands has no entry */
} value;

typedef VEC(sam_expr) expr_list;

/* The values of a function along a variable, at one point of the others. */
typedef struct {
    arena mem;
    sam_expr of;
    uint32_t *at, n;
    int *crd;
    uint16_t *word;
} fiber;

typedef struct {
    uint32_t *at; /* by variable handle - 1, as are the next two */
    const uint32_t *extent;
    bool *bound, fp;
    arena *mem;
    const sam_statement *s;
    const tile_operands *in;
    uint64_t values;
    fiber last;
} plain;

static value compute(plain *p, sam_expr e);

/* ---- operands ---------------------------------------------------------------------------------- */

static const tile_tensor *operand_of(const plain *p, const sam_expr_data *access) {
    return &p->in->operand[access->tensor.v - 1];
}

/* Compares the first `modes` coordinates of an entry with the bound ones. */
static int compare(const plain *p, const sam_expr_data *access, uint64_t entry, uint32_t modes) {
    const tile_tensor *t = operand_of(p, access);
    for (uint32_t m = 0; m < modes; m++) {
        const uint32_t has = t->crd[entry * t->order + m], want = p->at[access->index[m].v - 1];
        if (has != want)
            return has < want ? -1 : 1;
    }
    return 0;
}

/* Returns the first entry whose first `modes` coordinates are not below the bound ones; entries are in order.
 */
static uint64_t first_entry(const plain *p, const sam_expr_data *access, uint32_t modes) {
    uint64_t low = 0, high = operand_of(p, access)->nnz;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (compare(p, access, middle, modes) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static value stored_value(const plain *p, const sam_expr_data *access) {
    const tile_tensor *t = operand_of(p, access);
    const uint64_t entry = first_entry(p, access, t->order);
    if (entry < t->nnz && compare(p, access, entry, t->order) == 0)
        return (value){t->val[entry], true};
    return (value){sam_tensor_at(p->s, access->tensor)->fill, false};
}

/* ---- where a loop may skip --------------------------------------------------------------------- */

static bool has_var(const plain *p, const sam_expr_data *access, sam_var v) {
    const uint32_t order = operand_of(p, access)->order;
    uint32_t m = 0;
    while (m < order && access->index[m].v != v.v)
        m++;
    return m < order;
}

static bool is_zero_elsewhere(const plain *p, sam_expr e) {
    return sam_fill_of(p->s, e) == 0;
}

/* Adds the operands that determine the nonzero points of the expression along the variable; returns whether
 * they do. */
static bool leads(const plain *p, sam_expr e, sam_var v, expr_list *out) {
    const sam_expr_data *x = sam_expr_at(p->s, e);
    const bool both = x->b.v && is_zero_elsewhere(p, x->a) && is_zero_elsewhere(p, x->b);
    switch (x->kind) {
    case SAM_EXPR_ACCESS:
        if (sam_tensor_at(p->s, x->tensor)->fill || !has_var(p, x, v))
            return false;
        vec_push(p->mem, out, e);
        return true;
    case SAM_EXPR_MUL:
        return (both || !p->fp) && (leads(p, x->a, v, out) || leads(p, x->b, v, out));
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
        return both && leads(p, x->a, v, out) && leads(p, x->b, v, out);
    case SAM_EXPR_DIV:
        return p->fp ? both && leads(p, x->a, v, out) && leads(p, x->b, v, out) : leads(p, x->a, v, out);
    case SAM_EXPR_NEG:
        return leads(p, x->a, v, out);
    case SAM_EXPR_SUM:
        return x->operation == SAM_OPERATION_add && leads(p, x->a, v, out);
    case SAM_EXPR_CALL:
    case SAM_EXPR_LITERAL:
    case SAM_EXPR_NONE:
        break;
    }
    return false;
}

static int ascending(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Returns whether the entry agrees with every bound variable and has one coordinate for `v`, stored in *crd.
 */
static bool agrees(const plain *p, const sam_expr_data *access, uint64_t entry, sam_var v, uint32_t *crd) {
    const tile_tensor *t = operand_of(p, access);
    bool is = true, any = false;
    for (uint32_t m = 0; m < t->order && is; m++) {
        const uint32_t has = t->crd[entry * t->order + m];
        if (access->index[m].v == v.v) {
            is = !any || *crd == has;
            *crd = has;
            any = true;
        } else if (p->bound[access->index[m].v - 1]) {
            is = has == p->at[access->index[m].v - 1];
        }
    }
    return is;
}

/* Adds an operand's coordinates of the variable. */
static void add_coordinates(plain *p, sam_expr lead, sam_var v, u32_vec *out) {
    const sam_expr_data *access = sam_expr_at(p->s, lead);
    const tile_tensor *t = operand_of(p, access);
    uint32_t modes = 0, crd = 0;
    while (modes < t->order && access->index[modes].v != v.v && p->bound[access->index[modes].v - 1])
        modes++;
    for (uint64_t e = first_entry(p, access, modes); e < t->nnz && compare(p, access, e, modes) == 0; e++) {
        p->values++;
        if (agrees(p, access, e, v, &crd) && crd < p->extent[v.v - 1])
            vec_push(p->mem, out, crd);
    }
}

/* Finds the coordinates of a loop over the variable of `e`, in their order, each once. */
static u32_vec coordinates(plain *p, sam_expr e, sam_var v, bool may_skip) {
    expr_list by = {0};
    u32_vec all = {0};
    if (!may_skip || !is_zero_elsewhere(p, e) || !leads(p, e, v, &by)) {
        for (uint32_t c = 0; c < p->extent[v.v - 1]; c++)
            vec_push(p->mem, &all, c);
        return all;
    }
    for (uint32_t i = 0; i < by.len; i++)
        add_coordinates(p, by.at[i], v, &all);
    if (all.len)
        qsort(all.at, all.len, sizeof *all.at, ascending);
    uint32_t n = 0;
    for (uint32_t i = 0; i < all.len; i++) {
        if (!n || all.at[n - 1] != all.at[i])
            all.at[n++] = all.at[i];
    }
    all.len = n;
    return all;
}

/* ---- values ------------------------------------------------------------------------------------ */

static value reduce(plain *p, const sam_expr_data *x) {
    const sam_operator *by = sam_operator_of((sam_operation)x->operation, p->fp);
    const uint32_t var = x->var.v - 1;
    arena *around = p->mem, own = {0};
    p->mem = &own;
    const u32_vec over = coordinates(p, x->a, x->var, by->monoid.value == 0);
    value all = {by->monoid.value, false};
    p->bound[var] = true;
    for (uint32_t i = 0; i < over.len && p->values <= MOST_VALUES; i++) {
        p->at[var] = over.at[i];
        const value one = compute(p, x->a);
        all.word = i ? sam_apply(by, all.word, one.word) : one.word;
        all.stored = all.stored || one.stored;
    }
    p->bound[var] = false;
    p->at[var] = 0;
    p->mem = around;
    arena_free(&own);
    return all;
}

static bool is_last_fiber(const plain *p, sam_expr e) {
    return p->last.of.v == e.v && memcmp(p->last.at, p->at, sizeof *p->at * p->s->vars.len) == 0;
}

/* Computes the function on its arguments along the variable, with coordinate 0 meanwhile. */
static void compute_fiber(plain *p, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(p->s, e);
    const uint32_t var = x->var.v - 1;
    const uint16_t fill = sam_fill_of(p->s, x->a);
    fiber f = {.of = e};
    f.at = arena_new_n(&f.mem, uint32_t, p->s->vars.len + 1);
    memcpy(f.at, p->at, sizeof *f.at * p->s->vars.len);
    f.crd = arena_new_n(&f.mem, int, p->extent[var] + 1);
    f.word = arena_new_n(&f.mem, uint16_t, p->extent[var] + 1);
    bool any = x->takes == SAM_TAKES_ALL;
    for (uint32_t c = 0; c < p->extent[var]; c++) {
        p->at[var] = c;
        f.word[f.n] = compute(p, x->a).word;
        f.crd[f.n] = (int)c;
        any = any || f.word[f.n] != fill;
        f.n += f.word[f.n] != fill || x->takes != SAM_TAKES_STORED;
    }
    f.n = any ? f.n : 0;
    p->at[var] = 0;
    sam_apply_fiber(x->program, f.n, f.crd, f.word);
    arena_free(&p->last.mem);
    p->last = f;
}

static value along(plain *p, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(p->s, e);
    const uint32_t var = x->var.v - 1, here = p->at[var];
    p->at[var] = 0;
    if (!is_last_fiber(p, e))
        compute_fiber(p, e);
    p->at[var] = here;
    for (uint32_t i = 0; i < p->last.n; i++) {
        if (p->last.crd[i] == (int)here)
            return (value){p->last.word[i], true};
    }
    return (value){sam_fill_of(p->s, x->a), false};
}

static value operate(plain *p, const sam_expr_data *x) {
    const value a = compute(p, x->a), b = x->b.v ? compute(p, x->b) : (value){0};
    const bool stored = x->kind == SAM_EXPR_MUL ? a.stored && b.stored : a.stored || b.stored;
    if (x->kind == SAM_EXPR_DIV && !stored && is_zero_elsewhere(p, x->a) && is_zero_elsewhere(p, x->b))
        return (value){0};
    return (value){x->program ? sam_call(x->program, a.word, b.word)
                              : sam_apply(sam_operator_of(sam_operation_of(x), p->fp), a.word, b.word),
                   stored};
}

static value compute(plain *p, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(p->s, e);
    p->values++;
    if (x->kind == SAM_EXPR_ACCESS)
        return stored_value(p, x);
    if (x->kind == SAM_EXPR_LITERAL)
        return (value){sam_literal_word(x->literal, p->fp), false};
    if (x->kind == SAM_EXPR_SUM)
        return reduce(p, x);
    return sam_takes_fiber(x) ? along(p, e) : operate(p, x);
}

/* ---- the result -------------------------------------------------------------------------------- */

typedef struct {
    tile_tensor *t;
    arena *mem;
    u32_vec crd;
    VEC(uint16_t) val;
} made;

static void put(const plain *p, made *m, uint16_t word) {
    if (word == m->t->fill && m->t->order)
        return;
    for (uint32_t i = 0; i < m->t->order; i++)
        vec_push(m->mem, &m->crd, p->at[p->s->result_index[i].v - 1]);
    vec_push(m->mem, &m->val, word);
}

/* Goes through the result's modes from `mode` on. */
static void fill_in(plain *p, made *m, uint32_t mode) {
    if (mode == m->t->order) {
        put(p, m, compute(p, p->s->rhs).word);
        return;
    }
    const sam_var v = p->s->result_index[mode];
    if (p->bound[v.v - 1]) { /* X(i,i) has a diagonal */
        fill_in(p, m, mode + 1);
        return;
    }
    const u32_vec over = coordinates(p, p->s->rhs, v, !m->t->fill);
    p->bound[v.v - 1] = true;
    for (uint32_t i = 0; i < over.len && p->values <= MOST_VALUES; i++) {
        p->at[v.v - 1] = over.at[i];
        fill_in(p, m, mode + 1);
    }
    p->bound[v.v - 1] = false;
}

static bool all_ended(const sam_statement *s, diagnostics *d) {
    bool ended = true;
    for (uint32_t i = 0; i < s->exprs.len && ended; i++)
        ended = !s->exprs.at[i].program || sam_program_ended(s->exprs.at[i].program, d);
    return ended;
}

bool tile_plain(const sam_statement *s, const tile_operands *in, arena *mem, diagnostics *d,
                tile_tensor *out) {
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    arena scratch = {0};
    uint32_t *extent = NULL;
    if (!tile_extents(s, in, &scratch, d, &extent))
        return false;
    plain p = {.s = s, .in = in, .extent = extent, .mem = &scratch, .fp = in->dtype == TILE_DTYPE_BF16};
    p.at = arena_new_n(&scratch, uint32_t, s->vars.len + 1);
    p.bound = arena_new_n(&scratch, bool, s->vars.len + 1);
    *out = (tile_tensor){.name = result->name, .order = result->order, .fill = result->fill};
    tile_result_dim(s, extent, out->dim);
    made m = {.t = out, .mem = mem};
    fill_in(&p, &m, 0);
    out->nnz = m.val.len;
    out->crd = m.crd.at;
    out->val = m.val.at;
    arena_free(&p.last.mem);
    arena_free(&scratch);
    if (p.values > MOST_VALUES) {
        diag_unmappable(d, result->loc, "E0322-everywhere",
                        "the host would compute more than %d values for %s", MOST_VALUES,
                        names_text(s->names, result->name));
        return diag_hint(d, "operands whose fill the operation makes the result's, as 0 / x is 0");
    }
    return all_ended(s, d);
}
