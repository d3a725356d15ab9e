/* program_values.c - values of indices, and functions of whole tensors, in the statements of a program.
 *
 * An index in the place of a value is read from a vector of the reader with each coordinate: b(i) * i is
 * b(i) * iIs(i). tril(e), triu(e) and diag(e) are masks by a matrix of the reader. norm(e) is the root of the
 * sum of squares over the indices that the result lacks; norm(T), as argmax(T), sum(T) and others of a tensor
 * alone, runs over all indices of T, in a statement with indices as a scalar computed before.
 */
#include "frontend/schedules/program_values.h"
#include "frontend/language/apply.h"
#include "frontend/language/calls.h"
#include "frontend/language/subscripts.h"
#include "frontend/schedules/program_names.h"
#include "support/number.h"

#include <ctype.h>

/* An index, and the vector of its values. */
typedef struct {
    fe_span index;
    const char *name;
} index_value;

/* The rewritten statement. */
typedef struct {
    fe_program_reader *r;
    fe_steps *steps;
    uint32_t source;
    const char *text;
    const char *indices; /* contents of the parentheses of all accesses */
    fe_span result;      /* in the parentheses of the result */
    bool apart;          /* a function of a tensor alone is a statement before */
    bool value;          /* a condition, or a printed expression */
    VEC(index_value) values;
    bool changed;
} writer;

static src_loc loc_of(const writer *w, fe_span s) {
    return src_at(w->source, (size_t)(s.at - w->text), s.n);
}

static const fe_shared *tensor_of(const writer *w, fe_span name) {
    const uint32_t n = fe_program_find(w->r->out, names_intern_n(w->r->out->names, name.at, name.n));
    return n < w->r->out->tensors.len ? &w->r->out->tensors.at[n] : NULL;
}

static bool is_word(fe_span s) {
    return s.n && fe_word_length(s) == s.n;
}

/* ---- meanings of words ------------------------------------------------------------------------- */

typedef enum { NO_FORM, TRIL, TRIU, DIAG, NORM, PLACE, REDUCTION } form;
static const struct {
    const char *word;
    form is;
} forms[] = {{"tril", TRIL},     {"triu", TRIU},    {"diag", DIAG},     {"norm", NORM},
             {"argmax", PLACE},  {"argmin", PLACE}, {"sum", REDUCTION}, {"prod", REDUCTION},
             {"min", REDUCTION}, {"max", REDUCTION}};

/* The program's own tensors and functions come first. */
static form form_of(const writer *w, fe_span word) {
    const char *name = fe_text_of(word, w->r->out->mem);
    form is = NO_FORM;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        is = strcmp(name, forms[i].word) == 0 ? forms[i].is : is;
    const bool other = is < PLACE && fe_function_named(w->r->in->functions, name);
    return other || tensor_of(w, word) ? NO_FORM : is;
}

static bool is_access(const writer *w, fe_span name) {
    return tensor_of(w, name) ||
           (!form_of(w, name) && !fe_is_defined(w->r->in->functions, fe_text_of(name, w->r->out->mem)) &&
            !fe_is(name, "nnz"));
}

static bool reduces(const writer *w, fe_span name) {
    const fe_token word = {.kind = FE_NAME, .at = name.at, .length = name.n};
    fe_call f;
    return fe_find_call(&word, &f) ? f.reduces : form_of(w, name) != TRIL && form_of(w, name) != TRIU;
}

/* Returns the length of the variables in front of the last argument, with their commas. */
static size_t length_of_variables(const writer *w, fe_span name, fe_span inside) {
    fe_span last = inside, rest = inside;
    while (rest.n)
        last = fe_next_item(&rest, "()");
    rest = inside;
    while (reduces(w, name) && rest.n) {
        fe_span next = rest;
        const fe_span one = fe_next_item(&next, "()");
        if (!next.n || !is_word(one) || !fe_has_word(fe_text_of(last, w->r->out->mem), one))
            break;
        rest = next;
    }
    return inside.n - rest.n;
}

/* Adds the contents of the parentheses of all accesses of a text. */
static void find_indices(writer *w, fe_span text) {
    while (text.n) {
        fe_span name, inside, rest;
        const bool call = fe_split_call(text, &name, &inside, &rest);
        if (call && is_access(w, name)) {
            w->indices = arena_printf(w->r->out->mem, "%s%.*s,", w->indices, (int)inside.n, inside.at);
        }
        text = call && !is_access(w, name) ? inside.n ? fe_behind(text, (size_t)(inside.at - text.at)) : rest
               : call                      ? rest
                                           : fe_behind(text, name.n ? name.n : 1);
    }
}

/* ---- tensors of the reader --------------------------------------------------------------------- */

/* Adds a tensor, filled once its extents are known; returns its name. */
static const char *add_pattern(const writer *w, const char *what, fe_pattern pattern, double diagonal,
                               src_loc loc) {
    fe_program *p = w->r->out;
    const char *name = fe_program_new_name(w->r, what, loc);
    const uint32_t order = pattern == FE_INDEX ? 1 : 2,
                   tensor = fe_program_add(p, names_intern(p->names, name), loc, order);
    fe_shared *made = &p->tensors.at[tensor];
    made->declared = made->made.square = true;
    made->format = pattern == FE_INDEX ? "d:0" : made->format;
    made->fill = "0";
    made->origin = FE_FROM_PATTERN;
    made->made.pattern = pattern;
    vec_push(p->mem, &made->val, diagonal);
    return name;
}

static const char *value_of(writer *w, fe_span index) {
    arena *mem = w->r->out->mem;
    const char *name = NULL;
    for (uint32_t i = 0; i < w->values.len; i++)
        name = fe_same(w->values.at[i].index, index) ? w->values.at[i].name : name;
    if (!name) {
        name = add_pattern(w, arena_printf(mem, "%.*sIs", (int)index.n, index.at), FE_INDEX, 0,
                           loc_of(w, index));
        vec_push(mem, &w->values, ((index_value){index, name}));
    }
    return arena_printf(mem, "%s(%.*s)", name, (int)index.n, index.at);
}

/* ---- functions of whole tensors ---------------------------------------------------------------- */

static const char *refuse(const writer *w, fe_span at, const char *what, const char *hint) {
    diag_error(w->r->d, loc_of(w, at), "E0152-function", "%s", what);
    diag_hint(w->r->d, "%s", hint);
    return NULL;
}

static const char *write_text(writer *w, fe_span text);

/* Takes an index, or two with a comma between; false for anything else. */
static bool take_indices(fe_span inside, fe_span *row, fe_span *column) {
    *row = fe_next_item(&inside, "()");
    *column = fe_next_item(&inside, "()");
    return is_word(*row) && (!column->n || is_word(*column)) && !inside.n;
}

/* Returns the expression as an access of the indices, if a matrix, or for `diag` a vector, alone. */
static const char *with_indices(const writer *w, fe_span e, fe_span row, fe_span column) {
    arena *mem = w->r->out->mem;
    const fe_shared *alone = is_word(e) ? tensor_of(w, e) : NULL;
    if (!alone || !alone->order)
        return fe_text_of(e, mem);
    return alone->order == 1 ? arena_printf(mem, "%.*s(%.*s)", (int)e.n, e.at, (int)row.n, row.at)
                             : arena_printf(mem, "%.*s(%.*s,%.*s)", (int)e.n, e.at, (int)row.n, row.at,
                                            (int)column.n, column.at);
}

/* tril(e), tril(e, k), triu, diag: a mask by a matrix of ones. */
static const char *write_masked(writer *w, form is, fe_span word, fe_span inside) {
    static const char *const what[] = {[TRIL] = "lower", [TRIU] = "upper", [DIAG] = "diagonal"};
    static const fe_pattern of[] = {[TRIL] = FE_TRIL, [TRIU] = FE_TRIU, [DIAG] = FE_EYE};
    arena *mem = w->r->out->mem;
    fe_span rest = inside, row, column, name, within, behind;
    const fe_span e = fe_next_item(&rest, "()");
    char *end = "";
    const double diagonal = rest.n ? number_read(fe_text_of(fe_trimmed(rest), mem), &end) : 0;
    const bool access = fe_split_call(e, &name, &within, &behind) && is_access(w, name) && !behind.n;
    const bool own = access && take_indices(within, &row, &column) && column.n;
    if ((!own && !take_indices(w->result, &row, &column)) || *end)
        return refuse(
            w, word,
            arena_printf(mem, "%.*s needs the row and the column of its argument", (int)word.n, word.at),
            "tril(A(i,j)), triu(A(i,j), 1) above the diagonal, D(i,j) = diag(b), d(i) = diag(A)");
    if (is == DIAG && is_word(fe_trimmed(w->result)) && (own || !column.n))
        return own ? arena_printf(mem, "%.*s(%.*s,%.*s)", (int)name.n, name.at, (int)w->result.n,
                                  w->result.at, (int)w->result.n, w->result.at)
                   : with_indices(w, e, row, row);
    if (!column.n)
        return refuse(w, word, arena_printf(mem, "%.*s is of a matrix", (int)word.n, word.at),
                      "tril(A(i,j))");
    const char *mask = add_pattern(w, what[is], of[is], diagonal, loc_of(w, word)),
               *text = with_indices(w, e, row, column),
               *written = write_text(w, (fe_span){text, strlen(text)});
    return written ? arena_printf(mem, "mask(%s(%.*s,%.*s), %s)", mask, (int)row.n, row.at, (int)column.n,
                                  column.at, written)
                   : NULL;
}

/* Returns the indices of an expression, without the result's: "i, k, ". */
static const char *lacking(const writer *w, fe_span e) {
    arena *mem = w->r->out->mem;
    writer inner = *w;
    const char *out = "";
    inner.indices = "";
    find_indices(&inner, e);
    for (fe_span rest = {inner.indices, strlen(inner.indices)}; rest.n;) {
        const fe_span one = {rest.at, fe_word_length(rest)};
        rest = fe_behind(rest, one.n ? one.n : 1);
        if (one.n && !tensor_of(w, one) && !fe_has_word(out, one) &&
            !fe_has_word(fe_text_of(w->result, mem), one))
            out = arena_printf(mem, "%s%.*s, ", out, (int)one.n, one.at);
    }
    return out;
}

/* Writes a function over all indices of a tensor alone. */
static const char *write_whole(writer *w, form is, fe_span word, const fe_shared *of) {
    arena *mem = w->r->out->mem;
    const char *name = names_text(w->r->out->names, of->name),
               *function = is == NORM ? "sum" : fe_text_of(word, mem), *over = "", *text = "";
    if (is == PLACE && of->order != 1)
        return refuse(w, word, arena_printf(mem, "%s of a tensor alone is of a vector", function),
                      "argmax(j, A(i,j)) is the place in each row");
    for (uint32_t m = 0; m < of->order; m++) {
        over = arena_printf(mem, "%s%sAll%u, ", over, name, m);
        text = arena_printf(mem, "%s%s%sAll%u", text, m ? "," : "", name, m);
    }
    text =
        arena_printf(mem, is == NORM ? "%s(%ssquare(%s(%s)))" : "%s(%s%s(%s))", function, over, name, text);
    if (is == NORM)
        text = arena_printf(mem, "%s(%s)", fe_root_function(w->r->in->integers), text);
    if (w->apart && !fe_program_add_value(w->r, function, loc_of(w, word), text, w->steps, &text))
        return NULL;
    return text;
}

/* norm(e), norm(j, e): the root of a sum of squares. */
static const char *write_norm(writer *w, fe_span word, fe_span inside) {
    arena *mem = w->r->out->mem;
    const size_t named = length_of_variables(w, word, inside);
    const fe_span e = fe_behind(inside, named);
    const char *over = named ? arena_strndup(mem, inside.at, named) : lacking(w, e), *text = write_text(w, e);
    if (!*over)
        return refuse(w, word, "norm has no index to run over: the result has all indices of its argument",
                      "norm(x) is of all values of x, norm(j, A(i,j)) of each row");
    if (!text)
        return NULL;
    text = arena_printf(mem, "%s(sum(%ssquare(%s)))", fe_root_function(w->r->in->integers), over, text);
    const bool ok =
        !w->value || !w->apart || fe_program_add_value(w->r, "norm", loc_of(w, word), text, w->steps, &text);
    return ok ? text : NULL;
}

/* ---- the text ---------------------------------------------------------------------------------- */

/* Writes the call of a function; NULL after an error. */
static const char *write_call(writer *w, fe_span word, fe_span inside) {
    arena *mem = w->r->out->mem;
    const form is = form_of(w, word);
    const fe_shared *alone = is_word(fe_trimmed(inside)) ? tensor_of(w, fe_trimmed(inside)) : NULL;
    const char *text = NULL;
    if (is == NORM && w->r->in->scaled)
        return refuse(w, word, "norm is of int16 and of bf16",
                      "square the values, and take the root of their sum");
    w->changed =
        w->changed || is == TRIL || is == TRIU || is == DIAG || is == NORM || (is && alone && alone->order);
    if (is >= NORM && alone && alone->order)
        return write_whole(w, is, word, alone);
    if (is == NORM)
        return write_norm(w, word, inside);
    if (is == TRIL || is == TRIU || is == DIAG)
        return write_masked(w, is, word, inside);
    const size_t named = length_of_variables(w, word, inside);
    text = write_text(w, fe_behind(inside, named));
    return text ? arena_printf(mem, "%.*s(%.*s%s)", (int)word.n, word.at, (int)named, inside.at, text) : NULL;
}

/* Returns the length of a word or a number at the start, 1 for any other character. */
static size_t token_length(fe_span s, arena *mem) {
    const size_t word = fe_word_length(s);
    char *end = NULL;
    if (word || !isdigit((unsigned char)*s.at))
        return word ? word : 1;
    const char *text = fe_text_of((fe_span){s.at, strspn(s.at, "0123456789.eE")}, mem);
    number_read(text, &end);
    return end > text && (size_t)(end - text) < s.n ? (size_t)(end - text) : s.n;
}

static const char *write_text(writer *w, fe_span text) {
    arena *mem = w->r->out->mem;
    const char *out = "";
    while (text.n) {
        const fe_span word = {text.at, fe_word_length(text)};
        fe_span name, inside, rest;
        const char *put = NULL;
        const bool call = fe_split_call(text, &name, &inside, &rest),
                   plain = call && (is_access(w, name) || fe_is(name, "nnz"));
        if (call && !plain && !(put = write_call(w, name, inside)))
            return NULL;
        if (!call) {
            rest = fe_behind(text, token_length(text, mem));
            put = word.n && !tensor_of(w, word) && fe_has_word(w->indices, word) ? value_of(w, word) : NULL;
            w->changed = w->changed || put;
        }
        out = put ? arena_printf(mem, "%s%s", out, put)
                  : arena_printf(mem, "%s%.*s", out, (int)(text.n - rest.n), text.at);
        text = rest;
    }
    return out;
}

/* Returns the text behind the sign of an assignment; the whole text without a sign. */
static fe_span right_of(const fe_piece *plain) {
    fe_reader in = fe_read_piece(plain);
    while (in.token.kind != FE_END && !fe_at_sign(&in, '='))
        fe_advance(&in);
    const size_t from = in.token.kind == FE_END || plain->value ? plain->first : in.pos;
    return (fe_span){plain->text + from, plain->end - from};
}

bool fe_program_values(fe_program_reader *r, const fe_piece *piece, fe_piece *out, fe_steps *steps) {
    fe_in settings = {.integers = r->in->integers};
    const fe_piece plain = fe_program_semiring(r, piece, &settings);
    const fe_span right = right_of(&plain),
                  left = {plain.text + plain.first, (size_t)(right.at - plain.text) - plain.first};
    writer w = {.r = r, .steps = steps, .source = piece->source, .text = piece->text, .indices = ""};
    fe_span name, behind;
    *out = *piece;
    if (memchr(plain.text + plain.first, '_', plain.end - plain.first) || (!left.n && !piece->value))
        return true; /* subscripts are those of papers */
    if (fe_split_call(fe_trimmed(left), &name, &w.result, &behind)) {
        w.indices = arena_printf(r->out->mem, "%.*s,", (int)w.result.n, w.result.at);
    }
    find_indices(&w, right);
    w.value = piece->value;
    w.apart = (*w.indices || w.value) && !r->within_multi;
    const char *text = write_text(&w, right);
    if (text && w.changed)
        fe_program_write(r,
                         arena_printf(r->out->mem, "%.*s%s%.*s", (int)left.n, left.at, text,
                                      (int)(piece->end - plain.end), piece->text + plain.end),
                         out);
    return text;
}
