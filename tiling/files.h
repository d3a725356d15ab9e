/* files.h - tensors as coordinates, and their files. */
#ifndef ONYX_TILING_FILES_H
#define ONYX_TILING_FILES_H

#include <math.h>

#include "sam/sam.h"

/* An extent determined by the other operands of the statement. */
#define TILE_OPEN UINT32_MAX

/* The range of a number of bfloat16 over all orders of computation. */
typedef struct {
    double center, radius; /* infinite: unknown */
} tile_bound;

/* A tensor as coordinates: sorted by coordinate in logical order, no duplicates; explicit fills are kept. */
typedef struct {
    name_id name;
    uint32_t order;
    uint32_t dim[SAM_MAX_ORDER];
    bool dim_inferred;   /* the file states no dimensions: dim is the largest coordinate seen */
    uint64_t nnz;        /* stored entries */
    const uint32_t *crd; /* nnz * order, entry by entry */
    const uint16_t *val;
    bool original_only; /* TILE_DTYPE_ORIGINAL */
    /* Numbers that the host has behind the words at wide_as: of 32 bits, the lower half of which is the word,
     * or float32, the nearest bfloat16 to which is the word. They are valid while wide_as equals `val`:
     * tile_wide. Of a reference: which of them wrapped around. */
    const double *wide;
    const uint16_t *wide_as;
    uint64_t wide_wrapped;
    int scale;     /* scaled integers: word w has the value w * 2^-scale */
    uint16_t fill; /* of a result: the value of every other coordinate */
    /* Original values, before rounding to the words at original_as; of a reference: values in double
     * precision. They are valid while original_as equals `val`: tile_original. */
    const double *original;
    const uint16_t *original_as;
    uint64_t rounded;             /* values outside the data type, replaced by the nearest values */
    bool fill_wrapped;            /* of a reference: its fill wrapped, counted as one value of `wrapped` */
    uint64_t wrapped;             /* values read, or of a reference, beyond 16 bits (int16 only) */
    uint64_t overflowed, flushed; /* finite values made infinite, nonzero values made 0 (bf16) */
    float addends;                /* of a reference in bfloat16: of its longest sum */
    bool divides; /* a reference whose statement divides: its NaNs in bfloat16 stand for anything */
    const tile_bound *bound; /* of each value of a bfloat16 reference, or NULL: exact */
} tile_tensor;

/* Digits with which the numbers of scaled words are written: all that they have. */
enum { TILE_SCALED_DIGITS = 17 };
/* ORIGINAL is of tensors that are read before their type is known: they have `original`, and words that count
 * for nothing until tile_give_words makes them. */
typedef enum { TILE_DTYPE_INT16, TILE_DTYPE_BF16, TILE_DTYPE_ORIGINAL } tile_dtype;
typedef enum { TILE_VALUES_FILE, TILE_VALUES_ONES, TILE_VALUES_RAMP } tile_values;

/* Reads .mtx (Matrix Market: coordinate or array; real, integer, pattern; general, symmetric,
 * skew-symmetric), .tns (FROSTT; an empty one has no entries, a scalar is its value alone), .npy (NumPy) or
 * .npz (SciPy's save_npz, or one array), and each of them packed by gzip (.gz); a name without an extension,
 * such as /dev/stdin, is read as what its first bytes say; a name such that there is NAME_mode_vals as
 * level_files.h says; "B.stored/1" is part 1 of a stored tensor that has
 * some. `order` is how many indices the statement uses: a
 * file's dimensions of extent 1 are dropped to match it (an N x 1 matrix is a vector), SAM_MAX_ORDER + 1
 * keeps the file's order. Entries of one place are added in double precision, and then rounded once to the
 * nearest number of the data type, halves to the even one; int16 wraps to 16 bits. Warnings count what that
 * changed: E0350, E0351, E0355. ONES and RAMP replace the k-th value of the file by 1 and by 1 + k % 127.
 * Errors E0301..E0315, located. */
bool tile_read(const char *path, name_id name, uint32_t order, tile_dtype dtype, tile_values values,
               arena *mem, diagnostics *d, tile_tensor *out);
/* Makes a random tensor of "100x80:0.05" or "100x80:0.05:7" (dimensions, density, base seed): splitmix64
 * seeded with base * 1000 + operand, row-major over all coordinates; an entry exists if the next draw is
 * below density * 2^64, its value is then 1 + (next >> 33) % 9. Of more than 2^28 coordinates the number of
 * those left out before an entry is drawn instead of each. Dimensions "" make a scalar, one value. Error
 * E0313-generator. O(product of dimensions) up to there, O(entries) beyond. */
bool tile_generate(const char *spec, name_id name, uint32_t operand, uint64_t base_seed, tile_dtype dtype,
                   arena *mem, diagnostics *d, tile_tensor *out);
/* Makes a tensor of entries in memory, in any order; duplicates are added. crd[e * order + mode] is 0-based,
 * below dim[mode]; values are rounded as by tile_read; `from` names the entries in messages. E0303-range,
 * E0305-value. O(nnz * order). */
bool tile_from_entries(name_id name, uint32_t order, const uint32_t *dim, uint64_t nnz, const uint32_t *crd,
                       const double *val, tile_dtype dtype, const char *from, arena *mem, diagnostics *d,
                       tile_tensor *out);
/* Drops dimensions of extent 1, the last ones first, until the tensor, from `from`, has order `order`.
 * E0311-order. */
bool tile_squeeze(tile_tensor *t, uint32_t order, const char *from, diagnostics *d);
/* Returns the original values; NULL: they equal the words. A copied tensor with other words has none. */
static inline const double *tile_original(const tile_tensor *t) {
    return t->original_as == t->val ? t->original : NULL;
}
/* Returns the numbers behind the words; NULL: there are none. */
static inline const double *tile_wide(const tile_tensor *t) {
    return t->wide_as == t->val ? t->wide : NULL;
}
/* Returns the number of a word: -32768 to 32767, or any bfloat16. */
double tile_to_double(tile_dtype dtype, uint16_t word);
/* Returns the number of an entry: of more bits than its word, or divided by the tensor's scale. */
static inline double tile_value_at(tile_dtype dtype, const tile_tensor *t, uint64_t entry) {
    const double *wide = tile_wide(t);
    return ldexp(wide ? wide[entry] : tile_to_double(dtype, t->val[entry]), -t->scale);
}
/* Returns the number of a scalar: of its entry, or its fill. */
static inline double tile_scalar_value(tile_dtype dtype, const tile_tensor *t) {
    return t->nnz ? tile_value_at(dtype, t, 0) : ldexp(tile_to_double(dtype, t->fill), -t->scale);
}
/* Writes the format of the name's extension: .mtx up to order 2 (a vector as N x 1, a scalar as 1 x 1), or
 * .tns; coordinates are 1-based and sorted. E0312-extension, which tile_can_write reports in advance. */
bool tile_can_write(uint32_t order, const char *path, diagnostics *d);
bool tile_write(const tile_tensor *t, tile_dtype dtype, const char *path, diagnostics *d);

#endif
