/* read_functions.h - functions of the user's, read from files and applied in expressions. */
#ifndef ONYX_FE_READ_FUNCTIONS_H
#define ONYX_FE_READ_FUNCTIONS_H

#include "frontend/language/apply.h"
#include "sam/operators.h"

/* A claim of a function's author. */
typedef struct {
    enum { FE_COMMUTATIVE, FE_ASSOCIATIVE, FE_IDEMPOTENT, FE_ANNIHILATOR, FE_IDENTITY, FE_SPACE } kind;
    src_loc loc;
    uint32_t at;    /* bits of the concerned parameters */
    uint16_t value; /* ANNIHILATOR, IDENTITY */
    /* SPACE: bit a says that the value is computed where exactly the parameters with a bit of a differ from
     * their tested values. */
    uint64_t space;
    const char *algebra; /* the same in the form of sam_operator */
    uint16_t tested[FE_MAX_PARAMETERS];
} fe_property;

/* Computes the value of words. */
uint16_t fe_compute(const fe_user_function *f, const uint16_t *argument);
/* Checks a property by computing values: for one unknown all 65536, for more a sample. Then adds the property
 * to the function, and marks the restricted subexpression. E0159-property. */
bool fe_check_property(fe_user_function *f, const fe_property *p, diagnostics *d);

/* A file of functions; the text must outlive its functions. */
typedef struct {
    const char *name, *text;
    size_t length;
} fe_function_file;

/* Adds the functions of a file to *all, created if NULL: docs/functions.md. They are of one data type, used
 * to check the properties. E0152, E0158 to E0160.
 */
bool fe_read_functions(const fe_function_file *file, bool integers, name_table *names, arena *mem,
                       diagnostics *d, fe_functions **all);

#endif
