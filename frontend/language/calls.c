/* calls.c - functions and reductions of the expression language: those of sam/operations.def, and those of
 * other names or of several operations. */
#include "frontend/language/calls.h"
#include "frontend/language/statement.h"

#define NO_WORD(name, operands)
#define ROW(name, operands, reduces, integers)                                                               \
    {#name,                                                                                                  \
     {0},                                                                                                    \
     (operands) == 1 ? FE_FUNCTION_ONE : FE_FUNCTION_FOLD,                                                   \
     SAM_OPERATION_##name,                                                                                   \
     (operands) == 1 ? 1 : 2,                                                                                \
     operands,                                                                                               \
     reduces,                                                                                                \
     integers},
#define WORD(name, operands) ROW(name, operands, false, false)
#define INT_WORD(name, operands) ROW(name, operands, false, true)
#define REDUCTION(name, operands) ROW(name, operands, true, false)
#define INT_REDUCTION(name, operands) ROW(name, operands, true, true)
#define OPERATION(name, on_int, on_fp, most, of_int, of_fp, word, exact) word(name, most)
static const fe_call rows[] = {
#include "sam/operations.def"
    {"sum", {0}, FE_FUNCTION_FOLD, SAM_OPERATION_add, 1, 1, true, false},
    {"prod", {0}, FE_FUNCTION_FOLD, SAM_OPERATION_mul, 1, 1, true, false},
    {"fmin", {0}, FE_FUNCTION_FOLD, SAM_OPERATION_min, 2, 2, false, false},
    {"fmax", {0}, FE_FUNCTION_FOLD, SAM_OPERATION_max, 2, 2, false, false},
    {"fabs", {0}, FE_FUNCTION_ONE, SAM_OPERATION_abs, 1, 1, false, false},
    {"absdiff", {0}, FE_FUNCTION_COMPOSED, SAM_OPERATION_abs, 2, 2, false, false},
    {"pow", {0}, FE_FUNCTION_COMPOSED, SAM_OPERATION_mul, 2, 2, false, false},
    {"ldexp", {0}, FE_FUNCTION_COMPOSED, SAM_OPERATION_shl, 2, 2, false, false},
    {"clamp", {0}, FE_FUNCTION_COMPOSED, SAM_OPERATION_max, 3, 3, false, false},
    {"ifelse", {0}, FE_FUNCTION_IFELSE, SAM_OPERATION_when, 3, 3, false, false},
    {"where", {0}, FE_FUNCTION_IFELSE, SAM_OPERATION_when, 3, 3, false, false},
    {"mask", {0}, FE_FUNCTION_MASK, SAM_OPERATION_when, 2, 2, false, false},
    {"struct", {0}, FE_FUNCTION_STRUCT, SAM_OPERATION_add, 1, 1, false, false},
    {"coalesce", {0}, FE_FUNCTION_COALESCE, SAM_OPERATION_add, 2, UINT8_MAX, false, false},
};

static const fe_call *find(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strlen(rows[i].name) == length && memcmp(rows[i].name, name, length) == 0)
            return &rows[i];
    }
    return NULL;
}

const char *fe_nearest_function(const char *name, uint32_t *distance) {
    const char *nearest = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (text_nearer(name, strlen(name), rows[i].name, distance))
            nearest = rows[i].name;
    }
    return nearest;
}

bool fe_find_call(const fe_token *name, fe_call *out) {
    const fe_call *r = find(name->at, name->length);
    if (!r)
        return false;
    *out = *r;
    out->loc = name->loc;
    return true;
}

const char *fe_reduction_text(uint8_t operation) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].reduces && rows[i].operation == (sam_operation)operation)
            return rows[i].name;
    }
    BUG("no reduction by operation %u", operation);
}

const char *fe_function_text(uint8_t operation) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool plain = rows[i].function == FE_FUNCTION_FOLD || rows[i].function == FE_FUNCTION_ONE;
        if (plain && rows[i].operation == (sam_operation)operation)
            return rows[i].name;
    }
    BUG("no function of operation %u", operation);
}

/* ---- expressions of the calls ---------------------------------------------------------------- */

sam_expr fe_add_literal(sam_statement *s, src_loc loc, uint16_t word) {
    return fe_add_expr(s, (sam_expr_data){.kind = SAM_EXPR_LITERAL,
                                          .loc = loc,
                                          .literal = sam_word_number(word, !s->integers)});
}

sam_expr fe_add_call(sam_statement *s, src_loc loc, sam_operation operation, sam_expr a, sam_expr b) {
    return fe_add_expr(
        s,
        (sam_expr_data){.kind = SAM_EXPR_CALL, .loc = loc, .operation = (uint8_t)operation, .a = a, .b = b});
}

static bool is_logical(uint8_t operation) {
    return operation == SAM_OPERATION_land || operation == SAM_OPERATION_lor;
}

sam_expr fe_truth(sam_statement *s, sam_expr e) {
    const sam_expr_data *x = sam_expr_at(s, e);
    bool compares = x->operation >= SAM_OPERATION_eq && x->operation <= SAM_OPERATION_ge;
    if (x->kind == SAM_EXPR_CALL && (compares || is_logical(x->operation)))
        return e;
    src_loc loc = x->loc;
    sam_expr zero = fe_add_expr(s, (sam_expr_data){.kind = SAM_EXPR_LITERAL, .loc = loc});
    return fe_add_call(s, loc, SAM_OPERATION_ne, e, zero);
}

sam_expr fe_copy_expr(sam_statement *s, sam_expr e) {
    if (s->exprs.len >= FE_MAX_EXPRS)
        return e; /* too large, as fe_make_call says */
    sam_expr_data x = *sam_expr_at(s, e);
    if (x.a.v)
        x.a = fe_copy_expr(s, x.a);
    if (x.b.v)
        x.b = fe_copy_expr(s, x.b);
    return fe_add_expr(s, x);
}

/* The tensor that the host makes of the argument's stored coordinates, or of the others. */
static sam_expr make_of(sam_statement *s, sam_expr e, fe_made how) {
    sam_expr_data *x = sam_expr_at(s, e);
    const sam_tensor_data of = *sam_tensor_at(s, x->tensor);
    const char *user = names_text(s->names, of.called.v ? of.called : of.name);
    static const char *const suffix[] = {[SAM_STORED] = "Stored",
                                         [SAM_COMPLEMENT] = "Complement",
                                         [SAM_FILLED] = "Filled",
                                         [SAM_REACHED] = "Reached",
                                         [SAM_POSITIONS] = "Positions"};
    sam_tensor_data data = of;
    sam_tensor t = {0};
    for (uint32_t i = 1; i <= s->tensors.len && !t.v; i++) {
        const sam_tensor_data *known = sam_tensor_at(s, (sam_tensor){i});
        if (known->structure == how.structure && known->position.along == how.position.along &&
            known->position.first == how.position.first &&
            strcmp(names_text(s->names, known->called), user) == 0)
            t.v = i;
    }
    if (!t.v) {
        data.called = names_intern(s->names, user);
        data.name = fe_fresh_name(s, arena_printf(s->mem, "%s%s", user, suffix[how.structure]), s->mem);
        data.structure = how.structure;
        data.position = how.position;
        data.filled = of.fill;
        data.fill = 0;
        vec_push(s->mem, &s->tensors, data);
        t.v = s->tensors.len;
    }
    sam_expr_at(s, e)->tensor = t;
    return e;
}

static sam_expr structure_of(sam_statement *s, sam_expr e, sam_structure structure) {
    return make_of(s, e, (fe_made){.structure = structure});
}

sam_expr fe_made_of(sam_statement *s, sam_expr access, fe_made how) {
    return make_of(s, fe_add_expr(s, *sam_expr_at(s, access)), how);
}

static bool is_structure(const sam_statement *s, sam_expr e, sam_structure structure) {
    const sam_expr_data *x = sam_expr_at(s, e);
    return x->kind == SAM_EXPR_ACCESS && sam_tensor_at(s, x->tensor)->structure == structure;
}

sam_expr fe_not(sam_statement *s, src_loc loc, sam_expr e) {
    const bool stored = is_structure(s, e, SAM_STORED);
    if (stored || is_structure(s, e, SAM_COMPLEMENT)) {
        sam_expr_data *x = sam_expr_at(s, e);
        name_id user = sam_tensor_at(s, x->tensor)->called;
        for (uint32_t i = 1; i <= s->tensors.len; i++) {
            const sam_tensor_data *t = sam_tensor_at(s, (sam_tensor){i});
            if (!t->structure && !t->windowed && name_eq(t->called.v ? t->called : t->name, user))
                x->tensor.v = i;
        }
        return structure_of(s, e, stored ? SAM_COMPLEMENT : SAM_STORED);
    }
    sam_expr zero = fe_add_expr(s, (sam_expr_data){.kind = SAM_EXPR_LITERAL, .loc = loc});
    return fe_add_call(s, loc, SAM_OPERATION_eq, e, zero);
}

static sam_expr refuse(const fe_call *f, diagnostics *d, src_loc loc, const char *what, const char *hint) {
    diag_error(d, loc, "E0152-function", "%s %s", f->name, what);
    diag_hint(d, "%s", hint);
    return (sam_expr){0};
}

/* pow(x, n) by products, ldexp(x, n) as a product with a power of two. */
static sam_expr power(sam_statement *s, const fe_call *f, const sam_expr *a, diagnostics *d) {
    const sam_expr_data *x = sam_expr_at(s, a[1]);
    double n = x->kind == SAM_EXPR_LITERAL ? x->literal : -1;
    bool shifts = f->operation == SAM_OPERATION_shl;
    if (n != (int)n || n < !shifts || n > (shifts ? 14 : 15))
        return refuse(f, d, x->loc,
                      shifts ? "takes a whole number from 0 to 14 here"
                             : "takes a whole number from 1 to 15 here",
                      "the array has no operation for another power");
    src_loc loc = f->loc;
    sam_expr e = a[0];
    if (shifts) {
        sam_expr two = fe_add_expr(
            s,
            (sam_expr_data){.kind = SAM_EXPR_LITERAL, .loc = loc, .literal = s->integers ? n : 1 << (int)n});
        if (s->integers)
            return fe_add_call(s, loc, SAM_OPERATION_shl, e, two);
        return fe_add_expr(s, (sam_expr_data){.kind = SAM_EXPR_MUL, .loc = loc, .a = e, .b = two});
    }
    for (int i = 1; i < (int)n && s->exprs.len < FE_MAX_EXPRS; i++)
        e = fe_add_expr(
            s, (sam_expr_data){.kind = SAM_EXPR_MUL, .loc = loc, .a = e, .b = fe_copy_expr(s, a[0])});
    if (s->exprs.len < FE_MAX_EXPRS)
        return e;
    diag_error(d, loc, "E0118-too-large", "the expression has more than %d parts", FE_MAX_EXPRS);
    return (sam_expr){0};
}

/* clamp, absdiff, pow, ldexp. */
static sam_expr compose(sam_statement *s, const fe_call *f, const sam_expr *a, diagnostics *d) {
    if (f->operation == SAM_OPERATION_max)
        return fe_add_call(s, f->loc, SAM_OPERATION_min,
                           fe_add_call(s, f->loc, SAM_OPERATION_max, a[0], a[1]), a[2]);
    if (f->operation != SAM_OPERATION_abs)
        return power(s, f, a, d);
    sam_expr_data apart = {.kind = SAM_EXPR_SUB, .loc = f->loc, .a = a[0], .b = a[1]};
    return fe_add_call(s, f->loc, SAM_OPERATION_abs, fe_add_expr(s, apart), (sam_expr){0});
}

sam_expr fe_make_call(sam_statement *s, const fe_call *f, const fe_exprs *arguments, diagnostics *d) {
    const sam_expr *a = arguments->at;
    sam_expr e = arguments->len ? a[0] : (sam_expr){0};
    if (arguments->len < f->least || arguments->len > f->most)
        return refuse(f, d, f->loc,
                      arena_printf(d->mem, "takes %u%s %s, not %u", f->least,
                                   f->most == UINT8_MAX ? " or more" : "",
                                   plural(f->least, "argument", "arguments"), arguments->len),
                      f->reduces ? "a reduction names its variables first: min(j, B(i,j))"
                                 : "docs/operators.md lists the functions");
    if (f->words && !s->integers)
        return refuse(f, d, f->loc, "is of the bits of integers, and these are values of bf16",
                      "use --dtype int16");
    switch (f->function) {
    case FE_FUNCTION_ONE:
        return fe_add_call(s, f->loc, f->operation, e, (sam_expr){0});
    case FE_FUNCTION_FOLD:
        for (uint32_t i = 1; i < arguments->len; i++)
            e = fe_add_call(s, f->loc, f->operation, e, a[i]);
        return e;
    case FE_FUNCTION_COMPOSED:
        return compose(s, f, a, d);
    case FE_FUNCTION_IFELSE: {
        sam_expr yes = fe_add_call(s, f->loc, SAM_OPERATION_when, a[0], a[1]);
        sam_expr no = fe_add_call(s, f->loc, SAM_OPERATION_unless, fe_copy_expr(s, a[0]), a[2]);
        if (s->exprs.len < FE_MAX_EXPRS)
            return fe_add_call(s, f->loc, SAM_OPERATION_or, yes, no);
        diag_error(d, f->loc, "E0118-too-large", "the expression has more than %d parts", FE_MAX_EXPRS);
        return (sam_expr){0};
    }
    case FE_FUNCTION_MASK:
        e = fe_add_call(s, f->loc, SAM_OPERATION_when, a[0], a[1]);
        sam_expr_at(s, e)->literal = FE_MASK;
        return e;
    case FE_FUNCTION_STRUCT:
        if (sam_expr_at(s, e)->kind == SAM_EXPR_ACCESS &&
            !sam_tensor_at(s, sam_expr_at(s, e)->tensor)->structure &&
            !sam_tensor_at(s, sam_expr_at(s, e)->tensor)->windowed)
            return structure_of(s, e, SAM_STORED);
        return refuse(f, d, sam_expr_at(s, e)->loc, "is of a tensor, not of an expression",
                      "where an expression has values depends on its operands: struct(m(i))");
    case FE_FUNCTION_COALESCE:
        break; /* its arguments are no expressions */
    }
    BUG("function %d", (int)f->function);
}
