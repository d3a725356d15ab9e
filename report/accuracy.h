/* accuracy.h - accuracy of a result: its error against double precision, and the losses of its operands. */
#ifndef ONYX_REPORT_ACCURACY_H
#define ONYX_REPORT_ACCURACY_H

#include "kernel/kernel.h"

/* A result, and the operands that it is made of. */
typedef struct {
    const tile_accuracy *of;
    const sam_statement
        *statement; /* statement of the operands, by tensor handle - 1; NULL: operands of a program */
    const tile_tensor *operand; /* NULL: they are not known */
    uint32_t operands;
    tile_dtype dtype;
    const struct fe_scales *scaled; /* of q16, or NULL */
} compile_accuracy;

/* Adds "accuracy" to report.json (docs/report.md); nothing without a reference. */
void compile_accuracy_json(const compile_accuracy *a, const name_table *names, cJSON *json);
/* Adds a number, or as text "inf", "-inf", "nan", which JSON lacks. */
void compile_number_json(cJSON *object, const char *key, double value);
/* Adds "type" to report.json: of the values, with the scales of all tensors, and the reason of the choice.
 * `statement` is NULL of a program. */
void compile_type_json(const compile_options *o, const sam_statement *statement, const name_table *names,
                       cJSON *json);
/* Adds "warnings" to report.json: the command's warnings so far. */
void compile_warnings_json(const diagnostics *d, cJSON *json);
/* Returns "exact", "within 0.4 % of float64", or "differs from float64 by up to 35 % at (3,7): ..."; NULL
 * where there was no reference. */
const char *compile_accuracy_text(const compile_accuracy *a, const name_table *names, arena *mem);
/* Returns the check for people: "pass" only where the result is good, too. */
const char *compile_accuracy_check(const compile_accuracy *a, const char *check);
/* Returns whether `a` has the worse verdict, or the larger error. */
bool compile_accuracy_is_worse(const compile_accuracy *a, const compile_accuracy *b);

#endif
