/* program_pairs.c - a statement of two results: m(i), p(i) = argmax(j, e).
 *
 * The first result has the value that the function finds along j, the second its place: m(i) = largest(j, e)
 * and p(i) = argmax(j, e), each of the same values of e. An e that is more than an access is a statement
 * before both.
 */
#include "frontend/schedules/program_pairs.h"
#include "frontend/language/spans.h"
#include "frontend/schedules/program_coordinates.h"
#include "frontend/schedules/program_names.h"
#include "frontend/schedules/program_values.h"

/* "m(i), p(i) = argmax(j, e)" */
typedef struct {
    fe_span value, place, function, variable, of;
    bool single; /* e is an access */
} pair;

bool fe_is_pair(const char *text, size_t length) {
    const fe_span all = {text, length};
    const fe_span rest = fe_behind(all, fe_length_to(all, ",=+;\n\"", "(){}"));
    const size_t n = rest.n ? fe_length_to(fe_behind(rest, 1), ",=+;\n\"", "()") + 1 : 0;
    return rest.n && *rest.at == ',' && n + 1 < rest.n && rest.at[n] == '=' && rest.at[n + 1] != '=';
}

const char *fe_value_function(const char *place) {
    static const char *const functions[][2] = {
        {"argmax", "largest"}, {"argmin", "smallest"}, {"argmax1", "largest"}, {"argmin1", "smallest"}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(place, functions[i][0]) == 0)
            return functions[i][1];
    }
    return NULL;
}

static fe_span cut(fe_span *rest, const char *end) {
    const size_t n = fe_length_to(*rest, end, "()");
    const fe_span first = {rest->at, n};
    *rest = fe_behind(*rest, n + 1);
    return fe_trimmed(first);
}

/* Returns whether a text is a name, or a name with its indices. */
static bool is_access(fe_span s) {
    const size_t name = fe_length_to(s, "( +-*/<>=!&|^%~", "");
    return s.n && (name == s.n || (s.at[name] == '(' && s.at[s.n - 1] == ')' &&
                                   fe_length_to(fe_behind(s, name + 1), ")", "()") == s.n - name - 2));
}

static pair read_pair(fe_span text) {
    pair p = {.value = cut(&text, ",")};
    p.place = cut(&text, "=");
    p.function = cut(&text, "(");
    fe_span inside = {text.at, fe_length_to(text, ")", "()")};
    const bool ends = text.n && !fe_trimmed(fe_behind(text, inside.n + 1)).n;
    p.variable = cut(&inside, ",");
    p.of = ends ? fe_trimmed(inside) : (fe_span){NULL, 0};
    p.single = is_access(p.of);
    return p;
}

static const char *text_of(const fe_program_reader *r, fe_span s) {
    return arena_strndup(r->out->mem, s.at, s.n);
}

/* Adds a statement of a text that the reader made. */
static bool add(fe_program_reader *r, src_loc loc, const char *text, fe_steps *steps) {
    const fe_piece piece = {
        .source = diag_add_rewritten(r->d, "a part of a pair", text, loc), .text = text, .end = strlen(text)};
    fe_piece plain, placed;
    fe_step step = {.loc = loc};
    if (!fe_program_values(r, &piece, &plain, steps) || !fe_program_coordinate(r, &plain, &placed, steps) ||
        !fe_program_statement(r, &placed, &step))
        return false;
    step.text = text;
    vec_push(r->out->mem, steps, step);
    return true;
}

/* Adds the statement of an argument that is more than an access; returns the access of its result. */
static const char *add_argument(fe_program_reader *r, src_loc loc, const pair *p, fe_steps *steps) {
    arena *mem = r->out->mem;
    const size_t name = fe_length_to(p->value, "(", "");
    const fe_span inside = fe_behind(p->value, name + 1);
    const char *made = arena_printf(
        mem, "%s(%.*s%s%s)", fe_program_new_name(r, arena_printf(mem, "%.*sOf", (int)name, p->value.at), loc),
        (int)(inside.n ? inside.n - 1 : 0), inside.n ? inside.at : "", inside.n ? "," : "",
        text_of(r, p->variable));
    return add(r, loc, arena_printf(mem, "%s = %s", made, text_of(r, p->of)), steps) ? made : NULL;
}

bool fe_program_pair(fe_program_reader *r, const fe_piece *piece, fe_steps *steps) {
    arena *mem = r->out->mem;
    const src_loc loc = src_at(piece->source, piece->first, piece->end - piece->first);
    const pair p = read_pair((fe_span){piece->text + piece->first, piece->end - piece->first});
    const char *function = text_of(r, p.function), *value = fe_value_function(function);
    if (!value || !p.of.n || !is_access(p.value) || !is_access(p.place)) {
        diag_error(r->d, loc, "E0102-syntax",
                   "two results are a value and its place, of one call of argmax or argmin");
        return diag_hint(r->d, "m(i), p(i) = argmax(j, A(i,j)); or a statement for each result");
    }
    if (r->within_multi && !p.single) {
        diag_error(r->d, loc, "E0174-multi",
                   "the argument of %s is a statement before both results, and no access", function);
        return diag_hint(r->d, "assign the argument to a tensor in front of the multi");
    }
    const char *of = p.single ? text_of(r, p.of) : add_argument(r, loc, &p, steps),
               *along = text_of(r, p.variable);
    if (!of ||
        !add(r, loc, arena_printf(mem, "%s = %s(%s, %s)", text_of(r, p.value), value, along, of), steps) ||
        !add(r, loc, arena_printf(mem, "%s = %s(%s, %s)", text_of(r, p.place), function, along, of), steps))
        return false;
    steps->at[steps->len - 1].paired = true;
    return true;
}
