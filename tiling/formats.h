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

/* What is asked of those entries of a tensor that have the same keys: how many there are, how many values
 * `of` has among them (or how many values they have), the least or the greatest of `of`. */
typedef enum { TILE_COUNT, TILE_COUNT_DISTINCT, TILE_MIN, TILE_MAX, TILE_AGGREGATES } tile_aggregate;
typedef struct {
    tile_aggregate what;
    bool of_values; /* TILE_COUNT_DISTINCT: of the entries' values; `of` is not used */
    tile_map_sum of;
    uint32_t keys;
    tile_map_sum key[SAM_MAX_ORDER];
} tile_query;

/* What a level's coordinate comes from besides: how many entries of the same index come before this one,
 * which of `banks` banks the index is dealt to, the fullest first, each to the bank that has least, or what a
 * query answers for the entry. */
typedef enum { TILE_MAP_DIRECT, TILE_MAP_ENUMERATE, TILE_MAP_SCHEDULE, TILE_MAP_QUERY } tile_map_how;

typedef struct {
    tile_map_how how;        /* of sum.term[0].index, where it is enumerated or scheduled */
    uint32_t banks;          /* TILE_MAP_SCHEDULE */
    int32_t times;           /* TILE_MAP_QUERY: the answer is taken so often, and added to the sum */
    const tile_query *query; /* TILE_MAP_QUERY */
    tile_map_sum sum;        /* the coordinate, where it is direct */
    tile_kind kind;
} tile_format_level;

typedef enum { TILE_AT_LEAST, TILE_ABOVE, TILE_AT_MOST, TILE_BELOW, TILE_COMPARES } tile_compare;
typedef struct tile_format tile_format;
/* A part of a tensor that is taken apart: the entries for which the query answers so, among those that no
 * part before has; without a query all that are left. */
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
    uint32_t parts;                              /* not 0: it has these, and no levels */
    const tile_format_part *part;
};
typedef VEC(tile_format) tile_formats;

/* Reads definitions, one a line ("format CSR = (i,j) -> (i, j) merge(0) trim(1,1)", or levels(...) in place
 * of the primitives, or decompose(...) of formats in `all`; # begins a comment), and adds them to `all`;
 * `from` is the text's name in messages. E0360 to E0363. */
bool tile_formats_read(const char *from, const char *text, arena *mem, diagnostics *d, tile_formats *all);
/* Makes a format of level letters, "dh" or "dh:1,0". False, and no message, where these are none. */
bool tile_format_of_letters(const char *text, arena *mem, tile_format *out);
/* Returns the format of that name, or NULL. */
const tile_format *tile_format_find(const tile_formats *all, const char *name);
/* Returns its definition, with the level kinds spelt out; read, it is the same format. */
const char *tile_format_text(const tile_format *f, arena *mem);
/* Returns how the array scans such a tensor, as -f takes it ("ds:1,0"), and whether that is how it is stored:
 * no level is re-packed. */
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
        uint32_t size; /* coordinates there may be; of a hashed level the places of a table */
        tile_numbers pos, crd, ofs;
    } level[TILE_FORMAT_LEVELS];
    uint32_t n_vals;
    int scale; /* as of tile_tensor */
    const uint16_t *vals;
    const tile_stored *part; /* of a format with parts, which has no levels or values of its own */
};

/* Stores a tensor, whose order is the format's. E0331-dense, E0364-not-stored where the data are not what the
 * format is for. O(entries * levels + what is stored). */
bool tile_store(const tile_tensor *t, const tile_format *f, tile_dtype dtype, arena *mem, diagnostics *d,
                tile_stored *out);
/* Makes the tensor of what is stored, which `from` names; nothing is taken for granted of it. Zeros are no
 * entries where the format stores what lies between. E0365-stored-file, E0366-indirect-source. */
bool tile_restore(const tile_stored *s, tile_dtype dtype, const char *from, arena *mem, diagnostics *d,
                  tile_tensor *out);
/* A part of a tensor of the user's, whom messages call `from`: `as` says which of each mode. */
typedef struct {
    const tile_tensor *of;
    const sam_tensor_data *as;
    const char *from;
} tile_cut;

/* Finds how far the indices of a part run; TILE_OPEN where it does not say. E0316-outside where a slice
 * begins behind the tensor's end; 0, where the tensor's file does not state that end. */
bool tile_cut_extents(const tile_cut *part, uint32_t *dim, diagnostics *d);
/* A tensor whose indices an operand has among its own, index m at mode[m]. */
typedef struct {
    const tile_tensor *t;
    uint8_t mode[SAM_MAX_ORDER];
} tile_needed;
/* Parts of which an operand is made, the tensors without whose entries its own come to nothing, and which of
 * its indices have the same coordinate. */
typedef struct {
    const tile_cut *parts;
    const tile_needed *needed;
    uint32_t n, n_needed;
    uint8_t same[SAM_MAX_ORDER]; /* an index whose coordinate that of each is; itself, where it is none's */
} tile_joint;
/* Makes an operand of parts, out->dim[] long: at each coordinate it is the first part that is not outside of
 * its tensor there, else the first one's number. Entries that come to nothing are left out. Entries outside
 * of all parts go, coordinates begin at 0. E0162-missing where no part has a value and there is no number,
 * E0354-part of more than 2^26 entries. */
bool tile_join_parts(const tile_joint *all, arena *mem, diagnostics *d, tile_tensor *out);
/* Returns the bytes of all arrays, and of those that are no values, at two bytes a number as in sub-tiles. */
uint64_t tile_stored_bytes(const tile_stored *s, uint64_t *metadata);
/* The file of a stored tensor: docs/storage.md. E0365-stored-file. */
bool tile_stored_write(const tile_stored *s, tile_dtype dtype, const char *path, diagnostics *d);
bool tile_stored_read(tile_bytes file, tile_dtype dtype, arena *mem, diagnostics *d, tile_stored *out);

#endif
