/* calls.h - functions and reductions of the expression language, and their form in a statement. */
#ifndef ONYX_FE_CALLS_H
#define ONYX_FE_CALLS_H

#include "frontend/fe_int.h"
#include "sam/coordinates.h"

typedef enum {
    FE_FUNCTION_FOLD,     /* one operation, from the left */
    FE_FUNCTION_ONE,      /* an operation of one operand */
    FE_FUNCTION_COMPOSED, /* of several operations, distinguished by the row's operation */
    FE_FUNCTION_IFELSE,
    FE_FUNCTION_MASK,
    FE_FUNCTION_STRUCT,
    FE_FUNCTION_COALESCE
} fe_function;

/* A word before a parenthesis: a row of the table in calls.c. */
typedef struct {
    const char *name;
    src_loc loc;
    fe_function function;
    sam_operation operation; /* of FOLD and ONE */
    uint8_t least, most;     /* arguments */
    bool reduces;            /* as name(variable, expression) */
    bool words;              /* of integers only */
} fe_call;

/* Value of sam_expr_data.literal of a call before fe_parse has resolved the call: the call is a mask,
 * elsewhere the result's fill. */
enum { FE_MASK = 1 };

bool fe_find_call(const fe_token *name, fe_call *out);
static inline bool fe_is_function(const char *name) {
    fe_call unused;
    return fe_find_call(&(fe_token){.at = name, .length = strlen(name)}, &unused);
}
/* Returns the function of the language that is fewest slips from a name, below *distance; NULL: none. */
const char *fe_nearest_function(const char *name, uint32_t *distance);
/* Return the word of a reduction, and of a function of one operation. */
const char *fe_reduction_text(uint8_t operation);
const char *fe_function_text(uint8_t operation);
/* Makes the expression of a function and its arguments. E0152-function. */
sam_expr fe_make_call(sam_statement *s, const fe_call *f, const fe_exprs *arguments, diagnostics *d);
/* Makes the logical complement of e. */
sam_expr fe_not(sam_statement *s, src_loc loc, sam_expr e);
/* Returns an expression with 1 at every coordinate at which the tensor of an access has its fill; fills must
 * be known. */
sam_expr fe_filled(sam_statement *s, sam_expr access);
/* Rewrites a function equal to its fill wherever an argument with fewer loops than the rest is stored:
 * the function is then computed only where the argument has its fill. Other functions stay unchanged
 * (absent.c). */
sam_expr fe_leave_absent(sam_statement *s, sam_expr e);
sam_expr fe_add_call(sam_statement *s, src_loc loc, sam_operation operation, sam_expr a, sam_expr b);
/* Returns 1 where e is not 0, else 0: logical operations combine truth values. */
sam_expr fe_truth(sam_statement *s, sam_expr e);
/* Adds a copy of e and its subexpressions. */
sam_expr fe_copy_expr(sam_statement *s, sam_expr e);
struct fe_semiring;
/* Reads fills: sets the fills of all tensors, and the values outside of masks. Call after sums are bound,
 * formats are read, and the semiring's operations are in place. E0153-fill. */
bool fe_resolve(const fe_in *in, const struct fe_semiring *r, diagnostics *d, sam_statement *s);

#endif
