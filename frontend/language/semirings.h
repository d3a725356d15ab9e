/* semirings.h - semirings by the names of their operations: what +, sums and * are. */
#ifndef ONYX_FE_SEMIRINGS_H
#define ONYX_FE_SEMIRINGS_H

#include "frontend/language/calls.h"
#include "frontend/language/parse.h"
#include "sam/operators.h"

/* The value of a product where both sides are stored; elsewhere a product is the identity of `plus`. */
typedef enum { FE_BY_OPERATION, FE_FIRST, FE_SECOND, FE_PAIR, FE_POSITION } fe_product_rule;

typedef struct fe_semiring {
    const char *name;
    sam_operation plus, times;
    fe_product_rule product;
    bool turned;     /* times takes the second side first */
    fe_made made;    /* of FE_POSITION: the coordinate of the first side, or of the second if turned */
    bool masked;     /* the identity of plus does not annihilate: conditions say where both are stored */
    const fe_in *in; /* whose operands may have other fills than the identity of plus */
} fe_semiring;

/* Reads "min_plus" or "min,plus" of in->semiring; NULL: plus_times. E0154-semiring. */
bool fe_find_semiring(const fe_in *in, arena *mem, diagnostics *d, fe_semiring *out);
/* Replaces sums, + and * by the operations of the semiring. E0152-function, E0154-semiring. */
bool fe_apply_semiring(sam_statement *s, const fe_semiring *r, diagnostics *d);

#endif
