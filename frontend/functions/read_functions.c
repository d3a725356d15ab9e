/* read_functions.c - reads files of functions. A body is run on symbols: a variable holds an expression of
 * the parameters, and an `if` makes ifelse of what its two sides hold, so that a function is an expression in
 * the end and every engine can compute it. A body with loops becomes a program of steps instead, which the
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
#include "frontend/functions/read_functions.h"
#include "frontend/functions/function_bodies.h"
#include "frontend/language/calls.h"
#include "frontend/language/check.h"
#include "frontend/language/statement.h"

enum { FE_MAX_ALGEBRA = 256 }; /* characters of an iteration space in postfix */

/* ---- numbers, regions, properties -------------------------------------------------------------- */

static bool read_word(fe_function_reader *r, uint16_t *word) {
    src_loc loc = r->in.token.loc;
    const char *sign = fe_take_sign(&r->in, '-') ? "-" : "";
    const fe_token t = r->in.token;
    const bool infinite = fe_is_word(&t, "inf");
    const char *text = infinite && r->f->s.integers
                           ? (*sign ? "-32768" : "32767")
                           : arena_printf(r->d->mem, "%s%.*s", sign, (int)t.length, t.at);
    if ((t.kind == FE_NUMBER || infinite) && sam_parse_constant(text, !r->f->s.integers, word))
        return fe_advance(&r->in);
    return fe_refuse_function(r, loc, "expected a value of the data type", "a number, inf or -inf");
}

/* Reads the parameters given as numbers in a region, with the numbers; bit 31 of *given: names in another
 * order, which is invalid. */
static bool read_pattern(fe_function_reader *r, uint32_t *given, uint16_t *word) {
    for (uint32_t p = 0; p < r->f->parameters; p++) {
        if (p && !fe_expect_sign(r, ','))
            return false;
        if (r->in.token.kind != FE_NAME) {
            *given |= 1u << p;
            if (!read_word(r, &word[p]))
                return false;
            continue;
        }
        if (fe_find_parameter(r, &r->in.token).v != p + 1)
            return fe_refuse_function(r, r->in.token.loc,
                                      "a region names each parameter at its place, or has a number there",
                                      "def f(x,y): x,0 => { ... } x,y => { ... }");
        fe_advance(&r->in);
    }
    return fe_expect_sign(r, '=') && fe_expect_sign(r, '>');
}

typedef struct {
    src_loc loc;
    uint32_t given;
    uint16_t word[FE_MAX_PARAMETERS];
    sam_expr value;
} region;
typedef VEC(region) regions;

static bool read_region(fe_function_reader *r, region *out) {
    fe_values values = {0};
    *out = (region){.loc = r->in.token.loc};
    if (!fe_at_sign(&r->in, '{') && !read_pattern(r, &out->given, out->word))
        return false;
    for (uint32_t p = 1; p <= r->f->parameters; p++)
        vec_push(r->f->s.mem, &values, fe_add_parameter(r, out->loc, (sam_tensor){p}));
    if (fe_at_sign(&r->in, '{') && fe_has_loop(r))
        return fe_read_program(r, &values, out->loc, &out->value);
    return fe_read_block(r, &values, &out->value) &&
           (out->value.v || fe_refuse_function(r, out->loc, "the body returns nothing", "end it by return"));
}

static bool at_region(const fe_function_reader *r) {
    return fe_at_sign(&r->in, '{') || fe_at_sign(&r->in, '-') || r->in.token.kind == FE_NUMBER ||
           (r->in.token.kind == FE_NAME && fe_find_parameter(r, &r->in.token).v);
}

static bool ends(const fe_function_reader *r, sam_expr value) {
    const sam_program *p = sam_expr_at(&r->f->s, value)->program;
    return !p || sam_program_ended(p, r->d);
}

/* Takes the regions where one parameter is 0 apart from a function with loops: the function is the program
 * where none of these is 0, or the definition of a region. Where two regions meet, both have the same value.
 */
static void split_regions(fe_function_reader *r, const regions *all) {
    sam_statement *s = &r->f->s;
    const sam_program *program = sam_expr_at(s, r->f->value)->program;
    uint32_t given = 0;
    sam_expr apart = {0};
    for (uint32_t i = 0; program && i < all->len; i++) {
        const region *one = &all->at[i];
        const uint32_t p = one->given ? (uint32_t)__builtin_ctz(one->given) : 0;
        if (one->given != 1u << p || one->word[p] || sam_expr_at(s, one->value)->program || given >> p & 1)
            continue;
        given |= 1u << p;
        const sam_expr guarded = fe_add_call(s, one->loc, SAM_OPERATION_unless,
                                             fe_add_parameter(r, one->loc, (sam_tensor){p + 1}), one->value);
        apart = apart.v ? fe_add_call(s, one->loc, SAM_OPERATION_or, apart, guarded) : guarded;
    }
    if (given && program->parameters == 2)
        r->f->apart = fe_add_call(s, r->f->loc, SAM_OPERATION_or, fe_guard_program(r, program, given), apart);
}

/* The region without numbers defines the function; the others must agree with it. */
static bool read_regions(fe_function_reader *r) {
    regions all = {0};
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
        return fe_refuse_function(r, r->f->loc, "the function has no region for all values",
                                  "add x,y => { ... }");
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
                return fe_refuse_function(r, all.at[i].loc,
                                          "this region has another value than the region of all values",
                                          "a region is the same function where some parameters are numbers");
        }
    }
    r->f->value = general->value;
    split_regions(r, &all);
    return true;
}

static bool read_space(fe_function_reader *r, fe_property *p, char sign, uint64_t *out);

/* Bit a of the result is bit `at` of a. */
static uint64_t where_it_differs(uint32_t at) {
    uint64_t set = 0;
    for (uint32_t a = 0; a < 64; a++)
        set |= (uint64_t)(a >> at & 1) << a;
    return set;
}

static void append(const fe_function_reader *r, fe_property *p, char term) {
    p->algebra = arena_printf(r->f->s.mem, "%s%c", p->algebra, term);
}

static bool read_space_term(fe_function_reader *r, fe_property *p, uint64_t *out) {
    if (fe_take_sign(&r->in, '~')) {
        bool ok = r->depth++ < FE_MAX_DEPTH && read_space_term(r, p, out);
        r->depth--;
        *out = ~*out;
        append(r, p, '~');
        return ok;
    }
    if (strlen(p->algebra) > FE_MAX_ALGEBRA)
        return fe_refuse_function(r, r->in.token.loc, "the iteration space has too many sets",
                                  "unite and meet each set once");
    if (fe_take_word(r, "everywhere")) {
        *out = UINT64_MAX;
        append(r, p, '*');
        return true;
    }
    if (fe_take_sign(&r->in, '(')) {
        bool ok = r->depth++ < FE_MAX_DEPTH && read_space(r, p, '|', out) && fe_expect_sign(r, ')');
        r->depth--;
        return ok;
    }
    if (!fe_expect_sign(r, '{'))
        return false;
    sam_tensor t = r->in.token.kind == FE_NAME ? fe_find_parameter(r, &r->in.token) : (sam_tensor){0};
    src_loc loc = r->in.token.loc;
    uint16_t word;
    if (!t.v)
        return fe_refuse_function(r, loc, "expected a parameter", "{x != 0}");
    fe_advance(&r->in);
    if (!fe_take_sign(&r->in, FE_NE))
        return fe_expected(&r->in, "'!='", r->d);
    if (!read_word(r, &word) || !fe_expect_sign(r, '}'))
        return false;
    if (p->at >> (t.v - 1) & 1 && p->tested[t.v - 1] != word)
        return fe_refuse_function(r, loc, "a parameter is tested for two values",
                                  "an algebra has one fill for each");
    p->at |= 1u << (t.v - 1);
    p->tested[t.v - 1] = word;
    *out = where_it_differs(t.v - 1);
    append(r, p, (char)('0' + t.v - 1));
    return true;
}

/* Reads the operands of '|', each a chain of '&'. */
static bool read_space(fe_function_reader *r, fe_property *p, char sign, uint64_t *out) {
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

static bool read_special(fe_function_reader *r, fe_property *p) {
    if (!fe_expect_sign(r, '=') || !read_word(r, &p->value))
        return false;
    if (!fe_take_word(r, "of"))
        return true;
    sam_tensor t = r->in.token.kind == FE_NAME ? fe_find_parameter(r, &r->in.token) : (sam_tensor){0};
    if (!t.v)
        return fe_refuse_function(r, r->in.token.loc, "expected a parameter", "annihilator=0 of x");
    p->at = 1u << (t.v - 1);
    return fe_advance(&r->in);
}

static bool read_property(fe_function_reader *r) {
    static const char *const words[] = {"commutative", "associative", "idempotent", "annihilator",
                                        "identity"};
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++) {
        fe_property p = {
            .kind = FE_COMMUTATIVE + i, .loc = r->in.token.loc, .at = (1u << r->f->parameters) - 1};
        if (!fe_take_word(r, words[i]))
            continue;
        if (p.kind >= FE_ANNIHILATOR && !read_special(r, &p))
            return false;
        return fe_check_property(r->f, &p, r->d);
    }
    return fe_expected(&r->in,
                       "commutative, associative, idempotent, annihilator=, identity= or the next def", r->d);
}

static bool read_claims(fe_function_reader *r) {
    while (fe_at_word(r, "iteration_space") || fe_at_word(r, "properties")) {
        bool space = fe_at_word(r, "iteration_space");
        fe_property p = {.kind = FE_SPACE, .loc = r->in.token.loc, .algebra = ""};
        fe_advance(&r->in);
        if (!fe_expect_sign(r, ':'))
            return false;
        if (space && !(read_space(r, &p, '|', &p.space) && fe_check_property(r->f, &p, r->d)))
            return false;
        while (!space && r->in.token.kind != FE_END && !fe_at_word(r, "def") &&
               !fe_at_word(r, "iteration_space")) {
            if (!read_property(r))
                return false;
        }
    }
    return true;
}

/* Restrictions by the properties become subexpressions of the value, and the claim then refers to this value.
 */
static void make_claim(fe_function_reader *r) {
    fe_user_function *f = r->f;
    if (f->narrowed) /* regions of 0 say nothing of the narrowed value */
        f->apart = (sam_expr){0};
    for (uint32_t p = 0; p < f->parameters; p++) {
        if (f->narrowed >> p & 1)
            f->value = fe_add_call(&f->s, f->loc, SAM_OPERATION_when,
                                   fe_add_parameter(r, f->loc, (sam_tensor){p + 1}), f->value);
    }
    const sam_operator *says = &f->says;
    if (!says->algebra && !says->idempotent && !says->annihilator.given && !says->identity.given)
        return;
    sam_claim *claim = arena_new_n(f->s.mem, sam_claim, 2);
    claim[0] = (sam_claim){f->s, f->value, f->parameters, *says};
    claim[1] = (sam_claim){f->s, f->apart, f->parameters, *says};
    f->claim = claim;
    f->claim_apart = &claim[1];
}

/* ---- files ------------------------------------------------------------------------------------- */

static bool read_parameters(fe_function_reader *r) {
    sam_statement *s = &r->f->s;
    do {
        fe_token t = r->in.token;
        if (t.kind != FE_NAME)
            return fe_expected(&r->in, "a parameter", r->d);
        name_id name = names_intern_n(s->names, t.at, t.length);
        if (fe_find_tensor(s, name).v || s->tensors.len == FE_MAX_PARAMETERS)
            return fe_refuse_function(r, t.loc, "a function has up to six parameters, each once",
                                      "name another one");
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

/* Bounds the size of the value, and makes the value reach the arguments that it ignores. */
static bool finish_value(fe_function_reader *r) {
    const sam_statement *s = &r->f->s;
    uint32_t *size = arena_new_n(r->d->mem, uint32_t, s->exprs.len + 1);
    uint64_t *uses = arena_new_n(r->d->mem, uint64_t, s->exprs.len + 1);
    for (uint32_t e = 1; e <= s->exprs.len; e++) {
        const sam_expr_data *x = sam_expr_at(s, (sam_expr){e});
        /* With substituted variables, subexpressions may come after the expressions around them: these are
         * counted below. */
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
        return fe_refuse_function(r, r->f->loc,
                                  "the function has too many parts once its variables are put in",
                                  "use a variable less often, or two functions and a tensor between them");
    const uint64_t used = uses[r->f->value.v];
    for (uint32_t p = 0; p < r->f->parameters; p++) {
        if (!(used >> p & 1))
            r->f->value = fe_add_call(&r->f->s, r->f->loc, SAM_OPERATION_reach, r->f->value,
                                      fe_add_parameter(r, r->f->loc, (sam_tensor){p + 1}));
    }
    return true;
}

static bool read_function(fe_function_reader *r, const fe_functions *known) {
    if (!fe_take_word(r, "def") || r->in.token.kind != FE_NAME)
        return fe_expected(&r->in, "def name(x,y):", r->d);
    fe_token t = r->in.token;
    r->f->name = arena_strndup(r->f->s.mem, t.at, t.length);
    r->f->loc = t.loc;
    if (fe_is_defined(known, r->f->name))
        return fe_refuse_function(r, t.loc, arena_printf(r->d->mem, "there is a '%s' already", r->f->name),
                                  "choose another name");
    fe_advance(&r->in);
    if (!fe_expect_sign(r, '(') || !read_parameters(r) || !fe_expect_sign(r, ')') ||
        !fe_expect_sign(r, ':') || !read_regions(r) || !finish_value(r) || !read_claims(r))
        return false;
    make_claim(r);
    return true;
}

/* Replaces comments by blanks, and typographic signs by keyboard signs, of equal length. */
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
    fe_function_reader r = {.d = d};
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
