/* foreign.h - foreign functions in C, called by a child process (support/isolate.h). */
#ifndef ONYX_SAM_FOREIGN_H
#define ONYX_SAM_FOREIGN_H

#include "support/isolate.h"
#include "support/support.h"

/* Makes out[] of the n values in[] that a fiber stores at crd[]; `one` is the number for 1: 32767 for int16.
 */
typedef void sam_fiber_function(int n, const int *crd, const double *in, double *out, double one);
/* Computes a statement on arrays: operand[t - 2] has the values of tensor t (of a scalar: a single number),
 * and extent[v - 1] is the extent of variable v. result[] holds zeros. */
typedef void sam_array_function(const int *extent, const double *const *operand, double *result);

/* Symbols of a shared object: one of the first three, and possibly a checker. Only the child has the
 * symbols. */
typedef struct {
    double (*plain)(double x, double y);
    sam_fiber_function *fiber;
    sam_array_function *arrays;
    int (*checks)(const char *expression);
} sam_symbols;

/* What a child begins with. */
typedef struct {
    /* Fills in the symbols of the object. Returns false with the reason in ISOLATE_WHY bytes on failure. */
    bool (*load)(int object, sam_symbols *out, char *why);
    int object; /* an open file, closed at the function's end */
    uint32_t parameters;
    double seconds; /* that a call may take */
} sam_foreign_how;

typedef struct sam_foreign sam_foreign;
/* Starts the child, which ends when `mem` is freed. */
sam_foreign *sam_foreign_new(const sam_foreign_how *how, arena *mem);

/* A fiber of n values; `behind` more, behind in[] and out[], are handed over and come back, too. */
typedef struct {
    int n;
    const int *crd;
    double *in, *out, one;
    uint32_t behind;
} sam_fiber_call;
/* Arrays of `n` values each, the result's first, followed by the operands'; operands come back with `back`.
 */
typedef struct {
    uint32_t vars, arrays;
    const int *extent;
    double *const *array;
    const uint64_t *values;
    bool back;
} sam_array_call;

/* After a fault results are zeros, and sam_foreign_ended has the message. For one value or two: a call with
 * earlier arguments may reuse the earlier value. */
double sam_foreign_plain(sam_foreign *f, double x, double y);
/* Makes out[] of n values of one parameter. All together may take the seconds of a call. */
void sam_foreign_each(sam_foreign *f, uint32_t n, const double *in, double *out);
void sam_foreign_fiber(sam_foreign *f, const sam_fiber_call *call);
void sam_foreign_arrays(sam_foreign *f, const sam_array_call *call);
bool sam_foreign_checks(sam_foreign *f, const char *expression);
/* Returns the memory of the child, and whether a call had a fault. */
arena *sam_foreign_memory(const sam_foreign *f);
bool sam_foreign_has_fault(const sam_foreign *f);
/* Forgets values of earlier calls, and a fault: the next call begins another child. */
void sam_foreign_anew(sam_foreign *f);
/* Reason for a missing child; NULL: the child exists, or existed before a fault of a call. */
const char *sam_foreign_missing(const sam_foreign *f);
/* Returns false after E0181-function-fault if a call of `name`, described at `loc`, did not return. */
bool sam_foreign_ended(const sam_foreign *f, const char *name, src_loc loc, diagnostics *d);

#endif
