/* expression.c - reads tensor index notation as taco does: an access, "=", and a right side of accesses,
 * literals, + - * / and unary minus, parentheses and sum(k, ...). Recursive descent, one token of look-ahead.
 *
 *   assignment := access ("=" | "+=") terms
 *   terms      := all of "||", "&&", "not", comparisons, "|", "^", "&", "<<" ">>", from the weakest, of sums
 *   sums       := product (("+" | "-") product)*
 *   product    := factor (("*" | "/") factor)*
 *   factor     := ("-" | "~") factor | "(" terms ")" | number | function "(" [variable ","]* terms, ... ")" |
 *                 function subscript ("(" terms ")" | product) | access
 *   access     := name [ "(" [index ("," index)*] ")" | subscript ]
 *   subscript  := "_" variable | "_" "{" [index [","]]* "}"
 */
#include "frontend/language/expression.h"
#include "frontend/language/folds.h"
#include "frontend/language/load.h"
#include "frontend/language/reductions.h"
#include "frontend/language/scalars.h"
#include "frontend/language/statement.h"
#include "frontend/language/windows.h"
#include "support/number.h"

#include <math.h>

static sam_expr parse_terms(fe_parser *p);

/* sum(k, e), sum(k, l, e): variables are the names followed by a comma. */
static sam_expr parse_sum(fe_parser *p, const fe_call *by) {
    src_loc start = by->loc;
    fe_vars vars = {0};
    do {
        if (p->in.token.kind != FE_NAME || fe_peek(&p->in) != ',') {
            fe_expected(&p->in, arena_printf(p->d->mem, "%s(variable, expression)", by->name), p->d);
            return fe_no_expr;
        }
        sam_var v = fe_use_var(p->s, &p->in.token, p->d);
        if (!v.v || !fe_may_sum_over(p, v, p->in.token.loc))
            return fe_no_expr;
        vec_push(p->s->mem, &vars, v);
        fe_advance(&p->in);
        fe_advance(&p->in); /* skips the comma */
    } while (p->in.token.kind == FE_NAME && fe_peek(&p->in) == ',');
    sam_expr e = parse_terms(p);
    if (!e.v)
        return fe_no_expr;
    if (!fe_at_sign(&p->in, ')')) {
        fe_expected(&p->in, "')'", p->d);
        return fe_no_expr;
    }
    src_loc loc = fe_span(start, p->in.token.loc);
    fe_advance(&p->in);
    return fe_add_sums(p, e, &vars, by, loc);
}

/* Leading bare names of a call may be variables: the last argument decides. */
typedef VEC(fe_token) tokens;

static sam_expr add_scalar(fe_parser *p, const fe_token *name) {
    name_id id = names_intern_n(p->s->names, name->at, name->length);
    sam_expr_data access = {.kind = SAM_EXPR_ACCESS, .loc = name->loc};
    access.tensor = fe_use_tensor(p, id, name->loc, 0);
    return access.tensor.v ? fe_push_expr(p, access) : fe_no_expr;
}

/* The leading names that index a tensor in e become variables, the others scalars before e. */
static bool sort_names(fe_parser *p, const tokens *names, fe_exprs *arguments, fe_vars *vars) {
    sam_expr last = arguments->at[arguments->len - 1];
    fe_exprs all = {0};
    uint32_t i = 0;
    for (; i < names->len; i++) {
        sam_var v = fe_find_var(p->s, names_intern_n(p->s->names, names->at[i].at, names->at[i].length));
        if (!v.v || !(fe_free_vars(p->s, last) >> (v.v - 1) & 1))
            break;
        if (!fe_may_sum_over(p, v, p->in.token.loc))
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
static bool parse_arguments(fe_parser *p, fe_exprs *arguments, src_loc *loc) {
    do {
        sam_expr e = parse_terms(p);
        if (!e.v)
            return false;
        vec_push(p->s->mem, arguments, e);
    } while (fe_take_sign(&p->in, ','));
    if (!fe_at_sign(&p->in, ')'))
        return fe_expected(&p->in, "',' or ')'", p->d);
    *loc = fe_span(*loc, p->in.token.loc);
    return fe_advance(&p->in);
}

/* A function of the user's. */
static sam_expr parse_application(fe_parser *p, const fe_user_function *f) {
    src_loc loc = p->in.token.loc;
    fe_exprs arguments = {0};
    fe_advance(&p->in);
    fe_advance(&p->in); /* skips the "(" that the caller saw */
    const fe_token name = p->in.token;
    sam_var along = {0};
    if (f->described && f->described->fiber) {
        if (name.kind != FE_NAME || fe_peek(&p->in) != ',') {
            fe_expected(&p->in, arena_printf(p->d->mem, "%s(index, expression)", f->name), p->d);
            diag_hint(p->d, "it is of all values along an index: %s(j, B(i,j)) for each row of B", f->name);
            return fe_no_expr;
        }
        along = fe_use_var(p->s, &name, p->d);
        fe_advance(&p->in);
        fe_advance(&p->in); /* skips the comma */
    }
    if ((along.v != 0) != (f->described && f->described->fiber) || !parse_arguments(p, &arguments, &loc))
        return fe_no_expr;
    if (along.v && !(fe_free_vars(p->s, arguments.at[0]) >> (along.v - 1) & 1)) {
        diag_error(p->d, name.loc, "E0152-function", "nothing in %s along '%s' is indexed by it", f->name,
                   fe_var_text(p->s, along));
        diag_hint(p->d, "name an index of its operand: %s(j, B(i,j))", f->name);
        return fe_no_expr;
    }
    fe_vars vars = {0};
    if (!along.v)
        fe_take_folded(p, f, &arguments, &vars);
    if (vars.len)
        return fe_fold(p, f, loc, arguments.at[0], &vars);
    sam_expr e = fe_apply_function(p->s, f, loc, &arguments, p->d);
    if (e.v && along.v)
        sam_expr_at(p->s, e)->var = along;
    return e;
}

static sam_expr parse_product(fe_parser *p);
static sam_expr parse_group(fe_parser *p);

/* min_j A_{ij}: a reduction of the following product, or of an expression in parentheses. */
static sam_expr parse_subscripted(fe_parser *p, const fe_call *by) {
    fe_vars vars = {0};
    fe_advance(&p->in);
    fe_advance(&p->in); /* skips the "_" that the caller saw */
    if (!fe_parse_subscripts(p, &vars) || !fe_may_reduce(p, by))
        return fe_no_expr;
    sam_expr e = fe_at_sign(&p->in, '(') ? parse_group(p) : parse_product(p);
    if (!e.v || !fe_check_reduced(p, e, &vars, by))
        return fe_no_expr;
    return fe_add_sums(p, e, &vars, by, fe_span(by->loc, sam_expr_at(p->s, e)->loc));
}

static sam_expr parse_call(fe_parser *p, fe_call *f) {
    tokens names = {0};
    fe_exprs arguments = {0};
    fe_vars vars = {0};
    fe_advance(&p->in);
    fe_advance(&p->in); /* skips the "(" that the caller saw */
    if (f->reduces && f->most == 1)
        return parse_sum(p, f);
    while (f->reduces && p->in.token.kind == FE_NAME && fe_peek(&p->in) == ',') {
        vec_push(p->s->mem, &names, p->in.token);
        fe_advance(&p->in);
        fe_advance(&p->in); /* skips the comma */
    }
    if (!parse_arguments(p, &arguments, &f->loc))
        return fe_no_expr;
    if (!sort_names(p, &names, &arguments, &vars))
        return fe_no_expr;
    if (vars.len && arguments.len == 1 && !fe_may_reduce(p, f))
        return fe_no_expr;
    if (vars.len && arguments.len == 1)
        return fe_add_sums(p, arguments.at[0], &vars, f, f->loc);
    if (vars.len) {
        diag_error(p->d, f->loc, "E0152-function", "%s reduces one expression, and here are %u", f->name,
                   arguments.len);
        diag_hint(p->d, "reduce a call: %s(j, %s(a, b))", f->name, f->name);
        return fe_no_expr;
    }
    return fe_make_call(p->s, f, &arguments, p->d);
}

static sam_expr parse_number(fe_parser *p) {
    char *digits = arena_strndup(p->s->mem, p->in.token.at, p->in.token.length);
    sam_expr_data e = {
        .kind = SAM_EXPR_LITERAL, .loc = p->in.token.loc, .literal = number_read(digits, NULL)};
    if (!isfinite(e.literal) && p->in.token.kind == FE_NUMBER) {
        diag_error(p->d, e.loc, "E0127-literal", "this number is too large");
        diag_hint(p->d, "write one below 1.8e308");
        return fe_no_expr;
    }
    fe_advance(&p->in);
    return fe_push_expr(p, e);
}

static sam_expr parse_group(fe_parser *p) {
    fe_advance(&p->in);
    if (p->in.token.kind == FE_NAME && fe_peek(&p->in) == ')')
        vec_push(p->s->mem, &p->alone, p->in.token.loc.offset);
    sam_expr e = parse_terms(p);
    if (e.v && !fe_take_sign(&p->in, ')')) {
        fe_expected(&p->in, "an operator or ')'", p->d);
        return fe_no_expr;
    }
    return e;
}

static sam_expr parse_factor(fe_parser *p);

/* Reads an argument of coalesce: an access, or a number, possibly infinite, for the fill. */
static bool parse_beyond(fe_parser *p, sam_expr_data *out) {
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
        return fe_read_access(p, out);
    return fe_expected(&p->in, "an access or a number", p->d);
}

/* coalesce(A(permit(i)), B(permit(i-4)), 0): the first operand inside its extent. */
static sam_expr parse_coalesce(fe_parser *p) {
    sam_expr_data first, next;
    src_loc loc = p->in.token.loc;
    fe_advance(&p->in);
    fe_advance(&p->in); /* skips the "(" that the caller saw */
    if (!parse_beyond(p, &first))
        return fe_no_expr;
    if (!fe_begin_coalesce(p->s, &first, p->d))
        return fe_no_expr;
    sam_tensor last = first.tensor;
    do {
        if (!fe_take_sign(&p->in, ',')) {
            fe_expected(&p->in, "',' and what holds outside", p->d);
            return fe_no_expr;
        }
        if (!parse_beyond(p, &next) || !fe_add_beyond(p->s, &first, &last, &next, p->d))
            return fe_no_expr;
    } while (!fe_at_sign(&p->in, ')'));
    first.loc = fe_span(loc, p->in.token.loc);
    fe_advance(&p->in);
    return fe_push_expr(p, first);
}

static sam_expr parse_minus(fe_parser *p) {
    src_loc start = p->in.token.loc;
    fe_advance(&p->in);
    sam_expr a = parse_factor(p);
    if (!a.v)
        return fe_no_expr;
    return fe_push_expr(
        p, (sam_expr_data){.kind = SAM_EXPR_NEG, .loc = fe_span(start, sam_expr_at(p->s, a)->loc), .a = a});
}

/* ~a is a xor all ones. */
static sam_expr parse_inverse(fe_parser *p) {
    static const fe_call inverse = {
        .name = "~", .words = true, .least = 2, .most = 2, .operation = SAM_OPERATION_xor};
    fe_call f = inverse;
    fe_exprs arguments = {0};
    f.loc = p->in.token.loc;
    fe_advance(&p->in);
    sam_expr a = parse_factor(p);
    if (!a.v)
        return fe_no_expr;
    f.loc = fe_span(f.loc, sam_expr_at(p->s, a)->loc);
    sam_expr ones = fe_push_expr(
        p,
        (sam_expr_data){.kind = SAM_EXPR_LITERAL, .loc = f.loc, .literal = p->s->integers ? UINT16_MAX : 0});
    vec_push(p->s->mem, &arguments, a);
    vec_push(p->s->mem, &arguments, ones);
    return ones.v ? fe_make_call(p->s, &f, &arguments, p->d) : fe_no_expr;
}

/* nnz(T), of a program: a scalar of this name, not possible for another tensor. */
static sam_expr parse_count(fe_parser *p) {
    fe_token word = p->in.token;
    fe_advance(&p->in);
    fe_advance(&p->in); /* skips the "(" that the caller saw */
    fe_token name = p->in.token;
    if (name.kind != FE_NAME) {
        fe_expected(&p->in, "a tensor", p->d);
        return fe_no_expr;
    }
    fe_advance(&p->in);
    if (!fe_at_sign(&p->in, ')')) {
        fe_expected(&p->in, "')': nnz counts the values of a tensor, without indices", p->d);
        return fe_no_expr;
    }
    word.loc = fe_span(word.loc, p->in.token.loc);
    word.at = arena_printf(p->s->mem, "nnz(%.*s)", (int)name.length, name.at);
    word.length = strlen(word.at);
    fe_advance(&p->in);
    return add_scalar(p, &word);
}

static sam_expr parse_primary(fe_parser *p) {
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
        return fe_no_expr;
    }
    fe_call f;
    if (p->in.counts && fe_peek(&p->in) == '(' && fe_is_word(t, "nnz"))
        return parse_count(p);
    const fe_user_function *own = fe_take_function(&p->in);
    if (own)
        return parse_application(p, own);
    if (fe_peek(&p->in) == '_' && fe_find_call(t, &f) && f.reduces)
        return parse_subscripted(p, &f);
    if (fe_peek(&p->in) == '(' && fe_find_call(t, &f))
        return f.function == FE_FUNCTION_COALESCE ? parse_coalesce(p) : parse_call(p, &f);
    sam_expr_data access = {0};
    if (!fe_check_is_tensor(&p->in, p->d))
        return fe_no_expr;
    return fe_read_access(p, &access) && fe_check_missing(p->s, &access, p->d) ? fe_push_expr(p, access)
                                                                               : fe_no_expr;
}

/* Every recursion of the grammar passes here: the check bounds the depth of the stack. */
static sam_expr parse_factor(fe_parser *p) {
    if (p->depth == FE_MAX_DEPTH) {
        diag_error(p->d, p->in.token.loc, "E0118-too-large", "nested more than %d deep", FE_MAX_DEPTH);
        return fe_no_expr;
    }
    p->depth++;
    sam_expr e = parse_primary(p);
    p->depth--;
    return e;
}

/* Reads the continuation of e: operands preceded by one of two signs, left-associative. */
static sam_expr parse_chain(fe_parser *p, sam_expr e, sam_expr (*parse_operand)(fe_parser *p),
                            const char signs[2], const sam_expr_kind kinds[2]) {
    while (e.v && (fe_at_sign(&p->in, signs[0]) || fe_at_sign(&p->in, signs[1]))) {
        sam_expr_kind kind = kinds[p->in.token.sign == signs[1]];
        fe_advance(&p->in);
        sam_expr b = parse_operand(p);
        e = b.v ? fe_add_binary(p, kind, e, b) : fe_no_expr;
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
static sam_expr add_infix(fe_parser *p, const infix *i, sam_expr e, sam_expr b) {
    fe_call f = {.name = i->text, .operation = i->operation, .words = i->words, .least = 2, .most = 2};
    fe_exprs arguments = {0};
    if (!b.v)
        return fe_no_expr;
    f.loc = fe_span(sam_expr_at(p->s, e)->loc, sam_expr_at(p->s, b)->loc);
    if (i->sign == '^' && sam_expr_at(p->s, b)->kind == SAM_EXPR_LITERAL) {
        diag_warning(p->d, f.loc, "E0175-exclusive-or", "'^' is the exclusive or of bits");
        diag_hint(p->d, "a power is pow(a, 2); of bits, xor(a, 2) says so");
    }
    vec_push(p->s->mem, &arguments, e);
    vec_push(p->s->mem, &arguments, b);
    return fe_make_call(p->s, &f, &arguments, p->d);
}

/* The remainder is as strong as products. */
static sam_expr parse_product(fe_parser *p) {
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

static sam_expr parse_sums(fe_parser *p) {
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

static const infix *find_infix(const fe_parser *p, uint32_t level) {
    for (const infix *i = levels[level]; i->sign; i++) {
        if (fe_at_sign(&p->in, i->sign))
            return i;
    }
    return NULL;
}

static bool at_not(const fe_parser *p) {
    char next = fe_peek(&p->in);
    bool operand = next == '(' || next == '_' || (next >= '0' && next <= '9') ||
                   (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
    return fe_is_word(&p->in.token, "not") && operand;
}

static sam_expr parse_level(fe_parser *p, uint32_t level);

/* not a, weaker than comparisons. */
static sam_expr parse_not(fe_parser *p) {
    src_loc start = p->in.token.loc;
    if (!at_not(p))
        return parse_level(p, COMPARISONS);
    if (p->depth == FE_MAX_DEPTH) {
        diag_error(p->d, start, "E0118-too-large", "nested more than %d deep", FE_MAX_DEPTH);
        return fe_no_expr;
    }
    fe_advance(&p->in);
    p->depth++;
    sam_expr e = parse_not(p);
    p->depth--;
    return e.v ? fe_not(p->s, fe_span(start, sam_expr_at(p->s, e)->loc), e) : fe_no_expr;
}

static sam_expr parse_level(fe_parser *p, uint32_t level) {
    sam_expr e = level == 0 ? parse_sums(p) : level == LOGICAL ? parse_not(p) : parse_level(p, level - 1);
    const infix *i;
    while (e.v && (i = find_infix(p, level)) != NULL) {
        fe_advance(&p->in);
        sam_expr b = level == 0 ? parse_sums(p) : level == LOGICAL ? parse_not(p) : parse_level(p, level - 1);
        if (b.v && level == COMPARISONS && find_infix(p, level)) {
            diag_error(p->d, p->in.token.loc, "E0102-syntax", "a comparison of a comparison");
            diag_hint(p->d, "say which one comes first with parentheses, or join two by &&");
            return fe_no_expr;
        }
        e = add_infix(p, i, e, b);
    }
    return e;
}

static sam_expr parse_terms(fe_parser *p) {
    return parse_level(p, LEVELS - 1);
}

sam_expr fe_parse_terms(fe_reader *in, sam_statement *s, diagnostics *d) {
    fe_parser p = {.in = *in, .s = s, .d = d};
    sam_expr e = parse_terms(&p);
    *in = p.in;
    return e;
}

/* Reads the target access of an assignment. */
static bool parse_target(fe_parser *p, sam_expr_data *access) {
    if (!fe_read_access(p, access))
        return false;
    if (!p->modified)
        return true;
    diag_error(p->d, access->loc, "E0156-modifier", "what is written has its indices as they are");
    return diag_hint(p->d,
                     "the array writes coordinates as its loops count them: shift or slice the operands "
                     "instead, the other "
                     "way round");
}

bool fe_parse_access(fe_reader *in, sam_statement *s, diagnostics *d, sam_expr_data *access) {
    fe_parser p = {.in = *in, .s = s, .d = d};
    bool ok = parse_target(&p, access);
    *in = p.in;
    return ok;
}

/* += in a program adds to the result's content; in a single statement the content is empty. */
static bool parse_left_side(fe_parser *p, bool *adds) {
    if (p->in.token.kind != FE_NAME)
        return fe_expected(&p->in, "the result, e.g. X(i,j) =", p->d);
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
    return fe_take_sign(&p->in, '=') || fe_expected(&p->in, "'='", p->d);
}

/* The value alone: its result is the piece's scalar, or a scalar whose name no tensor can have. */
static bool begin_value(fe_parser *p, const fe_piece *piece) {
    const char *name = piece->as ? piece->as : "until()";
    p->s->result = fe_use_tensor(p, names_intern(p->s->names, name), p->in.token.loc, 0);
    return true;
}

/* Returns the earlier content of the result, plus e. */
static sam_expr add_to_result(fe_parser *p, sam_expr e) {
    sam_expr_data before = {
        .kind = SAM_EXPR_ACCESS, .loc = sam_tensor_at(p->s, p->s->result)->loc, .tensor = p->s->result};
    memcpy(before.index, p->s->result_index, sizeof before.index);
    sam_expr old = fe_push_expr(p, before);
    return old.v ? fe_add_binary(p, SAM_EXPR_ADD, old, e) : fe_no_expr;
}

bool fe_parse_expression(const fe_in *in, diagnostics *d, sam_statement *s) {
    fe_parser p = {.s = s, .d = d};
    bool adds = false, value = in->piece && in->piece->value;
    p.in = in->piece ? fe_read_piece(in->piece) : fe_read("<expression>", in->expression, d);
    if (in->typed && !in->piece) {
        const size_t length = strlen(in->typed);
        const src_loc typed = src_at(diag_add_source(d, "<expression>", in->typed, length), 0, length);
        d->sources.at[p.in.source - 1].typed = typed;
    }
    p.in.functions = in->functions;
    if (!(value ? begin_value(&p, in->piece) : parse_left_side(&p, &adds)))
        return false;
    s->rhs = parse_terms(&p);
    if (s->rhs.v && adds)
        s->rhs = add_to_result(&p, s->rhs);
    if (!s->rhs.v)
        return false;
    if (p.in.token.kind != FE_END)
        return fe_expected(&p.in, "an operator or the end", d);
    fe_separate_result(s);
    return fe_check_all_scalars(&p);
}
