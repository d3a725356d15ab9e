/* precompute.c - precompute(e, {i,...}, {iw,...}, w): a part of the right side becomes the value of a kernel
 * of its own, w(iw,...) = e, which runs first; the right side then reads w(i,...).
 *
 * A variable of e that is not listed is summed inside of the new kernel if a sum around e is over it, nothing
 * else in that sum has it, and only products are between (they distribute over the sum). Any other is shared
 * by both kernels, as a loop around taco's where would be, and becomes an index of w too: the workspace of
 * each of its iterations is kept.
 *
 * bind(e, host) makes such a kernel that the host computes: what e is of, if it is not stored, has
 * workspaces. bind(e, f) is the same where f, a described function, is what e is a call of. Where f states an
 * expression, the kernel is as precompute makes it, with as many of the sums around e as f has, and calls of
 * f compute it; map(e, f) finds how.
 *
 * Without listed variables the temporary is a scalar at each point: a sum inside of the expression, or, where
 * there is nothing to sum, a wire that the graph has anyway.
 */
#include "frontend/calls.h"
#include "frontend/described.h"
#include "frontend/fe_int.h"
#include "frontend/match.h"
#include "frontend/sums.h"
#include "sam/coordinates.h"
#include "sam/operators.h"

typedef struct {
    sam_statement *s; /* of the kernel that reads the workspace */
    sam_expr want;    /* the subexpression as parsed, in s */
    arena *mem;
    fe_exprs sums; /* around the place, outermost first */
    /* The last so many of them have only products and signs between them and the place. */
    uint32_t product_sums;
    sam_expr *place; /* where the subexpression stands, or the product that has its factors */
    fe_exprs others; /* that product's other factors, or other terms */
    bool terms;      /* the place is a sum that has the subexpression's terms */
    bool negated;    /* with the opposite sign */
    VEC(bool) minus; /* the other terms that are subtracted */
} search;

static bool same(const sam_statement *s, sam_expr a, sam_expr b) {
    const sam_expr_data *x = sam_expr_at(s, a), *y = sam_expr_at(s, b);
    if (x->kind != y->kind || x->var.v != y->var.v || x->tensor.v != y->tensor.v ||
        x->literal != y->literal || x->operation != y->operation || x->program != y->program)
        return false;
    if (x->kind == SAM_EXPR_ACCESS &&
        memcmp(x->index, y->index, sizeof *x->index * sam_tensor_at(s, x->tensor)->order) != 0)
        return false;
    return (!x->a.v || same(s, x->a, y->a)) && (!x->b.v || same(s, x->b, y->b));
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
static bool matches_terms(search *f, sam_expr e) {
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
        while (w < want.at.len && (taken[w] || !same(f->s, have.at.at[h], want.at.at[w]) ||
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

/* Returns whether e is the subexpression, or a product or sum of which it has some factors or terms; the
 * others are kept. */
static bool matches(search *f, sam_expr e) {
    fe_exprs have = {0}, want = {0};
    f->others.len = f->minus.len = 0;
    f->terms = f->negated = false;
    if (same(f->s, e, f->want) || matches_terms(f, e))
        return true;
    f->others.len = f->minus.len = 0;
    f->negated = false;
    factors_of(f->s, e, f->mem, &have);
    factors_of(f->s, f->want, f->mem, &want);
    bool *taken = arena_new_n(f->mem, bool, want.len);
    uint32_t found = 0;
    for (uint32_t h = 0; h < have.len; h++) {
        uint32_t w = 0;
        while (w < want.len && (taken[w] || !same(f->s, have.at[h], want.at[w])))
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
static bool find(search *f, sam_expr *e) {
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

static bool lists(const fe_vars *vars, sam_var v) {
    for (uint32_t i = 0; i < vars->len; i++) {
        if (vars->at[i].v == v.v)
            return true;
    }
    return false;
}

/* ---- the command's text ---------------------------------------------------------------------- */

typedef struct {
    sam_expr want;
    fe_vars from; /* listed variables, and the names they get in the new kernel */
    VEC(name_id) to;
    name_id workspace; /* 0: choose one */
    bool braces;       /* as taco never writes them */
    src_loc loc;
    fe_binding said; /* of bind and map */
    bool maps;
    const fe_user_function *function;
    const char *family;
    /* where that was named, of which the function is the first; or NULL */ /* NULL: the host */
    fe_mismatch *failed; /* the furthest step that failed, of all ways to take the part */
} request;

static bool take(fe_reader *in, char sign, const char *what, diagnostics *d) {
    if (fe_take_sign(in, sign))
        return true;
    fe_expected(in, what, d);
    return false;
}

static bool parse_from(fe_reader *in, const fe_kernel *k, request *r, diagnostics *d) {
    sam_var v = {0};
    if (in->token.kind != FE_NAME) {
        fe_expected(in, "an index variable", d);
        return false;
    }
    name_id name = names_intern_n(k->s.names, in->token.at, in->token.length);
    v = fe_find_var(&k->s, name);
    if (!v.v || !(fe_free_vars(&k->s, r->want) & fe_roots_of(k, v))) {
        diag_error(d, in->token.loc, "E0151-subexpression", "'%s' does not index the subexpression",
                   names_text(k->s.names, name));
        return false;
    }
    if (lists(&r->from, v)) {
        diag_error(d, in->token.loc, "E0114-schedule-variable", "'%s' is listed twice",
                   fe_var_text(&k->s, v));
        return false;
    }
    vec_push(k->s.mem, &r->from, v);
    fe_advance(in);
    return true;
}

/* Reads the same name again, or a new one. */
static bool parse_to(fe_reader *in, const fe_cin *cin, const fe_kernel *k, request *r, diagnostics *d) {
    name_id name = {0};
    if (r->to.len == r->from.len) {
        diag_error(d, in->token.loc, "E0151-subexpression", "%u %s, but more names for them", r->from.len,
                   plural(r->from.len, "variable", "variables"));
        return false;
    }
    if (in->token.kind == FE_NAME)
        name = names_intern_n(k->s.names, in->token.at, in->token.length);
    bool keeps = name.v && name_eq(name, sam_var_at(&k->s, r->from.at[r->to.len])->name);
    if (!keeps && !fe_parse_new_name(in, cin, FE_NEW_VAR, d, &name))
        return false;
    if (keeps)
        fe_advance(in);
    for (uint32_t i = 0; i < r->to.len; i++) {
        if (name_eq(r->to.at[i], name)) {
            diag_error(d, in->token.loc, "E0140-new-name", "'%s' is listed twice",
                       names_text(k->s.names, name));
            return false;
        }
    }
    vec_push(k->s.mem, &r->to, name);
    return true;
}

/* Reads "{i,j}" or "i"; with `second` the names are new ones. */
static bool parse_list(fe_reader *in, const fe_cin *cin, const fe_kernel *k, request *r, bool second,
                       diagnostics *d) {
    bool braces = fe_take_sign(in, '{');
    r->braces = r->braces || braces;
    if (braces && fe_take_sign(in, '}'))
        return true;
    do {
        if (!(second ? parse_to(in, cin, k, r, d) : parse_from(in, k, r, d)))
            return false;
    } while (braces && fe_take_sign(in, ','));
    return !braces || take(in, '}', "',' or '}'", d);
}

/* Drops tensors that were read behind the first n and that nothing accesses: of B(i+1), which is a part of B,
 * the statement has the part and not B. */
static void drop_unused(sam_statement *s, uint32_t n) {
    for (uint32_t e = 0; e < s->exprs.len; e++) {
        if (s->exprs.at[e].kind == SAM_EXPR_ACCESS && s->exprs.at[e].tensor.v > n)
            return;
    }
    s->tensors.len = n;
}

/* Reads the subexpression. */
static bool parse_part(fe_reader *in, fe_kernel *k, request *r, diagnostics *d) {
    uint32_t vars = k->s.vars.len, tensors = k->s.tensors.len;
    src_loc first = in->token.loc;
    r->want = fe_parse_terms(in, &k->s, d);
    in->underscores = true; /* as names of loops have */
    if (!r->want.v)
        return false;
    r->loc = sam_expr_at(&k->s, r->want)->loc;
    drop_unused(&k->s, tensors);
    if (k->s.vars.len != vars || k->s.tensors.len != tensors) {
        diag_error(d, r->loc, "E0151-subexpression", "the expression has no '%s'",
                   k->s.tensors.len != tensors ? fe_tensor_text(&k->s, (sam_tensor){tensors + 1})
                                               : fe_var_text(&k->s, (sam_var){vars + 1}));
        return false;
    }
    r->loc = src_at(first.source, first.offset, in->token.loc.offset - first.offset);
    return true;
}

static bool parse_request(fe_reader *in, const fe_cin *cin, fe_kernel *k, request *r, diagnostics *d) {
    if (!parse_part(in, k, r, d) || !take(in, ',', "',' and the variables of the workspace", d) ||
        !parse_list(in, cin, k, r, false, d) ||
        !take(in, ',', "',' and the variables' names in the new kernel", d) ||
        !parse_list(in, cin, k, r, true, d))
        return false;
    if (r->to.len != r->from.len) {
        diag_error(d, in->token.loc, "E0151-subexpression", "%u %s, but %u %s for them", r->from.len,
                   plural(r->from.len, "variable", "variables"), r->to.len,
                   plural(r->to.len, "name", "names"));
        return false;
    }
    return !fe_take_sign(in, ',') || fe_parse_new_name(in, cin, FE_NEW_TENSOR, d, &r->workspace);
}

/* ---- the two kernels ------------------------------------------------------------------------- */

/* Returns whether e, apart from the place itself, has v. */
static bool others_have(const search *f, sam_expr *e, sam_var v) {
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
static uint64_t movable(const search *f, const request *r) {
    uint64_t bits = 0;
    for (uint32_t i = f->sums.len - f->product_sums; i < f->sums.len && !f->terms; i++) {
        sam_expr_data *sum = sam_expr_at(f->s, f->sums.at[i]);
        bool listed = lists(&r->from, sum->var);
        bool inside = fe_free_vars(f->s, f->want) >> (sum->var.v - 1) & 1;
        if (inside && !listed && !others_have(f, &sum->a, sum->var))
            bits |= (uint64_t)1 << (sum->var.v - 1);
    }
    return bits;
}

/* e inside of sums over `bits`, nested as the sums around the place. */
static sam_expr with_sums(const search *f, sam_statement *s, sam_expr e, uint64_t bits) {
    for (uint32_t i = f->sums.len; i-- > 0;) {
        sam_expr_data sum = *sam_expr_at(s, f->sums.at[i]);
        sum.loc = sam_expr_at(s, e)->loc;
        sum.a = e;
        if (bits >> (sum.var.v - 1) & 1)
            e = fe_add_expr(s, sum);
    }
    return e;
}

/* Removes the sums of `bits` around the place from the tree: each is replaced by what it sums. */
static void drop_sums(sam_statement *s, sam_expr *e, const search *f, uint64_t bits) {
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

/* Loops of variables that nothing binds any more go, with those that a variable of k was split into. */
static void keep_bound_loops(const fe_kernel *k, sam_statement *s) {
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
static sam_expr with_terms(const search *f, sam_statement *s, sam_expr value) {
    const src_loc loc = sam_expr_at(s, value)->loc;
    sam_expr e =
        f->negated ? fe_add_expr(s, (sam_expr_data){.kind = SAM_EXPR_NEG, .loc = loc, .a = value}) : value;
    for (uint32_t i = 0; i < f->others.len; i++) {
        const sam_expr_kind kind = f->minus.at[i] ? SAM_EXPR_SUB : SAM_EXPR_ADD;
        e = fe_add_expr(s, (sam_expr_data){.kind = kind, .loc = loc, .a = e, .b = f->others.at[i]});
    }
    return e;
}

/* What stands at the place now: the other factors, then `value`; or `value` and the other terms. */
static sam_expr with_others(const search *f, sam_statement *s, sam_expr value) {
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

static bool is_name(const fe_cin *cin, name_id name) {
    bool is = false;
    for (uint32_t k = 0; k < cin->kernels.len; k++)
        is =
            is || fe_find_var(&cin->kernels.at[k].s, name).v || fe_find_tensor(&cin->kernels.at[k].s, name).v;
    return is;
}

/* Returns the first of w, w2, w3, ... that is a name in neither. */
static name_id unused_name(const fe_cin *cin, const fe_cin *other) {
    name_table *names = cin->kernels.at[0].s.names;
    for (uint32_t n = 1;; n++) {
        name_id name = names_intern(names, arena_printf(names->mem, n > 1 ? "w%u" : "w", n));
        if (!is_name(cin, name) && !is_name(other, name))
            return name;
    }
}

static name_id workspace_name(const fe_cin *cin, const request *r) {
    return r->workspace.v ? r->workspace : unused_name(cin, cin);
}

void fe_name_apart(fe_cin *cin, const fe_cin *others) {
    for (uint32_t n = 0; n + 1 < cin->kernels.len; n++) {
        const sam_statement *of = &cin->kernels.at[n].s;
        const name_id old = sam_tensor_at(of, of->result)->name;
        if (!is_name(others, old))
            continue;
        const name_id name = unused_name(cin, others);
        for (uint32_t k = 0; k < cin->kernels.len; k++) {
            const sam_statement *s = &cin->kernels.at[k].s;
            const sam_tensor t = fe_find_tensor(s, old);
            if (t.v)
                sam_tensor_at(s, t)->name = name;
        }
    }
}

/* Adds the workspace's tensor and its indices, in the order of the kernel's loops: it is stored as it is
 * made. */
static void index_workspace(const sam_statement *s, uint64_t vars, sam_tensor_data *w, sam_var *index) {
    for (uint32_t i = 0; i < s->loops.len && w->order < SAM_MAX_ORDER; i++) {
        if (!(vars >> (s->loops.at[i].v - 1) & 1))
            continue;
        w->level[w->order] = SAM_LEVEL_COMPRESSED;
        w->mode[w->order] = (uint8_t)w->order;
        index[w->order++] = s->loops.at[i];
    }
}

/* A part of a statement in a kernel of its own. */
typedef struct {
    bool whole;     /* it is all of the right side: it stays one kernel */
    uint64_t moved; /* sums around the part that are inside */
    sam_tensor_data w;
    sam_var index[SAM_MAX_ORDER];
    fe_kernel k;
} taken_out;

/* Makes the new kernel, t->k: w(...) = sums of the subexpression, over the loops of its variables. */
static void make_producer(const search *f, const fe_kernel *reads, const request *r, taken_out *t) {
    sam_statement *s = &t->k.s;
    t->k = (fe_kernel){.ordered = reads->ordered, .order_at = reads->order_at};
    fe_copy_statement(f->s, f->mem, s);
    s->rhs = with_sums(f, s, f->want, t->moved);
    vec_push(f->mem, &s->tensors, t->w);
    s->result = (sam_tensor){s->tensors.len};
    memcpy(s->result_index, t->index, sizeof *t->index * t->w.order);
    s->everywhere = false; /* which is about the whole statement's result */
    t->w.fill = s->general ? sam_fill_of(s, s->rhs) : 0;
    sam_tensor_at(s, s->result)->fill = t->w.fill;
    fe_compact(s);
    s->general = sam_is_general(s);
    keep_bound_loops(reads, s);
    for (uint32_t i = 0; i < r->from.len; i++)
        sam_var_at(s, r->from.at[i])->name = r->to.at[i];
}

/* Moves a loop of a sum that is now a part of the expression inside of all loops around it. */
static void sink_loops(sam_statement *s, uint64_t bits) {
    fe_vars rest = {0};
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < s->loops.len; i++) {
            if ((bits >> (s->loops.at[i].v - 1) & 1) == pass)
                vec_push(s->mem, &rest, s->loops.at[i]);
        }
    }
    for (uint32_t i = 0; i < rest.len; i++)
        s->loops.at[i] = rest.at[i];
}

/* Returns whether commands were about a loop of the subexpression already, or about copies of a loop that
 * moves. */
static bool is_part_scheduled(const search *f, const fe_kernel *k, uint64_t moved) {
    const uint64_t vars = fe_free_vars(f->s, f->want);
    bool is = false;
    for (uint32_t v = 1; v <= k->s.vars.len; v++) {
        const bool tagged = (moved >> (v - 1) & 1) && fe_tag_of(k, (sam_var){v});
        is = is || ((vars >> (v - 1) & 1) && (fe_replacing(k, (sam_var){v}) || tagged));
    }
    return is;
}

/* A workspace inside of loops that were scheduled before: the graph goes without it, and what it would hold
 * is on a wire. Its loops are variables without a loop. */
static bool leave_out(const request *r, fe_kernel *k, arena *mem, diagnostics *d) {
    for (uint32_t i = 0; i < r->to.len; i++) {
        if (fe_find_var(&k->s, r->to.at[i]).v)
            continue;
        if (k->s.vars.len == 64) {
            diag_error(d, r->loc, "E0118-too-large", "more than 64 index variables");
            return false;
        }
        vec_push(mem, &k->s.vars, (sam_var_data){.name = r->to.at[i], .loc = r->loc});
    }
    diag_note(
        d, r->loc,
        "this gets no workspace, since loops of it are scheduled already; precompute first to have one");
    return true;
}

/* ---- a part in a kernel of its own --------------------------------------------------------------- */

static taken_out take_out(const search *f, const request *r, const fe_kernel *reads, uint64_t moved,
                          const fe_cin *cin) {
    taken_out t = {.moved = moved, .w = {.name = workspace_name(cin, r), .loc = r->loc}};
    index_workspace(f->s, fe_free_vars(f->s, f->want) & ~moved, &t.w, t.index);
    make_producer(f, reads, r, &t);
    return t;
}

static sam_expr access_to(sam_statement *s, const taken_out *t) {
    sam_expr_data access = {.kind = SAM_EXPR_ACCESS, .loc = t->w.loc};
    vec_push(s->mem, &s->tensors, t->w);
    access.tensor = (sam_tensor){s->tensors.len};
    memcpy(access.index, t->index, sizeof t->index);
    return fe_add_expr(s, access);
}

/* Puts a value where the part stood, `at`, and takes away the sums around it that moved. */
static void put_in_place(search *f, fe_kernel *reads, sam_expr at, sam_expr value, uint64_t moved) {
    sam_statement *s = f->s;
    drop_sums(s, &s->rhs, f, moved);
    value = with_others(f, s, value);
    *sam_expr_at(s, at) = *sam_expr_at(s, value);
    fe_compact(s);
    keep_bound_loops(reads, s);
}

/* ---- parts as kernels -------------------------------------------------------------------------- */

typedef struct {
    sam_expr part;        /* it has a workspace */
    sam_expr_data access; /* of that workspace */
} staged_part;

typedef struct {
    sam_statement s; /* of the last kernel */
    arena *mem;
    const fe_kernel *k;
    fe_parts parts;
    const fe_cin *beside; /* kernels that there are already, or NULL */
    fe_cin *out;
    VEC(staged_part) made;
} staging;

/* Returns the first of w, w2, w3, ... that is no name of any kernel. */
static name_id fresh_name(const staging *t) {
    const char *base = "w";
    name_id name = fe_fresh_name(&t->s, base, t->mem);
    while (t->beside && is_name(t->beside, name)) {
        base = arena_printf(t->mem, "%sw", base);
        name = fe_fresh_name(&t->s, base, t->mem);
    }
    return name;
}

static sam_expr workspace_of(staging *t, sam_expr part, bool on_host) {
    sam_statement *s = &t->s;
    const uint64_t vars = fe_free_vars(s, part);
    for (uint32_t i = 0; i < t->made.len; i++) {
        if (same(s, t->made.at[i].part, part))
            return fe_add_expr(s, t->made.at[i].access);
    }
    const src_loc loc = sam_expr_at(s, part)->loc;
    taken_out out = {.w = {.name = fresh_name(t), .loc = loc}};
    staged_part made = {part, {.kind = SAM_EXPR_ACCESS, .loc = loc}};
    index_workspace(s, vars, &out.w, out.index);
    memcpy(made.access.index, out.index, sizeof out.index);
    search whole = {.s = s, .want = part, .mem = t->mem};
    make_producer(&whole, t->k, &(request){0}, &out);
    out.k.on_host = on_host;
    vec_push(t->mem, &t->out->kernels, out.k);
    vec_push(t->mem, &s->tensors, out.w);
    made.access.tensor = (sam_tensor){s->tensors.len};
    vec_push(t->mem, &t->made, made);
    return fe_add_expr(s, made.access);
}

static bool has_access(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return x->kind == SAM_EXPR_ACCESS || (x->a.v && has_access(s, x->a)) || (x->b.v && has_access(s, x->b));
}

/* What is around an expression. */
typedef struct {
    bool sums; /* nothing but sums by `operation` is */
    bool sum;  /* right around it is a sum by `operation` */
    uint8_t operation;
    bool met; /* an operation that meets is, and no workspace between */
} surroundings;

static sam_expr stage_below(staging *t, sam_expr e, surroundings around) {
    sam_expr_data x = *sam_expr_at(&t->s, e);
    const bool sum = x.kind == SAM_EXPR_SUM, goes_on = sum && around.sum && around.operation == x.operation;
    const bool outermost = around.sums && sum && (goes_on || !around.sum);
    const bool joins = x.a.v && x.b.v && has_access(&t->s, x.a) && has_access(&t->s, x.b);
    const bool unites = joins && sam_unites(&t->s, e, NULL);
    const bool staged = (t->parts != FE_PARTS_UNIONS && sum && !outermost && !goes_on) ||
                        (t->parts != FE_PARTS_SUMS && unites && around.met);
    const surroundings inside = {outermost, sum, x.operation, (joins && !unites) || (around.met && !staged)};
    if (x.a.v)
        x.a = stage_below(t, x.a, inside);
    if (x.b.v)
        x.b = stage_below(t, x.b, inside);
    *sam_expr_at(&t->s, e) = x;
    return staged ? workspace_of(t, e, false) : e;
}

/* Adds the last kernel of the program: what is left of the statement. */
static void end_staging(staging *t, bool on_host) {
    fe_compact(&t->s);
    keep_bound_loops(t->k, &t->s);
    vec_push(t->mem, &t->out->kernels,
             ((fe_kernel){.s = t->s, .ordered = t->k->ordered, .on_host = on_host}));
}

bool fe_stage_parts(const fe_kernel *k, fe_parts parts, arena *mem, fe_cin *out) {
    staging t = {.k = k, .parts = parts, .mem = mem, .out = out};
    if (k->relations.len || k->tags.len)
        return false;
    *out = (fe_cin){0};
    fe_copy_statement(&k->s, mem, &t.s);
    t.s.rhs = stage_below(&t, t.s.rhs, (surroundings){.sums = true});
    end_staging(&t, false);
    return out->kernels.len > 1;
}

/* ---- kernels that fit ------------------------------------------------------------------------ */

typedef struct {
    staging at;
    fe_fits *fits;
    void *of;
    sam_expr mask; /* around what is looked at: whatever is elsewhere does not count */
    bool any, on_host,
        too_large; /* something does not fit; the right side is the host's; an operation is too large */
} fitting;

/* Returns whether the host can take the operand as it is stored. */
static bool is_plain(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    bool plain = x->kind == SAM_EXPR_ACCESS;
    for (uint32_t m = 0; plain && m < sam_tensor_at(s, x->tensor)->order; m++) {
        for (uint32_t n = 0; n < m; n++)
            plain = plain && x->index[m].v != x->index[n].v;
    }
    return plain || x->kind == SAM_EXPR_LITERAL;
}

/* Where an expression stands in a statement. */
typedef enum { BELOW_SUMS, IN_OPERATION, IN_SUM_OF_OPERATION } standing;

/* Returns whether an operation is of a sum over a workspace: nothing says before the run how far that goes,
 * and sub-tiles must not cut a sum that an operation takes whole. */
static bool takes_sum_of_workspace(const staging *t, sam_expr e, standing at) {
    const sam_expr_data *x = sam_expr_at(&t->s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return at == IN_SUM_OF_OPERATION && x->tensor.v > t->k->s.tensors.len;
    if (x->kind == SAM_EXPR_SUM ? at == IN_OPERATION : at == BELOW_SUMS)
        at++;
    return (x->a.v && takes_sum_of_workspace(t, x->a, at)) || (x->b.v && takes_sum_of_workspace(t, x->b, at));
}

/* Returns how what is left of the statement fits, or a workspace of one of its parts. */
static fe_fit part_fits(const fitting *f, sam_expr part, bool whole) {
    fe_cin alone = {0};
    staging trial = f->at;
    if (takes_sum_of_workspace(&trial, part, BELOW_SUMS))
        return FE_LACKED;
    trial.out = &alone;
    fe_copy_statement(&f->at.s, f->at.mem, &trial.s);
    trial.made.at = NULL;
    trial.made.len = trial.made.cap = 0;
    if (whole)
        end_staging(&trial, false);
    else
        workspace_of(&trial, part, false);
    return f->fits(f->of, &alone.kernels.at[0]);
}

/* Returns whether an operand of the program is nothing where it is not stored. Not a workspace, of which
 * nobody knows yet how full it is. */
static bool leads(const fitting *f, sam_expr e) {
    const sam_statement *s = &f->at.s;
    const sam_expr_data *x = sam_expr_at(s, e);
    return x->kind == SAM_EXPR_ACCESS && x->tensor.v <= f->at.k->s.tensors.len && is_plain(s, e) &&
           !sam_fill_of(s, e);
}

/* Returns the operand whose zeros decide what an operation of integers is, whatever the one at place `at` is:
 * A / (r * c) is 0 wherever A is. */
static sam_expr annihilator(const fitting *f, const sam_expr_data *x, int at) {
    if (!f->at.s.integers || !x->b.v || x->program || (x->kind != SAM_EXPR_DIV && x->kind != SAM_EXPR_CALL))
        return (sam_expr){0};
    const sam_operation by = x->kind == SAM_EXPR_DIV ? SAM_OPERATION_div : (sam_operation)x->operation;
    const sam_special zero = sam_operator_of(by, false)->annihilator;
    const sam_expr lead = at ? x->a : x->b;
    const bool is = zero.given && !zero.value && zero.at != at && leads(f, lead);
    return is ? lead : (sam_expr){0};
}

/* Returns whether the host can compute a part of its operands as they are stored. */
static bool is_pointwise(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return is_plain(s, e) || (x->kind != SAM_EXPR_ACCESS && x->kind != SAM_EXPR_SUM && !sam_takes_fiber(x) &&
                              is_pointwise(s, x->a) && (!x->b.v || is_pointwise(s, x->b)));
}

/* Returns what an operation is of as it is stored, or a workspace of it: where an operand of the operation,
 * or a mask around it, decides elsewhere, only of what is there, A / (r * c) as A / when(A, r * c) and
 * mask(c, f(e)) as mask(c, f(when(c, e))), on the chip where that has it. No mask of bf16 is on it: then the
 * host, which would take all of e from it, computes e at those points instead. */
static sam_expr store(fitting *f, sam_expr e, sam_expr lead) {
    staging *t = &f->at;
    const sam_expr by[] = {lead, f->mask};
    if (is_plain(&t->s, e))
        return e;
    bool by_host = false;
    for (int i = 0; i < 2; i++) {
        if (!by[i].v || (fe_free_vars(&t->s, e) & ~fe_free_vars(&t->s, by[i])))
            continue;
        const sam_expr mask = fe_add_expr(&t->s, *sam_expr_at(&t->s, by[i])),
                       needed = fe_add_call(&t->s, sam_expr_at(&t->s, e)->loc, SAM_OPERATION_when, mask, e);
        const fe_fit fit = part_fits(f, needed, false);
        by_host = fit == FE_LACKED && !t->s.integers && is_pointwise(&t->s, e);
        if (fit != FE_FITS && !by_host)
            continue;
        t->s.general = true;
        e = needed;
    }
    return workspace_of(t, e, by_host);
}

/* Makes workspaces of what the operation is of, as far as that is not stored. */
static void store_operands(fitting *f, sam_expr operation) {
    const sam_expr_data was = *sam_expr_at(&f->at.s, operation);
    sam_expr_data x = was;
    x.a = store(f, was.a, annihilator(f, &was, 0));
    x.b = was.b.v ? store(f, was.b, annihilator(f, &was, 1)) : was.b;
    *sam_expr_at(&f->at.s, operation) = x;
}

/* Returns the mask that what an operation is of stands below: its own, or one around it, unless it goes
 * along fibers. */
static sam_expr mask_below(const fitting *f, const sam_expr_data *x) {
    if (x->kind == SAM_EXPR_SUM || sam_takes_fiber(x))
        return (sam_expr){0};
    const bool own =
        x->kind == SAM_EXPR_CALL && !x->program && x->operation == SAM_OPERATION_when && leads(f, x->a);
    return own ? x->a : f->mask;
}

/* Returns whether some operand of e has all variables of `vars`. */
static bool has_all_of(const sam_statement *s, sam_expr e, uint64_t vars) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_ACCESS)
        return (vars & ~fe_free_vars(s, e)) == 0;
    return (x->a.v && has_all_of(s, x->a, vars)) || (x->b.v && has_all_of(s, x->b, vars));
}

/* Returns whether the host computes a mask of bf16 and all that it is of: no operand of that has all indices
 * of the mask, so that together they have values at many more points than the mask stores. */
static bool is_masked_by_host(const fitting *f, const sam_expr_data *x) {
    const sam_statement *s = &f->at.s;
    return !s->integers && x->kind == SAM_EXPR_CALL && !x->program && x->operation == SAM_OPERATION_when &&
           leads(f, x->a) && is_pointwise(s, x->b) && !has_all_of(s, x->b, fe_free_vars(s, x->a));
}

static sam_expr fit_below(fitting *f, sam_expr e, bool whole) {
    staging *t = &f->at;
    sam_expr_data x = *sam_expr_at(&t->s, e);
    const sam_expr around = f->mask;
    if (is_masked_by_host(f, &x) && part_fits(f, e, whole) != FE_FITS) {
        f->any = true;
        f->on_host = whole;
        return whole ? e : workspace_of(t, e, true);
    }
    f->mask = mask_below(f, &x);
    if (x.a.v)
        x.a = fit_below(f, x.a, false);
    if (x.b.v)
        x.b = fit_below(f, x.b, false);
    f->mask = around;
    *sam_expr_at(&t->s, e) = x;
    if (!x.a.v || !has_access(&t->s, e) || part_fits(f, e, whole) == FE_FITS)
        return e;
    f->any = true;
    store_operands(f, e);
    const fe_fit alone = part_fits(f, e, whole);
    f->too_large = f->too_large || alone == FE_TOO_LARGE;
    if (alone != FE_LACKED)
        return e;
    f->on_host = whole;
    return whole ? e : workspace_of(t, e, true);
}

bool fe_stage_fitting(const fe_kernel *k, fe_fits *fits, void *of, arena *mem, fe_cin *out) {
    fitting f = {.at = {.k = k, .mem = mem, .out = out}, .fits = fits, .of = of};
    if (k->relations.len || k->tags.len)
        return false;
    *out = (fe_cin){0};
    fe_copy_statement(&k->s, mem, &f.at.s);
    f.at.s.rhs = fit_below(&f, f.at.s.rhs, true);
    end_staging(&f.at, f.on_host);
    return f.any && !f.too_large;
}

/* ---- bind(e, host) --------------------------------------------------------------------------- */

/* Reports a subexpression that the right side does not have. */
static bool find_part(search *f, const request *r, diagnostics *d) {
    if (find(f, &f->s->rhs))
        return true;
    diag_error(d, r->loc, "E0151-subexpression", "the right side has no such subexpression");
    diag_hint(d, "write factors or terms as they stand in the expression");
    return false;
}

/* Gives workspaces to what the host does not take as it is; a function of fibers is all of a kernel. */
static sam_expr for_host(staging *t, sam_expr e, bool whole) {
    sam_expr_data x = *sam_expr_at(&t->s, e);
    if (x.kind == SAM_EXPR_SUM || (x.kind == SAM_EXPR_ACCESS && !is_plain(&t->s, e)))
        return workspace_of(t, e, false);
    x.a = x.a.v ? for_host(t, x.a, false) : x.a;
    x.b = x.b.v ? for_host(t, x.b, false) : x.b;
    *sam_expr_at(&t->s, e) = x;
    if (!sam_takes_fiber(&x))
        return e;
    if (!is_plain(&t->s, x.a))
        sam_expr_at(&t->s, e)->a = workspace_of(t, x.a, true);
    return whole ? e : workspace_of(t, e, true);
}

static bool unbound(const fe_user_function *f, const request *r, diagnostics *d, fe_mismatch what) {
    diag_error(d, r->loc, "E0167-bind", "'%s' does not compute this: %s: %s", r->family ? r->family : f->name,
               fe_step_text(what.step), what.why);
    const bool tags = what.step == FE_CONSTRAINTS && f->described->states.tags.len;
    diag_hint(d, tags ? "tag(T,word) before it says so of a tensor; a workspace as A(i,k) + A(k,i) is found "
                        "to be symmetric"
                 : f->described->array ? "its description says what it computes"
                                       : "bind the call of the function alone, or bind(e,host)");
    return false;
}

static bool has_type(const fe_user_function *f, const sam_statement *s, const request *r, diagnostics *d) {
    const char *why = f->described->q15 ? "it is of q15, which saturates where int16 wraps and bf16 rounds"
                      : s->integers     ? "it is of no int16"
                                        : "it is of no bf16";
    return !f->other_type || unbound(f, r, d, (fe_mismatch){FE_DATATYPES, why});
}

/* Returns whether the described function is what computes the part, its data type before its operator. */
static bool computes(const fe_user_function *f, const sam_statement *s, const request *r, diagnostics *d) {
    const sam_expr_data *x = sam_expr_at(s, r->want);
    if (!has_type(f, s, r, d))
        return false;
    if (x->kind == SAM_EXPR_SUM)
        return unbound(f, r, d, (fe_mismatch){FE_OPERATORS, "a reduction is an operator, and it has none"});
    return x->program == f->described->program ||
           unbound(f, r, d, (fe_mismatch){FE_OPERATORS, "the outermost one is not this function"});
}

/* Reads who computes the part: the host, where *f is NULL, or a described function. */
static bool read_who(fe_reader *in, const fe_user_function **f, const char **family, diagnostics *d) {
    *f = NULL;
    *family = NULL;
    for (uint32_t i = 0; in->functions && i < in->functions->all.len; i++) {
        const fe_user_function *one = &in->functions->all.at[i];
        if (!one->described || one->described->rule)
            continue;
        if (fe_is_word(&in->token, one->name))
            *f = one;
        if (one->described->family && !*f && fe_is_word(&in->token, one->described->family)) {
            *f = one;
            *family = one->described->family;
        }
    }
    if (!*f && !fe_is_word(&in->token, "host")) {
        fe_expected(in, "'host', or a function of --functions that is described", d);
        diag_hint(d, "--functions library has those that ship, --functions FILE.xf yours; 'onyx functions' "
                     "lists them");
        return false;
    }
    fe_advance(in);
    return true;
}

static bool is_scheduled(const fe_kernel *k, const request *r, diagnostics *d) {
    if (!k->relations.len && !k->tags.len)
        return false;
    diag_error(d, r->loc, "E0141-replaced-loop", "the kernel has been scheduled already");
    diag_hint(d, "bind first, then schedule the loops of the kernels on the array");
    diag_note(d, k->relations.len ? k->relations.at[0].loc : k->tags.at[0].loc, "by this");
    return true;
}

static bool bind_to_host(const request *r, const fe_kernel *reads, fe_cin *cin, arena *mem, diagnostics *d) {
    fe_cin made = {0};
    staging t = {.s = reads->s, .mem = mem, .k = reads, .beside = cin, .out = &made};
    search f = {.s = &t.s, .want = r->want, .mem = mem};
    if (!find_part(&f, r, d) || is_scheduled(reads, r, d))
        return false;
    const sam_expr at = *f.place;
    const bool whole = at.v == t.s.rhs.v && !f.others.len;
    const sam_expr part = for_host(&t, f.others.len ? r->want : at, true);
    if (whole) {
        t.s.rhs = part;
    } else {
        const sam_expr value = with_others(&f, &t.s, workspace_of(&t, part, true));
        *sam_expr_at(&t.s, at) = *sam_expr_at(&t.s, value);
    }
    end_staging(&t, whole);
    cin->kernels.len--;
    for (uint32_t n = 0; n < made.kernels.len; n++)
        vec_push(mem, &cin->kernels, made.kernels.at[n]);
    return true;
}

/* ---- bind(e, f) of a function that states an expression ------------------------------------------ */

/* Returns whether the part is the whole right side, but for sums that are inside of it. */
static bool is_all(const search *f, uint64_t moved) {
    const sam_statement *s = f->s;
    const sam_expr *e = &s->rhs;
    for (const sam_expr_data *x; (x = sam_expr_at(s, *e))->kind == SAM_EXPR_SUM && e != f->place; e = &x->a) {
        if (!(moved >> (x->var.v - 1) & 1))
            return false;
    }
    return e == f->place && !f->others.len;
}

/* Makes the part a kernel, which stays in place where it is the whole right side. */
static taken_out take_part(const search *f, const request *r, const fe_kernel *reads, uint64_t moved,
                           const fe_cin *cin) {
    taken_out t = {.whole = is_all(f, moved), .k = *reads};
    if (t.whole) {
        fe_copy_statement(f->s, f->mem, &t.k.s);
        fe_compact(&t.k.s);
    } else {
        t = take_out(f, r, reads, moved, cin);
    }
    t.k.on_host = true;
    t.k.binding = r->said;
    return t;
}

/* Asks the checker, which sees the part as text. */
static bool is_permitted(const fe_user_function *f, const fe_kernel *k, const request *r, diagnostics *d) {
    if (!f->described->checker)
        return true;
    sam_foreign *of = fe_load_described(f->described, r->loc, d) ? f->described->foreign : NULL;
    return of && (sam_foreign_checks(of, fe_expr_text(k, r->want, d->mem)) ||
                  (sam_foreign_ended(of, f->name, f->loc, d) &&
                   unbound(f, r, d,
                           (fe_mismatch){FE_CHECKER,
                                         arena_printf(d->mem, "%s refuses it", f->described->checker)})));
}

/* Returns whether calls can have parts of the loops of a kernel: those of split and divide, once. */
static bool are_sizes(const fe_kernel *k) {
    bool are = !k->tags.len;
    for (uint32_t i = 0; i < k->relations.len; i++) {
        const fe_relation *r = &k->relations.at[i];
        are = are && (r->kind == FE_SPLIT || r->kind == FE_DIVIDE) && !fe_making(k, r->var[0]);
    }
    return are;
}

/* Tries the part with as many of the sums around it as may be, and with fewer. */
static bool find_call(const search *f, const request *r, const fe_kernel *reads, const fe_cin *cin,
                      taken_out *out) {
    const uint64_t all = movable(f, r);
    for (uint64_t moved = all;; moved = (moved - 1) & all) {
        sam_binding unused;
        *out = take_part(f, r, reads, moved, cin);
        const fe_mismatch what = r->maps ? fe_find_mapping(&out->k, r->function, f->mem)
                                         : fe_match(&out->k, r->function, f->mem, &unused);
        if (what.step == FE_MATCHED)
            return true;
        if (what.step > r->failed->step)
            *r->failed = what;
        if (!moved)
            return false;
    }
}

/* Returns how much a mapping says that another function of the family may do without. */
static uint32_t effort(const fe_kernel *k) {
    uint32_t promoted = 0;
    for (uint32_t i = 0; i < k->binding.notes.len; i++)
        promoted += k->binding.notes.at[i].kind == FE_PROMOTED;
    return 64 * (uint32_t)__builtin_popcountll(k->binding.fixed) + promoted;
}

/* Tries the function, and where a family was named all of its members; the one for which least has to be said
 * is taken. */
static bool find_member(const search *f, request *r, const fe_functions *all, const fe_kernel *reads,
                        const fe_cin *cin, taken_out *out) {
    const fe_user_function *best = NULL;
    request one = *r;
    for (uint32_t i = 0; i < all->all.len; i++) {
        taken_out t;
        one.function = &all->all.at[i];
        if (one.function != r->function && !(r->family && fe_is_member(one.function, r->family)))
            continue;
        if (!find_call(f, &one, reads, cin, &t) || (best && effort(&t.k) >= effort(&out->k)))
            continue;
        *out = t;
        best = one.function;
    }
    r->function = best ? best : r->function;
    return best;
}

static bool bind_to_function(request *r, const fe_functions *all, fe_kernel *reads, fe_cin *cin, arena *mem,
                             diagnostics *d) {
    search f = {.s = &reads->s, .want = r->want, .mem = mem};
    taken_out t;
    if (!find_part(&f, r, d))
        return false;
    const bool whole = is_all(&f, movable(&f, r));
    if ((!whole || r->maps || !are_sizes(reads)) && is_scheduled(reads, r, d))
        return false;
    if ((!r->maps && !is_permitted(r->function, reads, r, d)) || !has_type(r->function, &reads->s, r, d))
        return false;
    if (!find_member(&f, r, all, reads, cin, &t))
        return unbound(r->function, r, d, *r->failed);
    if (r->maps && !is_permitted(r->function, reads, r, d)) /* a search asks it last */
        return false;
    t.k.binding.function = names_intern(reads->s.names, r->function->name);
    cin->kernels.at[cin->kernels.len - 1] = t.k;
    if (t.whole)
        return true;
    const sam_expr at = *f.place; /* which is no more once the tree grows */
    put_in_place(&f, reads, at, access_to(&reads->s, &t), t.moved);
    vec_push(mem, &cin->kernels, *reads);
    return true;
}

/* What was said before is of no use where nothing matches an expression. */
static bool nothing_said(const fe_binding *said, const request *r, diagnostics *d) {
    if (!said->fixed && !said->notes.len)
        return true;
    diag_error(d, r->loc, "E0167-bind", "fix, promote and tag are for functions that state an expression");
    diag_hint(d, "bind(e,gemm), for example");
    return false;
}

static bool bind(fe_reader *in, fe_taking how, fe_binding *said, fe_cin *cin, diagnostics *d) {
    arena *mem = cin->kernels.at[0].s.mem;
    const fe_kernel *last = &cin->kernels.at[cin->kernels.len - 1];
    fe_kernel reads = *last;
    fe_mismatch failed = {FE_CHECKER, ""};
    request r = {.said = *said, .maps = how == FE_TO_MAP, .failed = &failed};
    fe_copy_statement(&last->s, mem, &reads.s);
    if (!parse_part(in, &reads, &r, d) || !take(in, ',', "',' and who computes it", d) ||
        !read_who(in, &r.function, &r.family, d))
        return false;
    if (r.maps && fe_at_sign(in, ',')) {
        diag_error(d, in->token.loc, "E0167-bind", "map has an expression and a function");
        diag_hint(d, "map(S,backend,f,c) is Stardust's: here it is map(e,f), and what c says are commands "
                     "such as split");
        return false;
    }
    *said = (fe_binding){0};
    if (r.function && r.function->described->array && r.function->described->states.tags.len)
        fe_derive_tags(cin, &reads, in->functions, mem, &r.said);
    if (r.function && r.function->described->array)
        return bind_to_function(&r, in->functions, &reads, cin, mem, d);
    if (r.maps && !r.function) {
        diag_error(d, r.loc, "E0167-bind", "nothing is to be found for the host: it computes any expression");
        diag_hint(d, "bind(e,host)");
        return false;
    }
    return nothing_said(&r.said, &r, d) && (!r.function || computes(r.function, &reads.s, &r, d)) &&
           bind_to_host(&r, &reads, cin, mem, d);
}

bool fe_precompute(fe_reader *in, fe_taking how, fe_binding *said, fe_cin *cin, diagnostics *d) {
    if (how != FE_TO_WORKSPACE)
        return bind(in, how, said, cin, d);
    arena *mem = cin->kernels.at[0].s.mem;
    uint32_t last = cin->kernels.len - 1;
    fe_kernel reads = cin->kernels.at[last];
    fe_copy_statement(&cin->kernels.at[last].s, mem, &reads.s);
    request r = {0};
    if (!parse_request(in, cin, &reads, &r, d))
        return false;
    sam_statement *s = &reads.s;
    search f = {.s = s, .want = r.want, .mem = mem};
    if (!find_part(&f, &r, d))
        return false;
    uint64_t moved = movable(&f, &r);
    if (is_part_scheduled(&f, &reads, r.from.len ? moved : 0))
        return leave_out(&r, &cin->kernels.at[last], mem, d);
    const sam_expr at = *f.place; /* which is no more once the tree grows */
    if (!r.from.len) {
        const sam_expr value = with_sums(&f, s, r.want, moved);
        sink_loops(s, moved);
        put_in_place(&f, &reads, at, value, moved);
        cin->kernels.at[last] = reads;
        return true;
    }
    const taken_out t = take_out(&f, &r, &reads, moved, cin);
    put_in_place(&f, &reads, at, access_to(s, &t), moved);
    cin->kernels.at[last] = t.k;
    vec_push(mem, &cin->kernels, reads);
    return true;
}
