/* expression.c - reads tensor index notation as taco does: an access, "=", and a right side of accesses,
 * literals, + - * / and unary minus, parentheses and sum(k, ...). Recursive descent, one token of look-ahead.
 *
 *   assignment := access ("=" | "+=") terms
 *   terms      := all of "||", "&&", "not", comparisons, "|", "^", "&", "<<" ">>", from the weakest, of sums
 *   sums       := product (("+" | "-") product)*
 *   product    := factor (("*" | "/") factor)*
 *   factor     := ("-" | "~") factor | "(" terms ")" | number | function "(" [variable ","]* terms, ... ")" |
 * access
 *   access     := name [ "(" [index ("," index)*] ")" | "_" variable | "_" "{" variables "}" ]
 */
#include <math.h>
#include <stdlib.h>

#include "frontend/calls.h"
#include "frontend/described.h"
#include "frontend/functions.h"
#include "frontend/program_int.h"
#include "frontend/windows.h"
#include "support/number.h"

typedef struct {
    fe_reader in;
    sam_statement *s;
    diagnostics *d;
    uint32_t depth;
    bool windowed, modified; /* the last access read has parts, or has modifiers of any kind */
    uint32_t addends;        /* indices that the access adds to others */
    sam_window window[SAM_MAX_ORDER];
    VEC(uint32_t) alone; /* positions of names alone in parentheses */
} parser;

static const sam_expr no_expr = {0};

static src_loc span(src_loc first, src_loc last) {
    return src_at(first.source, first.offset, last.offset + last.length - first.offset);
}

static sam_expr add_expr(parser *p, sam_expr_data data) {
    if (p->s->exprs.len == FE_MAX_EXPRS) {
        diag_error(p->d, data.loc, "E0118-too-large", "the expression has more than %d parts", FE_MAX_EXPRS);
        return no_expr;
    }
    return fe_add_expr(p->s, data);
}

static sam_expr add_binary(parser *p, sam_expr_kind kind, sam_expr a, sam_expr b) {
    src_loc loc = span(sam_expr_at(p->s, a)->loc, sam_expr_at(p->s, b)->loc);
    return add_expr(p, (sam_expr_data){.kind = kind, .loc = loc, .a = a, .b = b});
}

sam_var fe_use_var(sam_statement *s, const fe_token *t, diagnostics *d) {
    name_id name = names_intern_n(s->names, t->at, t->length);
    sam_var v = fe_find_var(s, name);
    if (v.v)
        return v;
    if (s->vars.len == 64) {
        diag_error(d, t->loc, "E0118-too-large", "more than 64 index variables");
        return (sam_var){0};
    }
    vec_push(s->mem, &s->vars, (sam_var_data){.name = name, .loc = t->loc});
    return (sam_var){s->vars.len};
}

/* Reads one variable of an index list; `at` collects them. */
static bool parse_index(parser *p, sam_expr_data *access, uint32_t *order) {
    if (p->in.token.kind != FE_NAME) {
        fe_expected(&p->in, "an index variable", p->d);
        if (fe_at_sign(&p->in, '-'))
            diag_hint(p->d, "a number here is a coordinate: they count from 0, none from the end");
        return false;
    }
    if (*order == SAM_MAX_ORDER) {
        diag_error(p->d, p->in.token.loc, "E0118-too-large", "more than %d indices", SAM_MAX_ORDER);
        return false;
    }
    sam_var v = fe_use_var(p->s, &p->in.token, p->d);
    if (!v.v)
        return false;
    access->index[(*order)++] = v;
    fe_advance(&p->in);
    return true;
}

/* Reads + or -, an index and its factor, if present: index m is a sum. */
static bool parse_addend(parser *p, sam_expr_data *access, uint32_t *order, bool *more) {
    fe_reader ahead = p->in;
    uint32_t times;
    *more = false;
    if (!fe_at_sign(&ahead, '+') && !fe_at_sign(&ahead, '-'))
        return true;
    const bool minus = fe_at_sign(&ahead, '-');
    fe_advance(&ahead);
    if (!fe_at_factor(&ahead) && ahead.token.kind != FE_NAME)
        return true;
    p->in = ahead;
    if (!fe_take_factor(&p->in, &times, p->d) || !parse_index(p, access, order))
        return false;
    p->window[*order - 1].beside = minus ? -(int32_t)times : (int32_t)times;
    p->addends++;
    *more = true;
    return true;
}

/* Reads an index and all its addends. */
static bool parse_added(parser *p, sam_expr_data *access, uint32_t *order) {
    const uint32_t m = *order;
    uint32_t times;
    bool more = true;
    if (!fe_take_factor(&p->in, &times, p->d) || !parse_index(p, access, order))
        return false;
    p->window[m].times = times;
    while (more) {
        if (!parse_addend(p, access, order, &more))
            return false;
    }
    return true;
}

/* A number in place of an index: a slice of one coordinate along a new variable, over which the access is
 * summed. */
static bool parse_coordinate(parser *p, sam_expr_data *access, uint32_t *order) {
    const src_loc loc = p->in.token.loc;
    const uint32_t at = fe_whole_number(&p->in.token, INT32_MAX), m = *order;
    const char *name = arena_printf(p->s->mem, "at%u", at);
    for (uint32_t n = 1; strstr(p->in.text, name) || fe_find_var(p->s, names_intern(p->s->names, name)).v;
         n++)
        name = arena_printf(p->s->mem, "at%ux%u", at, n);
    const fe_token variable = {.kind = FE_NAME, .loc = loc, .at = name, .length = strlen(name)};
    sam_var v = *order == SAM_MAX_ORDER ? (sam_var){0} : fe_use_var(p->s, &variable, p->d);
    if (!v.v)
        return parse_index(p, access, order);
    access->index[(*order)++] = v;
    p->window[m] = (sam_window){.low = (int32_t)at, .high = at + 1, .stride = 1};
    p->windowed = p->modified = true;
    fe_advance(&p->in);
    return true;
}

/* An index between parentheses, with its modifiers. */
static bool parse_modified_index(parser *p, sam_expr_data *access, uint32_t *order) {
    const src_loc loc = p->in.token.loc;
    const uint32_t m = *order;
    sam_window window;
    if (fe_whole_number(&p->in.token, INT32_MAX) != INT32_MAX && !fe_at_factor(&p->in))
        return parse_coordinate(p, access, order);
    const bool permits = fe_at_permit(&p->in);
    if (permits) {
        fe_advance(&p->in);
        fe_advance(&p->in);
    }
    if (!parse_added(p, access, order) || !fe_parse_window(&p->in, &window, &access->protocol[m], p->d))
        return false;
    window.permits = permits;
    window.times = p->window[m].times > 1 ? p->window[m].times : 0;
    p->window[m] = window;
    if (!fe_check_index(span(loc, p->in.token.loc), &window, &access->index[m], *order - m, p->d))
        return false;
    if (permits && !fe_take_sign(&p->in, ')')) {
        fe_expected(&p->in, "')'", p->d);
        return false;
    }
    p->windowed = p->windowed || window.stride || window.low || window.times || permits || *order > m + 1;
    p->modified = p->modified || p->windowed || access->protocol[m];
    return true;
}

static bool parse_index_list(parser *p, char close, sam_expr_data *access, uint32_t *order) {
    if (!fe_at_sign(&p->in, close)) {
        do {
            if (!parse_modified_index(p, access, order))
                return false;
        } while (fe_take_sign(&p->in, ','));
    }
    if (fe_at_sign(&p->in, close))
        return true;
    fe_expected(&p->in, close == ')' ? "',' or ')'" : "',' or '}'", p->d);
    if (fe_at_sign(&p->in, '('))
        diag_hint(p->d, "a name and parentheses are a tensor and its indices; what computes is + - * / and "
                        "the functions of docs/operators.md");
    return false;
}

/* Reads the indices after the tensor's name; *last becomes the last token of the access. */
static bool parse_indices(parser *p, sam_expr_data *access, uint32_t *order, src_loc *last) {
    if (fe_take_sign(&p->in, '_') && !fe_at_sign(&p->in, '{')) {
        *last = p->in.token.loc;
        if (!parse_index(p, access, order))
            return false;
        if (!fe_at_sign(&p->in, '('))
            return true;
        fe_expected(&p->in, "an operator, '=' or the end", p->d);
        diag_hint(p->d, "'_' begins an index, as in B_ij or y_i: a name has letters and digits only");
        return false;
    }
    char close = fe_at_sign(&p->in, '{') ? '}' : ')';
    if (!fe_at_sign(&p->in, '{') && !fe_at_sign(&p->in, '('))
        return true;
    fe_advance(&p->in);
    if (!parse_index_list(p, close, access, order))
        return false;
    *last = p->in.token.loc;
    fe_advance(&p->in);
    return true;
}

static sam_tensor use_tensor(parser *p, name_id name, src_loc loc, uint32_t order) {
    sam_tensor t = fe_find_tensor(p->s, name);
    if (!t.v) {
        vec_push(p->s->mem, &p->s->tensors, (sam_tensor_data){.name = name, .loc = loc, .order = order});
        return (sam_tensor){p->s->tensors.len};
    }
    const sam_tensor_data *known = sam_tensor_at(p->s, t);
    if (known->order == order)
        return t;
    diag_error(p->d, loc, "E0104-rank", "%s is used with %u %s here, with %u there",
               names_text(p->s->names, name), order, plural(order, "index", "indices"), known->order);
    diag_hint(p->d, "every access of a tensor has the same number of indices");
    diag_note(p->d, known->loc, "the other use of %s", names_text(p->s->names, name));
    return (sam_tensor){0};
}

static bool parse_access(parser *p, sam_expr_data *access) {
    src_loc first = p->in.token.loc, last = first;
    name_id name = names_intern_n(p->s->names, p->in.token.at, p->in.token.length);
    uint32_t order = 0;
    access->kind = SAM_EXPR_ACCESS;
    p->windowed = p->modified = false;
    p->addends = 0;
    memset(p->window, 0, sizeof p->window);
    fe_advance(&p->in);
    if (!parse_indices(p, access, &order, &last))
        return false;
    access->loc = span(first, last);
    if (order && fe_is_keyword(names_text(p->s->names, name))) {
        diag_error(p->d, access->loc, "E0117-name-clash", "'%s' is a word of the language",
                   names_text(p->s->names, name));
        diag_hint(p->d, "a tensor with indices needs another name");
        return false;
    }
    access->tensor = use_tensor(p, name, access->loc, order - p->addends);
    const uint32_t tensors = p->s->tensors.len;
    if (access->tensor.v && p->windowed)
        access->tensor = fe_window_of(p->s, access->tensor, p->window, order);
    if (p->s->tensors.len > tensors && p->windowed)
        sam_tensor_at(p->s, access->tensor)->loc = access->loc;
    return access->tensor.v != 0;
}

static sam_expr parse_terms(parser *p);

/* Some reductions are of the bits of integers: E0152 where values are bfloat16. */
static bool may_reduce(parser *p, const fe_call *f) {
    if (!f->words || p->s->integers)
        return true;
    diag_error(p->d, f->loc, "E0152-function", "%s is of the bits of integers, and these are values of bf16",
               f->name);
    diag_hint(p->d, "use --dtype int16");
    return false;
}

static bool may_sum_over(parser *p, sam_var v) {
    if (!sam_is_result_var(p->s, v))
        return true;
    diag_error(p->d, p->in.token.loc, "E0108-sum", "the sum runs over '%s', which indexes the result",
               fe_var_text(p->s, v));
    diag_hint(p->d, "rename the variable of the sum, or remove it from the result");
    return false;
}

/* Adds the sums of a reduction over vars around e. */
static sam_expr add_sums(parser *p, sam_expr e, const fe_vars *vars, const fe_call *by, src_loc loc) {
    if (by->operation == SAM_OPERATION_land || by->operation == SAM_OPERATION_lor)
        e = e.v ? fe_truth(p->s, e) : e;
    for (uint32_t i = vars->len; e.v && i-- > 0;)
        e = add_expr(p, (sam_expr_data){.kind = SAM_EXPR_SUM,
                                        .loc = loc,
                                        .a = e,
                                        .var = vars->at[i],
                                        .operation = (uint8_t)by->operation});
    return e;
}

/* sum(k, e), sum(k, l, e): variables are the names followed by a comma. */
static sam_expr parse_sum(parser *p, const fe_call *by) {
    src_loc start = by->loc;
    fe_vars vars = {0};
    do {
        if (p->in.token.kind != FE_NAME || fe_peek(&p->in) != ',') {
            fe_expected(&p->in, arena_printf(p->d->mem, "%s(variable, expression)", by->name), p->d);
            return no_expr;
        }
        sam_var v = fe_use_var(p->s, &p->in.token, p->d);
        if (!v.v || !may_sum_over(p, v))
            return no_expr;
        vec_push(p->s->mem, &vars, v);
        fe_advance(&p->in);
        fe_advance(&p->in); /* the comma */
    } while (p->in.token.kind == FE_NAME && fe_peek(&p->in) == ',');
    sam_expr e = parse_terms(p);
    if (!e.v)
        return no_expr;
    if (!fe_at_sign(&p->in, ')')) {
        fe_expected(&p->in, "')'", p->d);
        return no_expr;
    }
    src_loc loc = span(start, p->in.token.loc);
    fe_advance(&p->in);
    return add_sums(p, e, &vars, by, loc);
}

/* Leading bare names of a call may be variables: the last argument decides. */
typedef VEC(fe_token) tokens;

static sam_expr add_scalar(parser *p, const fe_token *name) {
    name_id id = names_intern_n(p->s->names, name->at, name->length);
    sam_expr_data access = {.kind = SAM_EXPR_ACCESS, .loc = name->loc};
    access.tensor = use_tensor(p, id, name->loc, 0);
    return access.tensor.v ? add_expr(p, access) : no_expr;
}

/* The leading names that index a tensor in e become variables, the others scalars before e. */
static bool sort_names(parser *p, const tokens *names, fe_exprs *arguments, fe_vars *vars) {
    sam_expr last = arguments->at[arguments->len - 1];
    fe_exprs all = {0};
    uint32_t i = 0;
    for (; i < names->len; i++) {
        sam_var v = fe_find_var(p->s, names_intern_n(p->s->names, names->at[i].at, names->at[i].length));
        if (!v.v || !(fe_free_vars(p->s, last) >> (v.v - 1) & 1))
            break;
        if (!may_sum_over(p, v))
            return false;
        vec_push(p->s->mem, vars, v);
    }
    for (; i < names->len; i++) {
        sam_expr scalar = add_scalar(p, &names->at[i]);
        if (!scalar.v)
            return false;
        vec_push(p->s->mem, &all, scalar);
    }
    for (i = 0; i < arguments->len; i++)
        vec_push(p->s->mem, &all, arguments->at[i]);
    *arguments = all;
    return true;
}

/* Reads the arguments and the closing parenthesis; *loc becomes the location of all. */
static bool parse_arguments(parser *p, fe_exprs *arguments, src_loc *loc) {
    do {
        sam_expr e = parse_terms(p);
        if (!e.v)
            return false;
        vec_push(p->s->mem, arguments, e);
    } while (fe_take_sign(&p->in, ','));
    if (!fe_at_sign(&p->in, ')')) {
        fe_expected(&p->in, "',' or ')'", p->d);
        return false;
    }
    *loc = span(*loc, p->in.token.loc);
    fe_advance(&p->in);
    return true;
}

/* A function of the user's. */
static sam_expr parse_application(parser *p, const fe_user_function *f) {
    src_loc loc = p->in.token.loc;
    fe_exprs arguments = {0};
    fe_advance(&p->in);
    fe_advance(&p->in); /* "(", seen by the caller */
    const fe_token name = p->in.token;
    sam_var along = {0};
    if (f->described && f->described->fiber) {
        if (name.kind != FE_NAME || fe_peek(&p->in) != ',') {
            fe_expected(&p->in, arena_printf(p->d->mem, "%s(index, expression)", f->name), p->d);
            diag_hint(p->d, "it is of all values along an index: %s(j, B(i,j)) for each row of B", f->name);
            return no_expr;
        }
        along = fe_use_var(p->s, &name, p->d);
        fe_advance(&p->in);
        fe_advance(&p->in); /* the comma */
    }
    if ((along.v != 0) != (f->described && f->described->fiber) || !parse_arguments(p, &arguments, &loc))
        return no_expr;
    if (along.v && !(fe_free_vars(p->s, arguments.at[0]) >> (along.v - 1) & 1)) {
        diag_error(p->d, name.loc, "E0152-function", "nothing in %s along '%s' is indexed by it", f->name,
                   fe_var_text(p->s, along));
        diag_hint(p->d, "name an index of its operand: %s(j, B(i,j))", f->name);
        return no_expr;
    }
    sam_expr e = fe_apply_function(p->s, f, loc, &arguments, p->d);
    if (e.v && along.v)
        sam_expr_at(p->s, e)->var = along;
    return e;
}

static sam_expr parse_call(parser *p, fe_call *f) {
    tokens names = {0};
    fe_exprs arguments = {0};
    fe_vars vars = {0};
    fe_advance(&p->in);
    fe_advance(&p->in); /* "(", seen by the caller */
    if (f->reduces && f->most == 1)
        return parse_sum(p, f);
    while (f->reduces && p->in.token.kind == FE_NAME && fe_peek(&p->in) == ',') {
        vec_push(p->s->mem, &names, p->in.token);
        fe_advance(&p->in);
        fe_advance(&p->in); /* the comma */
    }
    if (!parse_arguments(p, &arguments, &f->loc))
        return no_expr;
    if (!sort_names(p, &names, &arguments, &vars))
        return no_expr;
    if (vars.len && arguments.len == 1 && !may_reduce(p, f))
        return no_expr;
    if (vars.len && arguments.len == 1)
        return add_sums(p, arguments.at[0], &vars, f, f->loc);
    if (vars.len) {
        diag_error(p->d, f->loc, "E0152-function", "%s reduces one expression, and here are %u", f->name,
                   arguments.len);
        diag_hint(p->d, "reduce a call: %s(j, %s(a, b))", f->name, f->name);
        return no_expr;
    }
    return fe_make_call(p->s, f, &arguments, p->d);
}

static sam_expr parse_number(parser *p) {
    char *digits = arena_strndup(p->s->mem, p->in.token.at, p->in.token.length);
    sam_expr_data e = {
        .kind = SAM_EXPR_LITERAL, .loc = p->in.token.loc, .literal = number_read(digits, NULL)};
    if (!isfinite(e.literal) && p->in.token.kind == FE_NUMBER) {
        diag_error(p->d, e.loc, "E0127-literal", "this number is too large");
        diag_hint(p->d, "write one below 1.8e308");
        return no_expr;
    }
    fe_advance(&p->in);
    return add_expr(p, e);
}

static sam_expr parse_group(parser *p) {
    fe_advance(&p->in);
    if (p->in.token.kind == FE_NAME && fe_peek(&p->in) == ')')
        vec_push(p->s->mem, &p->alone, p->in.token.loc.offset);
    sam_expr e = parse_terms(p);
    if (e.v && !fe_take_sign(&p->in, ')')) {
        fe_expected(&p->in, "an operator or ')'", p->d);
        return no_expr;
    }
    return e;
}

static sam_expr parse_factor(parser *p);

/* Reads an argument of coalesce: an access, or a number, possibly infinite, for the fill. */
static bool parse_beyond(parser *p, sam_expr_data *out) {
    fe_call f;
    const bool calls = fe_peek(&p->in) == '(' && fe_find_call(&p->in.token, &f);
    const bool negative = fe_take_sign(&p->in, '-');
    *out = (sam_expr_data){.kind = SAM_EXPR_LITERAL, .loc = p->in.token.loc};
    if (p->in.token.kind == FE_NUMBER) {
        sam_expr e = parse_number(p);
        if (!e.v)
            return false;
        out->literal = sam_expr_at(p->s, e)->literal * (negative ? -1 : 1);
        return true;
    }
    if (fe_is_word(&p->in.token, "inf")) {
        fe_advance(&p->in);
        out->literal = p->s->integers ? (negative ? INT16_MIN : INT16_MAX) : negative ? -INFINITY : INFINITY;
        return true;
    }
    if (p->in.token.kind == FE_NAME && !negative && !calls && !fe_take_function(&p->in))
        return parse_access(p, out);
    fe_expected(&p->in, "an access or a number", p->d);
    return false;
}

/* coalesce(A(permit(i)), B(permit(i-4)), 0): the first operand inside its extent. */
static sam_expr parse_coalesce(parser *p) {
    sam_expr_data first, next;
    src_loc loc = p->in.token.loc;
    fe_advance(&p->in);
    fe_advance(&p->in); /* "(", seen by the caller */
    if (!parse_beyond(p, &first))
        return no_expr;
    if (!fe_begin_coalesce(p->s, &first, p->d))
        return no_expr;
    sam_tensor last = first.tensor;
    do {
        if (!fe_take_sign(&p->in, ',')) {
            fe_expected(&p->in, "',' and what holds outside", p->d);
            return no_expr;
        }
        if (!parse_beyond(p, &next) || !fe_add_beyond(p->s, &first, &last, &next, p->d))
            return no_expr;
    } while (!fe_at_sign(&p->in, ')'));
    first.loc = span(loc, p->in.token.loc);
    fe_advance(&p->in);
    return add_expr(p, first);
}

static sam_expr parse_minus(parser *p) {
    src_loc start = p->in.token.loc;
    fe_advance(&p->in);
    sam_expr a = parse_factor(p);
    if (!a.v)
        return no_expr;
    return add_expr(
        p, (sam_expr_data){.kind = SAM_EXPR_NEG, .loc = span(start, sam_expr_at(p->s, a)->loc), .a = a});
}

/* ~a is a xor all ones. */
static sam_expr parse_inverse(parser *p) {
    static const fe_call inverse = {
        .name = "~", .words = true, .least = 2, .most = 2, .operation = SAM_OPERATION_xor};
    fe_call f = inverse;
    fe_exprs arguments = {0};
    f.loc = p->in.token.loc;
    fe_advance(&p->in);
    sam_expr a = parse_factor(p);
    if (!a.v)
        return no_expr;
    f.loc = span(f.loc, sam_expr_at(p->s, a)->loc);
    sam_expr ones = add_expr(
        p,
        (sam_expr_data){.kind = SAM_EXPR_LITERAL, .loc = f.loc, .literal = p->s->integers ? UINT16_MAX : 0});
    vec_push(p->s->mem, &arguments, a);
    vec_push(p->s->mem, &arguments, ones);
    return ones.v ? fe_make_call(p->s, &f, &arguments, p->d) : no_expr;
}

/* nnz(T), of a program: a scalar of this name, not possible for another tensor. */
static sam_expr parse_count(parser *p) {
    fe_token word = p->in.token;
    fe_advance(&p->in);
    fe_advance(&p->in); /* "(", seen by the caller */
    fe_token name = p->in.token;
    if (name.kind != FE_NAME) {
        fe_expected(&p->in, "a tensor", p->d);
        return no_expr;
    }
    fe_advance(&p->in);
    if (!fe_at_sign(&p->in, ')')) {
        fe_expected(&p->in, "')': nnz counts the values of a tensor, without indices", p->d);
        return no_expr;
    }
    word.loc = span(word.loc, p->in.token.loc);
    word.at = arena_printf(p->s->mem, "nnz(%.*s)", (int)name.length, name.at);
    word.length = strlen(word.at);
    fe_advance(&p->in);
    return add_scalar(p, &word);
}

static sam_expr parse_primary(parser *p) {
    const fe_token *t = &p->in.token;
    if (fe_at_sign(&p->in, '-'))
        return parse_minus(p);
    if (fe_at_sign(&p->in, '~'))
        return parse_inverse(p);
    if (fe_at_sign(&p->in, '('))
        return parse_group(p);
    if (t->kind == FE_NUMBER || (p->in.infinite && fe_is_word(t, "inf")))
        return parse_number(p);
    if (t->kind != FE_NAME) {
        fe_expected(&p->in, "a tensor, a number or '('", p->d);
        if (fe_at_sign(&p->in, '*'))
            diag_hint(p->d, "a power is pow(a, 2)");
        return no_expr;
    }
    fe_call f;
    if (p->in.counts && fe_peek(&p->in) == '(' && fe_is_word(t, "nnz"))
        return parse_count(p);
    const fe_user_function *own = fe_take_function(&p->in);
    if (own)
        return parse_application(p, own);
    if (fe_peek(&p->in) == '(' && fe_find_call(t, &f))
        return f.function == FE_FUNCTION_COALESCE ? parse_coalesce(p) : parse_call(p, &f);
    sam_expr_data access = {0};
    if (!fe_check_is_tensor(&p->in, p->d))
        return no_expr;
    return parse_access(p, &access) && fe_check_missing(p->s, &access, p->d) ? add_expr(p, access) : no_expr;
}

/* Every recursion of the grammar passes here: the check bounds the depth of the stack. */
static sam_expr parse_factor(parser *p) {
    if (p->depth == FE_MAX_DEPTH) {
        diag_error(p->d, p->in.token.loc, "E0118-too-large", "nested more than %d deep", FE_MAX_DEPTH);
        return no_expr;
    }
    p->depth++;
    sam_expr e = parse_primary(p);
    p->depth--;
    return e;
}

/* Reads the continuation of e: operands preceded by one of two signs, left-associative. */
static sam_expr parse_chain(parser *p, sam_expr e, sam_expr (*parse_operand)(parser *p), const char signs[2],
                            const sam_expr_kind kinds[2]) {
    while (e.v && (fe_at_sign(&p->in, signs[0]) || fe_at_sign(&p->in, signs[1]))) {
        sam_expr_kind kind = kinds[p->in.token.sign == signs[1]];
        fe_advance(&p->in);
        sam_expr b = parse_operand(p);
        e = b.v ? add_binary(p, kind, e, b) : no_expr;
    }
    return e;
}

/* A binary operator that is a function. */
typedef struct {
    char sign;
    const char *text;
    sam_operation operation;
    bool words;
} infix;

/* Applies the operator to e and b; b may be missing after an error. */
static sam_expr add_infix(parser *p, const infix *i, sam_expr e, sam_expr b) {
    fe_call f = {.name = i->text, .operation = i->operation, .words = i->words, .least = 2, .most = 2};
    fe_exprs arguments = {0};
    if (!b.v)
        return no_expr;
    f.loc = span(sam_expr_at(p->s, e)->loc, sam_expr_at(p->s, b)->loc);
    if (i->sign == '^' && sam_expr_at(p->s, b)->kind == SAM_EXPR_LITERAL) {
        diag_warning(p->d, f.loc, "E0175-exclusive-or", "'^' is the exclusive or of bits");
        diag_hint(p->d, "a power is pow(a, 2); of bits, xor(a, 2) says so");
    }
    vec_push(p->s->mem, &arguments, e);
    vec_push(p->s->mem, &arguments, b);
    return fe_make_call(p->s, &f, &arguments, p->d);
}

/* The remainder is as strong as products. */
static sam_expr parse_product(parser *p) {
    static const infix remainder = {'%', "%", SAM_OPERATION_rem, true};
    sam_expr e = parse_factor(p);
    for (;;) {
        e = parse_chain(p, e, parse_factor, (char[2]){'*', '/'},
                        (sam_expr_kind[2]){SAM_EXPR_MUL, SAM_EXPR_DIV});
        if (!e.v || !fe_take_sign(&p->in, '%'))
            return e;
        e = add_infix(p, &remainder, e, parse_factor(p));
    }
}

static sam_expr parse_sums(parser *p) {
    return parse_chain(p, parse_product(p), parse_product, (char[2]){'+', '-'},
                       (sam_expr_kind[2]){SAM_EXPR_ADD, SAM_EXPR_SUB});
}

/* Operators of one precedence, ended by sign 0. From the strongest to the weakest, as in Python. */
static const infix levels[][7] = {
    {{FE_SHL, "<<", SAM_OPERATION_shl, true}, {FE_SHR, ">>", SAM_OPERATION_ashr, true}, {0}},
    {{'&', "&", SAM_OPERATION_and, true}, {0}},
    {{'^', "^", SAM_OPERATION_xor, true}, {0}},
    {{'|', "|", SAM_OPERATION_or, true}, {0}},
    {{FE_EQ, "==", SAM_OPERATION_eq, false},
     {FE_NE, "!=", SAM_OPERATION_ne, false},
     {'<', "<", SAM_OPERATION_lt, false},
     {FE_LE, "<=", SAM_OPERATION_le, false},
     {'>', ">", SAM_OPERATION_gt, false},
     {FE_GE, ">=", SAM_OPERATION_ge, false},
     {0}},
    {{FE_AND, "&&", SAM_OPERATION_land, false}, {0}},
    {{FE_OR, "||", SAM_OPERATION_lor, false}, {0}},
};
enum { COMPARISONS = 4, LOGICAL = 5, LEVELS = 7 };

static const infix *find_infix(const parser *p, uint32_t level) {
    for (const infix *i = levels[level]; i->sign; i++) {
        if (fe_at_sign(&p->in, i->sign))
            return i;
    }
    return NULL;
}

static bool at_not(const parser *p) {
    char next = fe_peek(&p->in);
    bool operand = next == '(' || next == '_' || (next >= '0' && next <= '9') ||
                   (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
    return fe_is_word(&p->in.token, "not") && operand;
}

static sam_expr parse_level(parser *p, uint32_t level);

/* not a, weaker than comparisons. */
static sam_expr parse_not(parser *p) {
    src_loc start = p->in.token.loc;
    if (!at_not(p))
        return parse_level(p, COMPARISONS);
    if (p->depth == FE_MAX_DEPTH) {
        diag_error(p->d, start, "E0118-too-large", "nested more than %d deep", FE_MAX_DEPTH);
        return no_expr;
    }
    fe_advance(&p->in);
    p->depth++;
    sam_expr e = parse_not(p);
    p->depth--;
    return e.v ? fe_not(p->s, span(start, sam_expr_at(p->s, e)->loc), e) : no_expr;
}

static sam_expr parse_level(parser *p, uint32_t level) {
    sam_expr e = level == 0 ? parse_sums(p) : level == LOGICAL ? parse_not(p) : parse_level(p, level - 1);
    const infix *i;
    while (e.v && (i = find_infix(p, level)) != NULL) {
        fe_advance(&p->in);
        sam_expr b = level == 0 ? parse_sums(p) : level == LOGICAL ? parse_not(p) : parse_level(p, level - 1);
        if (b.v && level == COMPARISONS && find_infix(p, level)) {
            diag_error(p->d, p->in.token.loc, "E0102-syntax", "a comparison of a comparison");
            diag_hint(p->d, "say which one comes first with parentheses, or join two by &&");
            return no_expr;
        }
        e = add_infix(p, i, e, b);
    }
    return e;
}

static sam_expr parse_terms(parser *p) {
    return parse_level(p, LEVELS - 1);
}

sam_expr fe_parse_terms(fe_reader *in, sam_statement *s, diagnostics *d) {
    parser p = {.in = *in, .s = s, .d = d};
    sam_expr e = parse_terms(&p);
    *in = p.in;
    return e;
}

/* Reads the target access of an assignment. */
static bool parse_target(parser *p, sam_expr_data *access) {
    if (!parse_access(p, access))
        return false;
    if (!p->modified)
        return true;
    diag_error(p->d, access->loc, "E0156-modifier", "what is written has its indices as they are");
    diag_hint(p->d, "the array writes coordinates as its loops count them: shift or slice the operands "
                    "instead, the other "
                    "way round");
    return false;
}

bool fe_parse_access(fe_reader *in, sam_statement *s, diagnostics *d, sam_expr_data *access) {
    parser p = {.in = *in, .s = s, .d = d};
    bool ok = parse_target(&p, access);
    *in = p.in;
    return ok;
}

/* += in a program adds to the result's content; in a single statement the content is empty. */
static bool parse_left_side(parser *p, bool *adds) {
    if (p->in.token.kind != FE_NAME) {
        fe_expected(&p->in, "the result, e.g. X(i,j) =", p->d);
        return false;
    }
    sam_expr_data access = {0};
    if (!parse_target(p, &access))
        return false;
    p->s->result = access.tensor;
    memcpy(p->s->result_index, access.index, sizeof access.index);
    if (fe_at_sign(&p->in, '+') && fe_peek(&p->in) == '=') {
        *adds = p->in.counts;
        if (!*adds) {
            diag_warning(p->d, p->in.token.loc, "E0129-from-zero", "+= begins at zero here, as = does");
            diag_hint(p->d, "what the result held before is an operand of another name");
        }
        fe_advance(&p->in);
    }
    if (!fe_take_sign(&p->in, '=')) {
        fe_expected(&p->in, "'='", p->d);
        return false;
    }
    return true;
}

/* The result on the right side means its earlier content: a separate operand, with the result's name for the
 * user. */
static void separate_result(sam_statement *s) {
    sam_tensor old = {0};
    for (uint32_t e = 1; e <= s->exprs.len; e++) {
        sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        if (x->kind != SAM_EXPR_ACCESS || x->tensor.v != s->result.v)
            continue;
        if (!old.v) {
            sam_tensor_data data = *sam_tensor_at(s, s->result);
            data.called = data.name;
            data.loc = x->loc;
            data.name = fe_fresh_name(s, arena_printf(s->mem, "%sOld", fe_tensor_text(s, s->result)), s->mem);
            vec_push(s->mem, &s->tensors, data);
            old.v = s->tensors.len;
        }
        x->tensor = old;
    }
}

static bool stands_alone(const parser *p, src_loc loc) {
    for (uint32_t i = 0; i < p->alone.len; i++) {
        if (p->alone.at[i] == loc.offset)
            return true;
    }
    return false;
}

static bool refuse_scalar(const parser *p, const char *name, src_loc loc, sam_var v, const char *hint) {
    diag_error(p->d, loc, "E0117-name-clash", "'%s' is an index here, whose value is no operand", name);
    diag_hint(p->d, hint, name);
    diag_note(p->d, sam_var_at(p->s, v)->loc, "the index variable");
    return false;
}

/* A tensor may have the name of an index. A scalar may if the index has no meaning there, or in parentheses:
 * x(i) = b(i) * i has no tensor i. `known`: the variables with a meaning around e, bit (handle - 1). */
static bool check_scalars(const parser *p, sam_expr e, uint64_t known) {
    const sam_expr_data *x = sam_expr_at(p->s, e);
    if (x->kind == SAM_EXPR_SUM)
        known |= (uint64_t)1 << (x->var.v - 1);
    const sam_tensor_data *tensor = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(p->s, x->tensor) : NULL;
    if (!tensor || tensor->order)
        return (!x->a.v || check_scalars(p, x->a, known)) && (!x->b.v || check_scalars(p, x->b, known));
    const sam_var v = fe_find_var(p->s, tensor->name);
    if (!v.v || !(known >> (v.v - 1) & 1) || stands_alone(p, x->loc))
        return true;
    return refuse_scalar(p, names_text(p->s->names, tensor->name), x->loc, v,
                         "a scalar of that name is (%s), in parentheses");
}

/* The result is no scalar with the name of an index: i = b(i) is rather a slip. */
static bool check_all_scalars(const parser *p) {
    const sam_tensor_data *result = sam_tensor_at(p->s, p->s->result);
    const sam_var v = result->order ? (sam_var){0} : fe_find_var(p->s, result->name);
    uint64_t known = fe_free_vars(p->s, p->s->rhs);
    for (uint32_t m = 0; m < result->order; m++)
        known |= (uint64_t)1 << (p->s->result_index[m].v - 1);
    return v.v ? refuse_scalar(p, names_text(p->s->names, result->name), result->loc, v,
                               "a result needs another name than index %s")
               : check_scalars(p, p->s->rhs, known);
}

/* The value alone: its result is a scalar whose name no tensor can have. */
static bool begin_value(parser *p) {
    p->s->result = use_tensor(p, names_intern(p->s->names, "until()"), p->in.token.loc, 0);
    return true;
}

/* Returns the earlier content of the result, plus e. */
static sam_expr add_to_result(parser *p, sam_expr e) {
    sam_expr_data before = {
        .kind = SAM_EXPR_ACCESS, .loc = sam_tensor_at(p->s, p->s->result)->loc, .tensor = p->s->result};
    memcpy(before.index, p->s->result_index, sizeof before.index);
    sam_expr old = add_expr(p, before);
    return old.v ? add_binary(p, SAM_EXPR_ADD, old, e) : no_expr;
}

bool fe_parse_expression(const fe_in *in, diagnostics *d, sam_statement *s) {
    parser p = {.s = s, .d = d};
    bool adds = false, value = in->piece && in->piece->value;
    p.in = in->piece ? fe_read_piece(in->piece) : fe_read("<expression>", in->expression, d);
    p.in.functions = in->functions;
    if (!(value ? begin_value(&p) : parse_left_side(&p, &adds)))
        return false;
    s->rhs = parse_terms(&p);
    if (s->rhs.v && adds)
        s->rhs = add_to_result(&p, s->rhs);
    if (!s->rhs.v)
        return false;
    if (p.in.token.kind != FE_END) {
        fe_expected(&p.in, "an operator or the end", d);
        return false;
    }
    separate_result(s);
    return check_all_scalars(&p);
}
