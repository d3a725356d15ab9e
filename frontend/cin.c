/* cin.c - concrete index notation as an IR: which loops a variable became, the invariants, equality. The text
 * form is written by cin_dump.c and read by cin_parse.c. */
#include "frontend/fe_int.h"

void fe_copy_statement(const sam_statement *s, arena *mem, sam_statement *out) {
    *out = (sam_statement){.mem = mem,
                           .names = s->names,
                           .result = s->result,
                           .rhs = s->rhs,
                           .integers = s->integers,
                           .tiled = s->tiled};
    memcpy(out->result_index, s->result_index, sizeof out->result_index);
    for (uint32_t i = 0; i < s->vars.len; i++)
        vec_push(mem, &out->vars, s->vars.at[i]);
    for (uint32_t i = 0; i < s->tensors.len; i++)
        vec_push(mem, &out->tensors, s->tensors.at[i]);
    for (uint32_t i = 0; i < s->exprs.len; i++)
        vec_push(mem, &out->exprs, s->exprs.at[i]);
    for (uint32_t i = 0; i < s->loops.len; i++)
        vec_push(mem, &out->loops, s->loops.at[i]);
}

/* Copies the tree under e from `from`, its tensors each once; moved[old - 1] is a tensor's new handle. */
static sam_expr copy_tree(sam_statement *s, const sam_statement *from, sam_expr e, sam_tensor *moved) {
    sam_expr_data x = *sam_expr_at(from, e);
    if (x.kind == SAM_EXPR_ACCESS) {
        sam_tensor *to = &moved[x.tensor.v - 1];
        if (!to->v) {
            vec_push(s->mem, &s->tensors, *sam_tensor_at(from, x.tensor));
            to->v = s->tensors.len;
        }
        x.tensor = *to;
    }
    if (x.a.v)
        x.a = copy_tree(s, from, x.a, moved);
    if (x.b.v)
        x.b = copy_tree(s, from, x.b, moved);
    vec_push(s->mem, &s->exprs, x);
    return (sam_expr){s->exprs.len};
}

void fe_compact(sam_statement *s) {
    sam_statement from = *s;
    sam_tensor *moved = arena_new_n(s->mem, sam_tensor, s->tensors.len + 1);
    s->tensors.at = NULL;
    s->exprs.at = NULL;
    s->tensors.len = s->tensors.cap = s->exprs.len = s->exprs.cap = 0;
    vec_push(s->mem, &s->tensors, *sam_tensor_at(&from, s->result));
    moved[from.result.v - 1] = (sam_tensor){1};
    s->result = (sam_tensor){1};
    s->rhs = copy_tree(s, &from, from.rhs, moved);
}

/* ---- relations ------------------------------------------------------------------------------- */

const fe_relation *fe_replacing(const fe_kernel *k, sam_var v) {
    for (uint32_t r = 0; r < k->relations.len; r++) {
        const fe_relation *relation = &k->relations.at[r];
        if (relation->var[0].v == v.v || (relation->kind == FE_FUSE && relation->var[1].v == v.v))
            return relation;
    }
    return NULL;
}

uint32_t fe_new_vars(const fe_relation *r, sam_var v[2]) {
    if (r->kind == FE_SPLIT || r->kind == FE_DIVIDE) {
        v[0] = r->var[1];
        v[1] = r->var[2];
        return 2;
    }
    v[0] = r->kind == FE_FUSE ? r->var[2] : r->var[1];
    return 1;
}

static const fe_relation *relation_making(const fe_kernel *k, sam_var v) {
    for (uint32_t r = 0; r < k->relations.len; r++) {
        sam_var made[2];
        uint32_t n = fe_new_vars(&k->relations.at[r], made);
        if (made[0].v == v.v || (n == 2 && made[1].v == v.v))
            return &k->relations.at[r];
    }
    return NULL;
}

static bool has_var(const fe_vars *vars, sam_var v) {
    for (uint32_t i = 0; i < vars->len; i++) {
        if (vars->at[i].v == v.v)
            return true;
    }
    return false;
}

void fe_add_loops_of(const fe_kernel *k, sam_var v, arena *mem, fe_vars *out) {
    const fe_relation *r = fe_replacing(k, v);
    if (!r) {
        if (!has_var(out, v))
            vec_push(mem, out, v);
        return;
    }
    sam_var made[2];
    uint32_t n = fe_new_vars(r, made);
    for (uint32_t i = 0; i < n; i++)
        fe_add_loops_of(k, made[i], mem, out);
}

fe_vars fe_scope_loops(const fe_kernel *k, const fe_scope *scope, arena *mem) {
    fe_scope loops = {0};
    for (uint32_t i = 0; i < scope->vars.len; i++)
        fe_add_loops_of(k, scope->vars.at[i], mem, &loops.vars);
    fe_scope_order(&k->s, &loops);
    return loops.vars;
}

static bool scope_nests(const fe_kernel *k, const fe_scope *scope, arena *mem) {
    fe_vars around = fe_scope_loops(k, scope, mem);
    fe_exprs inner = {0};
    fe_inner_sums(&k->s, scope->body, mem, &inner);
    for (uint32_t i = 0; i < inner.len; i++) {
        fe_scope sum = fe_sum_scope(&k->s, inner.at[i], mem);
        fe_vars loops = fe_scope_loops(k, &sum, mem);
        bool outside = around.len && fe_loop_position(&k->s, loops.at[0]) <
                                         fe_loop_position(&k->s, around.at[around.len - 1]);
        if (outside || !scope_nests(k, &sum, mem))
            return false;
    }
    return true;
}

bool fe_loops_nest(const fe_kernel *k, arena *mem) {
    fe_scope outer = fe_outer_scope(&k->s, mem);
    return scope_nests(k, &outer, mem);
}

uint64_t fe_roots_of(const fe_kernel *k, sam_var v) {
    const fe_relation *r = relation_making(k, v);
    if (!r)
        return (uint64_t)1 << (v.v - 1);
    uint64_t roots = fe_roots_of(k, r->var[0]);
    return r->kind == FE_FUSE ? roots | fe_roots_of(k, r->var[1]) : roots;
}

static uint32_t divided(uint32_t n, uint32_t by) {
    return n / by + (n % by != 0);
}

uint32_t fe_known_extent(const fe_kernel *k, sam_var v) {
    const fe_relation *r = relation_making(k, v);
    if (!r)
        return sam_var_at(&k->s, v)->extent;
    uint32_t whole = fe_known_extent(k, r->var[0]);
    bool outer = r->var[1].v == v.v;
    switch (r->kind) {
    case FE_SPLIT:
        return outer ? divided(whole, r->number) : r->number;
    case FE_DIVIDE:
        return outer ? r->number : divided(whole, r->number);
    case FE_FUSE:
        return whole * fe_known_extent(k, r->var[1]);
    case FE_BOUND:
        return r->bound == FE_MAX_EXACT ? r->number : whole;
    case FE_POS:
        break;
    }
    return 0;
}

const fe_tag *fe_tag_of(const fe_kernel *k, sam_var loop) {
    for (uint32_t t = 0; t < k->tags.len; t++) {
        if (k->tags.at[t].loop.v == loop.v)
            return &k->tags.at[t];
    }
    return NULL;
}

/* ---- invariants ------------------------------------------------------------------------------ */

#define REQUIRE(condition, loc, ...)                                                                         \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            diag_error(d, loc, "E0150-cin", __VA_ARGS__);                                                    \
            return false;                                                                                    \
        }                                                                                                    \
    } while (0)

bool fe_check_relation(const fe_kernel *k, const fe_relation *r, uint64_t *open, uint64_t *known,
                       diagnostics *d) {
    sam_var made[2];
    uint32_t n = fe_new_vars(r, made), replaced = r->kind == FE_FUSE ? 2 : 1;
    REQUIRE(r->kind >= FE_SPLIT && r->kind <= FE_BOUND, r->loc, "a relation of no kind");
    for (uint32_t i = 0; i < replaced; i++) {
        uint64_t bit = (uint64_t)1 << (r->var[i].v - 1);
        REQUIRE(*open & bit, r->loc, "'%s' is no variable that can be replaced here",
                fe_var_text(&k->s, r->var[i]));
        *open &= ~bit;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bit = (uint64_t)1 << (made[i].v - 1);
        REQUIRE(!(*known & bit), r->loc, "'%s' is not new", fe_var_text(&k->s, made[i]));
        *known |= bit;
        *open |= bit;
    }
    bool sized =
        r->kind == FE_SPLIT || r->kind == FE_DIVIDE || (r->kind == FE_BOUND && r->bound == FE_MAX_EXACT);
    REQUIRE(!sized || r->number > 0, r->loc, "a loop without iterations");
    return true;
}

static bool check_kernel(const fe_kernel *k, diagnostics *d) {
    uint64_t bound, known, loops = 0;
    const src_loc nowhere = {0};
    if (!fe_check_parts(&k->s, &bound, d) || !fe_check_names(&k->s, d))
        return false;
    known = bound;
    for (uint32_t r = 0; r < k->relations.len; r++) {
        const fe_relation *relation = &k->relations.at[r];
        if (!fe_check_relation(k, relation, &bound, &known, d))
            return false;
        REQUIRE(relation->kind != FE_POS || fe_find_tensor(&k->s, relation->tensor).v > 1, relation->loc,
                "positions of no operand");
    }
    for (uint32_t i = 0; i < k->s.loops.len; i++) {
        sam_var v = k->s.loops.at[i];
        REQUIRE(v.v >= 1 && v.v <= k->s.vars.len, nowhere, "loop %u has no variable", i);
        uint64_t bit = (uint64_t)1 << (v.v - 1);
        REQUIRE(!(loops & bit), sam_var_at(&k->s, v)->loc, "'%s' has two loops", fe_var_text(&k->s, v));
        loops |= bit;
    }
    for (uint32_t v = 1; v <= k->s.vars.len; v++) {
        bool has = loops >> (v - 1) & 1, needs = bound >> (v - 1) & 1;
        REQUIRE(has == needs, k->s.vars.at[v - 1].loc, "'%s' %s a loop", fe_var_text(&k->s, (sam_var){v}),
                has ? "binds nothing, but has" : "needs, and lacks,");
    }
    for (uint32_t t = 0; t < k->tags.len; t++) {
        const fe_tag *tag = &k->tags.at[t];
        REQUIRE(loops >> (tag->loop.v - 1) & 1, tag->loc, "no loop to copy");
        REQUIRE(fe_tag_of(k, tag->loop) == tag, tag->loc, "'%s' is tagged twice",
                fe_var_text(&k->s, tag->loop));
        REQUIRE(tag->copies >= 1 && tag->copies <= FE_MAX_COPIES, tag->loc, "%u copies", tag->copies);
    }
    return true;
}

bool fe_cin_check(const fe_cin *cin, diagnostics *d) {
    REQUIRE(cin->kernels.len > 0, (src_loc){0}, "no kernel");
    for (uint32_t n = 0; n < cin->kernels.len; n++) {
        const sam_statement *s = &cin->kernels.at[n].s;
        if (!check_kernel(&cin->kernels.at[n], d))
            return false;
        name_id name = sam_tensor_at(s, s->result)->name;
        bool read = n + 1 == cin->kernels.len;
        for (uint32_t later = n + 1; later < cin->kernels.len; later++)
            read = read || fe_find_tensor(&cin->kernels.at[later].s, name).v > 1;
        REQUIRE(read, sam_tensor_at(s, s->result)->loc, "nothing reads the workspace '%s'",
                names_text(s->names, name));
    }
    return true;
}

/* ---- equality -------------------------------------------------------------------------------- */

static bool same_name(const sam_statement *a, name_id in_a, const sam_statement *b, name_id in_b) {
    return strcmp(names_text(a->names, in_a), names_text(b->names, in_b)) == 0;
}

static bool same_var(const sam_statement *a, sam_var in_a, const sam_statement *b, sam_var in_b) {
    if (!in_a.v || !in_b.v)
        return in_a.v == in_b.v;
    return same_name(a, sam_var_at(a, in_a)->name, b, sam_var_at(b, in_b)->name);
}

static bool same_access(const sam_statement *a, sam_tensor ta, const sam_var *ia, const sam_statement *b,
                        sam_tensor tb, const sam_var *ib) {
    const sam_tensor_data *x = sam_tensor_at(a, ta), *y = sam_tensor_at(b, tb);
    if (!same_name(a, x->name, b, y->name) || x->order != y->order)
        return false;
    for (uint32_t i = 0; i < x->order; i++) {
        if (!same_var(a, ia[i], b, ib[i]))
            return false;
    }
    return true;
}

static bool same_vars(const sam_statement *a, const fe_vars *x, const sam_statement *b, const fe_vars *y) {
    if (x->len != y->len)
        return false;
    for (uint32_t i = 0; i < x->len; i++) {
        if (!same_var(a, x->at[i], b, y->at[i]))
            return false;
    }
    return true;
}

static bool same_scope(const fe_kernel *a, fe_scope x, const fe_kernel *b, fe_scope y, arena *mem);

static bool same_expr(const fe_kernel *a, sam_expr x, const fe_kernel *b, sam_expr y, arena *mem) {
    if (!x.v || !y.v)
        return x.v == y.v;
    const sam_expr_data *p = sam_expr_at(&a->s, x), *q = sam_expr_at(&b->s, y);
    if (p->kind != q->kind)
        return false;
    switch (p->kind) {
    case SAM_EXPR_ACCESS:
        return same_access(&a->s, p->tensor, p->index, &b->s, q->tensor, q->index);
    case SAM_EXPR_LITERAL:
        return p->literal == q->literal;
    case SAM_EXPR_SUM:
        return same_scope(a, fe_sum_scope(&a->s, x, mem), b, fe_sum_scope(&b->s, y, mem), mem);
    case SAM_EXPR_NEG:
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
    case SAM_EXPR_MUL:
    case SAM_EXPR_DIV:
        return same_expr(a, p->a, b, q->a, mem) && same_expr(a, p->b, b, q->b, mem);
    case SAM_EXPR_NONE:
        break;
    }
    return true;
}

/* Returns whether both scopes have the same loops in the same order around the same body; the order in which
 * sums are nested says nothing. */
static bool same_scope(const fe_kernel *a, fe_scope x, const fe_kernel *b, fe_scope y, arena *mem) {
    fe_vars lx = fe_scope_loops(a, &x, mem), ly = fe_scope_loops(b, &y, mem);
    return same_vars(&a->s, &lx, &b->s, &ly) && same_expr(a, x.body, b, y.body, mem);
}

static bool same_relation(const fe_kernel *a, const fe_relation *x, const fe_kernel *b,
                          const fe_relation *y) {
    bool same = x->kind == y->kind && x->number == y->number && x->bound == y->bound;
    for (uint32_t i = 0; same && i < 3; i++)
        same = same_var(&a->s, x->var[i], &b->s, y->var[i]);
    return same && same_name(&a->s, x->tensor, &b->s, y->tensor);
}

static bool same_tags(const fe_kernel *a, const fe_kernel *b) {
    if (a->tags.len != b->tags.len)
        return false;
    for (uint32_t t = 0; t < a->tags.len; t++) {
        const fe_tag *x = &a->tags.at[t];
        sam_var v = fe_find_var(&b->s, names_find(b->s.names, fe_var_text(&a->s, x->loop)));
        const fe_tag *y = v.v ? fe_tag_of(b, v) : NULL;
        if (!y || x->kind != y->kind || x->copies != y->copies || x->unit != y->unit ||
            x->strategy != y->strategy)
            return false;
    }
    return true;
}

static bool same_kernel(const fe_kernel *a, const fe_kernel *b, arena *mem) {
    if (a->relations.len != b->relations.len || !same_tags(a, b))
        return false;
    const fe_vars la = {a->s.loops.at, a->s.loops.len, 0}, lb = {b->s.loops.at, b->s.loops.len, 0};
    bool nested = fe_loops_nest(a, mem);
    if (nested != fe_loops_nest(b, mem) || (!nested && !same_vars(&a->s, &la, &b->s, &lb)))
        return false;
    for (uint32_t r = 0; r < a->relations.len; r++) {
        if (!same_relation(a, &a->relations.at[r], b, &b->relations.at[r]))
            return false;
    }
    return same_access(&a->s, a->s.result, a->s.result_index, &b->s, b->s.result, b->s.result_index) &&
           same_scope(a, fe_outer_scope(&a->s, mem), b, fe_outer_scope(&b->s, mem), mem);
}

bool fe_cin_equal(const fe_cin *a, const fe_cin *b) {
    arena scratch = {0};
    bool same = a->kernels.len == b->kernels.len;
    for (uint32_t n = 0; same && n < a->kernels.len; n++)
        same = same_kernel(&a->kernels.at[n], &b->kernels.at[n], &scratch);
    arena_free(&scratch);
    return same;
}
