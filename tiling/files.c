/* Sparse tensor files: Matrix Market (.mtx), FROSTT (.tns) and .csv, read with located errors, written
 * sorted; and the recognition of a file's format. */
#include "support/inputs.h"
#include "support/number.h"
#include "tiling/containers.h"
#include "tiling/fills.h"
#include "tiling/formats.h"
#include "tiling/level_files.h"
#include "tiling/lines.h"
#include "tiling/rounding.h"
#include "tiling/text_files.h"
#include "tiling/tiling_int.h"
#include "tiling/words.h"

#include <ctype.h>
#include <math.h>

typedef enum { FILE_UNKNOWN, FILE_MTX, FILE_TNS, FILE_CSV, FILE_NPY, FILE_NPZ, FILE_STORED } file_format;

static const char *const extensions[] = {[FILE_MTX] = ".mtx", [FILE_TNS] = ".tns", [FILE_CSV] = ".csv",
                                         [FILE_NPY] = ".npy", [FILE_NPZ] = ".npz", [FILE_STORED] = ".stored"};

static file_format format_of_name(const char *path) {
    for (file_format f = FILE_MTX; f <= FILE_STORED; f++) {
        if (text_ends_with(path, extensions[f]))
            return f;
    }
    return FILE_UNKNOWN;
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
    return t->order == order ||
           diag_error(d, (src_loc){0}, "E0311-order",
                      "'%s' holds a tensor of order %u where order %u is used", from, t->order, order);
}

/* Reads a text file. */
static bool read_as_text(tile_reader *r, file_format format, uint32_t order, tile_raw *entries) {
    r->source = diag_add_source(r->diag, r->path, r->text, (size_t)(r->end - r->text));
    r->comment = format == FILE_MTX ? '%' : '#';
    order = order <= SAM_MAX_ORDER ? order : 0;
    return format == FILE_MTX   ? tile_read_mtx(r, r->tensor, entries)
           : format == FILE_CSV ? tile_read_csv(r, order, r->tensor, entries)
                                : tile_read_tns(r, order, r->tensor, entries);
}

/* Reads a file of numbers. */
static bool read_as_numbers(tile_reader *r, file_format format, tile_bytes bytes, tile_raw *entries) {
    tile_found found;
    bool good = format == FILE_NPY ? tile_read_array(bytes, r->diag->mem, r->diag, &found)
                                   : tile_read_archive(bytes, r->diag->mem, r->diag, &found);
    for (uint32_t i = 0; good && i < found.val.len; i++) {
        good = tile_to_value(r, found.val.at[i], (src_loc){0}, i, &found.val.at[i]);
    }
    if (!good)
        return false;
    r->tensor->order = found.order;
    memcpy(r->tensor->dim, found.dim, sizeof found.dim);
    *entries = (tile_raw){found.crd, found.val};
    return true;
}

/* Reads a stored tensor, with optional replacement of its values. */
static bool read_as_stored(tile_reader *r, arena *mem) {
    tile_stored stored;
    name_id name = r->tensor->name;
    tile_bytes bytes = {r->path, (const uint8_t *)r->text, (size_t)(r->end - r->text)};
    if (!tile_stored_read(bytes, r->dtype, r->diag->mem, r->diag, &stored))
        return false;
    if (r->part != TILE_WHOLE && !stored.format.parts)
        return diag_error(r->diag, (src_loc){0}, "E0365-stored-file",
                          "'%s' is in format %s, which takes no tensor apart: it has no part %u", r->path,
                          stored.format.name, r->part);
    if (r->part != TILE_WHOLE && r->part >= stored.format.parts)
        return diag_error(r->diag, (src_loc){0}, "E0365-stored-file",
                          "'%s' has %u %s, the first of which is 0", r->path, stored.format.parts,
                          plural(stored.format.parts, "part", "parts"));
    if (!tile_restore(r->part == TILE_WHOLE ? &stored : &stored.part[r->part], r->dtype, r->path, mem,
                      r->diag, r->tensor))
        return false;
    r->tensor->name = name;
    uint16_t *val = (uint16_t *)(uintptr_t)r->tensor->val;
    for (uint64_t e = 0; e < r->tensor->nnz; e++) {
        double x = tile_to_double(r->dtype, val[e]);
        if (!tile_to_value(r, x, (src_loc){0}, (uint32_t)e, &x))
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
    if (*format == FILE_UNKNOWN && text_has_extension(name)) {
        diag_error(d, (src_loc){0}, "E0312-extension",
                   "'%s' is neither .mtx, .tns, .csv, .npy, .npz nor .stored", path);
        return diag_hint(
            d, "Matrix Market, FROSTT, NumPy and SciPy files are read, also packed by gzip (.gz); a name "
               "without an extension may hold any of them");
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
    if (*format > FILE_CSV)
        return true;
    bytes->at = (const uint8_t *)text_checked(path, (char *)(uintptr_t)bytes->at, &bytes->length, d);
    return bytes->at != NULL;
}

/* Returns the file of the part "B.stored/1", and the part's number; for other paths the path itself. */
static const char *whole_path(const char *path, arena *mem, uint32_t *part) {
    const char *slash = strrchr(path, '/');
    uint32_t number = 0;
    *part = TILE_WHOLE;
    const char *digit = slash ? slash + 1 : path;
    while (isdigit((unsigned char)*digit) && number < TILE_WHOLE / 10 - 1)
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
static bool read_in_pieces(tile_reader r, uint32_t order, arena *mem) {
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
        tile_has_line(&r);
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

static bool read_whole_file(tile_reader r, uint32_t order, arena *mem) {
    tile_bytes bytes;
    file_format format;
    tile_raw entries = {0};
    if (!open_file(r.path, r.diag, &bytes, &format))
        return false;
    r.text = r.at = (const char *)bytes.at;
    r.end = r.text + bytes.length;
    const bool good = format == FILE_STORED ? read_as_stored(&r, mem)
                      : format <= FILE_CSV  ? read_as_text(&r, format, order, &entries)
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
    if (dtype == TILE_DTYPE_ORIGINAL &&
        (text_ends_with(path, ".stored") || text_ends_with(path, ".stored.gz"))) {
        const tile_dtype own = type_of_stored(user, d);
        const bool good = tile_read(user, name, order, own, values, mem, d, out);
        if (good)
            tile_take_words(out, own, mem);
        return good;
    }
    const tile_reader r = {
        .path = path, .diag = d, .dtype = dtype, .values = values, .part = part, .tensor = out};
    if (!read_in_pieces(r, order, mem) && !read_whole_file(r, order, mem))
        return false;
    tile_warn_changed(out, dtype, path, d);
    return order > SAM_MAX_ORDER || tile_squeeze(out, order, path, d);
}

bool tile_can_write(uint32_t order, const char *path, diagnostics *d) {
    if (text_ends_with(path, ".mtx") ? order <= 2 : text_ends_with(path, ".tns"))
        return true;
    diag_error(d, (src_loc){0}, "E0312-extension", "'%s' cannot hold a tensor of order %u", path, order);
    return diag_hint(d, "name it .mtx up to order 2, .tns, or .stored where its order is not 0");
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
    const double *wide = tile_wide(t);
    for (uint64_t e = 0; e < t->nnz; e++) {
        for (uint32_t m = 0; m < (mtx ? 2 : t->order); m++)
            fprintf(f.stream, "%u ", m < t->order ? t->crd[e * t->order + m] + 1 : 1);
        if (!mtx && reads_as_header(t, e))
            fputs("0.0\n", f.stream);
        else if (dtype == TILE_DTYPE_BF16 || t->scale)
            number_print(f.stream, "%.*g\n", t->scale ? TILE_SCALED_DIGITS : 9, tile_value_at(dtype, t, e));
        else
            fprintf(f.stream, "%d\n", wide ? (int)wide[e] : (int)(int16_t)t->val[e]);
    }
    return file_commit(&f, d);
}
