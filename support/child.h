/* child.h - what a child process does before it is another program. */
#ifndef ONYX_SUPPORT_CHILD_H
#define ONYX_SUPPORT_CHILD_H

#include "support/support.h"

#include <sys/types.h>

/* Makes this process, a child of `parent` that was just forked, the program argv[0], with these standard
 * files; a negative one is left as it is. It is asked to end (SIGTERM) when its parent does, however that
 * ends. A program that cannot be started says so to its standard error and exits with PROGRAM_MISSING, or
 * with 126 if it is there. */
_Noreturn void child_become(const char *const *argv, int in, int out, int err, pid_t parent);

/* A part of some work, which a child process makes. */
typedef struct {
    FILE *found; /* what it wrote, to be read from its beginning and closed by the caller; NULL: no file */
    int end;     /* 0: all is there; its exit code; minus the signal that ended it; PROGRAM_NOT_RUN */
} child_part;
/* Makes number `n` of the parts, and writes to `out` what it found. Returns false after an error. */
typedef bool child_work(void *context, uint32_t n, FILE *out);
/* Makes n parts at once and waits for all: each child has a copy of what this process has in memory. They end
 * with this process; where one fails, the later ones are ended. */
void child_parts(child_part *parts, uint32_t n, child_work *work, void *context);

#endif
