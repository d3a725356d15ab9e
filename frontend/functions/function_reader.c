/* What all readers of a function in a file share: words, and expressions of its parameters. */
#include "frontend/functions/function_reader.h"
#include "frontend/language/calls.h"
#include "frontend/language/expression.h"
#include "frontend/language/statement.h"

bool fe_refuse_function(const fe_function_reader *r, src_loc loc, const char *what, const char *hint) {
    diag_error(r->d, loc, "E0158-function-file", "%s", what);
    return diag_hint(r->d, "%s", hint);
}

bool fe_expect_sign(fe_function_reader *r, char sign) {
    return fe_take_sign(&r->in, sign) || fe_expected(&r->in, arena_printf(r->d->mem, "'%c'", sign), r->d);
}

bool fe_at_word(const fe_function_reader *r, const char *word) {
    return fe_is_word(&r->in.token, word);
}

bool fe_take_word(fe_function_reader *r, const char *word) {
    bool here = fe_at_word(r, word);
    if (here)
        fe_advance(&r->in);
    return here;
}

sam_tensor fe_find_parameter(const fe_function_reader *r, const fe_token *t) {
    sam_tensor found = fe_find_tensor(&r->f->s, names_intern_n(r->f->s.names, t->at, t->length));
    return found.v <= r->f->parameters ? found : (sam_tensor){0};
}

/* A name without a value in the body; as written, since a slice renames the tensor. */
static sam_expr without_value(const fe_function_reader *r, src_loc loc) {
    const char *at = r->in.text + loc.offset;
    const size_t n = text_name_length(at);
    if (at[n] == '(')
        fe_refuse_function(
            r, loc, arena_printf(r->d->mem, "there is no function '%.*s' here", (int)n, at),
            "a body calls functions that stand before it, not itself, and those of docs/operators.md; "
            "names in it have no indices");
    else
        fe_refuse_function(
            r, loc, arena_printf(r->d->mem, "'%.*s' has no value here", (int)n, at),
            "a body computes with its parameters and with variables that were assigned before");
    return (sam_expr){0};
}

/* Substitutes the variables' values into a new expression, whose nodes are not shared. */
static sam_expr with_values(const fe_function_reader *r, const fe_values *values, sam_expr e) {
    sam_expr_data *x = sam_expr_at(&r->f->s, e);
    if (x->kind == SAM_EXPR_ACCESS) {
        const sam_tensor_data *t = sam_tensor_at(&r->f->s, x->tensor);
        uint32_t v = x->tensor.v;
        if (t->order || t->structure || v > values->len || !values->at[v - 1].v)
            return without_value(r, x->loc);
        return values->at[v - 1];
    }
    if (x->kind == SAM_EXPR_SUM) {
        fe_refuse_function(r, x->loc, "a body is of scalars, and a sum is of a tensor",
                           "give the function the sum: f(sum(j, B(i,j)))");
        return (sam_expr){0};
    }
    if (x->a.v && !(x->a = with_values(r, values, x->a)).v)
        return (sam_expr){0};
    if (x->b.v && !(x->b = with_values(r, values, x->b)).v)
        return (sam_expr){0};
    return e;
}

sam_expr fe_read_terms(fe_function_reader *r, const fe_values *values) {
    sam_expr e = fe_parse_terms(&r->in, &r->f->s, r->d);
    return e.v ? with_values(r, values, e) : e;
}

static bool is_zero(const sam_statement *s, sam_expr e) {
    return sam_expr_at(s, e)->kind == SAM_EXPR_LITERAL && sam_expr_at(s, e)->literal == 0;
}

sam_expr fe_choose(fe_function_reader *r, src_loc loc, sam_expr condition, sam_expr x, sam_expr y) {
    sam_statement *s = &r->f->s;
    if (x.v == y.v)
        return x;
    sam_expr yes = is_zero(s, x) ? x : fe_add_call(s, loc, SAM_OPERATION_when, condition, x);
    sam_expr no = is_zero(s, y) ? y : fe_add_call(s, loc, SAM_OPERATION_unless, condition, y);
    return is_zero(s, y) ? yes : is_zero(s, x) ? no : fe_add_call(s, loc, SAM_OPERATION_or, yes, no);
}
