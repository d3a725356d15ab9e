/* tiling_int.h - shared by the files of tiling/ only: entry lists, their sorting, bfloat16. */
#ifndef ONYX_TILING_INT_H
#define ONYX_TILING_INT_H

#include "support/bf16.h"
#include "support/clist.h"
#include "tiling/tiling.h"

/* Entries under construction: coordinates of entry e at crd.at[e * order]. */
typedef struct {
    u32_vec crd;
    u16_vec val;
    uint8_t merge; /* the operation that combines entries with equal coordinates; 0: addition */
    uint16_t fill; /* what tile_without_fill leaves out */
} tile_entries;

/* Returns n entries as a read-only list. */
static inline clist tile_list(const uint32_t *crd, uint32_t width, const uint16_t *val, uint32_t n) {
    return (clist){width, n, n, (uint32_t *)(uintptr_t)crd, (uint16_t *)(uintptr_t)val};
}

/* Fills order[] with the stable permutation that sorts n coordinate tuples of `width` by columns, the most
 * significant first, like clist_sort. */
void tile_sort(const uint32_t *crd, uint32_t width, uint32_t n, clist_by by, uint32_t *order, arena *scratch);

/* All columns of a tuple, in logical order. */
extern const uint8_t tile_logical[SAM_MAX_ORDER];

/* Sorts entries in logical order and merges duplicates; fills t->nnz, crd, val. */
void tile_normalise(tile_tensor *t, const tile_entries *entries, tile_dtype dtype, arena *mem);

/* Returns how much longer an accumulator takes for a coordinate where the kernel scans no compressed level.
 */
double tile_dense_partial(void);

enum { TILE_MOST_DENSE = 1 << 28 }; /* positions of a dense level */

/* Entries with the way to read them in storage order: the coordinate of entry order[i] at level l is its
 * column[l], below dim[l]. */
typedef struct {
    clist list;
    const uint32_t *order;
    const uint8_t *column;
    const uint32_t *dim;
} tile_sorted;
/* Makes the level storage of entries. Words: values of absent positions below dense levels are the fill.
 * Error E0331-dense when a dense level would need more than TILE_MOST_DENSE positions. O(n * order +
 * positions). */
bool tile_build_levels(const sam_tensor_data *format, const tile_sorted *in, arena *mem, diagnostics *d,
                       sam_tensor_levels *out);

/* Copies the entries of a sub-tile, in storage order and with coordinates by storage level, and adds explicit
 * zeros: every fiber of a padded level (sam_tensor_data.padded) then holds coordinate 0, of a whole level all
 * dim[l] coordinates, also in fibers made only by dense levels. O(entries * order + fibers * edge^(dense
 * levels)). */
void tile_pad(const sam_tensor_data *format, const uint32_t *dim, const tile_entries *in, arena *mem,
              tile_entries *out);

/* The nodes of one level of a fibertree read back: parent node and coordinate of each. */
typedef struct {
    uint32_t n;
    const uint32_t *parent, *crd;
} tile_nodes;
/* Returns all nodes of a dense level under `parents` nodes. */
tile_nodes tile_dense_nodes(uint32_t parents, uint32_t dim, arena *mem);
/* Finds the coordinates of a leaf in logical order, each plus origin[mode]. Returns false for a coordinate
 * not below extent[mode]. */
bool tile_leaf_at(const sam_tensor_data *format, const tile_nodes *nodes, uint32_t leaf,
                  const uint32_t *origin, const uint32_t *extent, uint32_t *at);
/* Makes a tensor of the entries unequal to the fill, sorted and merged. */
void tile_without_fill(tile_tensor *t, const tile_entries *entries, tile_dtype dtype, arena *mem);

/* Finds half 0 or 1 of the coordinates [low, low + size). */
static inline void tile_halve(uint32_t low, uint32_t size, uint32_t half, uint32_t *half_low,
                              uint32_t *half_size) {
    uint32_t first = (size + 1) / 2;
    *half_low = half ? low + first : low;
    *half_size = half ? size - first : first;
}

/* Returns how many blocks of `divide` coordinates cover an extent. */
static inline uint32_t tile_split_extent(uint32_t extent, uint32_t divide) {
    return extent / divide + (extent % divide != 0);
}

uint16_t bf16_from_float(float x); /* round to nearest even */

#endif
