/* banks.h - formats whose outermost level deals the coordinates of an index to banks, and tensors whose
 * coordinates are dealt so. docs/storage.md. */
#ifndef ONYX_TILING_BANKS_H
#define ONYX_TILING_BANKS_H

#include "tiling/formats.h"

/* Returns how many banks the outermost level of a format deals entries to, "schedule(i, 16)" or
 * "i mod 16"; 0: it has none. */
uint32_t tile_banks(const tile_format *f);
/* Returns the index whose coordinates these banks have. */
uint32_t tile_banked_index(const tile_format *f);
/* Returns the bank of each of n coordinates of mode `mode`, which is that index in the tensor; those behind
 * its end are dealt in turn. O(entries + n * banks). */
const uint32_t *tile_bank_of(const tile_tensor *t, uint32_t mode, const tile_format *f, uint32_t n,
                             arena *mem);
/* Returns how many entries the fullest bank of a stored tensor has. */
uint64_t tile_bank_load(const tile_tensor *t, const tile_format *f, arena *mem);

#define TILE_NOWHERE UINT32_MAX

/* Coordinates dealt to groups: that of the index at to[c], and back from[], TILE_NOWHERE where there is none.
 */
typedef struct {
    uint32_t n, extent; /* of the index; of where its coordinates go */
    const uint32_t *to, *from;
} tile_dealt;
/* Deals n coordinates to `groups`, that of bank b to group b % groups, so that pieces of `edge` coordinates
 * belong to the groups in turn, each with coordinates of its own group, in their order: piece p to group
 * p % groups. False where there would be more than 2^31 coordinates. O(n). */
bool tile_deal(const uint32_t *bank, uint32_t n, uint32_t groups, uint32_t edge, arena *mem, tile_dealt *out);
/* Moves the coordinates of these modes (bit m) of a tensor to to[], which makes them `extent` long; entries
 * that go nowhere are left out. O(entries * order). */
void tile_move(const tile_tensor *t, uint32_t modes, const uint32_t *to, uint32_t extent, tile_dtype dtype,
               arena *mem, tile_tensor *out);

#endif
