/* banks.h - formats whose outermost level deals the coordinates of an index to banks, and tensors with dealt
 * coordinates. docs/storage.md. */
#ifndef ONYX_TILING_BANKS_H
#define ONYX_TILING_BANKS_H

#include "tiling/formats.h"

/* Returns how many banks the outermost level of a format deals entries to, "schedule(i, 16)" or
 * "i mod 16"; 0: it has none. */
uint32_t tile_banks(const tile_format *f);
/* Returns the index dealt to the banks. */
uint32_t tile_banked_index(const tile_format *f);
/* Returns the bank of each of n coordinates of mode `mode`, the dealt index of the tensor; coordinates beyond
 * its end are dealt in turn. O(entries + n * banks). */
const uint32_t *tile_bank_of(const tile_tensor *t, uint32_t mode, const tile_format *f, uint32_t n,
                             arena *mem);
/* Returns how many entries the fullest bank of a stored tensor has. */
uint64_t tile_bank_load(const tile_tensor *t, const tile_format *f, arena *mem);

#define TILE_NOWHERE UINT32_MAX

/* Coordinates dealt to groups: to[c] is the new coordinate of c; from[] is the inverse, TILE_NOWHERE if none.
 */
typedef struct {
    uint32_t n, extent; /* of the index; of where its coordinates go */
    const uint32_t *to, *from;
} tile_dealt;
/* Deals n coordinates to `groups`, bank b to group b % groups. Pieces of `edge` coordinates belong to the
 * groups in turn: piece p has coordinates of group p % groups only, in their order. False above 2^31
 * coordinates. O(n). */
bool tile_deal(const uint32_t *bank, uint32_t n, uint32_t groups, uint32_t edge, arena *mem, tile_dealt *out);
/* Maps the coordinates of these modes (bit m) of a tensor by to[], to a length of `extent`; drops entries
 * without a target. O(entries * order). */
void tile_move(const tile_tensor *t, uint32_t modes, const uint32_t *to, uint32_t extent, tile_dtype dtype,
               arena *mem, tile_tensor *out);

#endif
