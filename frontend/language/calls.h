/* calls.h - functions and reductions of the expression language, and their form in a statement. */
#ifndef ONYX_FE_CALLS_H
#define ONYX_FE_CALLS_H

#include "frontend/language/scope.h"
#include "frontend/language/text.h"
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

/* A tensor made by the host of the coordinates of another: members of sam_tensor_data. */
typedef struct fe_made fe_made;
struct fe_made {
    sam_structure structure;
    sam_position position;
};

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
/* Returns an access to the tensor that the host makes of the tensor of an access; for SAM_FILLED fills must
 * be known. */
sam_expr fe_made_of(sam_statement *s, sam_expr access, fe_made how);
sam_expr fe_add_call(sam_statement *s, src_loc loc, sam_operation operation, sam_expr a, sam_expr b);
/* Adds the number of a word of the statement's type. */
sam_expr fe_add_literal(sam_statement *s, src_loc loc, uint16_t word);
/* Returns 1 where e is not 0, else 0: logical operations combine truth values. */
sam_expr fe_truth(sam_statement *s, sam_expr e);
/* Adds a copy of e and its subexpressions. */
sam_expr fe_copy_expr(sam_statement *s, sam_expr e);
#endif
