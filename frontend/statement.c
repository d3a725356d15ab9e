/* statement.c - fe_parse, the sums that index notation leaves implicit, and the scopes of a statement. */
#include "frontend/fe_int.h"

/* ---- small questions ------------------------------------------------------------------------- */

sam_var fe_find_var(const sam_statement *s, name_id name) {
    for (uint32_t v = 1; v <= s->vars.len; v++) {
        if (name_eq(s->vars.at[v - 1].name, name))
            return (sam_var){v};
    }
    return (sam_var){0};
}

sam_tensor fe_find_tensor(const sam_statement *s, name_id name) {
    for (uint32_t t = 1; t <= s->tensors.len; t++) {
        if (name_eq(s->tensors.at[t - 1].name, name))
            return (sam_tensor){t};
    }
    return (sam_tensor){0};
}

bool fe_is_result_var(const sam_statement *s, sam_var v) {
    const sam_tensor_data *result = sam_tensor_at(s, s->result);
    for (uint32_t i = 0; i < result->order; i++) {
        if (s->result_index[i].v == v.v)
            return true;
    }
    return false;
}

uint32_t fe_loop_position(const sam_statement *s, sam_var v) {
    uint32_t i = 0;
    while (i < s->loops.len && s->loops.at[i].v != v.v)
        i++;
    return i;
}

const char *fe_var_text(const sam_statement *s, sam_var v) {
    return names_text(s->names, sam_var_at(s, v)->name);
}

const char *fe_tensor_text(const sam_statement *s, sam_tensor t) {
    return names_text(s->names, sam_tensor_at(s, t)->name);
}

const char *fe_access_text(const sam_statement *s, sam_tensor t, const sam_var *index, arena *mem) {
    uint32_t order = sam_tensor_at(s, t)->order;
    const char *text = fe_tensor_text(s, t);
    for (uint32_t i = 0; i < order; i++)
        text = arena_printf(mem, "%s%s%s%s", text, i ? "," : "(", fe_var_text(s, index[i]),
                            i + 1 == order ? ")" : "");
    return text;
}

static uint64_t bit_of(sam_var v) {
    return (uint64_t)1 << (v.v - 1);
}

static bool is_binary(sam_expr_kind kind) {
    return kind == SAM_EXPR_ADD || kind == SAM_EXPR_SUB || kind == SAM_EXPR_MUL || kind == SAM_EXPR_DIV;
}

uint64_t fe_free_vars(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    switch (x->kind) {
    case SAM_EXPR_ACCESS: {
        uint64_t vars = 0;
        for (uint32_t i = 0; i < sam_tensor_at(s, x->tensor)->order; i++)
            vars |= bit_of(x->index[i]);
        return vars;
    }
    case SAM_EXPR_NEG:
        return fe_free_vars(s, x->a);
    case SAM_EXPR_SUM:
        return fe_free_vars(s, x->a) & ~bit_of(x->var);
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
    case SAM_EXPR_MUL:
    case SAM_EXPR_DIV:
        return fe_free_vars(s, x->a) | fe_free_vars(s, x->b);
    case SAM_EXPR_NONE:
    case SAM_EXPR_LITERAL:
        break;
    }
    return 0;
}

/* ---- implicit sums --------------------------------------------------------------------------- */

/* Explicit sums under e: each must use its variable, and must not rebind one of `bound` or of its own term.
 */
static bool check_sums(const sam_statement *s, sam_expr e, uint64_t bound, diagnostics *d) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_SUM) {
        if (bound & bit_of(x->var)) {
            diag_error(d, x->loc, "E0108-sum", "'%s' is already bound around this sum",
                       fe_var_text(s, x->var));
            diag_hint(d, "rename the variable of one of them");
            return false;
        }
        if (!(fe_free_vars(s, x->a) & bit_of(x->var))) {
            diag_error(d, x->loc, "E0108-sum", "nothing in the sum over '%s' is indexed by it",
                       fe_var_text(s, x->var));
            diag_hint(d, "index one of its operands by '%s', or remove the sum", fe_var_text(s, x->var));
            return false;
        }
        bound |= bit_of(x->var);
    }
    return (!x->a.v || check_sums(s, x->a, bound, d)) && (!x->b.v || check_sums(s, x->b, bound, d));
}

/* An addition inside a product with an addend that lacks a variable the product is summed over: the addend
 * would be counted once for each value of the variable, which is rarely meant. */
static bool check_addends(const sam_statement *s, sam_expr e, sam_var v, diagnostics *d) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_ADD || x->kind == SAM_EXPR_SUB) {
        bool in_a = fe_free_vars(s, x->a) & bit_of(v), in_b = fe_free_vars(s, x->b) & bit_of(v);
        if (in_a != in_b) {
            diag_error(d, x->loc, "E0109-ambiguous-sum",
                       "does the sum over '%s' cover the whole product or only one addend?",
                       fe_var_text(s, v));
            diag_hint(d, "write the sum out: sum(%s, ...)", fe_var_text(s, v));
            diag_note(d, sam_expr_at(s, in_a ? x->b : x->a)->loc, "this addend is not indexed by '%s'",
                      fe_var_text(s, v));
            return false;
        }
    }
    if (x->kind == SAM_EXPR_SUM && x->var.v == v.v)
        return true;
    return (!x->a.v || check_addends(s, x->a, v, d)) && (!x->b.v || check_addends(s, x->b, v, d));
}

/* Wraps the term in sums over `free`, in order of first appearance outwards. */
static bool bind_term(sam_statement *s, sam_expr *e, uint64_t free, diagnostics *d) {
    if (!check_sums(s, *e, free, d))
        return false;
    for (uint32_t v = s->vars.len; v >= 1; v--) {
        if (!(free & bit_of((sam_var){v})))
            continue;
        if (!check_addends(s, *e, (sam_var){v}, d))
            return false;
        sam_expr_data sum = {.kind = SAM_EXPR_SUM, .loc = sam_expr_at(s, *e)->loc, .a = *e, .var = {v}};
        vec_push(s->mem, &s->exprs, sum);
        *e = (sam_expr){s->exprs.len};
    }
    return true;
}

/* Additions and signs outside of every product separate terms; all else is one term. */
static bool bind_terms(sam_statement *s, sam_expr *e, uint64_t result_vars, diagnostics *d) {
    sam_expr_data x = *sam_expr_at(s, *e);
    if (x.kind != SAM_EXPR_ADD && x.kind != SAM_EXPR_SUB && x.kind != SAM_EXPR_NEG)
        return bind_term(s, e, fe_free_vars(s, *e) & ~result_vars, d);
    if (!bind_terms(s, &x.a, result_vars, d) || (x.b.v && !bind_terms(s, &x.b, result_vars, d)))
        return false;
    sam_expr_at(s, *e)->a = x.a;
    sam_expr_at(s, *e)->b = x.b;
    return true;
}

bool fe_bind_sums(sam_statement *s, diagnostics *d) {
    uint64_t result_vars = 0;
    for (uint32_t i = 0; i < sam_tensor_at(s, s->result)->order; i++)
        result_vars |= bit_of(s->result_index[i]);
    return bind_terms(s, &s->rhs, result_vars, d);
}

/* ---- scopes ---------------------------------------------------------------------------------- */

static void peel_sums(const sam_statement *s, sam_expr e, arena *mem, fe_scope *scope) {
    for (; sam_expr_at(s, e)->kind == SAM_EXPR_SUM; e = sam_expr_at(s, e)->a)
        vec_push(mem, &scope->vars, sam_expr_at(s, e)->var);
    scope->body = e;
}

fe_scope fe_outer_scope(const sam_statement *s, arena *mem) {
    fe_scope scope = {0};
    for (uint32_t i = 0; i < sam_tensor_at(s, s->result)->order; i++)
        vec_push(mem, &scope.vars, s->result_index[i]);
    peel_sums(s, s->rhs, mem, &scope);
    return scope;
}

fe_scope fe_sum_scope(const sam_statement *s, sam_expr sum, arena *mem) {
    fe_scope scope = {0};
    peel_sums(s, sum, mem, &scope);
    return scope;
}

void fe_scope_order(const sam_statement *s, fe_scope *scope) {
    for (uint32_t i = 1; i < scope->vars.len; i++) {
        for (uint32_t k = i; k > 0; k--) {
            sam_var *at = scope->vars.at;
            if (fe_loop_position(s, at[k - 1]) < fe_loop_position(s, at[k]))
                break;
            sam_var swap = at[k];
            at[k] = at[k - 1];
            at[k - 1] = swap;
        }
    }
}

void fe_inner_sums(const sam_statement *s, sam_expr e, arena *mem, fe_exprs *out) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_SUM) {
        vec_push(mem, out, e);
    } else if (x->kind == SAM_EXPR_NEG || is_binary(x->kind)) {
        fe_inner_sums(s, x->a, mem, out);
        if (x->b.v)
            fe_inner_sums(s, x->b, mem, out);
    }
}

/* ---- fe_parse -------------------------------------------------------------------------------- */

bool fe_parse(const fe_in *in, name_table *names, arena *mem, diagnostics *d, sam_statement *out) {
    *out = (sam_statement){.mem = mem, .names = names};
    if (!fe_parse_expression(in->expression, d, out) || !fe_bind_sums(out, d))
        return false;
    bool ok = fe_parse_formats(in, d, out);
    fe_default_loops(out);
    return ok;
}
