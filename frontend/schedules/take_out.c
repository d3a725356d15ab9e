/* A subexpression of the right side: where it stands, which sums around it may be inside, and the kernel that
 * it becomes: w(...) = sums of the subexpression. */
#include "frontend/schedules/take_out.h"
#include "frontend/language/relations.h"
#include "frontend/language/statement.h"
#include "sam/coordinates.h"

bool fe_same_expr(const sam_statement *s, sam_expr a, sam_expr b) {
    const sam_expr_data *x = sam_expr_at(s, a), *y = sam_expr_at(s, b);
    if (x->kind != y->kind || x->var.v != y->var.v || x->tensor.v != y->tensor.v ||
        x->literal != y->literal || x->operation != y->operation || x->program != y->program)
        return false;
    if (x->kind == SAM_EXPR_ACCESS &&
        memcmp(x->index, y->index, sizeof *x->index * sam_tensor_at(s, x->tensor)->order) != 0)
        return false;
    return (!x->a.v || fe_same_expr(s, x->a, y->a)) && (!x->b.v || fe_same_expr(s, x->b, y->b));
}

static void factors_of(const sam_statement *s, sam_expr e, arena *mem, fe_exprs *out) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_MUL) {
        factors_of(s, x->a, mem, out);
        factors_of(s, x->b, mem, out);
    } else {
        vec_push(mem, out, e);
    }
}

typedef struct {
    fe_exprs at;
    VEC(bool) minus;
} signed_terms;

static void terms_of(const sam_statement *s, sam_expr e, bool minus, arena *mem, signed_terms *out) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_ADD || x->kind == SAM_EXPR_SUB) {
        terms_of(s, x->a, minus, mem, out);
        terms_of(s, x->b, minus != (x->kind == SAM_EXPR_SUB), mem, out);
    } else if (x->kind == SAM_EXPR_NEG) {
        terms_of(s, x->a, !minus, mem, out);
    } else {
        vec_push(mem, &out->at, e);
        vec_push(mem, &out->minus, minus);
    }
}

/* Returns whether the subexpression has some terms of the sum e, all with its signs or all with the opposite
 * ones; the others are kept. */
static bool matches_terms(fe_search *f, sam_expr e) {
    const sam_expr_kind kinds[] = {sam_expr_at(f->s, e)->kind, sam_expr_at(f->s, f->want)->kind};
    signed_terms have = {0}, want = {0};
    uint32_t found = 0;
    for (int i = 0; i < 2; i++) {
        if (kinds[i] != SAM_EXPR_ADD && kinds[i] != SAM_EXPR_SUB)
            return false;
    }
    terms_of(f->s, e, false, f->mem, &have);
    terms_of(f->s, f->want, false, f->mem, &want);
    bool *taken = arena_new_n(f->mem, bool, want.at.len);
    for (uint32_t h = 0; h < have.at.len; h++) {
        uint32_t w = 0;
        while (w < want.at.len && (taken[w] || !fe_same_expr(f->s, have.at.at[h], want.at.at[w]) ||
                                   (found && (have.minus.at[h] != want.minus.at[w]) != f->negated)))
            w++;
        if (w == want.at.len) {
            vec_push(f->mem, &f->others, have.at.at[h]);
            vec_push(f->mem, &f->minus, have.minus.at[h]);
            continue;
        }
        taken[w] = true;
        f->negated = have.minus.at[h] != want.minus.at[w];
        found++;
    }
    f->terms = found == want.at.len;
    return f->terms;
}

/* Returns whether e is the subexpression, or a product or sum that contains its factors or terms; stores
 * the other factors or terms. */
static bool matches(fe_search *f, sam_expr e) {
    fe_exprs have = {0}, want = {0};
    f->others.len = f->minus.len = 0;
    f->terms = f->negated = false;
    if (fe_same_expr(f->s, e, f->want) || matches_terms(f, e))
        return true;
    f->others.len = f->minus.len = 0;
    f->negated = false;
    factors_of(f->s, e, f->mem, &have);
    factors_of(f->s, f->want, f->mem, &want);
    bool *taken = arena_new_n(f->mem, bool, want.len);
    uint32_t found = 0;
    for (uint32_t h = 0; h < have.len; h++) {
        uint32_t w = 0;
        while (w < want.len && (taken[w] || !fe_same_expr(f->s, have.at[h], want.at[w])))
            w++;
        if (w == want.len) {
            vec_push(f->mem, &f->others, have.at[h]);
            continue;
        }
        taken[w] = true;
        found++;
    }
    return found == want.len;
}

/* Finds the first place in the order of the text. */
static bool find(fe_search *f, sam_expr *e) {
    if (matches(f, *e)) {
        f->place = e;
        return true;
    }
    sam_expr_data *x = sam_expr_at(f->s, *e);
    uint32_t sums = f->sums.len, products = f->product_sums;
    if (x->kind == SAM_EXPR_SUM) {
        vec_push(f->mem, &f->sums, *e);
        f->product_sums = x->operation ? 0 : f->product_sums + 1;
    } else if (x->kind != SAM_EXPR_MUL && x->kind != SAM_EXPR_NEG) {
        f->product_sums = 0;
    }
    if ((x->a.v && find(f, &x->a)) || (x->b.v && find(f, &x->b)))
        return true;
    f->sums.len = sums;
    f->product_sums = products;
    return false;
}

/* Reports a subexpression absent from the right side. */
bool fe_find_subexpr(fe_search *f, const fe_subexpr_request *r, diagnostics *d) {
    if (find(f, &f->s->rhs))
        return true;
    diag_error(d, r->loc, "E0151-subexpression", "the right side has no such subexpression");
    return diag_hint(d, "write factors or terms as they stand in the expression");
}

/* ---- the two kernels ------------------------------------------------------------------------- */

/* Returns whether e, apart from the place itself, has v. */
static bool others_have(const fe_search *f, sam_expr *e, sam_var v) {
    if (e == f->place) {
        for (uint32_t i = 0; i < f->others.len; i++) {
            if (fe_free_vars(f->s, f->others.at[i]) >> (v.v - 1) & 1)
                return true;
        }
        return false;
    }
    sam_expr_data *x = sam_expr_at(f->s, *e);
    if (x->kind == SAM_EXPR_ACCESS)
        return fe_has_index(f->s, *e, v);
    return (x->a.v && others_have(f, &x->a, v)) || (x->b.v && others_have(f, &x->b, v));
}

/* Returns the sums around the place that can move into the new kernel, a bit for each variable. */
uint64_t fe_movable_sums(const fe_search *f, const fe_subexpr_request *r) {
    uint64_t bits = 0;
    for (uint32_t i = f->sums.len - f->product_sums; i < f->sums.len && !f->terms; i++) {
        sam_expr_data *sum = sam_expr_at(f->s, f->sums.at[i]);
        bool listed = fe_lists_var(&r->from, sum->var);
        bool inside = fe_free_vars(f->s, f->want) >> (sum->var.v - 1) & 1;
        if (inside && !listed && !others_have(f, &sum->a, sum->var))
            bits |= (uint64_t)1 << (sum->var.v - 1);
    }
    return bits;
}

/* e inside of sums over `bits`, nested as the sums around the place. */
sam_expr fe_with_sums(const fe_search *f, sam_statement *s, sam_expr e, uint64_t bits) {
    for (uint32_t i = f->sums.len; i-- > 0;) {
        sam_expr_data sum = *sam_expr_at(s, f->sums.at[i]);
        sum.loc = sam_expr_at(s, e)->loc;
        sum.a = e;
        if (bits >> (sum.var.v - 1) & 1)
            e = fe_add_expr(s, sum);
    }
    return e;
}

/* Removes the sums of `bits` around the place from the tree: each is replaced by its body. */
static void drop_sums(sam_statement *s, sam_expr *e, const fe_search *f, uint64_t bits) {
    sam_expr_data *x = sam_expr_at(s, *e);
    bool around = false;
    for (uint32_t i = 0; i < f->sums.len; i++)
        around = around || f->sums.at[i].v == e->v;
    if (around && (bits >> (x->var.v - 1) & 1)) {
        *e = x->a;
        drop_sums(s, e, f, bits);
        return;
    }
    if (x->a.v)
        drop_sums(s, &x->a, f, bits);
    if (x->b.v)
        drop_sums(s, &x->b, f, bits);
}

static uint64_t bound_vars(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return (x->kind == SAM_EXPR_SUM ? (uint64_t)1 << (x->var.v - 1) : 0) |
           (x->a.v ? bound_vars(s, x->a) : 0) | (x->b.v ? bound_vars(s, x->b) : 0);
}

/* Removes the loops of variables no longer bound, including loops split from a variable of k. */
void fe_keep_bound_loops(const fe_kernel *k, sam_statement *s) {
    uint64_t bound = bound_vars(s, s->rhs);
    uint32_t n = 0;
    for (uint32_t v = 1; v <= s->vars.len; v++)
        if (sam_is_result_var(s, (sam_var){v}))
            bound |= (uint64_t)1 << (v - 1);
    for (uint32_t i = 0; i < s->loops.len; i++)
        if (fe_roots_of(k, s->loops.at[i]) & bound)
            s->loops.at[n++] = s->loops.at[i];
    s->loops.len = n;
}

/* Adds the other terms to `value`. */
static sam_expr with_terms(const fe_search *f, sam_statement *s, sam_expr value) {
    const src_loc loc = sam_expr_at(s, value)->loc;
    sam_expr e =
        f->negated ? fe_add_expr(s, (sam_expr_data){.kind = SAM_EXPR_NEG, .loc = loc, .a = value}) : value;
    for (uint32_t i = 0; i < f->others.len; i++) {
        const sam_expr_kind kind = f->minus.at[i] ? SAM_EXPR_SUB : SAM_EXPR_ADD;
        e = fe_add_expr(s, (sam_expr_data){.kind = kind, .loc = loc, .a = e, .b = f->others.at[i]});
    }
    return e;
}

/* Returns the expression now at the place: the other factors and `value`, or `value` and the other terms. */
sam_expr fe_with_others(const fe_search *f, sam_statement *s, sam_expr value) {
    sam_expr e = {0};
    if (f->terms)
        return with_terms(f, s, value);
    for (uint32_t i = 0; i <= f->others.len; i++) {
        sam_expr factor = i < f->others.len ? f->others.at[i] : value;
        src_loc loc = sam_expr_at(s, factor)->loc;
        e = e.v ? fe_add_expr(s, (sam_expr_data){.kind = SAM_EXPR_MUL, .loc = loc, .a = e, .b = factor})
                : factor;
    }
    return e;
}

static name_id workspace_name(const fe_cin *cin, const fe_subexpr_request *r) {
    return r->workspace.v ? r->workspace : fe_unused_workspace(cin, cin);
}

/* Adds the workspace's tensor and its indices, in the order of the kernel's loops, its storage order. */
void fe_index_workspace(const sam_statement *s, uint64_t vars, sam_tensor_data *w, sam_var *index) {
    for (uint32_t i = 0; i < s->loops.len && w->order < SAM_MAX_ORDER; i++) {
        if (!(vars >> (s->loops.at[i].v - 1) & 1))
            continue;
        w->level[w->order] = SAM_LEVEL_COMPRESSED;
        w->mode[w->order] = (uint8_t)w->order;
        index[w->order++] = s->loops.at[i];
    }
}

/* Makes the new kernel, t->k: w(...) = sums of the subexpression, over the loops of its variables. */
void fe_make_producer(const fe_search *f, const fe_kernel *reads, const fe_subexpr_request *r,
                      fe_taken_out *t) {
    sam_statement *s = &t->k.s;
    t->k = (fe_kernel){.ordered = reads->ordered, .order_at = reads->order_at};
    fe_copy_statement(f->s, f->mem, s);
    s->rhs = fe_with_sums(f, s, f->want, t->moved);
    vec_push(f->mem, &s->tensors, t->w);
    s->result = (sam_tensor){s->tensors.len};
    memcpy(s->result_index, t->index, sizeof *t->index * t->w.order);
    s->everywhere = false; /* which concerns the whole statement's result */
    t->w.fill = s->general ? sam_fill_of(s, s->rhs) : 0;
    sam_tensor_at(s, s->result)->fill = t->w.fill;
    fe_compact(s);
    s->general = sam_is_general(s);
    fe_keep_bound_loops(reads, s);
    for (uint32_t i = 0; i < r->from.len; i++)
        sam_var_at(s, r->from.at[i])->name = r->to.at[i];
}

/* ---- a subexpression in a kernel of its own --------------------------------------------------------- */

fe_taken_out fe_take_out(const fe_search *f, const fe_subexpr_request *r, const fe_kernel *reads,
                         uint64_t moved, const fe_cin *cin) {
    fe_taken_out t = {.moved = moved, .w = {.name = workspace_name(cin, r), .loc = r->loc}};
    fe_index_workspace(f->s, fe_free_vars(f->s, f->want) & ~moved, &t.w, t.index);
    fe_make_producer(f, reads, r, &t);
    return t;
}

sam_expr fe_access_to(sam_statement *s, const fe_taken_out *t) {
    sam_expr_data access = {.kind = SAM_EXPR_ACCESS, .loc = t->w.loc};
    vec_push(s->mem, &s->tensors, t->w);
    access.tensor = (sam_tensor){s->tensors.len};
    memcpy(access.index, t->index, sizeof t->index);
    return fe_add_expr(s, access);
}

/* Puts a value at the place `at` of the subexpression, and removes the moved sums around. */
void fe_put_in_place(fe_search *f, fe_kernel *reads, sam_expr at, sam_expr value, uint64_t moved) {
    sam_statement *s = f->s;
    drop_sums(s, &s->rhs, f, moved);
    value = fe_with_others(f, s, value);
    *sam_expr_at(s, at) = *sam_expr_at(s, value);
    fe_compact(s);
    fe_keep_bound_loops(reads, s);
}
