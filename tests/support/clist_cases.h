/* clist_cases.h - random products of sparse matrices, product by product into lists of a few entries, against
 * sums in a dense array. Freestanding, so that the emulated processor runs the same cases. */
#ifndef ONYX_TESTS_CLIST_CASES_H
#define ONYX_TESTS_CLIST_CASES_H

#include "support/clist.h"

enum { CLIST_EXTENT = 7, CLIST_PLACES = CLIST_EXTENT * CLIST_EXTENT, CLIST_SOME = 9 };

typedef struct {
    uint32_t random;
    uint32_t extent[3]; /* i, k, j */
    uint16_t b[CLIST_PLACES], c[CLIST_PLACES];
    bool in_b[CLIST_PLACES], in_c[CLIST_PLACES];
    uint8_t key[2]; /* rows first, or columns */
    bool adds;      /* or else values are combined so that their order matters */
    uint16_t want[CLIST_PLACES];
    bool there[CLIST_PLACES];
    uint32_t some_crd[2 * CLIST_SOME], all_crd[2][2 * (CLIST_PLACES + CLIST_SOME)];
    uint16_t some_val[CLIST_SOME], all_val[2][CLIST_PLACES + CLIST_SOME];
    clist some, all[2];
    uint32_t now; /* which of both lists has what was merged so far */
    uint32_t order[CLIST_PLACES + CLIST_SOME], other[CLIST_PLACES + CLIST_SOME], start[CLIST_DIGITS + 1];
} clist_case;

static inline uint32_t clist_random(clist_case *c, uint32_t below) {
    c->random ^= c->random << 13;
    c->random ^= c->random >> 17;
    c->random ^= c->random << 5;
    return c->random % below;
}

static inline uint16_t clist_add(uint16_t earlier, uint16_t later) {
    return (uint16_t)(earlier + later);
}

static inline uint16_t clist_in_turn(uint16_t earlier, uint16_t later) {
    return (uint16_t)(3u * earlier + later);
}

static inline void clist_draw(clist_case *c, uint32_t most) {
    const uint32_t percent = clist_random(c, 101);
    for (uint32_t v = 0; v < 3; v++)
        c->extent[v] = 1 + clist_random(c, most);
    for (uint32_t at = 0; at < CLIST_PLACES; at++) {
        c->in_b[at] = clist_random(c, 100) < percent;
        c->in_c[at] = clist_random(c, 100) < percent;
        c->b[at] = (uint16_t)(clist_random(c, 9) - 4);
        c->c[at] = (uint16_t)(clist_random(c, 9) - 4);
        c->there[at] = false;
    }
    c->key[0] = (uint8_t)clist_random(c, 2);
    c->key[1] = (uint8_t)(1 - c->key[0]);
    c->adds = clist_random(c, 2) != 0;
    c->now = 0;
    c->some = (clist){2, 1 + clist_random(c, CLIST_SOME), 0, c->some_crd, c->some_val};
    for (uint32_t l = 0; l < 2; l++)
        c->all[l] = (clist){2, CLIST_PLACES + CLIST_SOME, 0, c->all_crd[l], c->all_val[l]};
}

static inline void clist_flush(clist_case *c) {
    const clist_by by = {c->key, 2};
    clist_sort(&c->some, by, c->order, c->other, c->start);
    clist_merge(&c->all[c->now], &c->some, by, c->order, c->adds ? clist_add : clist_in_turn,
                &c->all[1 - c->now]);
    c->now = 1 - c->now;
    c->some.n = 0;
}

/* The outer product: k is the outermost loop, so both indices of the result are scattered. */
static inline void clist_multiply(clist_case *c) {
    for (uint32_t k = 0; k < c->extent[1]; k++) {
        for (uint32_t i = 0; i < c->extent[0]; i++) {
            for (uint32_t j = 0; j < c->extent[2]; j++) {
                const uint32_t of_b = i * CLIST_EXTENT + k, of_c = k * CLIST_EXTENT + j;
                const uint32_t at[2] = {i, j}, place = i * CLIST_EXTENT + j;
                if (!c->in_b[of_b] || !c->in_c[of_c])
                    continue;
                const uint16_t value = (uint16_t)((uint32_t)c->b[of_b] * c->c[of_c]);
                const uint32_t before = c->adds ? c->want[place] : 3u * c->want[place];
                c->want[place] = (uint16_t)(c->there[place] ? before + value : value);
                c->there[place] = true;
                while (!clist_insert(&c->some, at, value))
                    clist_flush(c);
            }
        }
    }
    clist_flush(c);
}

/* Returns whether the list has each place of the dense array once, in order, and nothing else. */
static inline bool clist_is_right(const clist_case *c) {
    const clist *all = &c->all[c->now];
    uint32_t e = 0;
    for (uint32_t n = 0; n < CLIST_PLACES; n++) {
        uint32_t at[2];
        at[c->key[0]] = n / CLIST_EXTENT;
        at[c->key[1]] = n % CLIST_EXTENT;
        const uint32_t place = at[0] * CLIST_EXTENT + at[1];
        if (!c->there[place])
            continue;
        if (e == all->n || all->crd[2 * e] != at[0] || all->crd[2 * e + 1] != at[1] ||
            all->val[e] != c->want[place])
            return false;
        e++;
    }
    return e == all->n;
}

/* Returns whether the two levels that are made of the list lead back to its entries. */
static inline bool clist_levels_are_right(clist_case *c) {
    const clist *all = &c->all[c->now];
    uint32_t node[CLIST_PLACES], rows[CLIST_PLACES], columns[CLIST_PLACES];
    uint32_t outer[2] = {0}, inner[CLIST_PLACES + 1], e = 0;
    for (uint32_t n = 0; n < CLIST_PLACES; n++) {
        c->order[n] = n;
        node[n] = inner[n] = inner[n + 1] = 0;
    }
    const uint32_t fibers = clist_compress(all, c->key[0], c->order, 1, node, outer, rows);
    const uint32_t leaves = clist_compress(all, c->key[1], c->order, fibers, node, inner, columns);
    if (outer[1] != fibers || leaves != all->n)
        return false;
    for (uint32_t f = 0; f < fibers; f++) {
        for (uint32_t n = inner[f]; n < inner[f + 1]; n++, e++) {
            if (n != e || all->crd[2 * e + c->key[0]] != rows[f] || all->crd[2 * e + c->key[1]] != columns[n])
                return false;
        }
    }
    return e == all->n;
}

/* Runs so many cases with extents of up to `most`. Returns the first that is wrong, counted from 1, or 0. */
static inline uint32_t clist_wrong_case(clist_case *c, uint32_t cases, uint32_t most) {
    c->random = 20260u;
    for (uint32_t n = 1; n <= cases; n++) {
        clist_draw(c, most);
        clist_multiply(c);
        if (!clist_is_right(c) || !clist_levels_are_right(c))
            return n;
    }
    return 0;
}

#endif
