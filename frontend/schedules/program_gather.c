/* program_gather.c - gathers from tensors whose values a program makes: b(idx(i)), A(rows(i),j); and results
 * whose places a tensor holds: X(rows(i),j).
 *
 * A table holds values that are known beforehand; these are not. So the statement compares indices with the
 * coordinates: A(rows(i),j) is sum(k, (rows(i) == n(k)) * A(k,j)), where n(k) is k, and is read as any other.
 * X(rows(i),j) = e is X(k,j) = (rows(i) == n(k)) * (e).
 * Of bfloat16, where zero times infinity is no number, the product is mask(rows(i) == n(k), A(k,j)).
 */
#include "frontend/schedules/program_gather.h"
#include "frontend/language/tables.h"
#include "frontend/schedules/program_names.h"

static fe_shared *tensor_at(const fe_program_reader *r, const fe_token *t) {
    const uint32_t n = fe_program_find(r->out, names_intern_n(r->out->names, t->at, t->length));
    return n < r->out->tensors.len ? &r->out->tensors.at[n] : NULL;
}

bool fe_program_scatters(const fe_reader *in) {
    return in->token.kind == FE_NAME && fe_peek(in) == '(' &&
           fe_is_call(in->text, in->length, in->pos + strspn(in->text + in->pos, " \t\r\n"), false);
}

bool fe_program_gathers(const fe_program_reader *r, const fe_reader *in) {
    const fe_shared *of = tensor_at(r, &in->token);
    const fe_user_function *f =
        of ? fe_function_named(r->in->functions, names_text(r->out->names, of->name)) : NULL;
    return of && of->order && of->order != FE_NO_ORDER && !(f && fe_is_gather(f)) && fe_program_scatters(in);
}

static bool refuse(const fe_program_reader *r, src_loc loc, const char *what, const char *hint) {
    diag_error(r->d, loc, "E0182-gather", "%s", what);
    diag_hint(r->d, "%s", hint);
    return false;
}

/* Returns the vector of coordinates up to the extent, made once for each extent. */
static const fe_shared *coordinates_up_to(fe_program_reader *r, uint32_t extent, src_loc loc) {
    fe_program *p = r->out;
    for (uint32_t t = 0; t < p->tensors.len; t++) {
        if (p->tensors.at[t].coordinates && p->tensors.at[t].dim[0] == extent)
            return &p->tensors.at[t];
    }
    const char *name = fe_program_new_name(r, "coordinates", loc);
    fe_shared *made = &p->tensors.at[fe_program_add(p, names_intern(p->names, name), loc, 1)];
    made->declared = made->coordinates = made->sized = made->dim_declared = true;
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

/* A gather as it is written anew. */
typedef struct {
    const char *indices, *compared, *access, *closing;
    uint32_t n;
} gathered;

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
    uint32_t dim[SAM_MAX_ORDER] = {0};
    memcpy(dim, of->dim, sizeof dim);
    const bool known = of->sized || (r->in->extents && r->in->extents(r->in->data, of, dim));
    if (!known || dim[m] > most)
        return refuse(
            r, loc,
            known ? arena_printf(r->d->mem, "%s has %u coordinates, and values reach %u", name, dim[m], most)
                  : arena_printf(r->d->mem, "%s is gathered from, and its extents are unknown", name),
            arena_printf(r->d->mem, "state them with its declaration: tensor %s(30): d", name));
    const fe_shared *all = coordinates_up_to(r, dim[m], loc);
    const char *to = names_text(r->out->names, all->name), *index = arena_printf(mem, "%sAt%u", to, out->n);
    out->indices = arena_printf(mem, "%s%s%s", out->indices, out->n ? "," : "", index);
    out->compared =
        arena_printf(mem, r->in->integers ? "%s(%.*s == %s(%s)) * " : "%smask(%.*s == %s(%s), ",
                     out->compared, (int)(text->end - text->first), text->text + text->first, to, index);
    out->closing = r->in->integers ? "" : arena_printf(mem, "%s)", out->closing);
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
    *out = (gathered){"", "", arena_strndup(mem, name.at, name.length), "", 0};
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
        if (form == OF_EXPRESSION)
            return refuse(
                r, src_at(text.source, text.first, text.end - text.first),
                "an index of a tensor of the program is what another tensor holds, and no expression",
                "assign the expression to a tensor of its own: r(i) = 2 * c(i), then b(r(i))");
        if (form == OF_LANGUAGE)
            out->access = arena_printf(mem, "%s%.*s", out->access, (int)(text.end - text.first),
                                       text.text + text.first);
        else if (!add_index(r, &r->out->tensors.at[tensor], m, &text, out))
            return false;
    }
    *end = (size_t)(in.token.at + in.token.length - in.text);
    return true;
}

static void note(const fe_program_reader *r, const fe_token *name) {
    diag_note(r->d, name->loc, "no table holds %.*s: the indices are compared with all coordinates",
              (int)name->length, name->at);
}

const char *fe_program_gather(fe_program_reader *r, fe_reader in, size_t *end) {
    gathered out;
    if (!read_indices(r, in, &out, end))
        return NULL;
    note(r, &in.token);
    return arena_printf(r->out->mem, "sum(%s, %s%s)%s)", out.indices, out.compared, out.access, out.closing);
}

const char *fe_program_scatter(fe_program_reader *r, fe_reader in, const char *sign, const char *right) {
    size_t end;
    gathered out;
    if (!tensor_at(r, &in.token)) {
        refuse(r, in.token.loc, "the extents of a result whose places a tensor holds are unknown",
               arena_printf(r->d->mem, "declare it in front: tensor %.*s(30): d", (int)in.token.length,
                            in.token.at));
        return NULL;
    }
    if (!read_indices(r, in, &out, &end))
        return NULL;
    note(r, &in.token);
    return arena_printf(r->out->mem, "%s) %s %s(%s)%s", out.access, sign, out.compared, right, out.closing);
}
