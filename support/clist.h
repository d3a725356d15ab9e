/* clist.h - lists of coordinates with values: insert, sort, merge, compress. A sum that no reducer holds
 * comes as entries in any order; so many as fit are kept, sorted, merged into what is sorted already, and in
 * the end the levels of a tensor are made of them. After Zhang et al., Compilation of Modular and General
 * Sparse Workspaces, PLDI 2024.
 *
 * Freestanding: there is no heap, no recursion and no library, so that the firmware may have it, too. All
 * memory is the caller's. Entries never move while they are sorted: their numbers do.
 */
#ifndef ONYX_SUPPORT_CLIST_H
#define ONYX_SUPPORT_CLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t width; /* coordinates of an entry; 0: all entries have the same place */
    uint32_t room;  /* entries that the arrays have room for */
    uint32_t n;     /* entries that there are */
    uint32_t *crd;  /* room * width: those of entry e begin at e * width */
    uint16_t *val;  /* room */
} clist;

/* In which order: by columns key[0..keys) of the coordinates, the first one most significant. */
typedef struct {
    const uint8_t *key;
    uint32_t keys;
} clist_by;

/* Makes one value of two at the same coordinates, the earlier one first. */
typedef uint16_t clist_combine(uint16_t earlier, uint16_t later);

/* Adds an entry at the end. Returns false where the list is full: then the entry was not taken. */
bool clist_insert(clist *l, const uint32_t *at, uint16_t value);

enum { CLIST_DIGITS = 256 };
/* Makes of order[0..n) the numbers of the entries in ascending order; equal ones keep theirs. Sorts by
 * counting the bytes of each column, the last key first, and leaves out passes by keys that are in order
 * already: O(n * keys * bytes). other[] has room for n numbers, start[] for CLIST_DIGITS + 1. */
void clist_sort(const clist *l, clist_by by, uint32_t *order, uint32_t *other, uint32_t *start);
/* Makes *out of two sorted lists: `all`, where no coordinates come twice, and the entries of `more` as
 * order[] has them. At equal coordinates values are combined from the first to the last, those of `all`
 * first, so that it does not matter how often a list was merged. `by` are all columns; out->room must be
 * all->n + more->n, or as many as there are different coordinates, and out's arrays no others'. O(n). */
void clist_merge(const clist *all, const clist *more, clist_by by, const uint32_t *order,
                 clist_combine *combine, clist *out);
/* The way down the levels of a list: its entries in the order of order[], and of the e-th the node in the
 * level that was made last, of `nodes`. It begins with one node that all entries are of. */
typedef struct {
    const clist *list;
    const uint32_t *order;
    uint32_t *position;
    uint32_t nodes;
} clist_descent;
/* Makes the compressed level along a column: segments seg[0..nodes above], which must be 0 before, and
 * coordinates crd[], one of each node. O(n + nodes). */
void clist_compress(clist_descent *at, uint32_t column, uint32_t *seg, uint32_t *crd);

#endif
