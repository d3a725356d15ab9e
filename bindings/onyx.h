/* onyx.h - `onyx run` for other programs: operands and result in memory, diagnostics as text. libonyx.so.
 * Calls may overlap, each with a folder of its own. */
#ifndef ONYX_H
#define ONYX_H

#include <stdint.h>

/* A sparse tensor. Extents are below 2^31; coordinates are 0-based, the coordinates of entry e at crd[e *
 * order], and below dim[mode]; duplicates are added. int16: values are rounded and wrap around; bf16: rounded
 * to nearest even. A scalar has order 0 and at most one entry. */
typedef struct {
    const char *name; /* in the expression */
    uint32_t order;
    const uint32_t *dim;
    uint64_t nnz;
    const uint32_t *crd;
    const double *val;
} onyx_tensor;

typedef struct {
    int code; /* exit code of `onyx run`: 0 done, 1 mistake, 2 does not fit, 3 wrong result, 130 SIGINT */
    const char *messages;       /* diagnostics as text, "" for none */
    const char *report;         /* report.json, NULL where nothing ran to its end */
    onyx_tensor result;         /* sorted, without duplicates; name NULL where nothing ran to its end */
    const onyx_tensor *results; /* of a program file: all results; `result` is the first */
    uint32_t n_results;
} onyx_result;

/* Runs a kernel, or a program file. `arguments` are those of `onyx run`, the expression or FILE.onx among
 * them and -o DIR, which receives the files; operands not in `operands` come from -i and -g. Never NULL; free
 * with onyx_free. */
onyx_result *onyx_run(const char *const *arguments, uint32_t n_arguments, const onyx_tensor *operands,
                      uint32_t n_operands);
void onyx_free(onyx_result *result);
/* Version and revision, as printed by `onyx --version`. */
const char *onyx_version(void);

#endif
