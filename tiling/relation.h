/* relation.h - points of variables with their values, and two relations side by side: what tile_reference
 * evaluates expressions with.
 */
#ifndef ONYX_TILING_RELATION_H
#define ONYX_TILING_RELATION_H

#include "tiling/numbers.h"

enum { RELATION_MAX_VARS = 64 };

typedef struct {
    uint32_t vars, var[RELATION_MAX_VARS]; /* variable handles, ascending */
    u32_vec crd;                           /* one tuple per point, in the order of var */
    VEC(tile_number) val;
    tile_number background; /* value of every other point */
} relation;

/* Returns the place of a variable in the tuples; -1: none. */
int relation_column(const relation *r, uint32_t var);
/* Unites two ascending variable lists. */
void relation_unite_vars(const relation *a, const relation *b, relation *out);
/* Sorts the points of `r` by the common variables with `by`; returns the permutation. */
const uint32_t *relation_sorted(arena *mem, const relation *r, const relation *by);

/* A relation without variables has no coordinates at all. */
static inline const uint32_t *relation_point(const relation *r, uint32_t point) {
    return r->vars ? r->crd.at + (size_t)point * r->vars : NULL;
}

/* Two relations with the places of the compared variables in their tuples. */
typedef struct {
    const relation *a, *b;
    uint32_t n, of_a[RELATION_MAX_VARS], of_b[RELATION_MAX_VARS];
} relation_sides;
/* Compares by the variables of `by` in both relations. */
relation_sides relation_sides_of(const relation *by, const relation *a, const relation *b);
int relation_compare(const relation_sides *s, uint32_t of_a, uint32_t of_b);

/* Points of b with the coordinates of a point of a, in an order of b: first up to end. */
typedef struct {
    uint32_t first, end;
} relation_span;
/* Finds the points of b for each point of a, on the variables of both; `ob` is the order of b by the
 * variables of a. Extents are by variable handle - 1. */
const relation_span *relation_meet(arena *mem, const relation *a, const relation *b, const uint32_t *ob,
                                   const uint32_t *extent);

#endif
