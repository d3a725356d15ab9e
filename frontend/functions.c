/* functions.c - reads files of functions. A body is run on symbols: a variable holds an expression of the
 * parameters, and an `if` makes ifelse of what its two sides hold, so that a function is an expression in the
 * end and every engine can compute it. A body with loops becomes a program of steps instead, which the
 * reference and the simulator run (sam/program.c); its variables hold themselves.
 *
 *   file       := ("def" name "(" names ")" ":" region+ ["iteration_space" ":" space] ["properties" ":"
 * property*])* region     := [pattern "=" ">"] block         the pattern has a parameter or a number for each
 * parameter block      := "{" statement* "}" statement  := [type] name "=" terms ";" | "return" terms ";" |
 * "if" "(" terms ")" block ["else" (if | block)] | "while" "(" terms ")" block | "do" block "while" "(" terms
 * ")" ";" | "for" "(" [assignment] ";" [terms] ";" [assignment] ")" block      space      := "{" name "!="
 * number "}" joined by "|" and
 * "&", with "~" and parentheses property   := "commutative" | "associative" | "idempotent" | ("annihilator" |
 * "identity") "=" number ["of" name]
 */
#include "frontend/functions.h"

#include <ctype.h>
#include <stdlib.h>

#include "frontend/calls.h"
#include "frontend/described.h"
#include "frontend/functions.h"

enum { MAX_ALGEBRA = 256 }; /* characters of an iteration space in postfix */

typedef VEC(sam_expr) values; /* of the variable with handle - 1; 0: none yet */

typedef struct {
    fe_reader in;
    fe_user_function *f;
    diagnostics *d;
    uint32_t depth;
    sam_program *program; /* of the current body; NULL: the body is an expression */
} reader;

static bool refuse(const reader *r, src_loc loc, const char *what, const char *hint) {
    diag_error(r->d, loc, "E0158-function-file", "%s", what);
    diag_hint(r->d, "%s", hint);
    return false;
}

static bool expect_sign(reader *r, char sign) {
    if (fe_take_sign(&r->in, sign))
        return true;
    fe_expected(&r->in, arena_printf(r->d->mem, "'%c'", sign), r->d);
    return false;
}

static bool at_word(const reader *r, const char *word) {
    return fe_is_word(&r->in.token, word);
}

static bool take_word(reader *r, const char *word) {
    bool here = at_word(r, word);
    if (here)
        fe_advance(&r->in);
    return here;
}

/* ---- expressions of the parameters ------------------------------------------------------------- */

static sam_tensor find_parameter(const reader *r, const fe_token *t) {
    sam_tensor found = fe_find_tensor(&r->f->s, names_intern_n(r->f->s.names, t->at, t->length));
    return found.v <= r->f->parameters ? found : (sam_tensor){0};
}

/* A name without a value in the body; as written, since a slice renames the tensor. */
static sam_expr without_value(const reader *r, src_loc loc) {
    const char *at = r->in.text + loc.offset;
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_')
        n++;
    if (at[n] == '(')
        refuse(r, loc, arena_printf(r->d->mem, "there is no function '%.*s' here", (int)n, at),
               "a body calls functions that stand before it, not itself, and those of docs/operators.md; "
               "names in it have no indices");
    else
        refuse(r, loc, arena_printf(r->d->mem, "'%.*s' has no value here", (int)n, at),
               "a body computes with its parameters and with variables that were assigned before");
    return (sam_expr){0};
}

/* Substitutes the variables' values into a new expression, whose nodes are not shared. */
static sam_expr with_values(const reader *r, const values *held, sam_expr e) {
    sam_expr_data *x = sam_expr_at(&r->f->s, e);
    if (x->kind == SAM_EXPR_ACCESS) {
        const sam_tensor_data *t = sam_tensor_at(&r->f->s, x->tensor);
        uint32_t v = x->tensor.v;
        if (t->order || t->structure || v > held->len || !held->at[v - 1].v)
            return without_value(r, x->loc);
        return held->at[v - 1];
    }
    if (x->kind == SAM_EXPR_SUM) {
        refuse(r, x->loc, "a body is of scalars, and a sum is of a tensor",
               "give the function the sum: f(sum(j, B(i,j)))");
        return (sam_expr){0};
    }
    if (x->a.v && !(x->a = with_values(r, held, x->a)).v)
        return (sam_expr){0};
    if (x->b.v && !(x->b = with_values(r, held, x->b)).v)
        return (sam_expr){0};
    return e;
}

static sam_expr read_terms(reader *r, const values *held) {
    sam_expr e = fe_parse_terms(&r->in, &r->f->s, r->d);
    return e.v ? with_values(r, held, e) : e;
}

static bool is_zero(const sam_statement *s, sam_expr e) {
    return sam_expr_at(s, e)->kind == SAM_EXPR_LITERAL && sam_expr_at(s, e)->literal == 0;
}

/* One of x and y is 0 for each value: the bitwise or is the other. */
static sam_expr choose(reader *r, src_loc loc, sam_expr condition, sam_expr x, sam_expr y) {
    sam_statement *s = &r->f->s;
    if (x.v == y.v)
        return x;
    sam_expr yes = is_zero(s, x) ? x : fe_add_call(s, loc, SAM_OPERATION_when, condition, x);
    sam_expr no = is_zero(s, y) ? y : fe_add_call(s, loc, SAM_OPERATION_unless, condition, y);
    return is_zero(s, y) ? yes : is_zero(s, x) ? no : fe_add_call(s, loc, SAM_OPERATION_or, yes, no);
}

/* ---- bodies ------------------------------------------------------------------------------------ */

static bool read_statements(reader *r, values *held, sam_expr *returned);

static bool read_block(reader *r, values *held, sam_expr *returned) {
    return expect_sign(r, '{') && read_statements(r, held, returned) && expect_sign(r, '}');
}

static values copy_values(const reader *r, const values *of) {
    values copy = {0};
    for (uint32_t i = 0; i < of->len; i++)
        vec_push(r->f->s.mem, &copy, of->at[i]);
    return copy;
}

/* A variable has a value after an `if` if both sides have one. A program's variables keep their values on
 * both. */
static void join_values(reader *r, src_loc loc, sam_expr condition, values *yes, const values *no) {
    for (uint32_t i = 0; i < yes->len; i++) {
        bool both = i < no->len && no->at[i].v && yes->at[i].v;
        bool kept = both && r->program;
        yes->at[i] = kept   ? yes->at[i]
                     : both ? choose(r, loc, condition, yes->at[i], no->at[i])
                            : (sam_expr){0};
    }
}

/* If one side returns, the following statements belong to the other side. */
static bool read_if(reader *r, values *held, sam_expr *returned) {
    src_loc loc = r->in.token.loc;
    fe_advance(&r->in);
    if (r->depth++ == FE_MAX_DEPTH / 2)
        return refuse(r, loc, "ifs are nested too deep", "write conditions with && and ||");
    if (!expect_sign(r, '('))
        return false;
    sam_expr condition = read_terms(r, held), yes = {0}, no = {0};
    values other = copy_values(r, held);
    if (!condition.v || !expect_sign(r, ')') || !read_block(r, held, &yes))
        return false;
    if (take_word(r, "else") && !(at_word(r, "if") ? read_if(r, &other, &no) : read_block(r, &other, &no)))
        return false;
    r->depth--;
    if (yes.v && !no.v) {
        *held = other;
        if (!read_statements(r, held, &no))
            return false;
    } else if (no.v && !yes.v) {
        if (!read_statements(r, held, &yes))
            return false;
    } else if (!yes.v) {
        join_values(r, loc, condition, held, &other);
        return true;
    }
    if (!yes.v || !no.v)
        return refuse(r, loc, "one side of this if returns, and the other comes to no return",
                      "let both return, or none and return afterwards");
    *returned = choose(r, loc, condition, yes, no);
    return true;
}

static sam_expr add_access(const reader *r, src_loc loc, sam_tensor t) {
    return fe_add_expr(&r->f->s, (sam_expr_data){.kind = SAM_EXPR_ACCESS, .loc = loc, .tensor = t});
}

static void add_step(const reader *r, uint32_t kind, sam_expr e, uint32_t to) {
    vec_push(r->f->s.mem, &r->program->steps, ((sam_program_step){e, to, kind}));
}

/* Ended by a semicolon, or by the parenthesis of a `for`. */
static bool read_assignment(reader *r, values *held, char end) {
    static const char *const types[] = {"int", "float", "double", "bool"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (at_word(r, types[i]) && fe_peek(&r->in) != '=') {
            fe_advance(&r->in);
            break;
        }
    }
    sam_statement *s = &r->f->s;
    if (r->in.token.kind != FE_NAME) {
        fe_expected(&r->in, "a variable, 'if' or 'return'", r->d);
        return false;
    }
    name_id name = names_intern_n(s->names, r->in.token.at, r->in.token.length);
    sam_tensor t = fe_find_tensor(s, name);
    src_loc loc = r->in.token.loc;
    if (!t.v && r->program && s->tensors.len == SAM_MAX_VARIABLES)
        return refuse(r, loc, "a function with loops has up to 63 variables", "use one for several things");
    if (!t.v) {
        vec_push(s->mem, &s->tensors, (sam_tensor_data){.name = name, .loc = r->in.token.loc});
        t.v = s->tensors.len;
    }
    fe_advance(&r->in);
    if (!expect_sign(r, '='))
        return false;
    sam_expr e = read_terms(r, held);
    if (!e.v || !expect_sign(r, end))
        return false;
    while (held->len < t.v)
        vec_push(s->mem, held, (sam_expr){0});
    held->at[t.v - 1] = r->program ? add_access(r, loc, t) : e;
    if (r->program)
        add_step(r, SAM_STEP_SET, e, t.v);
    return true;
}

static bool read_return(reader *r, const values *held, sam_expr *returned) {
    fe_advance(&r->in);
    *returned = read_terms(r, held);
    return returned->v && expect_sign(r, ';');
}

static bool read_statement(reader *r, values *held, sam_expr *returned) {
    if (at_word(r, "if"))
        return read_if(r, held, returned);
    return at_word(r, "return") ? read_return(r, held, returned) : read_assignment(r, held, ';');
}

/* Reads up to the closing brace of the block; *returned is 0 without a return before. */
static bool read_statements(reader *r, values *held, sam_expr *returned) {
    *returned = (sam_expr){0};
    while (!fe_at_sign(&r->in, '}')) {
        if (returned->v)
            return refuse(r, r->in.token.loc, "nothing comes here: all before it returns", "remove it");
        if (!read_statement(r, held, returned))
            return false;
    }
    return true;
}

/* ---- bodies with loops ------------------------------------------------------------------------- */

static bool at_loop(const reader *r) {
    return at_word(r, "while") || at_word(r, "for") || at_word(r, "do");
}

/* Whether the block at hand has a loop. */
static bool has_loop(const reader *r) {
    reader ahead = *r;
    uint32_t open = 0;
    do {
        if (at_loop(&ahead))
            return true;
        open += fe_at_sign(&ahead.in, '{') ? 1u : 0u;
        open -= open && fe_at_sign(&ahead.in, '}') ? 1u : 0u;
        fe_advance(&ahead.in);
    } while (open && ahead.in.token.kind != FE_END);
    return false;
}

static uint32_t next_step(const reader *r) {
    return r->program->steps.len;
}

/* Step `at` continues at the next step. */
static void lead_here(const reader *r, uint32_t at) {
    r->program->steps.at[at].to = next_step(r);
}

/* *ends: later steps are unreachable. */
static bool read_steps(reader *r, values *held, bool *ends);

static bool read_body(reader *r, values *held, bool *ends) {
    return expect_sign(r, '{') && read_steps(r, held, ends) && expect_sign(r, '}');
}

/* Reads the condition, and adds the step that skips the following steps. */
static bool read_condition(reader *r, const values *held) {
    if (!expect_sign(r, '('))
        return false;
    sam_expr e = read_terms(r, held);
    if (!e.v || !expect_sign(r, ')'))
        return false;
    add_step(r, SAM_STEP_UNLESS, e, 0);
    return true;
}

static bool read_branches(reader *r, values *held, bool *ends) {
    src_loc loc = r->in.token.loc;
    values other = copy_values(r, held);
    bool yes = false, no = false;
    fe_advance(&r->in);
    uint32_t over = next_step(r);
    if (!read_condition(r, held) || !read_body(r, held, &yes))
        return false;
    if (take_word(r, "else")) {
        uint32_t behind = next_step(r);
        add_step(r, SAM_STEP_GO, (sam_expr){0}, 0);
        lead_here(r, over);
        if (!(at_word(r, "if") ? read_branches(r, &other, &no) : read_body(r, &other, &no)))
            return false;
        over = behind;
    }
    lead_here(r, over);
    *ends = yes && no;
    if (yes)
        *held = other;
    else if (!no)
        join_values(r, loc, (sam_expr){0}, held, &other);
    return true;
}

/* A value assigned in a loop may be missing after the loop, since a loop may make no pass. */
static bool read_while(reader *r, values *held) {
    values inside = copy_values(r, held);
    bool ends;
    uint32_t start = next_step(r);
    fe_advance(&r->in);
    if (!read_condition(r, held) || !read_body(r, &inside, &ends))
        return false;
    add_step(r, SAM_STEP_GO, (sam_expr){0}, start);
    lead_here(r, start);
    return true;
}

static bool read_do(reader *r, values *held, bool *ends) {
    uint32_t start = next_step(r);
    fe_advance(&r->in);
    if (!read_body(r, held, ends))
        return false;
    if (!at_word(r, "while")) {
        fe_expected(&r->in, "'while'", r->d);
        return false;
    }
    fe_advance(&r->in);
    uint32_t over = next_step(r);
    if (!read_condition(r, held) || !expect_sign(r, ';'))
        return false;
    add_step(r, SAM_STEP_GO, (sam_expr){0}, start);
    lead_here(r, over);
    return true;
}

/* The last part of the head is written first and computed after the body. */
static bool read_for(reader *r, values *held) {
    fe_advance(&r->in);
    if (!expect_sign(r, '(') || !(fe_take_sign(&r->in, ';') || read_assignment(r, held, ';')))
        return false;
    uint32_t start = next_step(r);
    sam_expr goes_on = {0};
    bool ends;
    if (!fe_at_sign(&r->in, ';') && !(goes_on = read_terms(r, held)).v)
        return false;
    if (!expect_sign(r, ';'))
        return false;
    if (goes_on.v)
        add_step(r, SAM_STEP_UNLESS, goes_on, 0);
    values inside = copy_values(r, held);
    sam_program_step last = {0};
    if (!fe_take_sign(&r->in, ')')) {
        if (!read_assignment(r, held, ')'))
            return false;
        last = r->program->steps.at[--r->program->steps.len];
    }
    *held = copy_values(r, &inside);
    if (!read_body(r, &inside, &ends))
        return false;
    if (last.e.v)
        add_step(r, last.kind, last.e, last.to);
    add_step(r, SAM_STEP_GO, (sam_expr){0}, start);
    if (goes_on.v)
        lead_here(r, start);
    return true;
}

static bool read_step(reader *r, values *held, bool *ends) {
    if (at_word(r, "if"))
        return read_branches(r, held, ends);
    if (at_word(r, "while"))
        return read_while(r, held);
    if (at_word(r, "for"))
        return read_for(r, held);
    if (at_word(r, "do"))
        return read_do(r, held, ends);
    if (!at_word(r, "return"))
        return read_assignment(r, held, ';');
    sam_expr e;
    *ends = read_return(r, held, &e);
    if (*ends)
        add_step(r, SAM_STEP_RETURN, e, 0);
    return *ends;
}

static bool read_steps(reader *r, values *held, bool *ends) {
    *ends = false;
    if (r->depth++ == FE_MAX_DEPTH / 2)
        return refuse(r, r->in.token.loc, "blocks are nested too deep", "write conditions with && and ||");
    while (!fe_at_sign(&r->in, '}')) {
        if (*ends)
            return refuse(r, r->in.token.loc, "nothing comes here: all before it returns", "remove it");
        if (!read_step(r, held, ends))
            return false;
    }
    r->depth--;
    return true;
}

/* A parameter without a use would be lost, together with its tensor. */
static bool uses_parameters(const reader *r, uint32_t from) {
    uint32_t used = 0;
    for (uint32_t e = from; e < r->f->s.exprs.len; e++) {
        const sam_expr_data *x = &r->f->s.exprs.at[e];
        for (uint32_t side = 0; side < 2; side++) {
            sam_expr part = side ? x->b : x->a;
            if (part.v && sam_expr_at(&r->f->s, part)->kind == SAM_EXPR_ACCESS)
                used |= 1u << (sam_expr_at(&r->f->s, part)->tensor.v - 1);
        }
    }
    const sam_program *p = r->program;
    for (uint32_t i = 0; i < p->steps.len; i++) {
        if (p->steps.at[i].e.v && sam_expr_at(&r->f->s, p->steps.at[i].e)->kind == SAM_EXPR_ACCESS)
            used |= 1u << (sam_expr_at(&r->f->s, p->steps.at[i].e)->tensor.v - 1);
    }
    uint32_t all = (1u << r->f->parameters) - 1;
    return (used & all) == all;
}

/* Reads a body with loops; the value is a call of the new program. */
static bool read_program(reader *r, values *held, src_loc loc, sam_expr *value) {
    sam_statement *s = &r->f->s;
    if (r->f->parameters > 2) {
        diag_error(r->d, loc, "E0160-loop", "a function with loops has one or two parameters, not %u",
                   r->f->parameters);
        diag_hint(r->d, "the loops may stand in a function of two, which this one applies");
        return false;
    }
    bool ends;
    uint32_t from = s->exprs.len;
    sam_program *p = arena_new(s->mem, sam_program);
    *p = (sam_program){.name = r->f->name, .loc = r->f->loc, .parameters = r->f->parameters};
    p->of = (sam_operator){.fp = !s->integers, .program = p};
    r->program = p;
    bool ok = read_body(r, held, &ends);
    if (ok && !ends)
        ok = refuse(r, loc, "the body can end without a return", "end it by return");
    if (ok && !uses_parameters(r, from))
        ok = refuse(r, loc, "the value does not depend on every parameter", "remove those it ignores");
    r->program = NULL;
    p->s = *s;
    *value = fe_add_call(s, loc, SAM_OPERATION_program, add_access(r, loc, (sam_tensor){1}),
                         p->parameters == 2 ? add_access(r, loc, (sam_tensor){2}) : (sam_expr){0});
    sam_expr_at(s, *value)->program = p;
    return ok;
}

/* ---- numbers, regions, properties -------------------------------------------------------------- */

static bool read_word(reader *r, uint16_t *word) {
    src_loc loc = r->in.token.loc;
    const char *sign = fe_take_sign(&r->in, '-') ? "-" : "";
    const fe_token t = r->in.token;
    const bool infinite = fe_is_word(&t, "inf");
    const char *text = infinite && r->f->s.integers
                           ? (*sign ? "-32768" : "32767")
                           : arena_printf(r->d->mem, "%s%.*s", sign, (int)t.length, t.at);
    if ((t.kind == FE_NUMBER || infinite) && sam_parse_constant(text, !r->f->s.integers, word)) {
        fe_advance(&r->in);
        return true;
    }
    return refuse(r, loc, "expected a value of the data type", "a number, inf or -inf");
}

/* Reads the parameters given as numbers in a region, with the numbers; bit 31 of *given: names in another
 * order, which is invalid. */
static bool read_pattern(reader *r, uint32_t *given, uint16_t *word) {
    for (uint32_t p = 0; p < r->f->parameters; p++) {
        if (p && !expect_sign(r, ','))
            return false;
        if (r->in.token.kind != FE_NAME) {
            *given |= 1u << p;
            if (!read_word(r, &word[p]))
                return false;
            continue;
        }
        if (find_parameter(r, &r->in.token).v != p + 1)
            return refuse(r, r->in.token.loc,
                          "a region names each parameter at its place, or has a number there",
                          "def f(x,y): x,0 => { ... } x,y => { ... }");
        fe_advance(&r->in);
    }
    return expect_sign(r, '=') && expect_sign(r, '>');
}

typedef struct {
    src_loc loc;
    uint32_t given;
    uint16_t word[FE_MAX_PARAMETERS];
    sam_expr value;
} region;

static bool read_region(reader *r, region *out) {
    values held = {0};
    *out = (region){.loc = r->in.token.loc};
    if (!fe_at_sign(&r->in, '{') && !read_pattern(r, &out->given, out->word))
        return false;
    for (uint32_t p = 1; p <= r->f->parameters; p++)
        vec_push(r->f->s.mem, &held, add_access(r, out->loc, (sam_tensor){p}));
    if (fe_at_sign(&r->in, '{') && has_loop(r))
        return read_program(r, &held, out->loc, &out->value);
    if (!read_block(r, &held, &out->value))
        return false;
    return out->value.v || refuse(r, out->loc, "the body returns nothing", "end it by return");
}

static bool at_region(const reader *r) {
    return fe_at_sign(&r->in, '{') || fe_at_sign(&r->in, '-') || r->in.token.kind == FE_NUMBER ||
           (r->in.token.kind == FE_NAME && find_parameter(r, &r->in.token).v);
}

static bool ends(const reader *r, sam_expr value) {
    const sam_program *p = sam_expr_at(&r->f->s, value)->program;
    return !p || sam_program_ended(p, r->d);
}

/* The region without numbers defines the function; the others must agree with it. */
static bool read_regions(reader *r) {
    VEC(region) all = {0};
    const region *general = NULL;
    while (at_region(r)) {
        region one;
        if (!read_region(r, &one))
            return false;
        vec_push(r->d->mem, &all, one);
    }
    for (uint32_t i = 0; i < all.len; i++)
        general = all.at[i].given ? general : &all.at[i];
    if (!general)
        return refuse(r, r->f->loc, "the function has no region for all values", "add x,y => { ... }");
    if (all.len > 1 && r->f->s.integers && !fe_check_literals(&r->f->s, 0, r->d))
        return false; /* the comparison computes with these literals */
    for (uint32_t i = 0; i < all.len; i++) {
        fe_user_function one = *r->f;
        uint16_t argument[FE_MAX_PARAMETERS];
        one.value = all.at[i].value;
        r->f->value = general->value;
        for (uint32_t n = 0; &all.at[i] != general && n < 4096; n++) {
            for (uint32_t p = 0; p < r->f->parameters; p++)
                argument[p] =
                    all.at[i].given >> p & 1 ? all.at[i].word[p] : (uint16_t)(n * (16 * p + 1) * 40503u >> 4);
            bool same = fe_compute(&one, argument) == fe_compute(r->f, argument);
            if (!ends(r, one.value) || !ends(r, r->f->value))
                return false;
            if (!same)
                return refuse(r, all.at[i].loc, "this region has another value than the region of all values",
                              "a region is the same function where some parameters are numbers");
        }
    }
    r->f->value = general->value;
    return true;
}

static bool read_space(reader *r, fe_property *p, char sign, uint64_t *out);

/* Bit a of the result is bit `at` of a. */
static uint64_t where_it_differs(uint32_t at) {
    uint64_t set = 0;
    for (uint32_t a = 0; a < 64; a++)
        set |= (uint64_t)(a >> at & 1) << a;
    return set;
}

static void append(const reader *r, fe_property *p, char term) {
    p->algebra = arena_printf(r->f->s.mem, "%s%c", p->algebra, term);
}

static bool read_space_term(reader *r, fe_property *p, uint64_t *out) {
    if (fe_take_sign(&r->in, '~')) {
        bool ok = r->depth++ < FE_MAX_DEPTH && read_space_term(r, p, out);
        r->depth--;
        *out = ~*out;
        append(r, p, '~');
        return ok;
    }
    if (strlen(p->algebra) > MAX_ALGEBRA)
        return refuse(r, r->in.token.loc, "the iteration space has too many sets",
                      "unite and meet each set once");
    if (take_word(r, "everywhere")) {
        *out = UINT64_MAX;
        append(r, p, '*');
        return true;
    }
    if (fe_take_sign(&r->in, '(')) {
        bool ok = r->depth++ < FE_MAX_DEPTH && read_space(r, p, '|', out) && expect_sign(r, ')');
        r->depth--;
        return ok;
    }
    if (!expect_sign(r, '{'))
        return false;
    sam_tensor t = r->in.token.kind == FE_NAME ? find_parameter(r, &r->in.token) : (sam_tensor){0};
    src_loc loc = r->in.token.loc;
    uint16_t word;
    if (!t.v)
        return refuse(r, loc, "expected a parameter", "{x != 0}");
    fe_advance(&r->in);
    if (!fe_take_sign(&r->in, FE_NE)) {
        fe_expected(&r->in, "'!='", r->d);
        return false;
    }
    if (!read_word(r, &word) || !expect_sign(r, '}'))
        return false;
    if (p->at >> (t.v - 1) & 1 && p->tested[t.v - 1] != word)
        return refuse(r, loc, "a parameter is tested for two values", "an algebra has one fill for each");
    p->at |= 1u << (t.v - 1);
    p->tested[t.v - 1] = word;
    *out = where_it_differs(t.v - 1);
    append(r, p, (char)('0' + t.v - 1));
    return true;
}

/* Reads the operands of '|', each a chain of '&'. */
static bool read_space(reader *r, fe_property *p, char sign, uint64_t *out) {
    uint64_t other;
    bool outer = sign == '|';
    if (!(outer ? read_space(r, p, '&', out) : read_space_term(r, p, out)))
        return false;
    while (fe_take_sign(&r->in, sign)) {
        if (!(outer ? read_space(r, p, '&', &other) : read_space_term(r, p, &other)))
            return false;
        *out = outer ? *out | other : *out & other;
        append(r, p, sign);
    }
    return true;
}

static bool read_special(reader *r, fe_property *p) {
    if (!expect_sign(r, '=') || !read_word(r, &p->value))
        return false;
    if (!take_word(r, "of"))
        return true;
    sam_tensor t = r->in.token.kind == FE_NAME ? find_parameter(r, &r->in.token) : (sam_tensor){0};
    if (!t.v)
        return refuse(r, r->in.token.loc, "expected a parameter", "annihilator=0 of x");
    p->at = 1u << (t.v - 1);
    fe_advance(&r->in);
    return true;
}

static bool read_property(reader *r) {
    static const char *const words[] = {"commutative", "associative", "idempotent", "annihilator",
                                        "identity"};
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++) {
        fe_property p = {
            .kind = FE_COMMUTATIVE + i, .loc = r->in.token.loc, .at = (1u << r->f->parameters) - 1};
        if (!take_word(r, words[i]))
            continue;
        if (p.kind >= FE_ANNIHILATOR && !read_special(r, &p))
            return false;
        return fe_check_property(r->f, &p, r->d);
    }
    fe_expected(&r->in, "commutative, associative, idempotent, annihilator=, identity= or the next def",
                r->d);
    return false;
}

static bool read_claims(reader *r) {
    while (at_word(r, "iteration_space") || at_word(r, "properties")) {
        bool space = at_word(r, "iteration_space");
        fe_property p = {.kind = FE_SPACE, .loc = r->in.token.loc, .algebra = ""};
        fe_advance(&r->in);
        if (!expect_sign(r, ':'))
            return false;
        if (space && !(read_space(r, &p, '|', &p.space) && fe_check_property(r->f, &p, r->d)))
            return false;
        while (!space && r->in.token.kind != FE_END && !at_word(r, "def") && !at_word(r, "iteration_space")) {
            if (!read_property(r))
                return false;
        }
    }
    return true;
}

/* Restrictions by the properties become parts of the value, and the claim then refers to this value. */
static void make_claim(reader *r) {
    fe_user_function *f = r->f;
    for (uint32_t p = 0; p < f->parameters; p++) {
        if (f->narrowed >> p & 1)
            f->value = fe_add_call(&f->s, f->loc, SAM_OPERATION_when,
                                   add_access(r, f->loc, (sam_tensor){p + 1}), f->value);
    }
    const sam_operator *says = &f->says;
    if (!says->algebra && !says->idempotent && !says->annihilator.given && !says->identity.given)
        return;
    sam_claim *claim = arena_new(f->s.mem, sam_claim);
    *claim = (sam_claim){f->s, f->value, f->parameters, *says};
    f->claim = claim;
}

/* ---- files ------------------------------------------------------------------------------------- */

static bool read_parameters(reader *r) {
    sam_statement *s = &r->f->s;
    do {
        fe_token t = r->in.token;
        if (t.kind != FE_NAME) {
            fe_expected(&r->in, "a parameter", r->d);
            return false;
        }
        name_id name = names_intern_n(s->names, t.at, t.length);
        if (fe_find_tensor(s, name).v || s->tensors.len == FE_MAX_PARAMETERS)
            return refuse(r, t.loc, "a function has up to six parameters, each once", "name another one");
        vec_push(s->mem, &s->tensors, (sam_tensor_data){.name = name, .loc = t.loc});
        fe_advance(&r->in);
    } while (fe_take_sign(&r->in, ','));
    r->f->parameters = s->tensors.len;
    vec_push(s->mem, &s->tensors,
             (sam_tensor_data){.name = names_intern(s->names, arena_printf(s->mem, "%s()", r->f->name)),
                               .loc = r->f->loc});
    s->result.v = s->tensors.len;
    return true;
}

/* A function that ignores an argument would lose the argument's tensor. */
static bool check_size(reader *r) {
    const sam_statement *s = &r->f->s;
    uint32_t *size = arena_new_n(r->d->mem, uint32_t, s->exprs.len + 1);
    uint64_t *uses = arena_new_n(r->d->mem, uint64_t, s->exprs.len + 1);
    for (uint32_t e = 1; e <= s->exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        /* With substituted variables, parts may come after the expressions around them: these are counted
         * below. */
        if (x->kind == SAM_EXPR_ACCESS && x->tensor.v <= r->f->parameters)
            uses[e] = 1u << (x->tensor.v - 1);
        size[e] = 1;
    }
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t e = 1; e <= s->exprs.len; e++) {
            const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
            uint64_t sum = 1 + (uint64_t)size[x->a.v] + size[x->b.v],
                     all = uses[e] | uses[x->a.v] | uses[x->b.v];
            sum = sum > FE_MAX_EXPRS ? FE_MAX_EXPRS : sum;
            changed = changed || sum != size[e] || all != uses[e];
            size[e] = (uint32_t)sum;
            uses[e] = all;
        }
    }
    if (size[r->f->value.v] >= FE_MAX_EXPRS)
        return refuse(r, r->f->loc, "the function has too many parts once its variables are put in",
                      "use a variable less often, or two functions and a tensor between them");
    if (uses[r->f->value.v] != (1u << r->f->parameters) - 1)
        return refuse(r, r->f->loc, "the value does not depend on every parameter",
                      "remove those it ignores");
    return true;
}

static bool read_function(reader *r, const fe_functions *known) {
    if (!take_word(r, "def") || r->in.token.kind != FE_NAME) {
        fe_expected(&r->in, "def name(x,y):", r->d);
        return false;
    }
    fe_token t = r->in.token;
    r->f->name = arena_strndup(r->f->s.mem, t.at, t.length);
    r->f->loc = t.loc;
    if (fe_is_defined(known, r->f->name))
        return refuse(r, t.loc, arena_printf(r->d->mem, "there is a '%s' already", r->f->name),
                      "choose another name");
    fe_advance(&r->in);
    if (!expect_sign(r, '(') || !read_parameters(r) || !expect_sign(r, ')') || !expect_sign(r, ':') ||
        !read_regions(r) || !check_size(r) || !read_claims(r))
        return false;
    make_claim(r);
    return true;
}

/* Replaces comments by blanks, and typographic signs by keyboard signs, of equal length.
 */
static char *typed(const char *text, size_t length, arena *mem) {
    static const char *const signs[][2] = {
        {"\xe2\x89\xa0", "!= "}, {"\xe2\x88\xaa", "|  "}, {"\xe2\x88\xa9", "&  "}, {"\xc2\xac", "~ "}};
    char *out = arena_strndup(mem, text, length);
    bool comment = false;
    for (size_t i = 0; i < length; i++) {
        comment = out[i] != '\n' && (comment || out[i] == '#');
        if (comment)
            out[i] = ' ';
        for (size_t n = 0; n < sizeof signs / sizeof *signs; n++) {
            if (strncmp(out + i, signs[n][0], strlen(signs[n][0])) == 0)
                memcpy(out + i, signs[n][1], strlen(signs[n][1]));
        }
    }
    return out;
}

bool fe_read_functions(const fe_function_file *file, bool integers, name_table *names, arena *mem,
                       diagnostics *d, fe_functions **all) {
    if (!*all)
        *all = arena_new(mem, fe_functions);
    reader r = {.d = d};
    r.in = (fe_reader){.source = diag_add_source(d, file->name, file->text, file->length),
                       .text = typed(file->text, file->length, mem),
                       .length = file->length,
                       .underscores = true,
                       .functions = *all};
    fe_advance(&r.in);
    while (r.in.token.kind != FE_END) {
        fe_user_function f = {.s = {.mem = mem, .names = names, .integers = integers}};
        r.f = &f;
        r.depth = 0;
        if (!read_function(&r, *all))
            return false;
        vec_push(mem, &(*all)->all, f);
    }
    return true;
}
