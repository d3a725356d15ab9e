/* stored_file.c - the file of a stored tensor: text, an array a line. docs/storage.md has the form. */
#include <ctype.h>
#include <stdlib.h>

#include "tiling/formats_int.h"
#include "tiling/tiling_int.h"

/* The first line: this, and the version. */
static const char magic[] = "%%onyx stored";
enum { STORED_VERSION = 1 };
static const char *const array_names[] = {"pos", "crd", "ofs"};

/* Returns array `a` of a level: tile_stored has them side by side. */
static tile_numbers *array_of(tile_stored *s, uint32_t l, size_t a) {
    tile_numbers *const arrays[] = {&s->level[l].pos, &s->level[l].crd, &s->level[l].ofs};
    return arrays[a];
}

bool tile_stored_write(const tile_stored *s, tile_dtype dtype, const char *path, diagnostics *d) {
    file_out f;
    tile_stored copy = *s;
    if (!file_create(&f, path, d->mem, d))
        return false;
    fprintf(f.stream, "%s %d\n%s\nextents", magic, STORED_VERSION, tile_format_text(&s->format, d->mem));
    for (uint32_t i = 0; i < s->format.order; i++)
        fprintf(f.stream, " %u", s->dim[i]);
    fprintf(f.stream, "\n");
    for (uint32_t l = 0; l < s->format.levels; l++) {
        const tile_kind_row *row = &tile_kind_rows[s->format.level[l].kind];
        fprintf(f.stream, "level %s %u\n", row->name, s->level[l].size);
        for (size_t a = 0; a < sizeof array_names / sizeof *array_names; a++) {
            const tile_numbers *numbers = array_of(&copy, l, a);
            if (!strstr(row->arrays, array_names[a]))
                continue;
            fprintf(f.stream, "%s %u:", array_names[a], numbers->n);
            for (uint32_t i = 0; i < numbers->n; i++)
                fprintf(f.stream, " %d", numbers->at[i]);
            fprintf(f.stream, "\n");
        }
    }
    fprintf(f.stream, "vals %u:", s->n_vals);
    for (uint32_t i = 0; i < s->n_vals; i++)
        fprintf(f.stream, " %.9g", tile_to_double(dtype, s->vals[i]));
    fprintf(f.stream, "\n");
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
    diag_error(r->diag, src_at(r->source, (size_t)(r->at - r->text), length ? length : 1),
               "E0365-stored-file", "%s should stand here", want);
    return false;
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

/* Reads a whole number from low to high, which `end` follows (0: a blank). */
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

/* Reads "name n:". More numbers than half of the bytes that follow are not there. */
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
        double x = r->at < r->end ? strtod(r->at, &rest) : 0;
        if (!rest || rest == r->at || (rest < r->end && !isspace((unsigned char)*rest)))
            return refuse(r, "a number");
        src_loc loc = src_at(r->source, (size_t)(r->at - r->text), (size_t)(rest - r->at));
        r->at = rest;
        if (!tile_from_double(x, dtype, loc, r->diag, &counts, &vals[i]))
            return false;
    }
    counts.nnz = out->n_vals;
    tile_warn_changed(&counts, path, r->diag);
    return true;
}

static bool take_levels(reader *r, tile_stored *out) {
    int64_t low[TILE_FORMAT_LEVELS], number;
    uint64_t size[TILE_FORMAT_LEVELS];
    if (!tile_map_extents(&out->format, out->dim, low, size))
        return refuse(r, "a tensor whose coordinates are below 2^31");
    for (uint32_t l = 0; l < out->format.levels; l++) {
        tile_kind kind = out->format.level[l].kind;
        bool fixed = kind != TILE_KIND_HASHED && out->format.level[l].how != TILE_MAP_ENUMERATE;
        if (!take_word(r, "level") || !take_word(r, tile_kind_rows[kind].name) ||
            !take_whole(r, fixed ? (int64_t)size[l] : 1, fixed ? (int64_t)size[l] : INT32_MAX, 0, &number))
            return false;
        out->level[l].size = (uint32_t)number;
        for (size_t a = 0; a < sizeof array_names / sizeof *array_names; a++) {
            if (strstr(tile_kind_rows[kind].arrays, array_names[a]) &&
                !take_numbers(r, array_names[a], array_of(out, l, a)))
                return false;
        }
    }
    return true;
}

bool tile_is_stored(tile_bytes b) {
    return b.length >= sizeof magic && memcmp(b.at, magic, sizeof magic - 1) == 0;
}

bool tile_stored_read(tile_bytes file, tile_dtype dtype, arena *mem, diagnostics *d, tile_stored *out) {
    const char *path = file.from, *text = (const char *)file.at;
    size_t length = file.length;
    *out = (tile_stored){.n_vals = 0};
    reader r = {text, text, text + length, 0, mem, d};
    r.source = diag_add_source(d, path, text, length);
    const char *second = memchr(text, '\n', length);
    int64_t version;
    if (!tile_is_stored(file) || !second)
        return refuse(&r, magic);
    r.at += sizeof magic - 1;
    if (!take_whole(&r, STORED_VERSION, STORED_VERSION, 0, &version))
        return false;
    const char *third = memchr(second + 1, '\n', length - (size_t)(second + 1 - text));
    tile_formats formats = {0};
    const char *definition = arena_printf(mem, "\n%.*s", (int)(third ? third - second - 1 : 0), second + 1);
    r.at = second + 1;
    if (!third)
        return refuse(&r, "a definition of its format");
    if (!tile_formats_read(path, definition, mem, d, &formats))
        return false;
    if (!formats.len)
        return refuse(&r, "a definition of its format");
    out->format = formats.at[0];
    r.at = third;
    if (!take_word(&r, "extents"))
        return false;
    for (uint32_t i = 0; i < out->format.order; i++) {
        int64_t dim;
        if (!take_whole(&r, 0, INT32_MAX, 0, &dim))
            return false;
        out->dim[i] = (uint32_t)dim;
    }
    if (!take_levels(&r, out) || !take_values(&r, dtype, path, out))
        return false;
    skip_blanks(&r);
    return r.at == r.end || refuse(&r, "the end");
}
