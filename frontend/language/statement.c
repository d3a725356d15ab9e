/* statement.c - small queries on a statement, and additions. */
#include "frontend/language/statement.h"

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

uint32_t fe_loop_position(const sam_statement *s, sam_var v) {
    return fe_var_place(s->loops.at, s->loops.len, v);
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

uint64_t fe_free_vars(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    switch (x->kind) {
    case SAM_EXPR_ACCESS: {
        uint64_t vars = 0;
        for (uint32_t i = 0; i < sam_tensor_at(s, x->tensor)->order; i++)
            vars |= fe_bit(x->index[i]);
        return vars;
    }
    case SAM_EXPR_NEG:
        return fe_free_vars(s, x->a);
    case SAM_EXPR_SUM:
        return fe_free_vars(s, x->a) & ~fe_bit(x->var);
    case SAM_EXPR_ADD:
    case SAM_EXPR_SUB:
    case SAM_EXPR_MUL:
    case SAM_EXPR_DIV:
    case SAM_EXPR_CALL:
        return fe_free_vars(s, x->a) | (x->b.v ? fe_free_vars(s, x->b) : 0);
    case SAM_EXPR_NONE:
    case SAM_EXPR_LITERAL:
        break;
    }
    return 0;
}

name_id fe_fresh_name(const sam_statement *s, const char *base, arena *mem) {
    for (uint32_t n = 1;; n++) {
        name_id name = names_intern(s->names, n == 1 ? base : arena_printf(mem, "%s%u", base, n));
        if (!fe_find_tensor(s, name).v && !fe_find_var(s, name).v)
            return name;
    }
}

sam_expr fe_add_ones(sam_statement *s, src_loc loc, arena *mem) {
    name_id name = fe_fresh_name(s, "ones", mem);
    vec_push(mem, &s->tensors, (sam_tensor_data){.name = name, .loc = loc, .ones = true});
    return fe_add_expr(s, (sam_expr_data){.kind = SAM_EXPR_ACCESS, .loc = loc, .tensor = {s->tensors.len}});
}

bool fe_has_index(const sam_statement *s, sam_expr access, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, access);
    for (uint32_t i = 0; i < sam_tensor_at(s, x->tensor)->order; i++) {
        if (x->index[i].v == v.v)
            return true;
    }
    return false;
}

uint32_t fe_level_of(const sam_statement *s, sam_expr access, sam_var v) {
    const sam_expr_data *x = sam_expr_at(s, access);
    const sam_tensor_data *t = sam_tensor_at(s, x->tensor);
    uint32_t l = 0;
    while (l < t->order && x->index[t->mode[l]].v != v.v)
        l++;
    return l;
}

name_id fe_copy_name(const sam_statement *s, name_id name) {
    for (uint32_t n = 2;; n++) {
        name_id copy = names_intern(s->names, arena_printf(s->mem, "%s_%u", names_text(s->names, name), n));
        if (!fe_find_tensor(s, copy).v && !fe_find_var(s, copy).v)
            return copy;
    }
}
