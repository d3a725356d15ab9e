/* cin.c - concrete index notation as an IR: copies, loops of scopes, names of workspaces, the invariants. The
 * text form is written by cin_dump.c and read by cin_parse.c. */
#include "frontend/language/check.h"
#include "frontend/language/relations.h"
#include "frontend/language/statement.h"

void fe_copy_statement(const sam_statement *s, arena *mem, sam_statement *out) {
    *out = (sam_statement){.mem = mem,
                           .names = s->names,
                           .result = s->result,
                           .rhs = s->rhs,
                           .integers = s->integers,
                           .everywhere = s->everywhere,
                           .general = s->general,
                           .tiled = s->tiled,
                           .exact = s->exact,
                           .singly = s->singly,
                           .stepped = s->stepped,
                           .single = s->single,
                           .rows = s->rows};
    memcpy(out->result_index, s->result_index, sizeof out->result_index);
    vec_copy(mem, &out->vars, &s->vars);
    vec_copy(mem, &out->tensors, &s->tensors);
    vec_copy(mem, &out->exprs, &s->exprs);
    vec_copy(mem, &out->loops, &s->loops);
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

/* ---- loops ----------------------------------------------------------------------------------- */

/* Adds the loops of variable v: its own, or the loops of its replacements. */
static void add_loops_of(const fe_kernel *k, sam_var v, arena *mem, fe_vars *out) {
    const fe_relation *r = fe_replacing(k, v);
    if (!r) {
        if (!fe_lists_var(out, v))
            vec_push(mem, out, v);
        return;
    }
    sam_var made[2];
    uint32_t n = fe_new_vars(r, made);
    for (uint32_t i = 0; i < n; i++)
        add_loops_of(k, made[i], mem, out);
}

fe_vars fe_scope_loops(const fe_kernel *k, const fe_scope *scope, arena *mem) {
    fe_scope loops = {0};
    for (uint32_t i = 0; i < scope->vars.len; i++)
        add_loops_of(k, scope->vars.at[i], mem, &loops.vars);
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

const fe_tag *fe_tag_of(const fe_kernel *k, sam_var loop) {
    for (uint32_t t = 0; t < k->tags.len; t++) {
        if (k->tags.at[t].loop.v == loop.v)
            return &k->tags.at[t];
    }
    return NULL;
}

/* ---- names of workspaces ---------------------------------------------------------------------- */

bool fe_is_cin_name(const fe_cin *cin, name_id name) {
    bool is = false;
    for (uint32_t k = 0; k < cin->kernels.len; k++)
        is =
            is || fe_find_var(&cin->kernels.at[k].s, name).v || fe_find_tensor(&cin->kernels.at[k].s, name).v;
    return is;
}

name_id fe_unused_workspace(const fe_cin *cin, const fe_cin *other) {
    name_table *names = cin->kernels.at[0].s.names;
    for (uint32_t n = 1;; n++) {
        name_id name = names_intern(names, arena_printf(names->mem, n > 1 ? "w%u" : "w", n));
        if (!fe_is_cin_name(cin, name) && !fe_is_cin_name(other, name))
            return name;
    }
}

void fe_name_apart(fe_cin *cin, const fe_cin *others) {
    for (uint32_t n = 0; n + 1 < cin->kernels.len; n++) {
        const sam_statement *of = &cin->kernels.at[n].s;
        const name_id old = sam_tensor_at(of, of->result)->name;
        if (!fe_is_cin_name(others, old))
            continue;
        const name_id name = fe_unused_workspace(cin, others);
        for (uint32_t k = 0; k < cin->kernels.len; k++) {
            const sam_statement *s = &cin->kernels.at[k].s;
            const sam_tensor t = fe_find_tensor(s, old);
            if (t.v)
                sam_tensor_at(s, t)->name = name;
        }
    }
}

/* ---- invariants ------------------------------------------------------------------------------ */

#define REQUIRE(condition, loc, ...) FE_REQUIRE("E0150-cin", condition, loc, __VA_ARGS__)

static bool check_kernel(const fe_kernel *k, diagnostics *d) {
    uint64_t bound, known, loops = 0;
    const src_loc nowhere = {0};
    if (!fe_check_tree(&k->s, &bound, d))
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
    const bool called = k->on_host && k->binding.function.v;
    for (uint32_t e = 1; e <= k->s.exprs.len && k->on_host && !called; e++)
        REQUIRE(e == k->s.rhs.v || sam_expr_at(&k->s, (sam_expr){e})->kind != SAM_EXPR_SUM,
                sam_expr_at(&k->s, (sam_expr){e})->loc, "the host sums up a whole right side only");
    REQUIRE(!k->on_host || called || !(k->relations.len || k->tags.len), nowhere,
            "the host has no loops to schedule");
    for (uint32_t r = 0; r < k->relations.len && called; r++) {
        const fe_relation *relation = &k->relations.at[r];
        REQUIRE((relation->kind == FE_SPLIT || relation->kind == FE_DIVIDE) &&
                    !fe_making(k, relation->var[0]),
                relation->loc, "the parts of calls are those of split and divide, once");
    }
    REQUIRE(!called || !k->tags.len, nowhere, "calls have no copies");
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
