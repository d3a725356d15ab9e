/* tables.h - functions of one value given by a list of values: a file of numbers, or a gathered vector. */
#ifndef ONYX_FE_TABLES_H
#define ONYX_FE_TABLES_H

#include "frontend/language/apply.h"
#include "frontend/language/load.h"

/* Reports that the function cannot be built. Returns false after E0164-function-build. */
bool fe_refuse_build(const fe_described *f, src_loc loc, diagnostics *d, const char *what, const char *hint);
/* Reads the file of a described table into the words of its program, once. E0164-function-build, at `loc`. */
bool fe_load_table(fe_described *f, src_loc loc, diagnostics *d);

/* A vector that an expression reads at the values of another tensor: b(idx(i)). */
typedef struct {
    const char *name;
    const uint16_t *word; /* n words, n >= 1 */
    uint32_t n;
} fe_gathered;

/* Adds the gathering function of the vector to *all, created if NULL. Computing a value with an index that is
 * no coordinate of the vector reports E0182-gather. */
void fe_add_gather(const fe_gathered *v, bool integers, name_table *names, arena *mem, fe_functions **all);
/* Replaces the application of a list of values by functions that have `share` consecutive values of it each,
 * combined by xor: f(x) = f1(x) ^ f2(x) ^ ..; f1 has the last value of the list elsewhere, the others 0. */
void fe_deal_list(sam_statement *s, sam_expr application, uint32_t share);
/* Returns whether the function of an application, or NULL, is a list of values: of a file, or a vector. */
bool fe_is_list(const sam_program *p);
/* Returns whether the function gathers from a vector. */
bool fe_is_gather(const fe_user_function *f);

#endif
