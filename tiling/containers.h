/* containers.h - files that are no text: gzip, NumPy's arrays and the archives that SciPy makes of them.
 * Shared by the files of tiling/ that read tensors. Everything is read from bytes in memory. */
#ifndef ONYX_TILING_CONTAINERS_H
#define ONYX_TILING_CONTAINERS_H

#include "sam/sam.h"

/* Some bytes, and what messages call them. */
typedef struct {
    const char *from;
    const uint8_t *at;
    size_t length;
} tile_bytes;

bool tile_is_gzip(tile_bytes b);
bool tile_is_array(tile_bytes b);
bool tile_is_archive(tile_bytes b);
bool tile_is_stored(tile_bytes b); /* by a format: formats.h */

/* Inflates a gzip file of one or more members into `mem`, NUL-terminated; it is inflated once to know how
 * long it gets, so no more is taken than that. E0315-archive. */
bool tile_gunzip(tile_bytes in, arena *mem, diagnostics *d, tile_bytes *out);
/* Finds a member of a zip archive, and inflates and checks it. With name NULL it is the only member there is.
 * A member that is not there is at == NULL, and no error. E0315-archive. */
bool tile_member(tile_bytes archive, const char *name, arena *mem, diagnostics *d, tile_bytes *out);

/* Finds STEM.mtx in a tar archive, in whatever folder, or the only .mtx file there is. E0315-archive. */
bool tile_tar_member(tile_bytes archive, const char *stem, arena *mem, diagnostics *d, tile_bytes *out);

/* Entries as the file has them: coordinates below dim, in any order, values not yet words. */
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
