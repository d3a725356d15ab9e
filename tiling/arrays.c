/* arrays.c - NumPy's arrays (.npy), and SciPy's archives of sparse matrices (.npz). */
#include "tiling/containers.h"

#include <ctype.h>
#include <math.h>

/* Limits of a tensor's dimensions and entries. */
#define DIM_MOST INT32_MAX
#define ENTRIES_MOST (UINT64_C(1) << 30)

/* One array: `n` elements of `size` bytes each. */
typedef struct {
    tile_bytes file;
    const uint8_t *data;
    char kind; /* b, i, u or f in NumPy's notation, S or U for text */
    uint32_t size;
    bool big_endian, by_column, shaped;
    uint32_t order;
    uint64_t dim[SAM_MAX_ORDER], n;
} array;

static bool bad_array(tile_bytes file, uint64_t byte, const char *what, diagnostics *d) {
    return diag_error(d, (src_loc){0}, "E0314-array", "'%s', byte %llu: %s", file.from,
                      (unsigned long long)byte, what);
}

/* ---- the header ------------------------------------------------------------------------------ */

/* Python's text of a dictionary, read from the front. */
typedef struct {
    tile_bytes file;
    size_t at, end;
    diagnostics *diag;
} header;

static void skip_blanks(header *h) {
    while (h->at < h->end && (h->file.at[h->at] == ' ' || h->file.at[h->at] == '\n'))
        h->at++;
}

static bool take(header *h, char c) {
    skip_blanks(h);
    if (h->at == h->end || h->file.at[h->at] != (uint8_t)c)
        return false;
    h->at++;
    return true;
}

static bool expect(header *h, char c) {
    return take(h, c) || bad_array(h->file, h->at,
                                   arena_printf(h->diag->mem, "the header should have %c here", c), h->diag);
}

static bool take_word(header *h, const char *word) {
    size_t n = strlen(word);
    skip_blanks(h);
    if (h->end - h->at < n || memcmp(h->file.at + h->at, word, n) != 0)
        return false;
    h->at += n;
    return true;
}

/* Reads "<f8", between quotes. */
static bool read_kind(header *h, array *a) {
    if (!expect(h, '\''))
        return false;
    size_t first = h->at;
    a->size = 0;
    char order = h->at < h->end ? (char)h->file.at[h->at] : '\0';
    if (strchr("<>=|", order) && order)
        h->at++;
    a->big_endian = order == '>';
    a->kind = h->at < h->end ? (char)h->file.at[h->at++] : '\0';
    while (h->at < h->end && isdigit(h->file.at[h->at]) && a->size < 1000)
        a->size = a->size * 10 + (uint32_t)(h->file.at[h->at++] - '0');
    bool whole = strchr("iu", a->kind) && (a->size == 1 || a->size == 2 || a->size == 4 || a->size == 8);
    bool good = a->kind && ((a->kind == 'b' && a->size == 1) || whole ||
                            (a->kind == 'f' && (a->size == 2 || a->size == 4 || a->size == 8)) ||
                            (strchr("SU", a->kind) && a->size < 100));
    if (good && take(h, '\''))
        return true;
    bad_array(h->file, first, "numbers of this kind are not read", h->diag);
    return diag_hint(
        h->diag,
        "whole numbers and truth values (b1, i1 to i8, u1 to u8) and reals (f2, f4, f8) are: convert "
        "it with .astype");
}

static bool read_shape(header *h, array *a) {
    if (!expect(h, '('))
        return false;
    a->n = 1;
    a->order = 0;
    a->shaped = true;
    while (!take(h, ')')) {
        uint64_t dim = 0;
        size_t first = h->at;
        while (h->at < h->end && isdigit(h->file.at[h->at]) && dim <= ENTRIES_MOST * 4)
            dim = dim * 10 + (uint64_t)(h->file.at[h->at++] - '0');
        if (h->at == first || a->order == SAM_MAX_ORDER || dim > ENTRIES_MOST * 4 ||
            (dim && a->n > ENTRIES_MOST * 4 / dim))
            return bad_array(h->file, first,
                             h->at == first ? "a dimension should stand here"
                                            : "the array has too many dimensions, or numbers",
                             h->diag);
        a->dim[a->order++] = dim;
        a->n *= dim;
        if (!take(h, ',') && (h->at == h->end || h->file.at[h->at] != ')'))
            return expect(h, ')');
    }
    return true;
}

/* Reads a key and its value: the element type, the shape, or the fastest index. */
static bool read_member(header *h, array *a) {
    if (take_word(h, "'descr':"))
        return read_kind(h, a);
    if (take_word(h, "'shape':"))
        return read_shape(h, a);
    if (!take_word(h, "'fortran_order':"))
        return bad_array(h->file, h->at, "descr, shape or fortran_order should stand here", h->diag);
    a->by_column = take_word(h, "True");
    return a->by_column || take_word(h, "False") ||
           bad_array(h->file, h->at, "True or False should stand here", h->diag);
}

static bool read_dictionary(header *h, array *a) {
    if (!expect(h, '{'))
        return false;
    for (bool more = true; !take(h, '}'); more = take(h, ',')) {
        if (!more)
            return expect(h, ',');
        if (!read_member(h, a))
            return false;
    }
    return (a->size && a->shaped) ||
           bad_array(h->file, h->at, "the header says no kind or no shape", h->diag);
}

static bool read_header(tile_bytes file, diagnostics *d, array *a) {
    *a = (array){.file = file};
    if (!tile_is_array(file) || file.length < 12)
        return bad_array(file, 0, "this is no NumPy array", d);
    uint32_t wide = file.at[6] >= 2 ? 4 : 2;
    uint64_t length = wide == 4 ? file_u32_at(file.at + 8) : (uint64_t)file.at[8] + 256u * file.at[9];
    uint64_t first = 8 + wide;
    if (file.at[6] < 1 || file.at[6] > 3 || file.length - first < length)
        return bad_array(file, 6, "the header is longer than the file, or of a version that is not read", d);
    header h = {file, (size_t)first, (size_t)(first + length), d};
    if (!read_dictionary(&h, a))
        return false;
    uint64_t bytes = a->n * (a->kind == 'U' ? 4 : 1) * a->size;
    if (file.length - h.end != bytes)
        return bad_array(file, h.end,
                         arena_printf(d->mem, "%llu bytes of data should follow, %llu do",
                                      (unsigned long long)bytes, (unsigned long long)(file.length - h.end)),
                         d);
    a->data = file.at + h.end;
    return true;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static uint64_t bits_at(const array *a, uint64_t i) {
    uint64_t bits = 0;
    for (uint32_t b = 0; b < a->size; b++)
        bits |= (uint64_t)a->data[i * a->size + (a->big_endian ? a->size - 1 - b : b)] << (8 * b);
    return bits;
}

static double half_to_double(uint64_t bits) {
    int exponent = (int)(bits >> 10 & 31);
    double fraction = (double)(bits & 1023) / 1024, sign = bits >> 15 ? -1 : 1;
    if (exponent == 31)
        return fraction != 0 ? (double)NAN : sign * (double)INFINITY;
    return sign * (exponent ? ldexp(1 + fraction, exponent - 15) : ldexp(fraction, -14));
}

static int64_t sign_extended(const array *a, uint64_t bits) {
    uint32_t shift = 64 - 8 * a->size;
    return (int64_t)(bits << shift) >> shift;
}

static double number_at(const array *a, uint64_t i) {
    uint64_t bits = bits_at(a, i);
    if (a->kind == 'i')
        return (double)sign_extended(a, bits);
    if (a->kind != 'f')
        return (double)bits;
    if (a->size == 2)
        return half_to_double(bits);
    if (a->size == 8) {
        double x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return (double)x;
}

/* Reads element i, an integer from `low` to `high`. */
static bool whole_at(const array *a, uint64_t i, int64_t low, int64_t high, diagnostics *d, int64_t *out) {
    uint64_t bits = bits_at(a, i);
    bool far = a->kind == 'u' && bits > INT64_MAX;
    *out = a->kind == 'i' ? sign_extended(a, bits) : (int64_t)bits;
    return (!far && *out >= low && *out <= high) ||
           diag_error(d, (src_loc){0}, "E0314-array", "'%s', element %llu: %s%lld is outside %lld..%lld",
                      a->file.from, (unsigned long long)i, far ? "2^64 " : "", (long long)*out,
                      (long long)low, (long long)high);
}

/* ---- dense arrays ---------------------------------------------------------------------------- */

bool tile_is_array(tile_bytes b) {
    return b.length >= 6 && memcmp(b.at, "\x93NUMPY", 6) == 0;
}

/* Refuses arrays of text and arrays with too many coordinates. */
static bool fits(const array *a, diagnostics *d) {
    if (a->kind == 'S' || a->kind == 'U')
        return bad_array(a->file, 0, "this is a text, no numbers", d);
    for (uint32_t m = 0; m < a->order; m++) {
        if (a->dim[m] > DIM_MOST)
            return bad_array(a->file, 0, "a dimension is longer than 2147483647", d);
    }
    return true;
}

bool tile_read_array(tile_bytes in, arena *mem, diagnostics *d, tile_found *out) {
    array a;
    *out = (tile_found){0};
    if (!read_header(in, d, &a) || !fits(&a, d))
        return false;
    out->order = a.order;
    for (uint32_t m = 0; m < a.order; m++)
        out->dim[m] = (uint32_t)a.dim[m];
    for (uint64_t i = 0; i < a.n; i++) {
        double x = number_at(&a, i);
        uint32_t at[SAM_MAX_ORDER];
        uint64_t rest = i;
        if (x == 0 && a.order)
            continue;
        if ((out->val.len + UINT64_C(1)) * a.order > ENTRIES_MOST)
            return bad_array(a.file, 0, "it has more entries than there is room for", d);
        for (uint32_t k = 0; k < a.order; k++) {
            uint32_t m = a.by_column ? k : a.order - 1 - k;
            at[m] = (uint32_t)(rest % a.dim[m]);
            rest /= a.dim[m];
        }
        for (uint32_t m = 0; m < a.order; m++)
            vec_push(mem, &out->crd, at[m]);
        vec_push(mem, &out->val, x);
    }
    return true;
}

/* ---- sparse matrices of SciPy ---------------------------------------------------------------- */

/* The current archive, and its matrix. */
typedef struct {
    tile_bytes file;
    arena *mem;
    diagnostics *diag;
    tile_found *out;
} matrix;

/* Reads the array `name`, of `order` dimensions, and of numbers unless integers are requested. */
static bool member_array(const matrix *m, const char *name, uint32_t order, bool whole, array *a) {
    tile_bytes bytes;
    if (!tile_member(m->file, name, m->diag->mem, m->diag, &bytes))
        return false;
    if (!bytes.at)
        return diag_error(m->diag, (src_loc){0}, "E0314-array", "'%s' holds no %s, which its format has",
                          m->file.from, name);
    if (!read_header(bytes, m->diag, a) || !fits(a, m->diag))
        return false;
    if (a->n > ENTRIES_MOST / 2)
        return bad_array(a->file, 0, "it has more entries than there is room for", m->diag);
    if (a->order != order)
        return bad_array(a->file, 0,
                         arena_printf(m->diag->mem, "it should have %u %s, not %u", order,
                                      plural(order, "dimension", "dimensions"), a->order),
                         m->diag);
    return !whole || a->kind == 'i' || a->kind == 'u' ||
           bad_array(a->file, 0, "it should hold whole numbers", m->diag);
}

static void add(const matrix *m, uint64_t row, uint64_t column, double x) {
    vec_push(m->mem, &m->out->crd, (uint32_t)row);
    vec_push(m->mem, &m->out->crd, (uint32_t)column);
    vec_push(m->mem, &m->out->val, x);
}

static bool same_length(const matrix *m, const array *a, uint64_t length) {
    return a->n == length || diag_error(m->diag, (src_loc){0}, "E0314-array",
                                        "'%s' has %llu elements where there should be %llu", a->file.from,
                                        (unsigned long long)a->n, (unsigned long long)length);
}

/* Coordinates as one array of two dimensions, one row for each dimension of the tensor: SciPy's coo of an
 * order other than 2, and PyData's. */
static bool read_coordinates(const matrix *m) {
    array coords, data;
    int64_t at;
    if (!member_array(m, "coords.npy", 2, true, &coords) || !member_array(m, "data.npy", 1, false, &data))
        return false;
    if (coords.dim[0] != m->out->order || coords.dim[1] != data.n)
        return bad_array(coords.file, 0, "it should have a row for each dimension, a column for each entry",
                         m->diag);
    for (uint64_t i = 0; i < data.n; i++) {
        for (uint32_t k = 0; k < m->out->order; k++) {
            const uint64_t from = coords.by_column ? i * m->out->order + k : k * data.n + i;
            if (!whole_at(&coords, from, 0, (int64_t)m->out->dim[k] - 1, m->diag, &at))
                return false;
            vec_push(m->mem, &m->out->crd, (uint32_t)at);
        }
        vec_push(m->mem, &m->out->val, number_at(&data, i));
    }
    return true;
}

static bool read_coo(const matrix *m) {
    array row, col, data;
    int64_t at[2];
    if (!member_array(m, "row.npy", 1, true, &row) || !member_array(m, "col.npy", 1, true, &col) ||
        !member_array(m, "data.npy", 1, false, &data) || !same_length(m, &row, data.n) ||
        !same_length(m, &col, data.n))
        return false;
    for (uint64_t i = 0; i < data.n; i++) {
        if (!whole_at(&row, i, 0, (int64_t)m->out->dim[0] - 1, m->diag, &at[0]) ||
            !whole_at(&col, i, 0, (int64_t)m->out->dim[1] - 1, m->diag, &at[1]))
            return false;
        add(m, (uint64_t)at[0], (uint64_t)at[1], number_at(&data, i));
    }
    return true;
}

typedef enum { BY_ROW, BY_COLUMN, BY_BLOCK_ROW } compressed_by;

/* Segments of rows, of columns, or of rows of blocks of high x wide values: csr, csc and bsr. */
static bool read_compressed(const matrix *m, compressed_by by) {
    const bool by_column = by == BY_COLUMN, blocks = by == BY_BLOCK_ROW;
    array segments, indices, data;
    if (!member_array(m, "indptr.npy", 1, true, &segments) ||
        !member_array(m, "indices.npy", 1, true, &indices) ||
        !member_array(m, "data.npy", blocks ? 3 : 1, false, &data))
        return false;
    uint64_t high = blocks ? data.dim[1] : 1, wide = blocks ? data.dim[2] : 1, block = high * wide;
    uint64_t outer = m->out->dim[by_column], inner = m->out->dim[!by_column];
    if (!block || outer % high || inner % wide)
        return bad_array(data.file, 0, "its blocks do not cover the matrix", m->diag);
    if (!same_length(m, &segments, outer / high + 1) || !same_length(m, &data, indices.n * block))
        return false;
    int64_t first = 0, end = 0, at = 0;
    if (!whole_at(&segments, 0, 0, 0, m->diag, &end))
        return false;
    for (uint64_t o = 0; o < outer / high; o++) {
        first = end;
        if (!whole_at(&segments, o + 1, first, (int64_t)indices.n, m->diag, &end))
            return false;
        for (int64_t i = first; i < end; i++) {
            if (!whole_at(&indices, (uint64_t)i, 0, (int64_t)(inner / wide) - 1, m->diag, &at))
                return false;
            for (uint64_t v = 0; v < block; v++) {
                uint64_t r = v / wide, c = v % wide, from = (uint64_t)i * block + v;
                if (data.by_column)
                    from = (uint64_t)i + (r + c * high) * indices.n;
                uint64_t row = o * high + r, column = (uint64_t)at * wide + c;
                double x = number_at(&data, from);
                if (!blocks || x != 0)
                    add(m, by_column ? column : row, by_column ? row : column, x);
            }
        }
    }
    return true;
}

/* Diagonal k holds at place j the value of column j, row j - offsets[k]. */
static bool read_dia(const matrix *m) {
    array offsets, data;
    if (!member_array(m, "offsets.npy", 1, true, &offsets) || !member_array(m, "data.npy", 2, false, &data))
        return false;
    if (data.dim[0] != offsets.n)
        return same_length(m, &offsets, data.dim[0]);
    int64_t rows = m->out->dim[0], columns = m->out->dim[1], offset;
    for (uint64_t k = 0; k < offsets.n; k++) {
        if (!whole_at(&offsets, k, -DIM_MOST, DIM_MOST, m->diag, &offset))
            return false;
        for (int64_t j = 0; j < columns && j < (int64_t)data.dim[1]; j++) {
            uint64_t i = data.by_column ? (uint64_t)j * offsets.n + k : k * data.dim[1] + (uint64_t)j;
            double x = number_at(&data, i);
            if (j - offset >= 0 && j - offset < rows && x != 0)
                add(m, (uint64_t)(j - offset), (uint64_t)j, x);
        }
    }
    return true;
}

/* Returns the letters of an array of one text, for any element width. */
static const char *text_of(const array *a, arena *mem) {
    char *text = arena_alloc(mem, a->size + 1);
    for (uint32_t i = 0; i < a->size; i++)
        text[i] = (char)a->data[a->kind == 'U' ? 4 * i + (a->big_endian ? 3 : 0) : i];
    return text;
}

static bool read_dimensions(const matrix *m) {
    array shape;
    int64_t dim;
    if (!member_array(m, "shape.npy", 1, true, &shape))
        return false;
    if (shape.n > SAM_MAX_ORDER)
        return bad_array(shape.file, 0, "the tensor has too many dimensions", m->diag);
    m->out->order = (uint32_t)shape.n;
    for (uint32_t i = 0; i < shape.n; i++) {
        if (!whole_at(&shape, i, 0, DIM_MOST, m->diag, &dim))
            return false;
        m->out->dim[i] = (uint32_t)dim;
    }
    return true;
}

/* A vector in csr: a matrix of one row, without row coordinates. */
static bool read_vector(const matrix *m) {
    m->out->dim[1] = m->out->dim[0];
    m->out->dim[0] = 1;
    const bool good = read_compressed(m, BY_ROW);
    for (uint32_t i = 0; good && i < m->out->val.len; i++)
        m->out->crd.at[i] = m->out->crd.at[2 * i + 1];
    m->out->crd.len = m->out->val.len;
    m->out->dim[0] = m->out->dim[1];
    return good;
}

/* An archive without SciPy's format: a COO of PyData's sparse.save_npz, or one array. */
static bool read_other(const matrix *m) {
    tile_bytes coords, rows, fill;
    array filled;
    if (!tile_member(m->file, "coords.npy", m->diag->mem, m->diag, &coords) ||
        !tile_member(m->file, "compressed_axes.npy", m->diag->mem, m->diag, &rows) ||
        !tile_member(m->file, "fill_value.npy", m->diag->mem, m->diag, &fill))
        return false;
    if (rows.at) {
        bad_array(m->file, 0, "PyData's GCXS is not read", m->diag);
        return diag_hint(m->diag, "save it as COO: sparse.save_npz(file, tensor.asformat('coo'))");
    }
    if (!coords.at)
        return tile_member(m->file, NULL, m->diag->mem, m->diag, &coords) &&
               tile_read_array(coords, m->mem, m->diag, m->out);
    if (fill.at && (!read_header(fill, m->diag, &filled) || !fits(&filled, m->diag)))
        return false;
    if (fill.at && filled.n == 1 && number_at(&filled, 0) != 0) {
        bad_array(fill, 0, "the fill value is not 0", m->diag);
        return diag_hint(m->diag, "save it with fill value 0, and give the fill with --fill");
    }
    return read_dimensions(m) && read_coordinates(m);
}

bool tile_read_archive(tile_bytes in, arena *mem, diagnostics *d, tile_found *out) {
    matrix m = {in, mem, d, out};
    tile_bytes bytes;
    array name;
    *out = (tile_found){0};
    if (!tile_member(in, "format.npy", d->mem, d, &bytes))
        return false;
    if (!bytes.at)
        return read_other(&m);
    if (!read_header(bytes, d, &name) || !read_dimensions(&m))
        return false;
    const char *format = name.n == 1 && strchr("SU", name.kind) ? text_of(&name, d->mem) : "";
    if (strcmp(format, "coo") == 0)
        return out->order == 2 ? read_coo(&m) : read_coordinates(&m);
    if (strcmp(format, "csr") == 0 && out->order == 1)
        return read_vector(&m);
    if (out->order != 2)
        return bad_array(name.file, 0,
                         arena_printf(d->mem, "a tensor of order %u is not read in it", out->order), d);
    if (strcmp(format, "csr") == 0 || strcmp(format, "csc") == 0)
        return read_compressed(&m, format[2] == 'c' ? BY_COLUMN : BY_ROW);
    if (strcmp(format, "bsr") == 0)
        return read_compressed(&m, BY_BLOCK_ROW);
    if (strcmp(format, "dia") == 0)
        return read_dia(&m);
    diag_error(d, (src_loc){0}, "E0314-array", "'%s': there is no format '%s'", name.file.from, format);
    return diag_hint(d, "csr, csc, coo, bsr and dia are read: save it with .tocsr()");
}
