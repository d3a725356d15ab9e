/* clist_cases.h - random products of sparse matrices, product by product into lists of a few entries, against
 * sums in a dense array, by a selectable policy. Freestanding: the emulated processor runs the same cases. */
#ifndef ONYX_TESTS_CLIST_CASES_H
#define ONYX_TESTS_CLIST_CASES_H

#include "tests/support/clist_policies.h"

enum {
    CLIST_EXTENT = 7,
    CLIST_PLACES = CLIST_EXTENT * CLIST_EXTENT,
    CLIST_SOME = 9,
    CLIST_MOST = CLIST_PLACES * CLIST_EXTENT /* products of two matrices */
};

typedef struct {
    uint32_t random;
    uint32_t extent[3]; /* i, k, j */
    uint16_t b[CLIST_PLACES], c[CLIST_PLACES];
    bool in_b[CLIST_PLACES], in_c[CLIST_PLACES];
    uint8_t key[2]; /* rows first, or columns */
    bool adds;      /* otherwise values are combined by an order-dependent operation */
    uint16_t want[CLIST_PLACES];
    bool there[CLIST_PLACES];
    uint32_t some_crd[2 * CLIST_MOST], all_crd[2][2 * CLIST_PLACES];
    uint16_t some_val[CLIST_MOST], all_val[2][CLIST_PLACES];
    clist some, all[2];
    uint32_t now; /* index of the list with the merged entries */
    uint32_t order[CLIST_MOST], other[CLIST_MOST], next[CLIST_MOST], start[CLIST_DIGITS + 1];
    bool by_rows; /* i is the outermost loop; or k */
    const policy *how;
    policy_work work;
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
    c->by_rows = clist_random(c, 2) != 0;
    c->now = 0;
    c->some = (clist){2, 1 + clist_random(c, CLIST_SOME), 0, c->some_crd, c->some_val};
    for (uint32_t l = 0; l < 2; l++)
        c->all[l] = (clist){2, CLIST_PLACES, 0, c->all_crd[l], c->all_val[l]};
}

static inline void clist_begin(clist_case *c) {
    policy_work *w = &c->work;
    c->adds = c->adds || c->how->bucket;
    c->some.room = c->how->single ? 1 : c->how->whole ? (uint32_t)CLIST_MOST : c->some.room;
    w->some = &c->some; /* member by member: no library is present to clear it */
    w->key = c->key;
    w->extent[0] = c->extent[0];
    w->extent[1] = c->extent[2];
    w->combine = c->adds ? clist_add : clist_in_turn;
    w->next = c->next;
    w->order = c->order;
    w->other = c->other;
    w->start = c->start;
    w->steps = 0;
    policy_begin(w, c->how);
}

static inline void clist_flush(clist_case *c) {
    const clist_by by = {c->key, 2};
    c->how->sort(&c->work);
    clist_merge(&c->all[c->now], &c->some, by, c->order, c->work.combine, &c->all[1 - c->now]);
    c->work.steps += c->all[c->now].n + c->some.n;
    c->now = 1 - c->now;
    c->some.n = 0;
    policy_begin(&c->work, c->how);
}

/* The outer product, with k as the outermost loop and both indices of the result scattered; or by rows, each
 * with scattered columns. */
static inline void clist_multiply(clist_case *c) {
    const uint32_t outer = c->extent[c->by_rows ? 0 : 1], middle = c->extent[c->by_rows ? 1 : 0];
    for (uint32_t a = 0; a < outer; a++) {
        for (uint32_t b = 0; b < middle; b++) {
            const uint32_t i = c->by_rows ? a : b, k = c->by_rows ? b : a;
            for (uint32_t j = 0; j < c->extent[2]; j++) {
                const uint32_t of_b = i * CLIST_EXTENT + k, of_c = k * CLIST_EXTENT + j;
                const uint32_t at[2] = {i, j}, place = i * CLIST_EXTENT + j;
                if (!c->in_b[of_b] || !c->in_c[of_c])
                    continue;
                const uint16_t value = (uint16_t)((uint32_t)c->b[of_b] * c->c[of_c]);
                const uint32_t before = c->adds ? c->want[place] : 3u * c->want[place];
                c->want[place] = (uint16_t)(c->there[place] ? before + value : value);
                c->there[place] = true;
                while (!policy_insert(&c->work, c->how, at, value))
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

/* Returns whether the two levels made of the list lead back to its entries. */
static inline bool clist_levels_are_right(clist_case *c) {
    const clist *all = &c->all[c->now];
    uint32_t node[CLIST_PLACES], rows[CLIST_PLACES], columns[CLIST_PLACES];
    uint32_t outer[2] = {0}, inner[CLIST_PLACES + 1], e = 0;
    for (uint32_t n = 0; n < CLIST_PLACES; n++) {
        c->order[n] = n;
        node[n] = inner[n] = inner[n + 1] = 0;
    }
    clist_descent at = {all, c->order, node, 1};
    clist_compress(&at, c->key[0], outer, rows);
    const uint32_t fibers = at.nodes;
    clist_compress(&at, c->key[1], inner, columns);
    if (outer[1] != fibers || at.nodes != all->n)
        return false;
    for (uint32_t f = 0; f < fibers; f++) {
        for (uint32_t n = inner[f]; n < inner[f + 1]; n++, e++) {
            if (n != e || all->crd[2 * e + c->key[0]] != rows[f] || all->crd[2 * e + c->key[1]] != columns[n])
                return false;
        }
    }
    return e == all->n;
}

/* Runs `cases` cases with extents of up to `most`, by c->how. Returns the first wrong case, counted from 1,
 * or 0. */
static inline uint32_t clist_wrong_case(clist_case *c, uint32_t cases, uint32_t most) {
    c->random = 20260u;
    for (uint32_t n = 1; n <= cases; n++) {
        clist_draw(c, most);
        clist_begin(c);
        clist_multiply(c);
        if (!clist_is_right(c) || !clist_levels_are_right(c))
            return n;
    }
    return 0;
}

#endif
