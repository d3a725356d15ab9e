/* containers.h - binary files: gzip, NumPy's arrays and SciPy's archives of arrays. Shared by the readers of
 * tensors in tiling/. All input is bytes in memory. */
#ifndef ONYX_TILING_CONTAINERS_H
#define ONYX_TILING_CONTAINERS_H

#include "sam/sam.h"

/* Bytes, and their name in messages. */
typedef struct {
    const char *from;
    const uint8_t *at;
    size_t length;
} tile_bytes;

bool tile_is_gzip(tile_bytes b);
bool tile_is_array(tile_bytes b);
bool tile_is_archive(tile_bytes b);
bool tile_is_stored(tile_bytes b); /* by a format: formats.h */

/* Inflates a gzip file of one or more members into `mem`, NUL-terminated; a first pass finds the exact
 * length. E0315-archive. */
bool tile_gunzip(tile_bytes in, arena *mem, diagnostics *d, tile_bytes *out);
/* Finds a member of a zip archive, inflates and checks the member. Name NULL means the only member. An absent
 * member gives at == NULL, without error. E0315-archive. */
bool tile_member(tile_bytes archive, const char *name, arena *mem, diagnostics *d, tile_bytes *out);

/* Finds STEM.mtx in a tar archive, in any folder, or the only .mtx file. E0315-archive. */
bool tile_tar_member(tile_bytes archive, const char *stem, arena *mem, diagnostics *d, tile_bytes *out);

/* Entries in the order of the file: coordinates below dim, values not yet words. */
typedef struct {
    uint32_t order, dim[SAM_MAX_ORDER];
    u32_vec crd;
    f64_vec val;
} tile_found;

/* Reads a NumPy array (.npy, versions 1 to 3): numbers and truth values of up to 64 bits, either byte order,
 * either order of storage. Its zeros are not stored. E0314-array. */
bool tile_read_array(tile_bytes in, arena *mem, diagnostics *d, tile_found *out);
/* Reads what scipy.sparse.save_npz writes (csr, csc, coo, bsr, dia; of vectors csr and coo, of other orders
 * coo), what sparse.save_npz of PyData writes of a COO with fill 0, or an archive of one array. The zeros of
 * blocks and diagonals are not stored, those of the other formats are. E0314-array, E0315-archive. */
bool tile_read_archive(tile_bytes in, arena *mem, diagnostics *d, tile_found *out);

#endif
