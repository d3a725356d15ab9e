/* fuzz.h - common to the fuzzing harnesses. A harness defines LLVMFuzzerTestOneInput and stops the program
 * (FUZZ_CHECK) when an invariant breaks; libFuzzer drives the harness, or driver.c over kept inputs. */
#ifndef ONYX_TESTS_FUZZ_H
#define ONYX_TESTS_FUZZ_H

#include <stdlib.h>

#include "sam/sam.h"
#include "tests/seen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct {
    arena mem;
    diagnostics diag;
    name_table names;
} fuzz_run;

static inline void fuzz_begin(fuzz_run *r) {
    *r = (fuzz_run){0};
    diag_init(&r->diag, &r->mem);
    names_init(&r->names, &r->mem);
}

/* Verdict of the first step, the reader, on the input at hand: driver.c counts verdicts. */
typedef enum { FUZZ_UNASKED, FUZZ_ACCEPTED, FUZZ_REFUSED } fuzz_first;
extern fuzz_first fuzz_accepted;

/* Readers' verdicts on each input, and the texts written (driver.c). */
extern seen_list fuzz_seen;

/* Prints the diagnostics and stops unless the condition holds. */
#define FUZZ_CHECK(run, condition)                                                                           \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                          \
            diag_print(&(run)->diag, 0, stderr, false);                                                      \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

/* Checks the verdict of a step: success means no error, failure means at least one error with a code and a
 * place. */
void fuzz_verdict(fuzz_run *r, bool ok);
/* Judges a reader of JSON or binary files as fuzz_verdict does one of texts; its messages name a member or a
 * byte instead of a place. */
void fuzz_answer(fuzz_run *r, bool ok);
/* A file with these bytes, whose name ends in `end`, removed when the process ends; and the content of a
 * file. */
const char *fuzz_file(fuzz_run *r, const char *end, const void *bytes, size_t size);
char *fuzz_content(fuzz_run *r, const char *path, size_t *length);
/* Whether two files hold the same lines, in any order. */
bool fuzz_same_lines(fuzz_run *r, const char *one, const char *other);
/* A graph that passed its check: printed, read and printed again, its text is unchanged; its rewrites pass,
 * too. */
void fuzz_graph(fuzz_run *r, const sam_graph *g);

#endif
