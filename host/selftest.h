/* selftest.h - a test of a board component by component, without a program and without data.
 *
 * Each step stands on the steps before it: the first failure ends the test, and names the component. All
 * contents of the chip's memories are lost.
 */
#ifndef ONYX_HOST_SELFTEST_H
#define ONYX_HOST_SELFTEST_H

#include "host/host.h"

typedef enum { HOST_TEST_GOOD, HOST_TEST_DIFFERS, HOST_TEST_FAILED, HOST_TEST_OMITTED } host_test_result;
/* Returns a word or two for a result. */
static inline const char *host_test_word(host_test_result result) {
    static const char *const words[] = {"good", "differs", "FAILED", "not tested"};
    return words[result];
}
typedef struct {
    const char *step, *text; /* "buffer banks"; what was tested or found */
    host_test_result result;
} host_finding;
/* Runs all steps, and tells the finding of each; logs go into the folder. Failures of the chip are no
 * diagnostics. Returns false after an error of the link. */
typedef struct {
    const char *folder;
    void (*tell)(void *context, const host_finding *f);
    void *context;
} host_selftest_job;
bool host_selftest(const pnr_board *board, const host_options *o, const host_selftest_job *job, arena *mem,
                   diagnostics *d);

#endif
