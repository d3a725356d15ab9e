/* semirings.c - semirings, by two names of GraphBLAS: "min_first" adds by min and multiplies by first. Sums
 * and + become the addition, * the multiplication.
 *
 * A product has a value where both sides are stored, and is absent elsewhere: the identity f of the addition.
 * If f annihilates the multiplication, the multiplication does so by itself. Otherwise the product is ((a * b
 * xor f) where both are stored, else 0) xor f, which is exact for any word; first and second need the
 * condition of one side.
 */
#include "frontend/language/semirings.h"
#include "frontend/language/statement.h"

#include <ctype.h>

typedef struct {
    const char *name;
    sam_operation operation;
    bool words; /* of the bits of integers */
} addition;

static const addition additions[] = {{"plus", SAM_OPERATION_add, false},  {"times", SAM_OPERATION_mul, false},
                                     {"min", SAM_OPERATION_min, false},   {"max", SAM_OPERATION_max, false},
                                     {"any", SAM_OPERATION_min, false},   {"lor", SAM_OPERATION_lor, false},
                                     {"land", SAM_OPERATION_land, false}, {"bor", SAM_OPERATION_or, true},
                                     {"band", SAM_OPERATION_and, true},   {"bxor", SAM_OPERATION_xor, true}};

typedef struct {
    const char *name;
    sam_operation operation;
    fe_product_rule product;
    bool turned, words;
} multiplication;

static const multiplication multiplications[] = {{"times", SAM_OPERATION_mul, FE_BY_OPERATION, false, false},
                                                 {"plus", SAM_OPERATION_add, FE_BY_OPERATION, false, false},
                                                 {"minus", SAM_OPERATION_sub, FE_BY_OPERATION, false, false},
                                                 {"rminus", SAM_OPERATION_sub, FE_BY_OPERATION, true, false},
                                                 {"div", SAM_OPERATION_div, FE_BY_OPERATION, false, false},
                                                 {"rdiv", SAM_OPERATION_div, FE_BY_OPERATION, true, false},
                                                 {"min", SAM_OPERATION_min, FE_BY_OPERATION, false, false},
                                                 {"max", SAM_OPERATION_max, FE_BY_OPERATION, false, false},
                                                 {"first", SAM_OPERATION_add, FE_FIRST, false, false},
                                                 {"second", SAM_OPERATION_add, FE_SECOND, false, false},
                                                 {"pair", SAM_OPERATION_add, FE_PAIR, false, false},
                                                 {"oneb", SAM_OPERATION_add, FE_PAIR, false, false},
                                                 {"land", SAM_OPERATION_land, FE_BY_OPERATION, false, false},
                                                 {"lor", SAM_OPERATION_lor, FE_BY_OPERATION, false, false},
                                                 {"iseq", SAM_OPERATION_eq, FE_BY_OPERATION, false, false},
                                                 {"isne", SAM_OPERATION_ne, FE_BY_OPERATION, false, false},
                                                 {"islt", SAM_OPERATION_lt, FE_BY_OPERATION, false, false},
                                                 {"isle", SAM_OPERATION_le, FE_BY_OPERATION, false, false},
                                                 {"isgt", SAM_OPERATION_gt, FE_BY_OPERATION, false, false},
                                                 {"isge", SAM_OPERATION_ge, FE_BY_OPERATION, false, false},
                                                 {"eq", SAM_OPERATION_eq, FE_BY_OPERATION, false, false},
                                                 {"ne", SAM_OPERATION_ne, FE_BY_OPERATION, false, false},
                                                 {"lt", SAM_OPERATION_lt, FE_BY_OPERATION, false, false},
                                                 {"le", SAM_OPERATION_le, FE_BY_OPERATION, false, false},
                                                 {"gt", SAM_OPERATION_gt, FE_BY_OPERATION, false, false},
                                                 {"ge", SAM_OPERATION_ge, FE_BY_OPERATION, false, false},
                                                 {"band", SAM_OPERATION_and, FE_BY_OPERATION, false, true},
                                                 {"bor", SAM_OPERATION_or, FE_BY_OPERATION, false, true},
                                                 {"bxor", SAM_OPERATION_xor, FE_BY_OPERATION, false, true}};

enum {
    ADDITIONS = sizeof additions / sizeof *additions,
    MULTIPLICATIONS = sizeof multiplications / sizeof *multiplications
};

static bool refuse_name(const fe_in *in, const char *name, arena *mem, diagnostics *d) {
    const char *first = "", *second = "";
    for (size_t i = 0; i < ADDITIONS; i++)
        first = arena_printf(mem, "%s%s%s", first, i ? ", " : "", additions[i].name);
    for (size_t i = 0; i < MULTIPLICATIONS; i++)
        second = arena_printf(mem, "%s%s%s", second, i ? ", " : "", multiplications[i].name);
    diag_error(d, in->semiring_at, "E0154-semiring", "there is no semiring '%s'", name);
    return diag_hint(
        d,
        "two names, as min_plus or min,first: first one of %s; then one of %s, firsti, firstj, secondi, "
        "secondj and the same with 1 behind, for positions",
        first, second);
}

static bool refuse_words(const fe_in *in, const char *name, diagnostics *d) {
    diag_error(d, in->semiring_at, "E0154-semiring",
               "semiring %s is of the bits of integers, and these are values of bf16", name);
    return diag_hint(d, "use --dtype int16");
}

/* A sum with an infinity is infinite where the addition chooses. */
static sam_operation absorbing(sam_operation times, sam_operation plus) {
    if (times != SAM_OPERATION_add)
        return times;
    return plus == SAM_OPERATION_min   ? SAM_OPERATION_addhigh
           : plus == SAM_OPERATION_max ? SAM_OPERATION_addlow
                                       : times;
}

/* Reads a positional multiplication: "secondj1" is the second index of the second side, counted from 1. */
static bool find_position(const char *name, fe_semiring *out) {
    const bool second = strncmp(name, "second", 6) == 0;
    const char *rest = second ? name + 6 : strncmp(name, "first", 5) == 0 ? name + 5 : "";
    if (strcspn(rest, "ij") || (rest[0] && rest[1] && strcmp(rest + 1, "1") != 0) || !rest[0])
        return false;
    out->product = FE_POSITION;
    out->turned = second;
    out->made = (fe_made){SAM_POSITIONS, {rest[0] == 'j', rest[1] == '1'}};
    return true;
}

/* Returns the two names of "GrB_MIN_PLUS_SEMIRING_INT16", in small letters: without the names of the library
 * and of the type. */
static const char *plain_name(const char *name, arena *mem) {
    static const char *const types[] = {"_semiring", "_int", "_uint", "_fp", "_bool"};
    char *plain = arena_strdup(mem, name);
    for (char *c = plain; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    if (strncmp(plain, "grb_", 4) == 0 || strncmp(plain, "gxb_", 4) == 0)
        plain += 4;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char *type = strstr(plain, types[i]);
        if (type)
            *type = '\0';
    }
    return plain;
}

bool fe_find_semiring(const fe_in *in, arena *mem, diagnostics *d, fe_semiring *out) {
    const char *text = in->semiring ? plain_name(in->semiring, mem) : "plus_times";
    const bool integers = in->integers;
    const size_t length = strcspn(text, "_,.");
    const addition *plus = NULL;
    const multiplication *times = NULL;
    for (size_t i = 0; i < ADDITIONS; i++) {
        if (strlen(additions[i].name) == length && strncmp(additions[i].name, text, length) == 0)
            plus = &additions[i];
    }
    for (size_t i = 0; i < MULTIPLICATIONS && text[length]; i++) {
        if (strcmp(multiplications[i].name, text + length + 1) == 0)
            times = &multiplications[i];
    }
    *out = (fe_semiring){.name = text, .in = in};
    const bool positional = plus && text[length] && find_position(text + length + 1, out);
    if (!plus || !(times || positional))
        return refuse_name(in, in->semiring, mem, d);
    if (!integers && (plus->words || (times && times->words)))
        return refuse_words(in, text, d);
    out->plus = plus->operation;
    if (positional)
        return true;
    out->times = absorbing(times->operation, plus->operation);
    out->product = times->product;
    out->turned = times->turned;
    const sam_special *no = &sam_operator_of(out->times, !integers)->annihilator;
    const uint16_t absent = sam_operator_of(out->plus, !integers)->monoid.value;
    out->masked =
        out->product == FE_BY_OPERATION && !(no->given && no->at == SAM_EACH && no->value == absent);
    return true;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static bool is_number(const sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return x->kind == SAM_EXPR_LITERAL ||
           (x->kind == SAM_EXPR_NEG && sam_expr_at(s, x->a)->kind == SAM_EXPR_LITERAL);
}

static bool refuse_sign(const sam_statement *s, sam_expr e, const fe_semiring *r, diagnostics *d) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if ((x->kind != SAM_EXPR_SUB && x->kind != SAM_EXPR_DIV && x->kind != SAM_EXPR_NEG) || is_number(s, e))
        return true;
    diag_error(d, x->loc, "E0154-semiring", "semiring %s has no %s", r->name,
               x->kind == SAM_EXPR_DIV ? "division" : "subtraction");
    return diag_hint(d, "its addition is +, its multiplication *; functions are what they are elsewhere");
}

static sam_expr both(sam_statement *s, sam_expr a, sam_expr b) {
    if (!a.v || !b.v)
        return a.v ? a : b;
    return fe_add_expr(s,
                       (sam_expr_data){.kind = SAM_EXPR_MUL, .loc = sam_expr_at(s, a)->loc, .a = a, .b = b});
}

/* Sets *out to 1 where the side of a product is stored, else 0; to no expression if it is everywhere. */
static bool find_structure(sam_statement *s, sam_expr e, sam_expr *out, diagnostics *d) {
    static const fe_call structure = {.name = "pair", .function = FE_FUNCTION_STRUCT, .least = 1, .most = 1};
    const sam_expr_data x = *sam_expr_at(s, e);
    sam_expr a, b;
    *out = (sam_expr){0};
    if (is_number(s, e))
        return true;
    if (x.kind == SAM_EXPR_MUL) {
        if (!find_structure(s, x.a, &a, d) || !find_structure(s, x.b, &b, d))
            return false;
        *out = both(s, a, b);
        return true;
    }
    fe_exprs one = {0};
    vec_push(s->mem, &one, x.kind == SAM_EXPR_ACCESS ? fe_copy_expr(s, e) : e);
    const bool made = x.kind == SAM_EXPR_ACCESS && sam_tensor_at(s, x.tensor)->structure;
    *out = made ? one.at[0] : fe_make_call(s, &structure, &one, d);
    return out->v != 0;
}

/* Puts value where the condition is true, and the identity of the addition elsewhere. */
static sam_expr_data condition(sam_statement *s, sam_expr stored, sam_expr value, uint16_t absent) {
    const src_loc loc = sam_expr_at(s, value)->loc;
    if (stored.v && absent)
        value = fe_add_call(s, loc, SAM_OPERATION_xor, value, fe_add_literal(s, loc, absent));
    if (stored.v)
        value = fe_add_call(s, loc, SAM_OPERATION_when, stored, value);
    if (stored.v && absent)
        value = fe_add_call(s, loc, SAM_OPERATION_xor, value, fe_add_literal(s, loc, absent));
    return *sam_expr_at(s, value);
}

/* Both sides of a product, or their structures, which are taken before the sides are rewritten. */
typedef struct {
    sam_expr a, b;
} sides;

/* Returns whether a tensor, as a side of a product or a factor of a side, has another fill than the identity
 * of the addition in a program, whose other statements have the tensor, too: where the tensor is not stored,
 * the product is no product of its fill. Beside --semiring, --fill is the value that counts there. */
static bool has_other_fill(const sam_statement *s, sam_expr e, const fe_semiring *r) {
    const sam_expr_data *x = sam_expr_at(s, e);
    if (x->kind == SAM_EXPR_MUL)
        return has_other_fill(s, x->a, r) || has_other_fill(s, x->b, r);
    return r->in->semiring_at.source && x->kind == SAM_EXPR_ACCESS &&
           sam_tensor_at(s, x->tensor)->fill != sam_operator_of(r->plus, !s->integers)->monoid.value;
}

static bool find_sides(sam_statement *s, const sam_expr_data *x, const fe_semiring *r, sides *out,
                       diagnostics *d) {
    const bool all = r->product == FE_PAIR || r->product == FE_POSITION || r->masked;
    *out = (sides){{0}, {0}};
    return x->kind != SAM_EXPR_MUL || ((!(all || r->product == FE_SECOND || has_other_fill(s, x->a, r)) ||
                                        find_structure(s, x->a, &out->a, d)) &&
                                       (!(all || r->product == FE_FIRST || has_other_fill(s, x->b, r)) ||
                                        find_structure(s, x->b, &out->b, d)));
}

/* Adds the operation; arithmetic has kinds of its own. */
static sam_expr operate(sam_statement *s, src_loc loc, sam_operation operation, sides of) {
    const sam_expr_kind kind = operation == SAM_OPERATION_add   ? SAM_EXPR_ADD
                               : operation == SAM_OPERATION_sub ? SAM_EXPR_SUB
                               : operation == SAM_OPERATION_mul ? SAM_EXPR_MUL
                               : operation == SAM_OPERATION_div ? SAM_EXPR_DIV
                                                                : SAM_EXPR_CALL;
    if (kind == SAM_EXPR_CALL)
        return fe_add_call(s, loc, operation, of.a, of.b);
    return fe_add_expr(s, (sam_expr_data){.kind = kind, .loc = loc, .a = of.a, .b = of.b});
}

/* Returns the coordinates of a side of a product as values; a scalar and a vector are columns. */
static sam_expr position_of(sam_statement *s, sam_expr side, const fe_semiring *r) {
    const sam_expr_data *x = sam_expr_at(s, side);
    if (sam_tensor_at(s, x->tensor)->order > r->made.position.along)
        return fe_made_of(s, side, r->made);
    return fe_add_literal(s, x->loc, sam_literal_word(r->made.position.first, !s->integers));
}

/* Refuses a positional multiplication of another side than a matrix, a vector or a scalar. */
static bool refuse_position(const sam_statement *s, const sam_expr_data *product, const fe_semiring *r,
                            diagnostics *d) {
    const sam_expr_data *x = sam_expr_at(s, r->turned ? product->b : product->a);
    if (product->kind != SAM_EXPR_MUL || r->product != FE_POSITION)
        return true;
    const sam_tensor_data *t = x->kind == SAM_EXPR_ACCESS ? sam_tensor_at(s, x->tensor) : NULL;
    if (t && t->order <= 2 && !t->structure && !t->windowed)
        return true;
    diag_error(d, x->loc, "E0154-semiring", "semiring %s multiplies by the position in a matrix or a vector",
               r->name);
    return diag_hint(d, "the side has to be a tensor as a whole, of at most two indices");
}

static void multiply(sam_statement *s, sam_expr e, const fe_semiring *r, const sides *stored) {
    sam_expr_data x = *sam_expr_at(s, e);
    const uint16_t absent = sam_operator_of(r->plus, !s->integers)->monoid.value;
    const sam_expr all = both(s, stored->a, stored->b);
    sam_expr value = r->product == FE_SECOND ? x.b : x.a;
    if (r->product == FE_PAIR)
        value = fe_add_literal(s, x.loc, sam_literal_word(1, !s->integers));
    if (r->product == FE_POSITION)
        value = position_of(s, r->turned ? x.b : x.a, r);
    if (r->product == FE_BY_OPERATION)
        value = operate(s, x.loc, r->times, r->turned ? (sides){x.b, x.a} : (sides){x.a, x.b});
    const bool ones = r->product == FE_PAIR && !absent && all.v;
    const sam_expr_data made = ones ? *sam_expr_at(s, all) : condition(s, all, value, absent);
    *sam_expr_at(s, e) = made;
}

/* Logical sums are of truth values. */
static void take_truth(sam_statement *s, sam_expr e) {
    const sam_expr_data x = *sam_expr_at(s, e);
    const bool logical = x.operation == SAM_OPERATION_lor || x.operation == SAM_OPERATION_land;
    const sam_expr_data *of = sam_expr_at(s, x.a);
    if (!logical || (of->kind == SAM_EXPR_SUM && of->operation == x.operation))
        return;
    sam_expr truth = fe_truth(s, x.a);
    sam_expr_at(s, e)->a = truth;
}

static bool rewrite(sam_statement *s, sam_expr e, const fe_semiring *r, diagnostics *d) {
    const sam_expr_data x = *sam_expr_at(s, e);
    sides stored;
    if (!refuse_sign(s, e, r, d) || !refuse_position(s, &x, r, d) || !find_sides(s, &x, r, &stored, d) ||
        (x.a.v && !rewrite(s, x.a, r, d)) || (x.b.v && !rewrite(s, x.b, r, d)))
        return false;
    if (x.kind == SAM_EXPR_MUL)
        multiply(s, e, r, &stored);
    if (x.kind == SAM_EXPR_SUM && x.operation == SAM_OPERATION_add)
        sam_expr_at(s, e)->operation = (uint8_t)r->plus;
    if (x.kind == SAM_EXPR_SUM)
        take_truth(s, e);
    if (x.kind == SAM_EXPR_ADD && r->plus != SAM_OPERATION_add) {
        sam_expr_at(s, e)->operation = (uint8_t)r->plus;
        sam_expr_at(s, e)->kind = SAM_EXPR_CALL;
    }
    return true;
}

bool fe_apply_semiring(sam_statement *s, const fe_semiring *r, diagnostics *d) {
    const bool plain =
        r->plus == SAM_OPERATION_add && r->times == SAM_OPERATION_mul && r->product == FE_BY_OPERATION;
    return plain || rewrite(s, s->rhs, r, d);
}
