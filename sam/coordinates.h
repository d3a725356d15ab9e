/* coordinates.h - where an expression has values: its coordinate algebra, and its fill.
 *
 * A tensor leaves one value away, its fill. The algebra of an expression is the set of coordinates that its
 * operators make of where the operands are stored, with one promise: at every coordinate outside of the set
 * the expression has the value of its fill. docs/index_notation.md, "Where an expression has values", has the
 * derivation. Fills and other values are words of the data type.
 */
#ifndef ONYX_SAM_COORDINATES_H
#define ONYX_SAM_COORDINATES_H

#include "sam/operators.h"

/* ---- the algebra ----------------------------------------------------------------------------- */

/* This is a 1-based handle into sam_algebra. */
typedef struct {
    uint32_t v;
} sam_set;

typedef enum {
    SAM_SET_NONE,
    SAM_SET_STORED, /* where the access `of` is stored */
    SAM_SET_ALL,    /* every coordinate, since the expression `of` says nothing about them */
    SAM_SET_MEET,   /* of a and b, operands of `of` */
    SAM_SET_UNITE,
    SAM_SET_NOT /* where a, which is STORED, is not */
} sam_set_kind;

typedef struct {
    sam_set_kind kind;
    sam_expr of;
    sam_set a, b;
} sam_set_data;

typedef struct {
    arena *mem;
    VEC(sam_set_data) sets;
} sam_algebra;

typedef struct {
    sam_set set;
    uint16_t fill;
} sam_coordinates;

/* Returns the coordinates of f applied to n arguments, at most SAM_MAX_ARGUMENTS; `of` is the expression that
 * applies it. Complements stand before STORED sets only. */
sam_coordinates sam_derive(sam_algebra *to, const sam_operator *f, sam_expr of,
                           const sam_coordinates *argument, uint32_t n);
/* Returns the coordinates of an expression. fill[h.v - 1] is the fill of tensor h; without fills (NULL) the
 * tensors say them. A literal in + - * / is everywhere; one that a function has is a constant, which is no
 * set at all (set 0) and has itself as fill. O(expressions). */
sam_coordinates sam_coordinates_of(sam_algebra *to, const sam_statement *s, sam_expr e, const uint16_t *fill);
/* Finds what stands in e for the parameters of the function whose value its claim is about; false where e has
 * no claim, or other operations: a semiring has changed them, or a sum is bound inside. */
bool sam_claimed_arguments(const sam_statement *s, sam_expr e, sam_expr argument[SAM_MAX_ARGUMENTS]);
/* Returns the fill of an expression by those of its tensors. O(expressions). */
uint16_t sam_fill_of(const sam_statement *s, sam_expr e);
/* Returns whether an operation of two operands has coordinates where only one of them is stored: then its
 * operands unite, otherwise they meet. Returns false for what has no two operands. *needed, where it is not
 * NULL, gets the operands without whose coordinates it is wrong, bit 0 and bit 1: one alone leads, and the
 * other is looked up beside it. */
bool sam_unites(const sam_statement *s, sam_expr e, uint32_t *needed);
/* Returns the set that the joiners of a graph make, which may be larger than the derived one: where one
 * operand leads, they unite it with the other. 0: constants. O(expressions). */
sam_set sam_joined_of(sam_algebra *to, const sam_statement *s, sam_expr e);
/* What a sum must visit: what is stored; every coordinate of its variable, since its operation makes
 * something of the fill of what it reduces; or every coordinate of all variables, since nobody knows what. */
typedef enum { SAM_SUM_STORED, SAM_SUM_ALONG, SAM_SUM_EVERYWHERE } sam_sum_reach;
sam_sum_reach sam_reach_of_sum(const sam_statement *s, sam_expr sum);

/* ---- what a caller makes of it --------------------------------------------------------------- */

enum { SAM_FOLD_BYTES = 64 };

/* What a caller's own sets are: their size in bytes, at most SAM_FOLD_BYTES; the set of everything; how to
 * make that of an access; and how to make one of two, in the place of the left one. */
typedef struct {
    size_t size;
    const void *all;
    void (*stored)(void *context, sam_expr access, void *out);
    void (*meet)(void *context, sam_expr of, void *a, const void *b);
    void (*unite)(void *context, sam_expr of, void *a, const void *b);
    /* Makes the set of where an access is not stored; NULL: everything. */
    void (*absent)(void *context, sam_expr access, void *out);
} sam_fold_by;

/* These make one set of two where the caller's sets are bools: whether a point is in them. */
static inline void sam_in_both(void *context, sam_expr of, void *a, const void *b) {
    (void)context;
    (void)of;
    *(bool *)a = *(bool *)a && *(const bool *)b;
}
static inline void sam_in_either(void *context, sam_expr of, void *a, const void *b) {
    (void)context;
    (void)of;
    *(bool *)a = *(bool *)a || *(const bool *)b;
}

/* Makes the set in the caller's terms, its parts from left to right. Without `absent` a complement is
 * everything there: where an operand is not stored, a loop that scans cannot know before the innermost level.
 */
void sam_fold(const sam_algebra *algebra, sam_set set, const sam_fold_by *by, void *context, void *out);

/* Returns what sam_statement.general is of a statement without a tensor or an expression that nobody uses. */
bool sam_is_general(const sam_statement *s);

#endif
