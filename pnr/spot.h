/* spot.h - sites packed for the annealer, and operations on eight of them at once: distances, ranks. The
 * vectors have 16 bytes, x and y of a spot in turn; gcc and clang both have such vectors for any machine.
 * SSE2 instructions replace several steps, with the same results. */
#ifndef ONYX_PNR_SPOT_H
#define ONYX_PNR_SPOT_H

#include "pnr/pnr_int.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* y << 8 | x: a board is at most 256 by 256. */
typedef uint16_t spot;
enum { SPOTS = 8, SPOT_SIDE = 256 };

typedef uint8_t spot_bytes __attribute__((vector_size(2 * SPOTS)));
typedef uint16_t spot_words __attribute__((vector_size(2 * SPOTS)));
typedef uint64_t spot_sums __attribute__((vector_size(2 * SPOTS))); /* of either half */

static inline spot spot_at(uint32_t x, uint32_t y) {
    return (spot)(y << 8 | x);
}
static inline uint32_t spot_x(spot s) {
    return s & 255u;
}
static inline uint32_t spot_y(spot s) {
    return s >> 8;
}

static inline pnr_site spot_site(spot s) {
    return (pnr_site){s & 255u, s >> 8};
}

static inline uint32_t spot_distance(spot a, spot b) {
    int dx = (int)spot_x(a) - (int)spot_x(b), dy = (int)spot_y(a) - (int)spot_y(b);
    return (uint32_t)((dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy));
}

static inline spot_bytes spots_load(const spot *from) {
    spot_bytes v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline spot_bytes spots_all(spot s) {
    return (spot_bytes)((spot_words){0} + s);
}

/* Returns, byte by byte, a where the mask is set and b elsewhere. */
static inline spot_bytes spots_choose(spot_bytes mask, spot_bytes a, spot_bytes b) {
    return (mask & a) | (~mask & b);
}

/* These return, byte by byte, the least and the most of both; and the distances between spots in the same
 * place, summed over each half. */
#ifdef __SSE2__
static inline spot_bytes spots_least(spot_bytes a, spot_bytes b) {
    return (spot_bytes)_mm_min_epu8((__m128i)a, (__m128i)b);
}
static inline spot_bytes spots_most(spot_bytes a, spot_bytes b) {
    return (spot_bytes)_mm_max_epu8((__m128i)a, (__m128i)b);
}
static inline spot_sums spots_apart(spot_bytes a, spot_bytes b) {
    return (spot_sums)_mm_sad_epu8((__m128i)a, (__m128i)b);
}
#else
static inline spot_bytes spots_least(spot_bytes a, spot_bytes b) {
    return spots_choose((spot_bytes)(a < b), a, b);
}
static inline spot_bytes spots_most(spot_bytes a, spot_bytes b) {
    return spots_choose((spot_bytes)(a < b), b, a);
}
static inline spot_sums spots_apart(spot_bytes a, spot_bytes b) {
    spot_words distance = (spot_words)(spots_most(a, b) - spots_least(a, b));
    return (spot_sums)((distance & 255) + (distance >> 8)) * 0x0001000100010001u >> 48;
}
#endif

/* As spot_distance, of vectors of a single spot. */
static inline uint32_t spots_distance(spot_bytes a, spot_bytes b) {
    return (uint32_t)spots_apart(a, b)[0] / (SPOTS / 2);
}

/* ---- ranks ----------------------------------------------------------------------------------- */

/* The spots of up to 8 cells, x and y each sorted independently in ascending order, at 1, 2, ...; 0 before
 * and 255 after them in both, as sentinels. */
enum { RANKS = SPOTS + 2, RANK_LAST = 0xffff };

/* Writes to `out` the ranks with `to` in place of an element `from`, all at once and without branches:
 * elements after `from` move down by 1, elements after `to` up by 1. */
static inline void ranks_move(const spot *now, spot_bytes from, spot_bytes to, spot *out) {
    spot_bytes before = spots_load(now), here = spots_load(now + 1), behind = spots_load(now + 2);
    spot_bytes left =
        spots_choose((spot_bytes)(before < from), before, here); /* the rank is lower without `from` */
    here = spots_choose((spot_bytes)(here < from), here, behind);
    here = spots_least(here, spots_most(left, to));
    memcpy(out + 1, &here, sizeof here);
}

static inline void ranks_clear(spot *rank) {
    rank[0] = 0;
    for (uint32_t i = 1; i < RANKS; i++)
        rank[i] = RANK_LAST;
}

/* Returns the length of a net of k spots: a straight trunk through the median of the tiles and a branch from
 * each, in the shorter of both directions; of three spots that is the half perimeter. Branches are as long as
 * the upper half of the ranks is above the lower. */
static inline uint32_t ranks_length(const spot *rank, uint32_t k) {
    uint32_t x = spot_x(rank[k]) - spot_x(rank[1]), y = spot_y(rank[k]) - spot_y(rank[1]);
    uint32_t branch_x = x + spot_x(rank[k - 1]) - spot_x(rank[2]);
    uint32_t branch_y = y + spot_y(rank[k - 1]) - spot_y(rank[2]);
    for (uint32_t i = 3; i <= k / 2; i++) {
        branch_x += spot_x(rank[k + 1 - i]) - spot_x(rank[i]);
        branch_y += spot_y(rank[k + 1 - i]) - spot_y(rank[i]);
    }
    return x + branch_y < y + branch_x ? x + branch_y : y + branch_x;
}

#endif
