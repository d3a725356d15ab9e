/* program_gather.c - gathers from tensors whose values a program makes: b(idx(i)), A(rows(i),j); and results
 * whose places a tensor holds: X(rows(i),j).
 *
 * A table holds values that are known beforehand; these are not. So the statement compares indices with the
 * coordinates: A(rows(i),j) is sum(k, (rows(i) == n(k)) * A(k,j)), where n(k) is k, and is read as any other.
 * X(rows(i),j) = e is X(k,j) = (rows(i) == n(k)) * (e), and X(4*i+k,j) = e is X(r,j) = P(i,k,r) * (e), with 1
 * in P where r is 4*i+k. Of bfloat16, where zero times infinity is no number, the product is mask(rows(i) ==
 * n(k), A(k,j)). Of a semiring, which has another product, ifelse(rows(i) == n(k), A(k,j), the identity of
 * its addition).
 */
#include "frontend/schedules/program_gather.h"
#include "frontend/language/subscripts.h"
#include "frontend/language/tables.h"
#include "frontend/schedules/program_names.h"

enum { PLACES_MOST = 1 << 20 };

static fe_shared *tensor_at(const fe_program_reader *r, const fe_token *t) {
    const uint32_t n = fe_program_find(r->out, names_intern_n(r->out->names, t->at, t->length));
    return n < r->out->tensors.len ? &r->out->tensors.at[n] : NULL;
}

/* Returns whether calls are in the parentheses behind the name at the reader. */
static bool has_calls(const fe_reader *in) {
    return in->token.kind == FE_NAME && fe_peek(in) == '(' &&
           fe_is_call(in->text, in->length, in->pos + strspn(in->text + in->pos, " \t\r\n"), false);
}

/* Returns whether a coordinate is computed of indices, and is more than an index. */
static bool is_computed(fe_span s, fe_subscript *out) {
    s = fe_trimmed(s);
    return fe_word_length(s) != s.n && fe_read_subscript(s, out);
}

bool fe_program_scatters(const fe_reader *in) {
    const fe_span all = {in->token.at, in->length - (size_t)(in->token.at - in->text)};
    fe_span name, inside, rest;
    fe_subscript place;
    bool scatters = has_calls(in);
    if (in->token.kind == FE_NAME && fe_split_call(all, &name, &inside, &rest)) {
        while (inside.n)
            scatters = is_computed(fe_next_item(&inside, "()"), &place) || scatters;
    }
    return scatters;
}

bool fe_program_gathers(const fe_program_reader *r, const fe_reader *in) {
    const fe_shared *of = tensor_at(r, &in->token);
    const fe_user_function *f =
        of ? fe_function_named(r->in->functions, names_text(r->out->names, of->name)) : NULL;
    return of && of->order && of->order != FE_NO_ORDER && !(f && fe_is_gather(f)) && has_calls(in);
}

static bool refuse(const fe_program_reader *r, src_loc loc, const char *what, const char *hint) {
    diag_error(r->d, loc, "E0182-gather", "%s", what);
    return diag_hint(r->d, "%s", hint);
}

/* Returns the vector of coordinates up to the extent, made once for each extent. */
static const fe_shared *coordinates_up_to(fe_program_reader *r, uint32_t extent, src_loc loc) {
    fe_program *p = r->out;
    for (uint32_t t = 0; t < p->tensors.len; t++) {
        if (p->tensors.at[t].made.coordinates && p->tensors.at[t].dim[0] == extent)
            return &p->tensors.at[t];
    }
    const char *name = fe_program_new_name(r, "coordinates", loc);
    const uint32_t tensor = fe_program_add(p, names_intern(p->names, name), loc, 1);
    fe_shared *made = &p->tensors.at[tensor];
    made->declared = made->made.coordinates = made->sized = made->dim_declared = true;
    made->format = "d:0";
    made->fill = "0";
    made->dim[0] = extent;
    made->origin = FE_FROM_ENTRIES;
    for (uint32_t k = 0; k < extent; k++) {
        vec_push(p->mem, &made->crd, k);
        vec_push(p->mem, &made->val, k);
    }
    return made;
}

/* A gather, or a scatter of the values on the right, as it is written anew. */
typedef struct {
    const char *indices, *compared, *access, *closing, *right;
    const char *over; /* "i,k, ": the indices of places, once each */
    uint32_t n;
} gathered;

static void add_over(const fe_program_reader *r, fe_span v, gathered *out) {
    if (!fe_has_word(out->over, v))
        out->over = arena_printf(r->out->mem, "%s%.*s, ", out->over, (int)v.n, v.at);
}

/* Adds the condition of an index: a tensor of ones and zeros. */
static void add_condition(const fe_program_reader *r, const char *condition, gathered *out) {
    arena *mem = r->out->mem;
    const bool times = !r->outside && r->in->integers;
    const char *form = r->outside ? "ifelse(" : times ? "" : "mask(";
    out->compared = arena_printf(mem, "%s%s%s%s", out->compared, form, condition, times ? " * " : ", ");
    if (!times)
        out->closing =
            arena_printf(mem, "%s%s)%s", r->outside ? ", " : "", r->outside ? r->outside : "", out->closing);
}

/* Finds the extents of a tensor of the program. */
static bool find_extents(const fe_program_reader *r, const fe_shared *of, uint32_t *dim) {
    bool inferred;
    memcpy(dim, of->dim, sizeof *dim * SAM_MAX_ORDER);
    return of->sized || (r->in->extents && r->in->extents(r->in->data, of, dim, &inferred));
}

static bool refuse_unknown(const fe_program_reader *r, const fe_shared *of, src_loc loc) {
    const char *name = names_text(r->out->names, of->name);
    return refuse(r, loc,
                  arena_printf(r->d->mem, "%s has places that are values, and its extents are unknown", name),
                  arena_printf(r->d->mem, "state them with its declaration: tensor %s(30): d", name));
}

/* Finds the extent of a variable in a tensor of the text that has the variable as an index. */
static bool find_extent(const fe_program_reader *r, const char *right, fe_span v, uint32_t *extent) {
    fe_span name, inside, rest, text = {right, strlen(right)};
    for (; text.n; text = fe_behind(text, name.n + !name.n)) {
        uint32_t dim[SAM_MAX_ORDER];
        const fe_token word = {.kind = FE_NAME, .at = text.at, .length = fe_word_length(text)};
        const fe_shared *of = word.length ? tensor_at(r, &word) : NULL;
        if (!fe_split_call(text, &name, &inside, &rest) || !of || !find_extents(r, of, dim))
            continue;
        for (uint32_t m = 0; inside.n && m < of->order; m++) {
            const fe_span one = fe_trimmed(fe_next_item(&inside, "()"));
            if (one.n == v.n && strncmp(one.at, v.at, v.n) == 0) {
                *extent = dim[m];
                return true;
            }
        }
    }
    return false;
}

/* Adds the entries; false if some place is outside of the tensor. O(cells). */
static bool put_places(const fe_subscript *p, uint64_t cells, arena *mem, fe_shared *made) {
    for (uint64_t cell = 0; cell < cells; cell++) {
        uint32_t at[SAM_MAX_ORDER];
        long place = p->more;
        uint64_t rest = cell;
        for (uint32_t m = p->n; m-- > 0; rest /= made->dim[m]) {
            at[m] = (uint32_t)(rest % made->dim[m]);
            place += p->times[m] * (long)at[m];
        }
        if (place < 0 || place >= (long)made->dim[p->n])
            return false;
        at[p->n] = (uint32_t)place;
        for (uint32_t m = 0; m <= p->n; m++)
            vec_push(mem, &made->crd, at[m]);
        vec_push(mem, &made->val, 1);
    }
    return true;
}

static bool is_value(const fe_program_reader *r, fe_span name) {
    const fe_token word = {.kind = FE_NAME, .at = name.at, .length = name.n};
    const fe_shared *of = tensor_at(r, &word);
    return of && of->order == 0;
}

/* Adds the tensor with 1 at (i,k,p) for all i and k, where p is the place, below `most`; NULL after a
 * refusal. */
static const char *add_places(fe_program_reader *r, const fe_subscript *p, uint32_t most, const char *right,
                              src_loc loc) {
    fe_program *all = r->out;
    const char *name = fe_program_new_name(r, "places", loc);
    uint32_t extent[SAM_MAX_ORDER] = {0};
    uint64_t cells = 1;
    for (uint32_t v = 0; v < p->n; v++) {
        if (!find_extent(r, right, p->var[v], &extent[v])) {
            refuse(r, loc,
                   arena_printf(r->d->mem, "nothing says how far index %.*s runs", (int)p->var[v].n,
                                p->var[v].at),
                   is_value(r, p->var[v]) ? "it is a scalar, and places are known beforehand: param says so"
                                          : "state the extents of a tensor with this index: tensor b(30): d");
            return NULL;
        }
        cells = cells > PLACES_MOST ? cells : cells * extent[v];
    }
    extent[p->n] = most;
    const uint32_t tensor = fe_program_add(all, names_intern(all->names, name), loc, p->n + 1);
    fe_shared *made = &all->tensors.at[tensor];
    made->declared = made->sized = made->dim_declared = true;
    made->fill = "0";
    made->origin = FE_FROM_ENTRIES;
    memcpy(made->dim, extent, sizeof made->dim);
    if (cells <= PLACES_MOST && put_places(p, cells, all->mem, made))
        return name;
    refuse(r, loc,
           cells > PLACES_MOST
               ? arena_printf(r->d->mem, "there are more than %d places", PLACES_MOST)
               : arena_printf(r->d->mem, "a place is outside of the result's coordinates, 0 to %u", most - 1),
           "the declaration of the result states its extents");
    return NULL;
}

/* Adds a place computed of indices at mode m of the result; extents of these are those of tensors on the
 * right. */
static bool add_computed(fe_program_reader *r, const fe_shared *of, uint32_t m, src_loc loc,
                         const fe_subscript *p, gathered *out) {
    arena *mem = r->out->mem;
    uint32_t dim[SAM_MAX_ORDER];
    if (!find_extents(r, of, dim))
        return refuse_unknown(r, of, loc);
    const char *name = add_places(r, p, dim[m], out->right, loc), *index = "";
    if (!name)
        return false;
    const char *last = arena_printf(mem, "%sAt%u", name, out->n);
    for (uint32_t v = 0; v < p->n; v++) {
        index = arena_printf(mem, "%s%.*s,", index, (int)p->var[v].n, p->var[v].at);
        add_over(r, p->var[v], out);
    }
    add_condition(r, arena_printf(mem, "%s(%s%s)", name, index, last), out);
    out->access = arena_printf(mem, "%s%s", out->access, last);
    out->n++;
    return true;
}

/* Adds an index that another tensor has, the text of its access, at mode m. */
static bool add_index(fe_program_reader *r, const fe_shared *of, uint32_t m, const fe_piece *text,
                      gathered *out) {
    arena *mem = r->out->mem;
    const src_loc loc = src_at(text->source, text->first, text->end - text->first);
    const char *name = names_text(r->out->names, of->name);
    const uint32_t most = r->in->integers ? INT16_MAX + 1 : 257;
    if (m >= of->order)
        return refuse(r, loc, arena_printf(r->d->mem, "%s has fewer than %u indices", name, m + 1),
                      arena_printf(r->d->mem, "leave the index out, or declare %s with more levels", name));
    uint32_t dim[SAM_MAX_ORDER];
    if (!find_extents(r, of, dim))
        return refuse_unknown(r, of, loc);
    if (dim[m] > most)
        return refuse(
            r, loc, arena_printf(r->d->mem, "%s has %u coordinates, and values reach %u", name, dim[m], most),
            arena_printf(r->d->mem, "state them with its declaration: tensor %s(30): d", name));
    const fe_shared *all = coordinates_up_to(r, dim[m], loc);
    /* A place of the result is another index than that of a gather on the right. */
    const char *to = names_text(r->out->names, all->name),
               *index = arena_printf(mem, out->right ? "%sTo%u" : "%sAt%u", to, out->n);
    out->indices = arena_printf(mem, "%s%s%s", out->indices, out->n ? "," : "", index);
    fe_span rest, called, inside;
    if (fe_split_call((fe_span){text->text + text->first, text->end - text->first}, &called, &inside,
                      &rest)) {
        while (inside.n)
            add_over(r, fe_trimmed(fe_next_item(&inside, "()")), out);
    }
    add_condition(r,
                  arena_printf(mem, "(%.*s == %s(%s))", (int)(text->end - text->first),
                               text->text + text->first, to, index),
                  out);
    out->access = arena_printf(mem, "%s%s", out->access, index);
    out->n++;
    return true;
}

/* Moves the reader behind an argument of an access, to ',' or ')'. */
static void skip_argument(fe_reader *in) {
    for (uint32_t depth = 0; in->token.kind != FE_END; fe_advance(in)) {
        if (!depth && (fe_at_sign(in, ',') || fe_at_sign(in, ')')))
            return;
        depth += fe_at_sign(in, '(');
        depth -= fe_at_sign(in, ')');
    }
}

/* The forms of a coordinate: of the language, as i and i(0:7); an access of indices; or an expression. */
typedef enum { OF_LANGUAGE, OF_ACCESS, OF_EXPRESSION } coordinate;

static coordinate form_of(fe_reader in, const fe_piece *text) {
    const size_t n = text->end - text->first;
    const char *from = text->text + text->first;
    if (!memchr(from, '(', n) || memchr(from, ':', n))
        return OF_LANGUAGE;
    if (in.token.kind != FE_NAME || fe_peek(&in) != '(')
        return OF_EXPRESSION;
    fe_advance(&in);
    fe_advance(&in);
    while (!fe_at_sign(&in, ')') && !fe_at_sign(&in, '(') && in.token.kind != FE_END)
        fe_advance(&in);
    return fe_at_sign(&in, ')') && in.pos + strspn(in.text + in.pos, " \t\r\n") == text->end ? OF_ACCESS
                                                                                             : OF_EXPRESSION;
}

/* Reads the access at the reader as it is written anew. */
static bool read_indices(fe_program_reader *r, fe_reader in, gathered *out, size_t *end) {
    arena *mem = r->out->mem;
    const fe_token name = in.token;
    const uint32_t tensor = (uint32_t)(tensor_at(r, &name) - r->out->tensors.at);
    out->access = arena_strndup(mem, name.at, name.length);
    fe_advance(&in);
    for (uint32_t m = 0; fe_at_sign(&in, m ? ',' : '('); m++) {
        out->access = arena_printf(mem, "%s%s", out->access, m ? "," : "(");
        fe_advance(&in);
        const fe_reader from = in;
        skip_argument(&in);
        const fe_piece text = {.source = in.source,
                               .text = in.text,
                               .first = (size_t)(from.token.at - in.text),
                               .end = (size_t)(in.token.at - in.text)};
        const coordinate form = form_of(from, &text);
        fe_subscript place;
        if (form == OF_EXPRESSION)
            return refuse(
                r, src_at(text.source, text.first, text.end - text.first),
                "an index of a tensor of the program is what another tensor holds, and no expression",
                "assign the expression to a tensor of its own: r(i) = 2 * c(i), then b(r(i))");
        if (out->right && is_computed((fe_span){text.text + text.first, text.end - text.first}, &place)) {
            const src_loc loc = src_at(text.source, text.first, text.end - text.first);
            if (!add_computed(r, &r->out->tensors.at[tensor], m, loc, &place, out))
                return false;
        } else if (form == OF_LANGUAGE) {
            out->access = arena_printf(mem, "%s%.*s", out->access, (int)(text.end - text.first),
                                       text.text + text.first);
        } else if (!add_index(r, &r->out->tensors.at[tensor], m, &text, out)) {
            return false;
        }
    }
    *end = (size_t)(in.token.at + in.token.length - in.text);
    return true;
}

static void note(const fe_program_reader *r, const fe_reader *at) {
    if (has_calls(at))
        diag_note(r->d, at->token.loc, "no table holds %.*s: the indices are compared with all coordinates",
                  (int)at->token.length, at->token.at);
}

const char *fe_program_gather(fe_program_reader *r, fe_reader in, size_t *end) {
    gathered out = {.indices = "", .compared = "", .closing = "", .over = ""};
    if (!read_indices(r, in, &out, end))
        return NULL;
    note(r, &in);
    return arena_printf(r->out->mem, "sum(%s, %s%s)%s)", out.indices, out.compared, out.access, out.closing);
}

const char *fe_program_scatter(fe_program_reader *r, fe_reader in, const char *sign, const char *right) {
    size_t end;
    gathered out = {.indices = "", .compared = "", .closing = "", .over = "", .right = right};
    if (!tensor_at(r, &in.token)) {
        refuse(r, in.token.loc, "the extents of a result whose places a tensor holds are unknown",
               arena_printf(r->d->mem, "declare it in front: tensor %.*s(30): d", (int)in.token.length,
                            in.token.at));
        return NULL;
    }
    if (!read_indices(r, in, &out, &end))
        return NULL;
    note(r, &in);
    /* A call does not say how a semiring reduces its arguments. */
    const bool reduces = r->outside && *out.over;
    return arena_printf(r->out->mem, "%s) %s %s%s%s(%s)%s%s", out.access, sign, reduces ? "sum(" : "",
                        reduces ? out.over : "", out.compared, right, out.closing, reduces ? ")" : "");
}
