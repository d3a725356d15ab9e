/* apply.c - functions of the user's found by name, and put into expressions. */
#include "frontend/language/calls.h"
#include "frontend/language/statement.h"
#include "frontend/language/tables.h"
#include "frontend/language/words.h"

#include <ctype.h>

const fe_user_function *fe_function_named(const fe_functions *all, const char *name) {
    for (uint32_t i = 0; all && i < all->all.len; i++) {
        if (strcmp(all->all.at[i].name, name) == 0)
            return &all->all.at[i];
    }
    return NULL;
}

bool fe_is_defined(const fe_functions *all, const char *name) {
    return fe_function_named(all, name) || fe_is_function(name) || fe_is_keyword(name);
}

const fe_user_function *fe_take_function(fe_reader *in) {
    const fe_functions *of = in->functions;
    for (uint32_t i = 0; of && in->token.kind == FE_NAME && i < of->all.len; i++) {
        const fe_user_function *f = &of->all.at[i];
        size_t length = strlen(f->name), start = (size_t)(in->token.at - in->text), after = start + length;
        const bool of_tensors = f->described && f->described->array;
        if (of_tensors || after > in->length || memcmp(in->token.at, f->name, length) != 0)
            continue;
        while (after < in->length && strchr(" \t\r\n", in->text[after]))
            after++;
        if (after == in->length || in->text[after] != '(' ||
            (fe_is_gather(f) && !fe_is_call(in->text, in->length, after, false)))
            continue;
        in->pos = start + length;
        in->token.length = length;
        in->token.loc = src_at(in->source, start, length);
        return f;
    }
    return NULL;
}

/* Returns the end of a name that begins at `at`. */
static size_t name_end(const fe_reader *in, size_t at) {
    while (at < in->length && text_in_name(in->text[at]))
        at++;
    return at;
}

static size_t skip_blanks(const fe_reader *in, size_t at) {
    while (at < in->length && strchr(" \t\r\n", in->text[at]))
        at++;
    return at;
}

/* Returns whether the text before the parentheses at text[open], from text[from] on, can be an operand: the
 * beginning of a name, and no word of indices. */
static bool is_applied(const char *text, size_t from, size_t open) {
    static const char permit[] = "permit";
    size_t end = open, start;
    while (end > from && strchr(" \t\r\n", text[end - 1]))
        end--;
    for (start = end; start > from && text_in_name(text[start - 1]); start--)
        ;
    size_t before = start;
    while (before > from && strchr(" \t\r\n", text[before - 1]))
        before--;
    if (start == end || !isalpha((unsigned char)text[start]) ||
        (end - start == strlen(permit) && memcmp(text + start, permit, end - start) == 0))
        return false;
    return before == from || (!text_in_name(text[before - 1]) && text[before - 1] != ')');
}

bool fe_is_call(const char *text, size_t length, size_t open, bool numbers) {
    int depth = 1;
    for (size_t at = open + 1; at < length && depth; at++) {
        depth += (text[at] == '(') - (text[at] == ')');
        const size_t inside = at + 1 + strcspn(text + at + 1, "(:)"),
                     number = at + 1 + strspn(text + at + 1, " \t\r\n0123456789");
        if (text[at] == '(' && is_applied(text, open + 1, at) && (inside >= length || text[inside] != ':') &&
            (numbers || number < inside))
            return true;
    }
    return false;
}

/* Returns the function that a name may stand for: one that ends so, "m3_gcd" of "gcd", or differs by a slip,
 * or by two if the name is long; NULL: none. */
static const char *meant_function(const fe_functions *all, const char *name, arena *mem) {
    uint32_t distance = strlen(name) > 4 ? TEXT_TOO_FAR : TEXT_TOO_FAR - 1;
    const char *ends = arena_printf(mem, "_%s", name), *nearest = fe_nearest_function(name, &distance);
    for (uint32_t i = 0; all && i < all->all.len; i++) {
        const char *known = all->all.at[i].name;
        if (text_ends_with(known, ends))
            return known;
        if (text_nearer(name, strlen(name), known, &distance))
            nearest = known;
    }
    return nearest;
}

static void refuse_function(const fe_reader *in, size_t start, size_t end, diagnostics *d) {
    const char *name = arena_strndup(d->mem, in->text + start, end - start);
    const fe_user_function *f = fe_function_named(in->functions, name);
    const char *meant;
    diag_error(d, src_at(in->source, start, end - start), "E0152-function",
               f ? "'%s' is of whole tensors, and no expression names it" : "there is no function '%s'",
               name);
    if (f)
        diag_hint(d, "a schedule binds a part to it: -s \"bind(e, %s)\"", name);
    else if ((meant = meant_function(in->functions, name, d->mem)))
        diag_hint(d, "there is '%s'; 'onyx functions' lists those that ship", meant);
    else
        diag_hint(d,
                  "--functions FILE has yours; 'onyx functions' lists those that ship, "
                  "and docs/operators.md has those of the language; a slice has a colon: i(0:7:2); "
                  "a vector is gathered from with -i %s:FILE",
                  name);
}

bool fe_check_is_tensor(const fe_reader *in, diagnostics *d) {
    const size_t start = (size_t)(in->token.at - in->text), end = name_end(in, start),
                 open = skip_blanks(in, end);
    if (open >= in->length || in->text[open] != '(' || !fe_is_call(in->text, in->length, open, false))
        return true;
    refuse_function(in, start, end, d);
    return false;
}

static sam_expr put(sam_statement *s, const fe_user_function *f, sam_expr e, src_loc loc,
                    const fe_exprs *arguments, uint32_t *used) {
    sam_expr_data x = *sam_expr_at(&f->s, e);
    if (x.kind == SAM_EXPR_ACCESS) {
        uint32_t bit = 1u << (x.tensor.v - 1);
        sam_expr argument = arguments->at[x.tensor.v - 1];
        bool again = *used & bit;
        *used |= bit;
        return again ? fe_copy_expr(s, argument) : argument;
    }
    if (s->exprs.len >= FE_MAX_EXPRS)
        return arguments->at[0]; /* the caller refuses it */
    x.loc = loc;
    if (x.a.v)
        x.a = put(s, f, x.a, loc, arguments, used);
    if (x.b.v)
        x.b = put(s, f, x.b, loc, arguments, used);
    return fe_add_expr(s, x);
}

/* Makes a call of a function loaded by the host; along an index the caller chooses the index. */
static sam_expr apply_described(sam_statement *s, const fe_user_function *f, src_loc loc, const sam_expr *a,
                                diagnostics *d) {
    if (f->other_type) {
        diag_error(d, loc, "E0152-function", "%s is not for values of %s", f->name,
                   s->integers ? "int16" : "bf16");
        diag_note(d, f->loc, "its description says for which");
        diag_hint(d, "--dtype %s has it", s->integers ? "bf16" : "int16");
        return (sam_expr){0};
    }
    if (!fe_load_described(f->described, loc, d))
        return (sam_expr){0};
    if (fe_is_gather(f))
        f->described->program->loc = loc;
    sam_expr e = fe_add_call(s, loc, SAM_OPERATION_program, a[0], f->parameters == 2 ? a[1] : (sam_expr){0});
    sam_expr_at(s, e)->program = f->described->program;
    return e;
}

/* Returns whether all arguments are tensors with the same indices: then the regions of the function need no
 * coordinate that no argument has, and no argument is computed twice. */
static bool are_alike(const sam_statement *s, const fe_exprs *arguments) {
    bool alike = arguments->len > 0;
    for (uint32_t i = 0; i < arguments->len; i++)
        alike = alike && sam_expr_at(s, arguments->at[i])->kind == SAM_EXPR_ACCESS &&
                fe_free_vars(s, arguments->at[i]) &&
                fe_free_vars(s, arguments->at[i]) == fe_free_vars(s, arguments->at[0]);
    return alike;
}

sam_expr fe_apply_function(sam_statement *s, const fe_user_function *f, src_loc loc,
                           const fe_exprs *arguments, diagnostics *d) {
    uint32_t used = 0;
    if (arguments->len != f->parameters) {
        diag_error(d, loc, "E0152-function", "%s takes %u %s, not %u", f->name, f->parameters,
                   plural(f->parameters, "argument", "arguments"), arguments->len);
        diag_note(d, f->loc, "its definition");
        return (sam_expr){0};
    }
    if (f->described)
        return apply_described(s, f, loc, arguments->at, d);
    const bool apart = f->apart.v && are_alike(s, arguments);
    const sam_expr value = apart ? f->apart : f->value;
    const sam_claim *claim = apart ? f->claim_apart : f->claim;
    sam_expr e = put(s, f, value, loc, arguments, &used);
    if (claim && sam_expr_at(&f->s, value)->kind != SAM_EXPR_ACCESS)
        sam_expr_at(s, e)->claim = claim;
    if (s->exprs.len < FE_MAX_EXPRS)
        return e;
    diag_error(d, loc, "E0118-too-large", "the expression has more than %d parts", FE_MAX_EXPRS);
    return (sam_expr){0};
}
