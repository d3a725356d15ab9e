/* stored_file.c - the file of a stored tensor: text, an array a line. docs/storage.md has the form. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "support/number.h"
#include "tiling/formats_int.h"
#include "tiling/rounding.h"
#include "tiling/stored_int.h"
#include "tiling/tiling_int.h"

/* The first line: this, and the version. */
static const char magic[] = "%%onyx stored";
enum { STORED_VERSION = 1, PARTS_VERSION = 2 }; /* the second version has several parts in sequence */
static const char *const array_names[] = {"pos", "crd", "ofs"};

/* Returns array `a` of a level: tile_stored has them side by side. */
static tile_numbers *array_of(tile_stored *s, uint32_t l, size_t a) {
    tile_numbers *const arrays[] = {&s->level[l].pos, &s->level[l].crd, &s->level[l].ofs};
    return arrays[a];
}

/* Returns whether level l has array `a`. */
static bool has_array(const tile_format *f, uint32_t l, size_t a) {
    return tile_has_array(f->level[l].kind, array_names[a]) ||
           (strcmp(array_names[a], "ofs") == 0 && tile_has_answers(f, l));
}

static void write_whole(FILE *stream, const tile_stored *s, tile_dtype dtype, arena *mem) {
    tile_stored copy = *s;
    fprintf(stream, "%s\nextents", tile_format_text(&s->format, mem));
    for (uint32_t i = 0; i < s->format.order; i++)
        fprintf(stream, " %u", s->dim[i]);
    fprintf(stream, "\n");
    for (uint32_t l = 0; l < s->format.levels; l++) {
        const tile_kind_row *row = &tile_kind_rows[s->format.level[l].kind];
        fprintf(stream, "level %s %u\n", row->name, s->level[l].size);
        for (size_t a = 0; a < sizeof array_names / sizeof *array_names; a++) {
            const tile_numbers *numbers = array_of(&copy, l, a);
            if (!has_array(&s->format, l, a))
                continue;
            fprintf(stream, "%s %u:", array_names[a], numbers->n);
            for (uint32_t i = 0; i < numbers->n; i++)
                fprintf(stream, " %d", numbers->at[i]);
            fprintf(stream, "\n");
        }
    }
    fprintf(stream, "vals %u:", s->n_vals);
    for (uint32_t i = 0; i < s->n_vals; i++)
        number_print(stream, " %.*g", s->scale || s->wide ? TILE_SCALED_DIGITS : 9,
                     ldexp(s->wide ? s->wide[i] : tile_to_double(dtype, s->vals[i]), -s->scale));
    fprintf(stream, "\n");
}

bool tile_stored_write(const tile_stored *s, tile_dtype dtype, const char *path, diagnostics *d) {
    file_out f;
    if (!file_create(&f, path, d->mem, d))
        return false;
    fprintf(f.stream, "%s %d\n", magic, s->format.parts ? PARTS_VERSION : STORED_VERSION);
    if (!s->format.parts)
        write_whole(f.stream, s, dtype, d->mem);
    else
        fprintf(f.stream, "parts %u of %s\n", s->format.parts, s->format.name);
    for (uint32_t p = 0; p < s->format.parts; p++)
        write_whole(f.stream, &s->part[p], dtype, d->mem);
    return file_commit(&f, d);
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct {
    const char *text, *at, *end;
    uint32_t source;
    arena *mem;
    diagnostics *diag;
} reader;

static bool refuse(const reader *r, const char *want) {
    size_t length = 0;
    while (r->at + length < r->end && !isspace((unsigned char)r->at[length]))
        length++;
    return diag_error(r->diag, src_at(r->source, (size_t)(r->at - r->text), length ? length : 1),
                      "E0365-stored-file", "%s should stand here", want);
}

static void skip_blanks(reader *r) {
    while (r->at < r->end && isspace((unsigned char)*r->at))
        r->at++;
}

static bool take_word(reader *r, const char *word) {
    size_t n = strlen(word);
    skip_blanks(r);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0 ||
        (r->at + n < r->end && !isspace((unsigned char)r->at[n])))
        return refuse(r, word);
    r->at += n;
    return true;
}

/* Reads an integer from low to high, followed by `end` (0: a blank). */
static bool take_whole(reader *r, int64_t low, int64_t high, char end, int64_t *out) {
    char *rest = NULL;
    skip_blanks(r);
    bool number = r->at < r->end && (isdigit((unsigned char)*r->at) || *r->at == '-');
    *out = number ? strtoll(r->at, &rest, 10) : 0;
    bool ended = number && (end ? *rest == end : rest == r->end || isspace((unsigned char)*rest));
    if (!ended || *out < low || *out > high)
        return refuse(r, arena_printf(r->diag->mem, "a whole number from %lld to %lld%s", (long long)low,
                                      (long long)high, end ? " and a colon" : ""));
    r->at = rest + (end != 0);
    return true;
}

/* Reads "name n:". Refuses a count above half of the remaining bytes. */
static bool take_count(reader *r, const char *name, uint32_t *n) {
    int64_t count;
    if (!take_word(r, name) || !take_whole(r, 0, (r->end - r->at) / 2, ':', &count))
        return false;
    *n = (uint32_t)count;
    return true;
}

static bool take_numbers(reader *r, const char *name, tile_numbers *out) {
    if (!take_count(r, name, &out->n))
        return false;
    int32_t *at = arena_new_n(r->mem, int32_t, out->n + 1);
    out->at = at;
    for (uint32_t i = 0; i < out->n; i++) {
        int64_t number;
        if (!take_whole(r, INT32_MIN, INT32_MAX, 0, &number))
            return false;
        at[i] = (int32_t)number;
    }
    return true;
}

static bool take_values(reader *r, tile_dtype dtype, const char *path, tile_stored *out) {
    tile_tensor counts = {0};
    if (!take_count(r, "vals", &out->n_vals))
        return false;
    uint16_t *vals = arena_new_n(r->mem, uint16_t, out->n_vals + 1);
    out->vals = vals;
    for (uint32_t i = 0; i < out->n_vals; i++) {
        char *rest = NULL;
        skip_blanks(r);
        double x = r->at < r->end ? number_read(r->at, &rest) : 0;
        if (!rest || rest == r->at || (rest < r->end && !isspace((unsigned char)*rest)))
            return refuse(r, "a number");
        src_loc loc = src_at(r->source, (size_t)(r->at - r->text), (size_t)(rest - r->at));
        r->at = rest;
        if (!tile_has_word(x, dtype, loc, r->diag))
            return false;
        vals[i] = tile_word_of(x, dtype, &counts);
    }
    counts.nnz = out->n_vals;
    tile_warn_changed(&counts, dtype, path, r->diag);
    return true;
}

static bool take_levels(reader *r, tile_stored *out) {
    int64_t low[TILE_FORMAT_LEVELS], number;
    uint64_t size[TILE_FORMAT_LEVELS];
    if (!tile_map_extents(&out->format, out->dim, low, size))
        return refuse(r, "a tensor whose coordinates are below 2^31");
    for (uint32_t l = 0; l < out->format.levels; l++) {
        tile_kind kind = out->format.level[l].kind;
        const tile_map_how how = out->format.level[l].how;
        const bool fixed = kind != TILE_KIND_HASHED && how != TILE_MAP_ENUMERATE && how != TILE_MAP_QUERY;
        if (!take_word(r, "level") || !take_word(r, tile_kind_rows[kind].name) ||
            !take_whole(r, fixed ? (int64_t)size[l] : how == TILE_MAP_DIRECT,
                        fixed ? (int64_t)size[l] : INT32_MAX, 0, &number))
            return false;
        out->level[l].size = (uint32_t)number;
        for (size_t a = 0; a < sizeof array_names / sizeof *array_names; a++) {
            if (has_array(&out->format, l, a) && !take_numbers(r, array_names[a], array_of(out, l, a)))
                return false;
        }
    }
    return true;
}

bool tile_is_stored(tile_bytes b) {
    return b.length >= sizeof magic && memcmp(b.at, magic, sizeof magic - 1) == 0;
}

/* Reads the definition of the format on this line, and the following tensor. */
static bool take_whole_tensor(reader *r, tile_dtype dtype, const char *path, tile_stored *out) {
    tile_formats formats = {0};
    uint32_t before = 0;
    skip_blanks(r);
    const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    for (const char *at = r->text; at < r->at; at++)
        before += *at == '\n';
    char *definition = arena_new_n(r->mem, char, before + (size_t)((end ? end : r->end) - r->at) + 1);
    memset(definition, '\n', before); /* messages count its lines */
    memcpy(definition + before, r->at, (size_t)((end ? end : r->end) - r->at));
    if (!end)
        return refuse(r, "a definition of its format");
    if (!tile_formats_read(path, definition, r->mem, r->diag, &formats))
        return false;
    if (!formats.len)
        return refuse(r, "a definition of its format");
    out->format = formats.at[0];
    r->at = end;
    if (!take_word(r, "extents"))
        return false;
    for (uint32_t i = 0; i < out->format.order; i++) {
        int64_t dim;
        if (!take_whole(r, 0, INT32_MAX, 0, &dim))
            return false;
        out->dim[i] = (uint32_t)dim;
    }
    return take_levels(r, out) && take_values(r, dtype, path, out);
}

/* Reads "parts 2 of NAME" and the parts, all of the same extents. */
static bool take_parts(reader *r, tile_dtype dtype, const char *path, tile_stored *out) {
    VEC(tile_stored) all = {0};
    int64_t parts;
    if (!take_word(r, "parts") || !take_whole(r, 1, INT32_MAX, 0, &parts) || !take_word(r, "of"))
        return false;
    skip_blanks(r);
    const char *name = r->at;
    while (r->at < r->end && isalnum((unsigned char)*r->at))
        r->at++;
    name = arena_strndup(r->mem, name, (size_t)(r->at - name));
    while (all.len < parts) {
        tile_stored part = {0};
        skip_blanks(r);
        const char *at = r->at;
        if (!take_whole_tensor(r, dtype, path, &part))
            return false;
        vec_push(r->mem, &all, part);
        if (part.format.order == all.at->format.order && !memcmp(part.dim, all.at->dim, sizeof part.dim))
            continue;
        r->at = at;
        return refuse(r, "a part of the same extents as the first one");
    }
    tile_format_part *of = arena_new_n(r->mem, tile_format_part, all.len);
    for (uint32_t p = 0; p < all.len; p++)
        of[p].format = &all.at[p].format;
    out->format = (tile_format){.name = name, .order = all.at->format.order, .parts = all.len, .part = of};
    memcpy(out->format.index, all.at->format.index, sizeof out->format.index);
    memcpy(out->dim, all.at->dim, sizeof out->dim);
    out->part = all.at;
    return true;
}

bool tile_stored_read(tile_bytes file, tile_dtype dtype, arena *mem, diagnostics *d, tile_stored *out) {
    const char *path = file.from, *text = (const char *)file.at;
    size_t length = file.length;
    *out = (tile_stored){.n_vals = 0};
    reader r = {text, text, text + length, 0, mem, d};
    r.source = diag_add_source(d, path, text, length);
    int64_t version;
    if (!tile_is_stored(file) || !memchr(text, '\n', length))
        return refuse(&r, magic);
    r.at += sizeof magic - 1;
    if (!take_whole(&r, STORED_VERSION, PARTS_VERSION, 0, &version))
        return false;
    if (!(version == PARTS_VERSION ? take_parts(&r, dtype, path, out)
                                   : take_whole_tensor(&r, dtype, path, out)))
        return false;
    skip_blanks(&r);
    return r.at == r.end || refuse(&r, "the end");
}
