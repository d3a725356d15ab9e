/* foreign.h - functions in C of others, which a child process calls (support/isolate.h). */
#ifndef ONYX_SAM_FOREIGN_H
#define ONYX_SAM_FOREIGN_H

#include "support/isolate.h"
#include "support/support.h"

/* Makes out[] of the n values in[] that a fiber stores at crd[]; `one` is the number for 1: 32767 of int16.
 */
typedef void sam_fiber_function(int n, const int *crd, const double *in, double *out, double one);
/* Computes a statement on arrays: operand[t - 2] is that of its tensor t (of a scalar: one number), and
 * extent[v - 1] how far its variable v runs. result[] holds zeros. */
typedef void sam_array_function(const int *extent, const double *const *operand, double *result);

/* What a shared object has: one of the first three, and possibly a checker. Only the child has them. */
typedef struct {
    double (*plain)(double x, double y);
    sam_fiber_function *fiber;
    sam_array_function *arrays;
    int (*checks)(const char *expression);
} sam_symbols;

/* What a child begins with. */
typedef struct {
    /* Fills in what the object has. Returns false and says why in ISOLATE_WHY bytes where it cannot. */
    bool (*load)(int object, sam_symbols *out, char *why);
    int object; /* an open file; the function closes it at its end */
    uint32_t parameters;
    double seconds; /* that a call may take */
} sam_foreign_how;

typedef struct sam_foreign sam_foreign;
/* Begins the child, which ends when `mem` is freed. */
sam_foreign *sam_foreign_new(const sam_foreign_how *how, arena *mem);

/* A fiber of n values; `behind` more, behind in[] and out[], are handed over and come back, too. */
typedef struct {
    int n;
    const int *crd;
    double *in, *out, one;
    uint32_t behind;
} sam_fiber_call;
/* Arrays of so many values, the result's first, then those of the operands; operands come back with `back`.
 */
typedef struct {
    uint32_t vars, arrays;
    const int *extent;
    double *const *array;
    const uint64_t *values;
    bool back;
} sam_array_call;

/* After a fault results are zeros, and sam_foreign_ended has the message. Of one value or two: a call with
 * the values of an earlier one may get the value of that. */
double sam_foreign_plain(sam_foreign *f, double x, double y);
void sam_foreign_fiber(sam_foreign *f, const sam_fiber_call *call);
void sam_foreign_arrays(sam_foreign *f, const sam_array_call *call);
bool sam_foreign_checks(sam_foreign *f, const char *expression);
/* Returns the memory of the child, and whether a call had a fault. */
arena *sam_foreign_memory(const sam_foreign *f);
bool sam_foreign_has_fault(const sam_foreign *f);
/* Forgets values of earlier calls, and a fault: the next call begins another child. */
void sam_foreign_anew(sam_foreign *f);
/* Why there is no child; NULL: there is one, or was before a fault of a call. */
const char *sam_foreign_missing(const sam_foreign *f);
/* Returns false after E0181-function-fault where a call of `name`, which is described at `loc`, did not come
 * back.
 */
bool sam_foreign_ended(const sam_foreign *f, const char *name, src_loc loc, diagnostics *d);

#endif
