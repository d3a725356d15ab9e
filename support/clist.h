/* clist.h - lists of coordinates with values: insert, sort, merge, compress. A sum beyond the reducers comes
 * as entries in any order; a limited number is kept, sorted, and merged into the sorted list; finally the
 * levels of a tensor are made of the list. After Zhang et al., Compilation of Modular and General Sparse
 * Workspaces, PLDI 2024.
 *
 * Freestanding: without heap, recursion and library, for use in the firmware. All memory is the caller's.
 * Sorting permutes the entries' numbers, not the entries.
 */
#ifndef ONYX_SUPPORT_CLIST_H
#define ONYX_SUPPORT_CLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t width; /* coordinates of an entry; 0: all entries have the same place */
    uint32_t room;  /* capacity of the arrays, in entries */
    uint32_t n;     /* entries that there are */
    uint32_t *crd;  /* room * width: entry e begins at e * width */
    uint16_t *val;  /* room */
} clist;

/* Order by columns key[0..keys) of the coordinates, the first one most significant. */
typedef struct {
    const uint8_t *key;
    uint32_t keys;
} clist_by;

/* Combines two values at the same coordinates, the earlier value first. */
typedef uint16_t clist_combine(uint16_t earlier, uint16_t later);

/* Adds an entry at the end. Returns false for a full list, without the entry. */
bool clist_insert(clist *l, const uint32_t *at, uint16_t value);

enum { CLIST_DIGITS = 256 };
/* Makes of order[0..n) the numbers of the entries in ascending order; equal ones keep theirs. Sorts by
 * counting the bytes of each column, the last key first, and leaves out passes by keys that are in order
 * already: O(n * keys * bytes). other[] has room for n numbers, start[] for CLIST_DIGITS + 1. */
void clist_sort(const clist *l, clist_by by, uint32_t *order, uint32_t *other, uint32_t *start);
/* Makes *out of two sorted lists: `all`, without duplicate coordinates, and the entries of `more` in the
 * order of order[]. At equal coordinates values are combined from the first to the last, values of `all`
 * first: the number of merges does not matter. `by` are all columns; out->room must be all->n + more->n, or
 * the number of different coordinates, and out's arrays must not overlap. O(n). */
void clist_merge(const clist *all, const clist *more, clist_by by, const uint32_t *order,
                 clist_combine *combine, clist *out);
/* The descent through the levels of a list: its entries in the order of order[], and the node of the e-th
 * entry in the latest level, of `nodes`. The descent begins with a single node for all entries. */
typedef struct {
    const clist *list;
    const uint32_t *order;
    uint32_t *position;
    uint32_t nodes;
} clist_descent;
/* Makes the compressed level of a column: segments seg[0..nodes above], initially 0, and coordinates crd[],
 * one of each node. O(n + nodes). */
void clist_compress(clist_descent *at, uint32_t column, uint32_t *seg, uint32_t *crd);

#endif
