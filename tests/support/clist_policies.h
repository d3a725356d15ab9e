/* clist_policies.h - alternative ways to keep the entries of an unordered sum, compared with the lists of
 * support/clist.h: policies of Zhang et al., PLDI 2024, and of their comparison. A row of the table names the
 * lookup of arriving entries, and the sorting of a full list. Freestanding.
 */
#ifndef ONYX_TESTS_CLIST_POLICIES_H
#define ONYX_TESTS_CLIST_POLICIES_H

#include "support/clist.h"

enum { POLICY_BUCKETS = 64 };

typedef struct {
    clist *some; /* entries since the last merge */
    const uint8_t *key;
    uint32_t extent[2];
    clist_combine *combine;
    uint32_t buckets, head[POLICY_BUCKETS]; /* the last entry of each, counted from 1 */
    uint32_t *next;                         /* previous entry in each entry's bucket */
    uint32_t *order, *other, *start;
    uint32_t steps; /* compared or moved entries */
} policy_work;

typedef struct {
    const char *name;
    bool single, whole; /* room for a single entry; for all entries */
    bool row;           /* keeps a row at a time */
    /* The bucket; values of equal coordinates are combined at once. With merges in between, the result is a
     * sum of sums: equal only for operations independent of order. */
    uint32_t (*bucket)(const policy_work *w, const uint32_t *at);
    void (*sort)(policy_work *w); /* makes order[] */
} policy;

static inline const uint32_t *policy_entry(const policy_work *w, uint32_t e) {
    return w->some->crd + 2 * (size_t)e;
}

/* Returns whether entry a comes before entry b; the earlier entry first at equal coordinates. */
static inline bool policy_before(policy_work *w, uint32_t a, uint32_t b) {
    const uint32_t *x = policy_entry(w, a), *y = policy_entry(w, b);
    w->steps++;
    for (uint32_t k = 0; k < 2; k++) {
        if (x[w->key[k]] != y[w->key[k]])
            return x[w->key[k]] < y[w->key[k]];
    }
    return a < b;
}

/* ---- putting in order ------------------------------------------------------------------------ */

/* By digits: a pass counts and moves, of each of both coordinates. */
static inline void policy_sort_digits(policy_work *w) {
    clist_sort(w->some, (clist_by){w->key, 2}, w->order, w->other, w->start);
    w->steps += 4 * w->some->n;
}

/* By buckets, themselves in order; inside a bucket by insertion. */
static inline void policy_sort_buckets(policy_work *w) {
    uint32_t n = 0;
    for (uint32_t b = 0; b < w->buckets; b++) {
        const uint32_t begin = n;
        w->steps++;
        for (uint32_t e = w->head[b]; e; e = w->next[e - 1], n++) {
            uint32_t at = n;
            for (; at > begin && policy_before(w, e - 1, w->order[at - 1]); at--)
                w->order[at] = w->order[at - 1];
            w->order[at] = e - 1;
        }
    }
}

/* Moves the last entry up in a heap, other[], whose first entry is the least. */
static inline void policy_sift_up(policy_work *w) {
    uint32_t *heap = w->other, at = w->some->n - 1;
    const uint32_t e = at;
    for (; at && policy_before(w, e, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = e;
}

static inline void policy_sort_heap(policy_work *w) {
    uint32_t *heap = w->other;
    for (uint32_t n = w->some->n, i = 0; n; i++) {
        const uint32_t last = heap[--n];
        uint32_t at = 0, child = 1;
        w->order[i] = heap[0];
        for (; child < n; child = 2 * at + 1) {
            child += child + 1 < n && policy_before(w, heap[child + 1], heap[child]);
            if (policy_before(w, last, heap[child]))
                break;
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = last;
    }
}

/* ---- buckets --------------------------------------------------------------------------------- */

static inline uint32_t policy_by_outer(const policy_work *w, const uint32_t *at) {
    return at[w->key[0]];
}
static inline uint32_t policy_by_inner(const policy_work *w, const uint32_t *at) {
    return at[w->key[1]];
}
static inline uint32_t policy_by_hash(const policy_work *w, const uint32_t *at) {
    return (at[0] * w->extent[1] + at[1]) % w->buckets;
}
static inline uint32_t policy_by_hash_in_row(const policy_work *w, const uint32_t *at) {
    return at[w->key[1]] % w->buckets;
}
static inline uint32_t policy_by_nothing(const policy_work *w, const uint32_t *at) {
    (void)w, (void)at;
    return 0;
}

enum { POLICY_COORD, POLICY_MAP, POLICY_VECTOR, POLICY_BUCKET, POLICIES = 10 };
static const policy policies[POLICIES] = {
    [POLICY_COORD] = {.name = "coord", .sort = policy_sort_digits}, /* that of the product */
    [POLICY_MAP] = {.name = "map", .single = true, .sort = policy_sort_digits},
    [POLICY_VECTOR] = {.name = "vector", .whole = true, .sort = policy_sort_digits},
    [POLICY_BUCKET] = {.name = "bucket", .bucket = policy_by_outer, .sort = policy_sort_buckets},
    {.name = "hash", .bucket = policy_by_hash, .sort = policy_sort_digits},
    {.name = "one bucket", .bucket = policy_by_nothing, .sort = policy_sort_digits}, /* all collide */
    {.name = "dense row",
     .row = true,
     .bucket = policy_by_inner,
     .sort = policy_sort_buckets}, /* Gustavson */
    {.name = "row hash",
     .row = true,
     .bucket = policy_by_hash_in_row,
     .sort = policy_sort_digits},                                /* Cuspars */
    {.name = "slices", .row = true, .sort = policy_sort_digits}, /* ESC: expand, sort, compress */
    {.name = "heap", .sort = policy_sort_heap},                  /* Buluc */
};

static inline void policy_begin(policy_work *w, const policy *p) {
    const uint32_t hashed = 4; /* buckets of a hash, fewer than the places */
    w->buckets = p->bucket == policy_by_outer   ? w->extent[w->key[0]]
                 : p->bucket == policy_by_inner ? w->extent[w->key[1]]
                                                : hashed;
    for (uint32_t b = 0; b < w->buckets; b++)
        w->head[b] = 0;
}

/* Adds an entry. Returns false if the present entries have to be merged first. */
static inline bool policy_insert(policy_work *w, const policy *p, const uint32_t *at, uint16_t value) {
    clist *some = w->some;
    if (p->row && some->n && policy_entry(w, 0)[w->key[0]] != at[w->key[0]])
        return false;
    const uint32_t bucket = p->bucket ? p->bucket(w, at) : 0;
    for (uint32_t e = p->bucket ? w->head[bucket] : 0; e; e = w->next[e - 1]) {
        const uint32_t *there = policy_entry(w, e - 1);
        w->steps++;
        if (there[0] == at[0] && there[1] == at[1]) {
            some->val[e - 1] = w->combine(some->val[e - 1], value);
            return true;
        }
    }
    if (!clist_insert(some, at, value))
        return false;
    w->steps++;
    w->next[some->n - 1] = w->head[bucket];
    w->head[bucket] = some->n;
    if (p->sort == policy_sort_heap)
        policy_sift_up(w);
    return true;
}

#endif
