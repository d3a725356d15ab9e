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
    SAM_SET_ALL,    /* every coordinate, since nothing is known about the expression `of` */
    SAM_SET_MEET,   /* of a and b, operands of `of` */
    SAM_SET_UNITE,
    SAM_SET_NOT /* complement of a, which is STORED */
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

/* Returns the coordinates of f applied to n arguments, at most SAM_MAX_ARGUMENTS; `of` is the applying
 * expression. Only STORED sets are complemented. */
sam_coordinates sam_derive(sam_algebra *to, const sam_operator *f, sam_expr of,
                           const sam_coordinates *argument, uint32_t n);
/* Returns the coordinates of an expression. fill[h.v - 1] is the fill of tensor h; without fills (NULL) the
 * tensors' own fills hold. A literal in + - * / is everywhere; a literal argument of a function is a
 * constant, without a set (0) and with itself as fill. O(expressions). */
sam_coordinates sam_coordinates_of(sam_algebra *to, const sam_statement *s, sam_expr e, const uint16_t *fill);
/* Finds the arguments in e for the parameters of the claimed function; false if e has no claim, or other
 * operations: changed by a semiring, or a sum bound inside. */
bool sam_claimed_arguments(const sam_statement *s, sam_expr e, sam_expr argument[SAM_MAX_ARGUMENTS]);
/* Returns the fill of an expression from the fills of its tensors. O(expressions). */
uint16_t sam_fill_of(const sam_statement *s, sam_expr e);
/* Returns whether an operation of two operands has coordinates with only one operand stored: in this case its
 * operands unite, otherwise they intersect. Returns false for other expressions. *needed, unless NULL, gets
 * the operands whose coordinates are required, bit 0 and bit 1: a single required operand leads, and the
 * other is looked up. */
bool sam_unites(const sam_statement *s, sam_expr e, uint32_t *needed);
/* Returns the set made by the joiners of a graph, possibly larger than the derived set: a leading operand is
 * united with the other. 0: constants. O(expressions). */
sam_set sam_joined_of(sam_algebra *to, const sam_statement *s, sam_expr e);
/* Coordinates that a sum must visit: stored ones; every coordinate of its variable, since its operation
 * changes with the fill of the reduced value; or every coordinate of all variables, since nothing is
 * known. */
typedef enum { SAM_SUM_STORED, SAM_SUM_ALONG, SAM_SUM_EVERYWHERE } sam_sum_reach;
sam_sum_reach sam_reach_of_sum(const sam_statement *s, sam_expr sum);

/* ---- folding by a caller --------------------------------------------------------------------- */

enum { SAM_FOLD_BYTES = 64 };

/* A caller's representation of sets: the size in bytes, at most SAM_FOLD_BYTES; the set of everything; the
 * constructor for an access; and the combination of two sets, into the left one's place. */
typedef struct {
    size_t size;
    const void *all;
    void (*stored)(void *context, sam_expr access, void *out);
    void (*meet)(void *context, sam_expr of, void *a, const void *b);
    void (*unite)(void *context, sam_expr of, void *a, const void *b);
    /* Makes the set of where an access is not stored; NULL: everything. */
    void (*absent)(void *context, sam_expr access, void *out);
} sam_fold_by;

/* Combinations of two sets for callers with bool sets: membership of a point. */
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

/* Makes the set in the caller's representation, its operands from left to right. Without `absent` a
 * complement is everything: a scanning loop knows the absence of an operand only at the innermost level.
 */
void sam_fold(const sam_algebra *algebra, sam_set set, const sam_fold_by *by, void *context, void *out);

/* Returns the value of sam_statement.general for a statement without unused tensors and expressions. */
bool sam_is_general(const sam_statement *s);

#endif
