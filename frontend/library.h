/* library.h - what is said of functions of files, printed and held against what they compute. */
#ifndef ONYX_FE_LIBRARY_H
#define ONYX_FE_LIBRARY_H

#include "frontend/functions.h"
#include "frontend/program.h"

enum { FE_CHECK_INPUTS = 100 };

/* Prints what a function is called by, where it runs, its data types, properties and file, a line each. */
void fe_print_functions(const fe_functions *all, const diagnostics *d, FILE *out);
/* Computes every described function (.xf) of this data type on FE_CHECK_INPUTS random inputs, which `seed`
 * decides: one along an index writes its length of results and nothing else, reads nothing behind its
 * operand, and what `properties` says holds; the same input has the same value each time. *checked is raised
 * by one for each that does so. Returns false after E0164-function-build or E0166-function-check, which has
 * the input. Of several, one whose package is not installed is left out, which a note says; so is one that
 * wants a tag other than symmetric, which nothing gives random arrays. Bitstreams are left to those who have
 * an array. */
bool fe_check_functions(const fe_functions *all, uint64_t seed, diagnostics *d, uint32_t *checked);
/* Does the same with one that states an expression, which is loaded: the values of random arrays are those of
 * the expression. */
bool fe_check_arrays(const fe_user_function *f, uint64_t seed, diagnostics *d);

#endif
