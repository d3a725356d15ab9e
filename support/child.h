/* child.h - actions of a child process before it becomes another program. */
#ifndef ONYX_SUPPORT_CHILD_H
#define ONYX_SUPPORT_CHILD_H

#include "support/support.h"

#include <sys/types.h>

/* Makes this process, a freshly forked child of `parent`, the program argv[0], with these standard files; a
 * negative file stays unchanged. The program gets SIGTERM when its parent ends, in any way. A program that
 * cannot start prints the reason to its standard error and exits with PROGRAM_MISSING, or with 126 if
 * present. */
_Noreturn void child_become(const char *const *argv, int in, int out, int err, pid_t parent);

/* What a child process leaves of its share of some work. */
typedef struct {
    FILE *found; /* its output, to be read from its beginning and closed by the caller; NULL: no file */
    int end;     /* 0: complete; its exit code; minus its ending signal; PROGRAM_NOT_RUN */
} child_result;
/* Does share number `n`, and writes its result to `out`. Returns false after an error. */
typedef bool child_work(void *context, uint32_t n, FILE *out);
/* Does n shares at once and waits for all: each child has a copy of this process' memory. The children end
 * with this process; after a failure, later children are ended. */
void child_run(child_result *results, uint32_t n, child_work *work, void *context);

#endif
