/* mlist.h - lists of a matrix's entries: insert, sort, merge; clist.h in little memory, six bytes an entry.
 * Both coordinates are in one word, the outer coordinate in its upper half: a single comparison gives the
 * order. A small matrix has a dense workspace in addition to its list: entries are put into their places, and
 * listed at the end.
 *
 * Freestanding, without heap or recursion, for the chip's processor and for the host's model of the
 * processor. All memory is the caller's.
 */
#ifndef ONYX_SUPPORT_MLIST_H
#define ONYX_SUPPORT_MLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MLIST_DIGITS = 256 };
/* Ordering of entries: already in order; by sorting; or, for any larger number, by a dense workspace with
 * these extents, the outer extent in the upper half. */
enum { MLIST_IN_ORDER, MLIST_SORTS };
typedef struct {
    uint32_t room, n;
    uint32_t *key; /* room */
    uint16_t *val;
    /* A second set of arrays, and counters of digits, for sorting. For a dense workspace: bits of occupied
     * places, and the values of all places. */
    uint32_t *other_key;
    uint16_t *other_val, *start; /* MLIST_DIGITS; NULL: no entry is sorted */
    uint32_t ordering, pitch; /* pitch: places from one outer coordinate to the next; 0: no dense workspace */
    uint32_t last, used;      /* the last key; union of all keys' bits */
    bool other, other_inner;  /* some key is below its predecessor, or entries are not listed; some inner
                                 coordinate is */
} mlist;

/* Combines two values at the same coordinates, the earlier value first; `how` is the caller's. NULL:
 * addition. */
typedef uint32_t mlist_combine(uint32_t how, uint32_t earlier, uint32_t later);
static inline uint32_t mlist_combined(mlist_combine *combine, uint32_t how, uint32_t earlier,
                                      uint32_t later) {
    return combine ? combine(how, earlier, later) : earlier + later;
}

/* Returns the number of places of a dense workspace; 0: another ordering. */
static inline uint32_t mlist_places(uint32_t ordering) {
    return (ordering >> 16) * (ordering & 0xffffu);
}

static inline bool mlist_is_ordering(uint32_t ordering, uint32_t places_most) {
    return ordering <= MLIST_SORTS || (mlist_places(ordering) && mlist_places(ordering) <= places_most);
}

/* Returns the bytes of a list of `room` entries. */
static inline uint32_t mlist_bytes(uint32_t room, uint32_t ordering) {
    const uint32_t bytes = 6 * room + room % 2 * 2, places = mlist_places(ordering);
    return ordering == MLIST_SORTS ? 2 * bytes + 2 * MLIST_DIGITS
                                   : bytes + 4 * ((places + 31) / 32) + 2 * (places + places % 2);
}

/* Makes an empty list in memory of mlist_bytes bytes, aligned to four. */
static inline void mlist_begin(mlist *l, void *memory, uint32_t room, uint32_t ordering) {
    const uint32_t halves = (room + 1) / 2; /* words of the values */
    const uint32_t words = (mlist_places(ordering) + 31) / 32;
    const bool sorts = ordering == MLIST_SORTS;
    uint32_t *const end = (uint32_t *)memory + room + halves;
    l->room = room; /* member by member: no library is present to clear them */
    l->ordering = ordering;
    l->pitch = words ? ordering & 0xffffu : 0;
    l->n = l->last = l->used = 0;
    l->other = l->pitch;
    l->other_inner = false;
    l->key = memory;
    l->val = (uint16_t *)(l->key + room);
    l->other_key = end;
    l->other_val = (uint16_t *)(end + (sorts ? room : words));
    l->start = sorts ? (uint16_t *)(end + room + halves) : NULL;
    for (uint32_t w = 0; w < words; w++)
        end[w] = 0;
}

/* Records appended entries with ascending keys from `first` to `last`. */
static inline void mlist_note(mlist *l, uint32_t first, uint32_t last) {
    l->other = l->other || first < l->last;
    l->other_inner = l->other_inner || (first & 0xffffu) < (l->last & 0xffffu);
    l->used |= last;
    l->last = last;
}

/* Adds an entry. Returns false for a full list, without the entry. */
static inline bool mlist_insert(mlist *l, uint32_t key, uint32_t value) {
    if (l->n == l->room)
        return false;
    l->key[l->n] = key;
    l->val[l->n++] = (uint16_t)value;
    mlist_note(l, key, key);
    return true;
}

/* Sorts by the digit at bit `shift`, below `digits`, in a stable counting pass. */
static inline void mlist_pass(mlist *l, uint32_t shift, uint32_t digits) {
    uint32_t *const from = l->key, *const to = l->other_key;
    uint16_t *const values = l->val, *const moved = l->other_val;
    uint16_t *const start = l->start;
    uint32_t before = 0;
    for (uint32_t d = 0; d < digits; d++)
        start[d] = 0;
    for (uint32_t i = 0; i < l->n; i++)
        start[from[i] >> shift & 0xffu]++;
    for (uint32_t d = 0; d < digits; d++) {
        const uint32_t n = start[d];
        start[d] = (uint16_t)before;
        before += n;
    }
    for (uint32_t i = 0; i < l->n; i++) {
        const uint32_t key = from[i], at = start[key >> shift & 0xffu]++;
        to[at] = key;
        moved[at] = values[i];
    }
    l->key = to;
    l->val = moved;
    l->other_key = from;
    l->other_val = values;
}

/* Sorts the entries; entries of equal coordinates keep their order. Leaves out passes without effect: all of
 * them, by the inner coordinate if already ascending, and by digits equal to 0. Returns the number of passes,
 * or -1 without memory for sorting. O(n). */
static inline int mlist_sort(mlist *l) {
    int passes = 0;
    for (uint32_t shift = l->other_inner ? 0 : 16; shift < 32 && l->other; shift += 8) {
        const uint32_t half = shift < 16 ? l->used & 0xffffu : l->used >> 16,
                       largest = shift % 16            ? half >> 8
                                 : half < MLIST_DIGITS ? half
                                                       : MLIST_DIGITS - 1;
        if (!largest)
            continue;
        if (!l->start)
            return -1;
        mlist_pass(l, shift, largest + 1);
        passes++;
    }
    l->other = false;
    l->last = l->n ? l->key[l->n - 1] : 0;
    l->other_inner = l->other_inner || passes;
    return passes;
}

/* Merges sorted entries of equal coordinates, from the first to the last, and removes results equal to the
 * fill, in the bits of `mask`, unless the fill exceeds 16 bits. */
static inline void mlist_merge(mlist *l, uint32_t how, mlist_combine *combine, uint32_t mask, uint32_t fill) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->n;) {
        const uint32_t key = l->key[i];
        uint32_t value = l->val[i++];
        for (; i < l->n && l->key[i] == key; i++)
            value = mlist_combined(combine, how, value, l->val[i]) & 0xffffu;
        l->key[n] = key;
        l->val[n] = (uint16_t)value;
        n += (value & mask) != fill;
    }
    l->n = n;
    l->other = false;
    l->other_inner = true;
    l->last = n ? l->key[n - 1] : 0;
}

/* Puts a value into a place of a dense workspace: combined with a present value, or alone. */
static inline void mlist_put(const mlist *l, uint32_t place, uint32_t value, uint32_t how,
                             mlist_combine *combine) {
    uint32_t *const word = l->other_key + place / 32;
    uint16_t *const cell = l->other_val + place;
    const uint32_t bit = 1u << place % 32;
    if (*word & bit)
        value = mlist_combined(combine, how, *cell, value);
    else
        *word |= bit;
    *cell = (uint16_t)value;
}

/* Lists the entries of a dense workspace, and empties the workspace, without values equal to the fill in the
 * bits of `mask`. Returns false without room. O(n + places / 32). */
static inline bool mlist_walk(mlist *l, uint32_t mask, uint32_t fill) {
    const uint32_t places = mlist_places(l->ordering), pitch = l->pitch;
    const uint16_t *const cells = l->other_val;
    uint32_t *key = l->key + l->n, *const last = l->key + l->room;
    uint16_t *val = l->val + l->n;
    uint32_t zero = 0, end = pitch; /* the key of place 0 relative to this row, and the row's end */
    for (uint32_t first = 0, *word = l->other_key; first < places; first += 32, word++) {
        for (uint32_t bits = *word; bits; bits &= bits - 1) {
            const uint32_t place = first + (uint32_t)__builtin_ctz(bits), value = cells[place];
            for (; place >= end; end += pitch)
                zero += 0x10000u - pitch;
            if ((value & mask) == fill)
                continue;
            if (key == last)
                return false;
            *key++ = zero + place;
            *val++ = (uint16_t)value;
        }
        *word = 0;
    }
    l->n = (uint32_t)(key - l->key);
    l->other = false;
    return true;
}

/* Puts the listed entries into their places with exchanged coordinates. */
static inline void mlist_put_turned(mlist *l) {
    l->pitch = (l->ordering >> 16) + (l->ordering & 0xffffu) - l->pitch;
    for (uint32_t i = 0; i < l->n; i++)
        mlist_put(l, (l->key[i] & 0xffffu) * l->pitch + (l->key[i] >> 16), l->val[i], 0, NULL);
    l->n = 0;
    l->other = true;
}

/* Exchanges the coordinates of all entries, listed by a dense workspace. */
static inline void mlist_turn(mlist *l) {
    if (l->pitch) {
        mlist_put_turned(l);
        return;
    }
    for (uint32_t i = 0; i < l->n; i++)
        l->key[i] = l->key[i] << 16 | l->key[i] >> 16;
    l->used = l->used << 16 | l->used >> 16;
    l->other = l->other_inner = true;
}

/* Returns the first entry with an outer coordinate of at least `outer`; the entries are sorted. */
static inline uint32_t mlist_find(const mlist *l, uint32_t outer) {
    uint32_t low = 0, high = l->n;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (l->key[middle] >> 16 < outer)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
