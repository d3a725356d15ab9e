/* library.h - prints functions of files, and compares their descriptions with their computations. */
#ifndef ONYX_FE_LIBRARY_H
#define ONYX_FE_LIBRARY_H

#include "frontend/language/apply.h"
#include "frontend/language/load.h"

enum { FE_CHECK_INPUTS = 100 };

/* Prints each function's call, place of execution, data types, properties and file, a line each. */
void fe_print_functions(const fe_functions *all, const diagnostics *d, FILE *out);
/* Computes every described function (.xf) of this data type on FE_CHECK_INPUTS random inputs from `seed`. A
 * function along an index must write exactly its length of results, must not read beyond its operand, and
 * must satisfy its `properties`; the same input must give the same value. *checked counts the functions that
 * pass. Returns false after E0164-function-build or E0166-function-check, which has the input. A function
 * without its installed package is skipped with a note; also a function that needs a tag other than
 * symmetric, impossible for random arrays. Bitstreams are left to callers with an array. */
bool fe_check_functions(const fe_functions *all, uint64_t seed, diagnostics *d, uint32_t *checked);
/* Compares a loaded function that states an expression: on random arrays its values must equal the
 * expression's. */
bool fe_check_arrays(const fe_user_function *f, uint64_t seed, diagnostics *d);

/* Returns whether a function of these operands can have the property. */
bool fe_is_property(const fe_described *f, const char *name);

#endif
