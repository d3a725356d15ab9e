/* Tensors in text files: Matrix Market, and FROSTT with its extensions. */
#include "tiling/text_files.h"
#include "support/number.h"
#include "tiling/containers.h"
#include "tiling/formats.h"
#include "tiling/lines.h"
#include "tiling/rounding.h"
#include "tiling/tiling_int.h"

#include <ctype.h>
#include <stdlib.h>

typedef enum { SYMMETRY_GENERAL, SYMMETRY_SYMMETRIC, SYMMETRY_SKEW } symmetry;

static src_loc here(const tile_reader *r, const char *p, size_t length) {
    return src_at(r->source, (size_t)(p - r->text), length);
}

static void skip_blanks(tile_reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
}

bool tile_has_line(tile_reader *r) {
    if (r->more && !memchr(r->at, '\n', (size_t)(r->end - r->at)))
        tile_lines_more(r->more, &r->at, &r->end);
    return r->at < r->end;
}

/* Skips blank lines and comment lines; false at the end of the file. */
static bool next_line_with_data(tile_reader *r) {
    while (tile_has_line(r)) {
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

static size_t word_length(const tile_reader *r) {
    const char *p = r->at;
    while (p < r->end && !isspace((unsigned char)*p))
        p++;
    return (size_t)(p - r->at);
}

static bool end_of_line(tile_reader *r) {
    skip_blanks(r);
    if (r->at < r->end && *r->at == r->comment) {
        const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
        r->at = end ? end : r->end;
    }
    if (r->at < r->end && *r->at != '\n')
        return diag_error(r->diag, here(r, r->at, word_length(r)), "E0304-trailing",
                          "unexpected text after the entry");
    return true;
}

/* Reads an integer from `low` to `high`; `what` names the integer in messages. */
static bool read_whole(tile_reader *r, const char *what, uint64_t low, uint64_t high, uint32_t *out) {
    skip_blanks(r);
    size_t length = word_length(r);
    uint64_t value = 0;
    size_t sign = length > 1 && *r->at == '-';
    bool digits = length > 0, far = sign || length >= 20;
    for (size_t i = sign; digits && i < length; i++) {
        digits = isdigit((unsigned char)r->at[i]);
        value = value * 10 + (uint64_t)(r->at[i] - '0');
    }
    if (!digits)
        return diag_error(r->diag, here(r, r->at, length), "E0302-number", "%s must be a whole number here",
                          what);
    if (far || value < low || value > high)
        return diag_error(r->diag, here(r, r->at, length), "E0303-range", "%s %.*s is outside %llu..%llu",
                          what, length < 40 ? (int)length : 40, r->at, (unsigned long long)low,
                          (unsigned long long)high);
    r->at += length;
    *out = (uint32_t)value;
    return true;
}

bool tile_to_value(tile_reader *r, double x, src_loc loc, uint32_t stored, double *out) {
    *out = r->values == TILE_VALUES_ONES ? 1 : r->values == TILE_VALUES_RAMP ? 1 + stored % 127 : x;
    return tile_has_word(*out, r->dtype, loc, r->diag);
}

/* Reads a word of few digits, and no sign: most values of files. */
static bool read_digits(const char *at, size_t length, double *out) {
    enum { EXACT = 15 }; /* digits that double precision holds */
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        if (length > EXACT || !isdigit((unsigned char)at[i]))
            return false;
        value = value * 10 + (uint64_t)(at[i] - '0');
    }
    *out = (double)value;
    return true;
}

/* Reads a number like number_read, also Fortran's with exponent letter D. *end becomes its end. */
static double read_double(const char *at, size_t length, const char **end) {
    enum { LONGEST = 64 };
    char word[LONGEST], *rest = NULL;
    double whole;
    if (read_digits(at, length, &whole)) {
        *end = at + length;
        return whole;
    }
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

static bool read_value(tile_reader *r, uint32_t stored, double *out) {
    skip_blanks(r);
    size_t length = word_length(r);
    const char *end = r->at;
    double x = length ? read_double(r->at, length, &end) : 0;
    if (!length || end != r->at + length)
        return diag_error(r->diag, here(r, r->at, length), "E0302-number", "the value must be a number here");
    src_loc loc = here(r, r->at, length);
    r->at = end;
    return tile_to_value(r, x, loc, stored, out);
}

typedef struct {
    bool array, pattern;
    symmetry sym;
} mtx_header;

/* Reads one word of the banner and finds the word among the alternatives; -1 after an error. */
static int banner_word(tile_reader *r, const char *what, const char *const *known, const char *help) {
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

static bool mtx_banner(tile_reader *r, mtx_header *h) {
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
    if (h->array && h->pattern)
        return diag_error(r->diag, here(r, r->text, 1), "E0301-banner",
                          "an array file has values; 'pattern' contradicts");
    return end_of_line(r);
}

static void add_entry(tile_reader *r, tile_raw *e, uint32_t row, uint32_t col, double value, symmetry sym) {
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
static bool truncated(tile_reader *r, uint64_t got, uint64_t want) {
    diag_error(r->diag, here(r, r->end > r->text ? r->end - 1 : r->end, 1), "E0306-truncated",
               "the file ends after %llu of %llu %s", (unsigned long long)got, (unsigned long long)want,
               plural(want, "entry", "entries"));
    return diag_hint(r->diag, "it was cut off: fetch it again; or its size line is wrong");
}

/* Reserves room for all entries at once, limited by the bytes of the file: growing arrays leave copies in the
 * arena. */
static void make_room(tile_reader *r, uint32_t entries, tile_raw *e) {
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
static bool one_triangle(tile_reader *r, const tile_raw *e) {
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

static bool mtx_coordinates(tile_reader *r, const mtx_header *h, const uint32_t *dim, uint32_t entries,
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
        bool good = h->pattern ? tile_to_value(r, 1, here(r, line, 1), i, &value) : read_value(r, i, &value);
        if (!good || !end_of_line(r))
            return false;
        above = above || (h->sym != SYMMETRY_GENERAL && col > row);
        if (h->sym == SYMMETRY_SKEW && col == row && value != 0)
            return diag_error(r->diag, here(r, line, 1), "E0307-triangle",
                              "the diagonal of a skew-symmetric matrix is 0; row %u has a value there", row);
        add_entry(r, e, row - 1, col - 1, value, h->sym);
    }
    return !above || one_triangle(r, e);
}

/* Reports a file that ends before the size of the matrix. */
static bool without_size(tile_reader *r) {
    diag_error(r->diag, here(r, r->end > r->text ? r->end - 1 : r->end, 1), "E0306-truncated",
               r->at == r->text ? "the file is empty" : "the file ends before its size line");
    return diag_hint(r->diag, "it was cut off: fetch it again");
}

/* Column-major values; zeros of a dense file are not stored. */
static bool mtx_array(tile_reader *r, const mtx_header *h, const uint32_t *dim, tile_raw *e) {
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

bool tile_read_mtx(tile_reader *r, tile_tensor *t, tile_raw *e) {
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
    if (h.sym != SYMMETRY_GENERAL && t->dim[0] != t->dim[1])
        return diag_error(r->diag, here(r, line, 1), "E0308-square",
                          "a symmetric matrix must be square, this is %u x %u", t->dim[0], t->dim[1]);
    bool good = h.array ? mtx_array(r, &h, t->dim, e) : mtx_coordinates(r, &h, t->dim, entries, e);
    if (good && next_line_with_data(r))
        return diag_error(r->diag, here(r, r->at, word_length(r)), "E0309-extra",
                          "more entries follow than the size line announces");
    return good;
}

/* Counts the words on the current line. */
static uint32_t words_on_line(tile_reader r) {
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
static uint32_t words_below(tile_reader *r) {
    const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->at = end ? end : r->end;
    r->more = NULL; /* text outside memory is not examined */
    return next_line_with_data(r) ? words_on_line(*r) : 0;
}

/* Whether the file begins as the extended format has it: "order entries", a line of as many extents, and
 * lines with a word more. Looks only at what is in memory. Two lines "2 0" and "13 1" are an empty matrix,
 * or a vector where a vector is wanted (order 1). */
static bool is_extended(const tile_reader *r, uint32_t wanted) {
    tile_reader look = *r;
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

static bool read_extents(tile_reader *r, tile_tensor *t, uint32_t *entries) {
    bool good = read_whole(r, "order", 1, SAM_MAX_ORDER, &t->order) &&
                read_whole(r, "number of entries", 0, INT32_MAX, entries) && end_of_line(r) &&
                next_line_with_data(r);
    for (uint32_t m = 0; m < t->order && good; m++)
        good = read_whole(r, "extent", 1, INT32_MAX, &t->dim[m]);
    t->dim_inferred = false;
    return good && end_of_line(r);
}

bool tile_read_tns(tile_reader *r, uint32_t order, tile_tensor *t, tile_raw *e) {
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
        if (t->order > SAM_MAX_ORDER || words != t->order + 1)
            return diag_error(
                r->diag, here(r, r->at, 1), "E0310-tns-line",
                "a line must hold up to %d coordinates and a value, as many as the first one; this has "
                "%u %s",
                SAM_MAX_ORDER, words, plural(words, "word", "words"));
        for (uint32_t m = 0; m < t->order; m++) {
            uint32_t c;
            if (!read_whole(r, "coordinate", 1, extended ? t->dim[m] : INT32_MAX, &c))
                return false;
            if (c > t->dim[m])
                t->dim[m] = c;
            vec_push(r->diag->mem, &e->crd, c - 1);
        }
        double value = 0;
        if (extended && e->val.len == announced)
            return diag_error(r->diag, here(r, r->at, word_length(r)), "E0309-extra",
                              "more entries follow than the header announces");
        if (!read_value(r, e->val.len, &value) || !end_of_line(r))
            return false;
        vec_push(r->diag->mem, &e->val, value);
    }
    return !extended || e->val.len == announced || truncated(r, e->val.len, announced);
}
