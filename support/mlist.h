/* mlist.h - lists of a matrix's entries: insert, sort, merge; clist.h in little memory, six bytes an entry.
 * Both coordinates are in one word, the outer one in its upper half, so that one comparison tells the order.
 *
 * Freestanding, without heap or recursion, for the chip's processor and for whoever tries what that would do.
 * All memory is the caller's.
 */
#ifndef ONYX_SUPPORT_MLIST_H
#define ONYX_SUPPORT_MLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MLIST_DIGITS = 256 };
typedef struct {
    uint32_t room, n;
    uint32_t *key; /* room */
    uint16_t *val;
    /* As many once more, and counters of digits, for entries that are sorted; NULL: these come in order. */
    uint32_t *other_key;
    uint16_t *other_val, *start; /* MLIST_DIGITS */
    uint32_t last, used;         /* the last key; bits that are set in some */
    bool other, other_inner;     /* a key is below the one before; an inner coordinate is */
} mlist;

/* Makes one value of two at the same coordinates, the earlier one first; `how` is the caller's. */
typedef uint32_t mlist_combine(uint32_t how, uint32_t earlier, uint32_t later);

/* Returns the bytes of a list with so much room. */
static inline uint32_t mlist_bytes(uint32_t room, bool sorts) {
    const uint32_t bytes = 6 * room + room % 2 * 2;
    return sorts ? 2 * bytes + 2 * MLIST_DIGITS : bytes;
}

/* Makes an empty list in memory of so many bytes, which is aligned to four. */
static inline void mlist_begin(mlist *l, void *memory, uint32_t room, bool sorts) {
    const uint32_t halves = (room + 1) / 2; /* words of the values */
    uint32_t *const end = (uint32_t *)memory + room + halves;
    l->room = room; /* one by one: there is no library that clears them */
    l->n = l->last = l->used = 0;
    l->other = l->other_inner = false;
    l->key = memory;
    l->val = (uint16_t *)(l->key + room);
    l->other_key = sorts ? end : NULL;
    l->other_val = sorts ? (uint16_t *)(end + room) : NULL;
    l->start = sorts ? (uint16_t *)(end + room + halves) : NULL;
}

/* Notes that behind the others there are entries now whose keys ascend from the first to the last. */
static inline void mlist_note(mlist *l, uint32_t first, uint32_t last) {
    l->other = l->other || first < l->last;
    l->other_inner = l->other_inner || (first & 0xffffu) < (l->last & 0xffffu);
    l->used |= last;
    l->last = last;
}

/* Adds an entry. Returns false where the list is full: then it was not taken. */
static inline bool mlist_insert(mlist *l, uint32_t key, uint32_t value) {
    if (l->n == l->room)
        return false;
    l->key[l->n] = key;
    l->val[l->n++] = (uint16_t)value;
    mlist_note(l, key, key);
    return true;
}

/* Sorts by the digit at bit `shift`, which is below `digits`, in one stable counting pass. */
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

/* Sorts the entries; those of equal coordinates keep their order. Leaves out passes that would change
 * nothing: all, by the inner coordinate where that ascends already, and by digits that are 0. Returns how
 * many it took, or -1 where there is no memory to sort in. O(n). */
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

/* Makes one entry of those of equal coordinates, which are sorted, from the first to the last, and leaves out
 * what is the fill then, in the bits of `mask`, unless that is beyond 16 bits. */
static inline void mlist_merge(mlist *l, uint32_t how, mlist_combine *combine, uint32_t mask, uint32_t fill) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->n;) {
        const uint32_t key = l->key[i];
        uint32_t value = l->val[i++];
        for (; i < l->n && l->key[i] == key; i++)
            value = combine(how, value, l->val[i]) & 0xffffu;
        l->key[n] = key;
        l->val[n] = (uint16_t)value;
        n += (value & mask) != fill;
    }
    l->n = n;
    l->other = false;
    l->other_inner = true;
    l->last = n ? l->key[n - 1] : 0;
}

/* Exchanges the coordinates of all entries. */
static inline void mlist_turn(mlist *l) {
    for (uint32_t i = 0; i < l->n; i++)
        l->key[i] = l->key[i] << 16 | l->key[i] >> 16;
    l->used = l->used << 16 | l->used >> 16;
    l->other = l->other_inner = true;
}

/* Returns the first entry with an outer coordinate of that, or beyond; they are sorted. */
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
