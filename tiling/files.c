/* Sparse tensor files: Matrix Market (.mtx) and FROSTT (.tns), read with located errors, written sorted; and
 * the recognition of a file's format. */
#include "support/inputs.h"
#include "support/number.h"
#include "tiling/containers.h"
#include "tiling/fills.h"
#include "tiling/formats.h"
#include "tiling/level_files.h"
#include "tiling/lines.h"
#include "tiling/rounding.h"
#include "tiling/tiling_int.h"
#include "tiling/words.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

typedef enum { SYMMETRY_GENERAL, SYMMETRY_SYMMETRIC, SYMMETRY_SKEW } symmetry;

/* A text read word by word. */
#define WHOLE UINT32_MAX

typedef struct {
    const char *text, *at, *end, *path;
    uint32_t source;
    diagnostics *diag;
    tile_dtype dtype;
    tile_values values;
    char comment;        /* what begins a comment */
    tile_lines *more;    /* NULL: text to end is the whole file */
    uint32_t part;       /* of a stored tensor, or WHOLE */
    tile_tensor *tensor; /* being read */
} reader;

static src_loc here(const reader *r, const char *p, size_t length) {
    return src_at(r->source, (size_t)(p - r->text), length);
}

static void skip_blanks(reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
}

/* Loads the line that begins here into memory. Returns whether a line follows. */
static bool has_line(reader *r) {
    if (r->more && !memchr(r->at, '\n', (size_t)(r->end - r->at)))
        tile_lines_more(r->more, &r->at, &r->end);
    return r->at < r->end;
}

/* Skips blank lines and comment lines; false at the end of the file. */
static bool next_line_with_data(reader *r) {
    while (has_line(r)) {
        skip_blanks(r);
        if (r->at < r->end && *r->at != '\n' && *r->at != r->comment)
            return true;
        while (r->at < r->end && *r->at != '\n')
            r->at++;
        if (r->at < r->end)
            r->at++;
    }
    return false;
}

static size_t word_length(const reader *r) {
    const char *p = r->at;
    while (p < r->end && !isspace((unsigned char)*p))
        p++;
    return (size_t)(p - r->at);
}

static bool end_of_line(reader *r) {
    skip_blanks(r);
    if (r->at < r->end && *r->at == r->comment) {
        const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
        r->at = end ? end : r->end;
    }
    if (r->at < r->end && *r->at != '\n') {
        diag_error(r->diag, here(r, r->at, word_length(r)), "E0304-trailing",
                   "unexpected text after the entry");
        return false;
    }
    return true;
}

/* Reads an integer from `low` to `high`; `what` names the integer in messages. */
static bool read_whole(reader *r, const char *what, uint64_t low, uint64_t high, uint32_t *out) {
    skip_blanks(r);
    size_t length = word_length(r);
    uint64_t value = 0;
    size_t sign = length > 1 && *r->at == '-';
    bool digits = length > 0, far = sign || length >= 20;
    for (size_t i = sign; digits && i < length; i++) {
        digits = isdigit((unsigned char)r->at[i]);
        value = value * 10 + (uint64_t)(r->at[i] - '0');
    }
    if (!digits) {
        diag_error(r->diag, here(r, r->at, length), "E0302-number", "%s must be a whole number here", what);
        return false;
    }
    if (far || value < low || value > high) {
        diag_error(r->diag, here(r, r->at, length), "E0303-range", "%s %.*s is outside %llu..%llu", what,
                   length < 40 ? (int)length : 40, r->at, (unsigned long long)low, (unsigned long long)high);
        return false;
    }
    r->at += length;
    *out = (uint32_t)value;
    return true;
}

/* Takes a value, or its replacement; `stored` counts values so far (for RAMP). */
static bool to_value(reader *r, double x, src_loc loc, uint32_t stored, double *out) {
    *out = r->values == TILE_VALUES_ONES ? 1 : r->values == TILE_VALUES_RAMP ? 1 + stored % 127 : x;
    return tile_has_word(*out, r->dtype, loc, r->diag);
}

/* Reads a number like number_read, also Fortran's with exponent letter D. *end becomes its end.
 */
static double read_double(const char *at, size_t length, const char **end) {
    enum { LONGEST = 64 };
    char word[LONGEST], *rest = NULL;
    const char *exponent = memchr(at, 'D', length);
    exponent = exponent ? exponent : memchr(at, 'd', length);
    if (!exponent || length >= LONGEST) {
        const double x = number_read(at, &rest);
        *end = rest;
        return x;
    }
    memcpy(word, at, length);
    word[length] = '\0';
    word[exponent - at] = 'e';
    const double x = number_read(word, &rest);
    *end = at + (rest - word);
    return x;
}

static bool read_value(reader *r, uint32_t stored, double *out) {
    skip_blanks(r);
    size_t length = word_length(r);
    const char *end = r->at;
    double x = length ? read_double(r->at, length, &end) : 0;
    if (!length || end != r->at + length) {
        diag_error(r->diag, here(r, r->at, length), "E0302-number", "the value must be a number here");
        return false;
    }
    src_loc loc = here(r, r->at, length);
    r->at = end;
    return to_value(r, x, loc, stored, out);
}

/* ---- Matrix Market --------------------------------------------------------------------------- */

typedef struct {
    bool array, pattern;
    symmetry sym;
} mtx_header;

/* Reads one word of the banner and finds the word among the alternatives; -1 after an error. */
static int banner_word(reader *r, const char *what, const char *const *known, const char *help) {
    skip_blanks(r);
    size_t length = word_length(r);
    for (int i = 0; known[i]; i++) {
        if (strlen(known[i]) != length)
            continue;
        size_t same = 0;
        while (same < length && tolower((unsigned char)r->at[same]) == known[i][same])
            same++;
        if (same == length) {
            r->at += length;
            return i;
        }
    }
    diag_error(r->diag, here(r, r->at, length), "E0301-banner", "'%.*s' is not a known %s",
               length < 40 ? (int)length : 40, r->at, what);
    diag_hint(r->diag, "%s", help);
    return -1;
}

static bool mtx_banner(reader *r, mtx_header *h) {
    static const char *const magic[] = {"%%matrixmarket", NULL}, *const object[] = {"matrix", NULL};
    static const char *const layout[] = {"coordinate", "array", NULL};
    static const char *const field[] = {"real", "integer", "pattern", "double", "unsigned-integer", NULL};
    static const char *const sym[] = {"general", "symmetric", "skew-symmetric", NULL};
    if (banner_word(r, "first word", magic, "a Matrix Market file starts with %%MatrixMarket") < 0 ||
        banner_word(r, "object", object, "only 'matrix' is read") < 0)
        return false;
    int l = banner_word(r, "layout", layout, "coordinate and array are read");
    int f =
        l < 0 ? -1 : banner_word(r, "field", field, "real, integer, unsigned-integer and pattern are read");
    int s = f < 0 ? -1 : banner_word(r, "symmetry", sym, "general, symmetric and skew-symmetric are read");
    if (s < 0)
        return false;
    *h = (mtx_header){.array = l == 1, .pattern = f == 2, .sym = (symmetry)s};
    if (h->array && h->pattern) {
        diag_error(r->diag, here(r, r->text, 1), "E0301-banner",
                   "an array file has values; 'pattern' contradicts");
        return false;
    }
    return end_of_line(r);
}

static void add_entry(reader *r, tile_raw *e, uint32_t row, uint32_t col, double value, symmetry sym) {
    arena *mem = r->diag->mem;
    vec_push(mem, &e->crd, row);
    vec_push(mem, &e->crd, col);
    vec_push(mem, &e->val, value);
    if (sym == SYMMETRY_GENERAL || row == col)
        return;
    vec_push(mem, &e->crd, col);
    vec_push(mem, &e->crd, row);
    vec_push(mem, &e->val, sym == SYMMETRY_SKEW ? -value : value);
}

/* Reports a file that ends after `got` of `want` entries. */
static bool truncated(reader *r, uint64_t got, uint64_t want) {
    diag_error(r->diag, here(r, r->end > r->text ? r->end - 1 : r->end, 1), "E0306-truncated",
               "the file ends after %llu of %llu %s", (unsigned long long)got, (unsigned long long)want,
               plural(want, "entry", "entries"));
    diag_hint(r->diag, "it was cut off: fetch it again; or its size line is wrong");
    return false;
}

/* Reserves room for all entries at once, limited by the bytes of the file: growing arrays leave copies in the
 * arena. */
static void make_room(reader *r, uint32_t entries, tile_raw *e) {
    enum { SHORTEST = 4 }; /* bytes of an entry's line */
    const uint64_t most = tile_lines_bytes(r->more) / SHORTEST;
    const uint32_t n = entries < most ? entries : (uint32_t)most;
    e->crd.at = arena_new_n(r->diag->mem, uint32_t, (size_t)2 * n);
    e->crd.cap = 2 * n;
    e->val.at = arena_new_n(r->diag->mem, double, n);
    e->val.cap = n;
}

typedef struct {
    uint32_t high, low;
    bool above;
} place;

static int by_place(const void *a, const void *b) {
    const place *l = a, *r = b;
    if (l->high != r->high)
        return l->high < r->high ? -1 : 1;
    if (l->low != r->low)
        return l->low < r->low ? -1 : 1;
    return l->above - r->above;
}

/* Checks that a symmetric file with entries above the diagonal has no place together with its mirror image:
 * the author of both did not intend their sum. Each entry off the diagonal is present twice in a row, in the
 * order of reading. */
static bool one_triangle(reader *r, const tile_raw *e) {
    arena scratch = {0};
    place *places = arena_new_n(&scratch, place, e->val.len + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->val.len; i++) {
        const uint32_t row = e->crd.at[2 * i], col = e->crd.at[2 * i + 1];
        if (row == col)
            continue;
        places[n++] = row > col ? (place){row, col, false} : (place){col, row, true};
        i++;
    }
    qsort(places, n, sizeof *places, by_place);
    bool good = true;
    for (uint32_t i = 1; i < n && good; i++) {
        const place *a = &places[i - 1], *b = &places[i];
        good = a->high != b->high || a->low != b->low || a->above == b->above;
        if (!good)
            diag_error(r->diag, here(r, r->text, 1), "E0307-triangle",
                       "a symmetric file stores one triangle; (%u, %u) and (%u, %u) are both there",
                       a->high + 1, a->low + 1, a->low + 1, a->high + 1);
    }
    arena_free(&scratch);
    return good;
}

static bool mtx_coordinates(reader *r, const mtx_header *h, const uint32_t *dim, uint32_t entries,
                            tile_raw *e) {
    bool above = false;
    if (r->more)
        make_room(r, entries, e);
    for (uint32_t i = 0; i < entries; i++) {
        uint32_t row, col;
        double value = 0;
        if (!next_line_with_data(r))
            return truncated(r, i, entries);
        const char *line = r->at;
        if (!read_whole(r, "row", 1, dim[0], &row) || !read_whole(r, "column", 1, dim[1], &col))
            return false;
        bool good = h->pattern ? to_value(r, 1, here(r, line, 1), i, &value) : read_value(r, i, &value);
        if (!good || !end_of_line(r))
            return false;
        above = above || (h->sym != SYMMETRY_GENERAL && col > row);
        if (h->sym == SYMMETRY_SKEW && col == row && value != 0) {
            diag_error(r->diag, here(r, line, 1), "E0307-triangle",
                       "the diagonal of a skew-symmetric matrix is 0; row %u has a value there", row);
            return false;
        }
        add_entry(r, e, row - 1, col - 1, value, h->sym);
    }
    return !above || one_triangle(r, e);
}

/* Reports a file that ends before the size of the matrix. */
static bool without_size(reader *r) {
    diag_error(r->diag, here(r, r->end > r->text ? r->end - 1 : r->end, 1), "E0306-truncated",
               r->at == r->text ? "the file is empty" : "the file ends before its size line");
    diag_hint(r->diag, "it was cut off: fetch it again");
    return false;
}

/* Column-major values; zeros of a dense file are not stored. */
static bool mtx_array(reader *r, const mtx_header *h, const uint32_t *dim, tile_raw *e) {
    uint64_t all = (uint64_t)dim[0] * dim[1], got = 0;
    uint32_t stored = 0;
    if (h->sym != SYMMETRY_GENERAL)
        all = h->sym == SYMMETRY_SKEW ? (all - dim[0]) / 2 : (all + dim[0]) / 2;
    for (uint32_t col = 0; col < dim[1]; col++) {
        uint32_t first = h->sym == SYMMETRY_GENERAL ? 0 : h->sym == SYMMETRY_SKEW ? col + 1 : col;
        for (uint32_t row = first; row < dim[0]; row++) {
            double value = 0;
            if (!next_line_with_data(r))
                return truncated(r, got, all);
            got++;
            if (!read_value(r, stored, &value) || !end_of_line(r))
                return false;
            if (value == 0)
                continue;
            add_entry(r, e, row, col, value, h->sym);
            stored++;
        }
    }
    return true;
}

static bool read_mtx(reader *r, tile_tensor *t, tile_raw *e) {
    mtx_header h;
    uint32_t entries = 0;
    if (r->at == r->end)
        return without_size(r);
    if (!mtx_banner(r, &h))
        return false;
    if (!next_line_with_data(r))
        return without_size(r);
    const char *line = r->at;
    t->order = 2;
    if (!read_whole(r, "number of rows", 0, INT32_MAX, &t->dim[0]) ||
        !read_whole(r, "number of columns", 0, INT32_MAX, &t->dim[1]) ||
        (!h.array && !read_whole(r, "number of entries", 0, INT32_MAX, &entries)) || !end_of_line(r))
        return false;
    if (h.sym != SYMMETRY_GENERAL && t->dim[0] != t->dim[1]) {
        diag_error(r->diag, here(r, line, 1), "E0308-square",
                   "a symmetric matrix must be square, this is %u x %u", t->dim[0], t->dim[1]);
        return false;
    }
    bool good = h.array ? mtx_array(r, &h, t->dim, e) : mtx_coordinates(r, &h, t->dim, entries, e);
    if (good && next_line_with_data(r)) {
        diag_error(r->diag, here(r, r->at, word_length(r)), "E0309-extra",
                   "more entries follow than the size line announces");
        return false;
    }
    return good;
}

/* ---- FROSTT .tns ----------------------------------------------------------------------------- */

/* Counts the words on the current line. */
static uint32_t words_on_line(reader r) {
    uint32_t n = 0;
    for (;;) {
        skip_blanks(&r);
        size_t length = word_length(&r);
        if (!length || *r.at == r.comment)
            return n;
        n++;
        r.at += length;
    }
}

/* Goes to the next line with data in the present text; returns the number of words in the line. */
static uint32_t words_below(reader *r) {
    const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->at = end ? end : r->end;
    r->more = NULL; /* text outside memory is not examined */
    return next_line_with_data(r) ? words_on_line(*r) : 0;
}

/* Whether the file begins as the extended format has it: "order entries", a line of as many extents, and
 * lines with a word more. Looks only at what is in memory. Two lines "2 0" and "13 1" are an empty matrix,
 * or a vector where a vector is wanted (order 1). */
static bool is_extended(const reader *r, uint32_t wanted) {
    reader look = *r;
    uint32_t order, entries;
    diagnostics quiet;
    diag_init(&quiet, r->diag->mem);
    look.diag = &quiet;
    if (words_on_line(look) != 2 || !read_whole(&look, "order", 1, SAM_MAX_ORDER, &order) ||
        !read_whole(&look, "number of entries", 0, INT32_MAX, &entries))
        return false;
    const uint32_t extents = words_below(&look), entry = words_below(&look);
    return extents == order && entry == (entries ? order + 1 : 0) && (entries || wanted != 1);
}

static bool read_extents(reader *r, tile_tensor *t, uint32_t *entries) {
    bool good = read_whole(r, "order", 1, SAM_MAX_ORDER, &t->order) &&
                read_whole(r, "number of entries", 0, INT32_MAX, entries) && end_of_line(r) &&
                next_line_with_data(r);
    for (uint32_t m = 0; m < t->order && good; m++)
        good = read_whole(r, "extent", 1, INT32_MAX, &t->dim[m]);
    t->dim_inferred = false;
    return good && end_of_line(r);
}

/* A file without entries gets the requested order. */
static bool read_tns(reader *r, uint32_t order, tile_tensor *t, tile_raw *e) {
    uint32_t announced = 0;
    t->dim_inferred = true;
    t->order = order;
    if (next_line_with_data(r) && is_extended(r, order) && !read_extents(r, t, &announced))
        return false;
    const bool extended = !t->dim_inferred;
    while (next_line_with_data(r)) {
        uint32_t words = words_on_line(*r);
        if (!e->val.len && !extended)
            t->order = words - 1;
        if (t->order > SAM_MAX_ORDER || words != t->order + 1) {
            diag_error(
                r->diag, here(r, r->at, 1), "E0310-tns-line",
                "a line must hold up to %d coordinates and a value, as many as the first one; this has "
                "%u %s",
                SAM_MAX_ORDER, words, plural(words, "word", "words"));
            return false;
        }
        for (uint32_t m = 0; m < t->order; m++) {
            uint32_t c;
            if (!read_whole(r, "coordinate", 1, extended ? t->dim[m] : INT32_MAX, &c))
                return false;
            if (c > t->dim[m])
                t->dim[m] = c;
            vec_push(r->diag->mem, &e->crd, c - 1);
        }
        double value = 0;
        if (extended && e->val.len == announced) {
            diag_error(r->diag, here(r, r->at, word_length(r)), "E0309-extra",
                       "more entries follow than the header announces");
            return false;
        }
        if (!read_value(r, e->val.len, &value) || !end_of_line(r))
            return false;
        vec_push(r->diag->mem, &e->val, value);
    }
    return !extended || e->val.len == announced || truncated(r, e->val.len, announced);
}

/* ---- all formats ----------------------------------------------------------------------------- */

typedef enum { FILE_UNKNOWN, FILE_MTX, FILE_TNS, FILE_NPY, FILE_NPZ, FILE_STORED } file_format;
static const char *const extensions[] = {[FILE_MTX] = ".mtx",
                                         [FILE_TNS] = ".tns",
                                         [FILE_NPY] = ".npy",
                                         [FILE_NPZ] = ".npz",
                                         [FILE_STORED] = ".stored"};

static file_format format_of_name(const char *path) {
    for (file_format f = FILE_MTX; f <= FILE_STORED; f++) {
        if (text_ends_with(path, extensions[f]))
            return f;
    }
    return FILE_UNKNOWN;
}

/* "/dev/stdin", "a.b/c": the first bytes of a file without an extension tell its format. */
static bool has_extension(const char *path) {
    const char *name = strrchr(path, '/');
    return strchr(name ? name : path, '.') != NULL;
}

static file_format format_of_bytes(tile_bytes b) {
    static const char magic[] = "%%matrixmarket";
    const size_t mark = b.length >= 3 && memcmp(b.at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    size_t same = 0;
    while (same < sizeof magic - 1 && mark + same < b.length && tolower(b.at[mark + same]) == magic[same])
        same++;
    return same == sizeof magic - 1 ? FILE_MTX
           : tile_is_array(b)       ? FILE_NPY
           : tile_is_archive(b)     ? FILE_NPZ
           : tile_is_stored(b)      ? FILE_STORED
                                    : FILE_TNS;
}

bool tile_squeeze(tile_tensor *t, uint32_t order, const char *from, diagnostics *d) {
    uint32_t *crd = NULL; /* others may have the tensor, too, and its coordinates */
    if (t->order > order) {
        crd = arena_new_n(d->mem, uint32_t, t->nnz * t->order + 1);
        if (t->nnz)
            memcpy(crd, t->crd, sizeof *crd * t->nnz * t->order);
        t->crd = crd;
    }
    while (t->order > order) {
        uint32_t m = t->order;
        while (m-- > 0 && t->dim[m] != 1)
            continue;
        if (m >= t->order)
            break;
        for (uint64_t e = 0, to = 0; e < t->nnz; e++) {
            for (uint32_t i = 0; i < t->order; i++) {
                if (i != m)
                    crd[to++] = crd[e * t->order + i];
            }
        }
        memmove(t->dim + m, t->dim + m + 1, sizeof t->dim[0] * (t->order - m - 1));
        t->order--;
    }
    if (t->order != order) {
        diag_error(d, (src_loc){0}, "E0311-order", "'%s' holds a tensor of order %u where order %u is used",
                   from, t->order, order);
        return false;
    }
    return true;
}

/* Reads a text file. */
static bool read_as_text(reader *r, file_format format, uint32_t order, tile_raw *entries) {
    r->source = diag_add_source(r->diag, r->path, r->text, (size_t)(r->end - r->text));
    r->comment = format == FILE_MTX ? '%' : '#';
    return format == FILE_MTX ? read_mtx(r, r->tensor, entries)
                              : read_tns(r, order <= SAM_MAX_ORDER ? order : 0, r->tensor, entries);
}

/* Reads a file of numbers. */
static bool read_as_numbers(reader *r, file_format format, tile_bytes bytes, tile_raw *entries) {
    tile_found found;
    bool good = format == FILE_NPY ? tile_read_array(bytes, r->diag->mem, r->diag, &found)
                                   : tile_read_archive(bytes, r->diag->mem, r->diag, &found);
    for (uint32_t i = 0; good && i < found.val.len; i++) {
        good = to_value(r, found.val.at[i], (src_loc){0}, i, &found.val.at[i]);
    }
    if (!good)
        return false;
    r->tensor->order = found.order;
    memcpy(r->tensor->dim, found.dim, sizeof found.dim);
    *entries = (tile_raw){found.crd, found.val};
    return true;
}

/* Reads a stored tensor, with optional replacement of its values. */
static bool read_as_stored(reader *r, arena *mem) {
    tile_stored stored;
    name_id name = r->tensor->name;
    tile_bytes bytes = {r->path, (const uint8_t *)r->text, (size_t)(r->end - r->text)};
    if (!tile_stored_read(bytes, r->dtype, r->diag->mem, r->diag, &stored))
        return false;
    if (r->part != WHOLE && !stored.format.parts) {
        diag_error(r->diag, (src_loc){0}, "E0365-stored-file",
                   "'%s' is in format %s, which takes no tensor apart: it has no part %u", r->path,
                   stored.format.name, r->part);
        return false;
    }
    if (r->part != WHOLE && r->part >= stored.format.parts) {
        diag_error(r->diag, (src_loc){0}, "E0365-stored-file", "'%s' has %u %s, the first of which is 0",
                   r->path, stored.format.parts, plural(stored.format.parts, "part", "parts"));
        return false;
    }
    if (!tile_restore(r->part == WHOLE ? &stored : &stored.part[r->part], r->dtype, r->path, mem, r->diag,
                      r->tensor))
        return false;
    r->tensor->name = name;
    uint16_t *val = (uint16_t *)(uintptr_t)r->tensor->val;
    for (uint64_t e = 0; e < r->tensor->nnz; e++) {
        double x = tile_to_double(r->dtype, val[e]);
        if (!to_value(r, x, (src_loc){0}, (uint32_t)e, &x))
            return false;
        val[e] = tile_word_of(x, r->dtype, r->tensor);
    }
    return true;
}

/* Finds the format of a file, by name or by content, and inflates a packed file. */
static bool open_file(const char *path, diagnostics *d, tile_bytes *bytes, file_format *format) {
    size_t length = strlen(path);
    bool packed = text_ends_with(path, ".gz");
    const char *name = packed ? arena_strndup(d->mem, path, length - 3) : path, *slash = strrchr(name, '/');
    const bool tar = text_ends_with(name, ".tar");
    *format = tar ? FILE_MTX : format_of_name(name);
    if (*format == FILE_UNKNOWN && has_extension(name)) {
        diag_error(d, (src_loc){0}, "E0312-extension", "'%s' is neither .mtx, .tns, .npy, .npz nor .stored",
                   path);
        diag_hint(d,
                  "Matrix Market, FROSTT, NumPy and SciPy files are read, also packed by gzip (.gz); a name "
                  "without an extension may hold any of them");
        return false;
    }
    const char *all = file_read(path, d->mem, &length, d);
    if (!all)
        return false;
    inputs_note(d, path);
    *bytes = (tile_bytes){path, (const uint8_t *)all, length};
    if ((packed || (*format == FILE_UNKNOWN && tile_is_gzip(*bytes))) &&
        !tile_gunzip(*bytes, d->mem, d, bytes))
        return false;
    name = slash ? slash + 1 : name;
    if (tar && !tile_tar_member(*bytes, arena_strndup(d->mem, name, strlen(name) - strlen(".tar")), d->mem, d,
                                bytes))
        return false;
    if (*format == FILE_UNKNOWN)
        *format = format_of_bytes(*bytes);
    if (*format != FILE_MTX && *format != FILE_TNS)
        return true;
    bytes->at = (const uint8_t *)text_checked(path, (char *)(uintptr_t)bytes->at, &bytes->length, d);
    return bytes->at != NULL;
}

/* Returns the file of the part "B.stored/1", and the part's number; for other paths the path itself. */
static const char *whole_path(const char *path, arena *mem, uint32_t *part) {
    const char *slash = strrchr(path, '/');
    uint32_t number = 0;
    *part = WHOLE;
    const char *digit = slash ? slash + 1 : path;
    while (isdigit((unsigned char)*digit) && number < WHOLE / 10 - 1)
        number = number * 10 + (uint32_t)(*digit++ - '0');
    if (!slash || digit == slash + 1 || *digit)
        return path;
    const char *whole = arena_strndup(mem, path, (size_t)(slash - path));
    if (!text_ends_with(whole, ".stored") && !text_ends_with(whole, ".stored.gz"))
        return path;
    *part = number;
    return whole;
}

/* Reads a long text file piece by piece. Returns false, without a message, for other files and for files with
 * a mistake: these are read as a whole. */
static bool read_in_pieces(reader r, uint32_t order, arena *mem) {
    arena scratch = {0};
    diagnostics quiet, *given = r.diag;
    tile_raw entries = {0};
    const tile_tensor empty = *r.tensor;
    const bool packed = text_ends_with(r.path, ".gz");
    const file_format format =
        format_of_name(packed ? arena_strndup(&scratch, r.path, strlen(r.path) - 3) : r.path);
    diag_init(&quiet, &scratch);
    r.diag = &quiet;
    r.at = r.end = ""; /* nothing is in memory yet */
    r.more = format == FILE_MTX || format == FILE_TNS ? tile_lines_begin(r.path, packed, &scratch) : NULL;
    if (r.more)
        inputs_note(given, r.path);
    bool good = r.more != NULL;
    if (good) {
        has_line(&r);
        r.text = r.at;
        const bool marked = r.at < r.end && (uint8_t)*r.at >= 0x80; /* by a byte order */
        good = !marked && read_as_text(&r, format, order, &entries);
        good = tile_lines_end(r.more) && good && r.at == r.end;
    }
    good = good && tile_round(r.tensor, &entries, r.dtype, mem, &quiet);
    if (!good)
        *r.tensor = empty;
    arena_free(&scratch);
    return good;
}

static bool read_whole_file(reader r, uint32_t order, arena *mem) {
    tile_bytes bytes;
    file_format format;
    tile_raw entries = {0};
    if (!open_file(r.path, r.diag, &bytes, &format))
        return false;
    r.text = r.at = (const char *)bytes.at;
    r.end = r.text + bytes.length;
    const bool good = format == FILE_STORED ? read_as_stored(&r, mem)
                      : format <= FILE_TNS  ? read_as_text(&r, format, order, &entries)
                                            : read_as_numbers(&r, format, bytes, &entries);
    return good && (format == FILE_STORED || tile_round(r.tensor, &entries, r.dtype, mem, r.diag));
}

/* Values of a stored tensor are words already: whole numbers, or else bfloat16. */
static tile_dtype type_of_stored(const char *path, diagnostics *d) {
    tile_tensor t;
    diagnostics quiet;
    diag_init(&quiet, d->mem);
    return tile_read(path, (name_id){0}, SAM_MAX_ORDER + 1, TILE_DTYPE_INT16, TILE_VALUES_FILE, d->mem,
                     &quiet, &t) &&
                   !quiet.warnings
               ? TILE_DTYPE_INT16
               : TILE_DTYPE_BF16;
}

bool tile_read(const char *path, name_id name, uint32_t order, tile_dtype dtype, tile_values values,
               arena *mem, diagnostics *d, tile_tensor *out) {
    uint32_t part;
    const char *user = path;
    *out = (tile_tensor){.name = name};
    if (tile_is_level_files(path, d->mem))
        return tile_read_level_files(&(tile_level_files){path, name, dtype, values}, mem, d, out) &&
               (order > SAM_MAX_ORDER || tile_squeeze(out, order, path, d));
    path = whole_path(path, d->mem, &part);
    if (dtype == TILE_DTYPE_GIVEN &&
        (text_ends_with(path, ".stored") || text_ends_with(path, ".stored.gz"))) {
        const tile_dtype own = type_of_stored(user, d);
        const bool good = tile_read(user, name, order, own, values, mem, d, out);
        if (good)
            tile_take_words(out, own, mem);
        return good;
    }
    const reader r = {.path = path, .diag = d, .dtype = dtype, .values = values, .part = part, .tensor = out};
    if (!read_in_pieces(r, order, mem) && !read_whole_file(r, order, mem))
        return false;
    tile_warn_changed(out, dtype, path, d);
    return order > SAM_MAX_ORDER || tile_squeeze(out, order, path, d);
}

bool tile_can_write(uint32_t order, const char *path, diagnostics *d) {
    if (text_ends_with(path, ".mtx") ? order <= 2 : text_ends_with(path, ".tns"))
        return true;
    diag_error(d, (src_loc){0}, "E0312-extension", "'%s' cannot hold a tensor of order %u", path, order);
    diag_hint(d, "name it .mtx up to order 2, .tns, or .stored where its order is not 0");
    return false;
}

/* Whether entry e of a .tns file would read as "order entries" of the extended format: is_extended. */
static bool reads_as_header(const tile_tensor *t, uint64_t e) {
    return t->order == 1 && t->nnz == 2 && e == 0 && t->crd[0] == 1 && t->val[0] == 0;
}

bool tile_write(const tile_tensor *t, tile_dtype dtype, const char *path, diagnostics *d) {
    file_out f;
    bool mtx = text_ends_with(path, ".mtx");
    if (!tile_can_write(t->order, path, d) || !file_create(&f, path, d->mem, d))
        return false;
    if (mtx)
        fprintf(f.stream, "%%%%MatrixMarket matrix coordinate %s general\n",
                dtype == TILE_DTYPE_BF16 || t->scale ? "real" : "integer");
    tile_write_comments(t, dtype, mtx ? '%' : '#', f.stream);
    if (mtx)
        fprintf(f.stream, "%u %u %llu\n", t->order > 0 ? t->dim[0] : 1, t->order > 1 ? t->dim[1] : 1,
                (unsigned long long)t->nnz);
    for (uint64_t e = 0; e < t->nnz; e++) {
        for (uint32_t m = 0; m < (mtx ? 2 : t->order); m++)
            fprintf(f.stream, "%u ", m < t->order ? t->crd[e * t->order + m] + 1 : 1);
        if (!mtx && reads_as_header(t, e))
            fputs("0.0\n", f.stream);
        else if (dtype == TILE_DTYPE_BF16 || t->scale)
            number_print(f.stream, "%.*g\n", t->scale ? TILE_SCALED_DIGITS : 9,
                         ldexp(tile_to_double(dtype, t->val[e]), -t->scale));
        else
            fprintf(f.stream, "%d\n", t->wide ? (int)*t->wide : (int)(int16_t)t->val[e]);
    }
    return file_commit(&f, d);
}

/* ---- random tensors -------------------------------------------------------------------------- */

typedef struct {
    uint32_t order, dim[SAM_MAX_ORDER];
    double density;
    uint64_t base;
    bool no_density; /* the number where the density stands is none */
} generator;

static bool parse_generator(const char *spec, uint64_t base_seed, generator *g) {
    *g = (generator){.density = 1, .base = base_seed};
    const char *p = spec;
    while (isdigit((unsigned char)*p)) {
        char *end;
        unsigned long long dim = strtoull(p, &end, 10);
        if (dim < 1 || dim > INT32_MAX || g->order == SAM_MAX_ORDER)
            return false;
        g->dim[g->order++] = (uint32_t)dim;
        p = *end == 'x' ? end + 1 : end;
        if (*end != 'x')
            break;
    }
    if (*p == ':') {
        char *end;
        g->density = number_read(p + 1, &end);
        g->no_density = end == p + 1 || !(g->density >= 0 && g->density <= 1);
        if (g->no_density)
            return false;
        p = end;
    }
    if (*p == ':') {
        char *end;
        g->base = strtoull(p + 1, &end, 10);
        if (!isdigit((unsigned char)p[1]))
            return false;
        p = end;
    }
    return *p == '\0';
}

static bool bad_generator(const char *spec, const char *what, const char *help, diagnostics *d) {
    diag_error(d, (src_loc){0}, "E0313-generator", "'%s' %s", spec, what);
    diag_hint(d, "%s", help);
    return false;
}

/* Returns the high half of a * b in 128 bits. */
static uint64_t high_product(uint64_t a, uint64_t b) {
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t cross = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (cross & UINT32_MAX);
    return a1 * b1 + (cross >> 32) + (other >> 32);
}

/* How many coordinates lie between two entries: n of them with probability p * q^n, q = 1 - p. The binary
 * digits of such a number are independent, digit i being 1 with probability q^(2^i) / (1 + q^(2^i)); so whole
 * numbers are enough, and every platform draws the same. */
enum { GAP_DIGITS = 63 };
typedef struct {
    uint64_t power[GAP_DIGITS]; /* q^(2^i) * 2^64 */
} gap_source;

static gap_source gap_begin(uint64_t limit) {
    gap_source g;
    uint64_t q = UINT64_MAX - limit + 1;
    for (uint32_t i = 0; i < GAP_DIGITS; i++, q = high_product(q, q))
        g.power[i] = q;
    return g;
}

static uint64_t gap_next(const gap_source *g, prng *p) {
    uint64_t gap = 0;
    for (uint32_t i = 0; i < GAP_DIGITS && g->power[i]; i++) {
        uint64_t q = g->power[i], draw = prng_next(p); /* draw * (1 + q) < q */
        gap |= (uint64_t)(draw < q && high_product(draw, q) < q - draw) << i;
    }
    return gap;
}

static void add_random(const generator *g, uint64_t point, prng *p, tile_dtype dtype, tile_entries *e,
                       arena *mem) {
    uint64_t value = 1 + (prng_next(p) >> 33) % 9;
    uint32_t tuple[SAM_MAX_ORDER];
    for (uint32_t m = g->order; m-- > 0; point /= g->dim[m])
        tuple[m] = (uint32_t)(point % g->dim[m]);
    for (uint32_t m = 0; m < g->order; m++)
        vec_push(mem, &e->crd, tuple[m]);
    vec_push(mem, &e->val, dtype == TILE_DTYPE_BF16 ? bf16_from_float((float)value) : (uint16_t)value);
}

/* Limit of individually visited coordinates, as in the published generator; limits of coordinates and of
 * their words. */
#define VISIT_MOST (UINT64_C(1) << 28)
#define POINTS_MOST (UINT64_C(1) << 62)
#define WORDS_MOST (UINT64_C(1) << 30)

bool tile_generate(const char *spec, name_id name, uint32_t operand, uint64_t base_seed, tile_dtype dtype,
                   arena *mem, diagnostics *d, tile_tensor *out) {
    generator g;
    if (!parse_generator(spec, base_seed, &g) && g.no_density)
        return bad_generator(spec, "states a density that is no number from 0 to 1",
                             "write the share of the coordinates with an entry, such as 100x80:0.05", d);
    if (!parse_generator(spec, base_seed, &g))
        return bad_generator(spec, "is not a generator",
                             "write dimensions, density and seed, such as 100x80:0.05:7", d);
    *out = (tile_tensor){.name = name, .order = g.order};
    memcpy(out->dim, g.dim, sizeof g.dim);
    uint64_t points = 1;
    for (uint32_t m = 0; m < g.order; m++) {
        if (points > POINTS_MOST / g.dim[m])
            return bad_generator(spec, "has more than 2^62 coordinates", "smaller dimensions", d);
        points *= g.dim[m];
    }
    bool all = g.density >= 1;
    uint64_t limit = all ? UINT64_MAX : (uint64_t)(g.density * 18446744073709551616.0);
    if ((all ? points : high_product(points, limit)) > WORDS_MOST / (g.order + 1))
        return bad_generator(spec, "would have more entries than there is room for",
                             "a smaller density or smaller dimensions", d);
    prng p = prng_seed(g.base * 1000 + operand);
    tile_entries e = {0};
    arena scratch = {0};
    if (points <= VISIT_MOST) {
        for (uint64_t point = 0; point < points; point++)
            if (prng_next(&p) < limit || all)
                add_random(&g, point, &p, dtype, &e, &scratch);
    } else if (limit) {
        const gap_source gaps = gap_begin(limit);
        for (uint64_t point = gap_next(&gaps, &p); point < points; point += 1 + gap_next(&gaps, &p))
            add_random(&g, point, &p, dtype, &e, &scratch);
    }
    tile_normalise(out, &e, dtype, mem);
    arena_free(&scratch);
    return true;
}
