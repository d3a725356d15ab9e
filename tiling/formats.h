/* formats.h - formats as a language: an index map from a tensor's indices to stored coordinates, and the kind
 * of each level; tensors stored in them, as numbers and as files, and back. docs/storage.md. */
#ifndef ONYX_TILING_FORMATS_H
#define ONYX_TILING_FORMATS_H

#include "tiling/containers.h"
#include "tiling/tiling.h"

typedef enum {
    TILE_KIND_NONE,
#define KIND(KEY, ...) TILE_KIND_##KEY,
#include "sam/level_kinds.def"
    TILE_KINDS
} tile_kind;

/* factor * ((index / divide) % modulo), modulo 0: no remainder taken. */
typedef struct {
    int32_t factor;
    uint32_t index, divide, modulo;
} tile_map_term;

enum { TILE_MAP_TERMS = 4, TILE_FORMAT_LEVELS = SAM_MAX_ORDER };

/* The sum of terms and a number. */
typedef struct {
    uint32_t terms;
    tile_map_term term[TILE_MAP_TERMS];
    int32_t constant;
} tile_map_sum;

/* A query over the entries of a tensor with equal keys: their number, the number of distinct values of `of`
 * (or of stored values), the least or the greatest of `of`. */
typedef enum { TILE_COUNT, TILE_COUNT_DISTINCT, TILE_MIN, TILE_MAX, TILE_AGGREGATES } tile_aggregate;
typedef struct {
    tile_aggregate what;
    bool of_values; /* TILE_COUNT_DISTINCT: of the entries' values; `of` is not used */
    tile_map_sum of;
    uint32_t keys;
    tile_map_sum key[SAM_MAX_ORDER];
} tile_query;

/* Further sources of a level's coordinate: the number of earlier entries with the same index; the bank of the
 * index, among `banks` banks, dealt in order of decreasing entries, each to the bank with the fewest entries;
 * or the answer of a query for the entry. */
typedef enum { TILE_MAP_DIRECT, TILE_MAP_ENUMERATE, TILE_MAP_SCHEDULE, TILE_MAP_QUERY } tile_map_how;

typedef struct {
    tile_map_how how;        /* of sum.term[0].index, for an enumerated or scheduled level */
    uint32_t banks;          /* TILE_MAP_SCHEDULE */
    int32_t times;           /* TILE_MAP_QUERY: factor of the answer, which is added to the sum */
    const tile_query *query; /* TILE_MAP_QUERY */
    tile_map_sum sum;        /* the coordinate of a direct level */
    tile_kind kind;
} tile_format_level;

typedef enum { TILE_AT_LEAST, TILE_ABOVE, TILE_AT_MOST, TILE_BELOW, TILE_COMPARES } tile_compare;
typedef struct tile_format tile_format;
/* A part of a partitioned tensor: the entries with this answer of the query, not in an earlier part; without
 * a query all remaining entries. */
typedef struct {
    const tile_format *format; /* which has no parts */
    const tile_query *query;   /* NULL of the last one */
    tile_compare compare;
    uint32_t bound;
} tile_format_part;

struct tile_format {
    const char *name;
    uint32_t order, levels;
    const char *index[SAM_MAX_ORDER];
    tile_format_level level[TILE_FORMAT_LEVELS]; /* outermost first */
    uint32_t parts;                              /* not 0: the format has parts, and no levels */
    const tile_format_part *part;
};
typedef VEC(tile_format) tile_formats;

/* Reads definitions, one per line ("format CSR = (i,j) -> (i, j) merge(0) trim(1,1)", or levels(...) in place
 * of the primitives, or decompose(...) of formats in `all`; # begins a comment), and adds them to `all`;
 * `from` is the text's name in messages. E0360 to E0363. */
bool tile_formats_read(const char *from, const char *text, arena *mem, diagnostics *d, tile_formats *all);
/* Makes a format of level letters, "dh" or "dh:1,0". False, without a message, for other text. */
bool tile_format_of_letters(const char *text, arena *mem, tile_format *out);
/* Returns the format `name`, or NULL. */
const tile_format *tile_format_find(const tile_formats *all, const char *name);
/* Returns its definition, with the level kinds spelt out; reading the text gives the same format. */
const char *tile_format_text(const tile_format *f, arena *mem);
/* Returns the array's scan of the tensor, in the notation of -f ("ds:1,0"), and whether the scan equals the
 * storage, without re-packed levels. */
const char *tile_format_scanned(const tile_format *f, arena *mem, bool *same);

/* A tensor in a format. */
typedef struct {
    uint32_t n;
    const int32_t *at;
} tile_numbers;
typedef struct tile_stored tile_stored;
struct tile_stored {
    tile_format format;
    uint32_t dim[SAM_MAX_ORDER];
    struct {
        uint32_t size; /* upper bound of coordinates; of a hashed level: places of the table */
        tile_numbers pos, crd, ofs;
    } level[TILE_FORMAT_LEVELS];
    uint32_t n_vals;
    int scale; /* as of tile_tensor */
    const uint16_t *vals;
    const double *wide;      /* the numbers behind vals[], as of tile_tensor, or NULL */
    const tile_stored *part; /* of a format with parts, without levels or values of its own */
};

/* Stores a tensor, whose order is the format's. E0331-dense, E0364-not-stored for data that do not match the
 * format. O(entries * levels + stored numbers). */
bool tile_store(const tile_tensor *t, const tile_format *f, tile_dtype dtype, arena *mem, diagnostics *d,
                tile_stored *out);
/* Makes the tensor of stored arrays, named `from`, with full checks. Zeros are no entries if the format
 * stores intermediate places. E0365-stored-file, E0366-indirect-source. */
bool tile_restore(const tile_stored *s, tile_dtype dtype, const char *from, arena *mem, diagnostics *d,
                  tile_tensor *out);
/* A window of the user's tensor, named `from` in messages: `as` selects from each mode. */
typedef struct {
    const tile_tensor *of;
    const sam_tensor_data *as;
    const char *from;
} tile_cut;

/* Finds the extents of a window's indices; TILE_OPEN if unknown. E0316-outside for a slice that begins beyond
 * the tensor's end; 0 if the tensor's file does not state this end. */
bool tile_cut_extents(const tile_cut *window, uint32_t *dim, diagnostics *d);
/* A tensor whose indices an operand has among its own, index m at mode[m]. */
typedef struct {
    const tile_tensor *t;
    uint8_t mode[SAM_MAX_ORDER];
} tile_needed;
/* Windows of an operand, tensors whose absent entries make the operand's entries void, and equal indices. */
typedef struct {
    const tile_cut *windows;
    const tile_needed *needed;
    uint32_t n, n_needed;
    uint8_t same[SAM_MAX_ORDER]; /* an index with the same coordinate; itself if none */
} tile_joint;
/* Makes an operand of windows, out->dim[] long: each coordinate comes from the first window that contains the
 * coordinate, else from the first window's number. Void entries and entries outside of all windows are
 * dropped, coordinates begin at 0. E0162-missing without a value and a number, E0354-part above 2^26 entries.
 */
bool tile_join_windows(const tile_joint *all, arena *mem, diagnostics *d, tile_tensor *out);
/* Returns the bytes of all arrays, and of the arrays without values, at two bytes a number as in
 * sub-tiles. */
uint64_t tile_stored_bytes(const tile_stored *s, uint64_t *metadata);
/* The file of a stored tensor: docs/storage.md. E0365-stored-file. */
bool tile_stored_write(const tile_stored *s, tile_dtype dtype, const char *path, diagnostics *d);
bool tile_stored_read(tile_bytes file, tile_dtype dtype, arena *mem, diagnostics *d, tile_stored *out);

#endif
