/* child.h - what a child process does before it is another program. */
#ifndef ONYX_SUPPORT_CHILD_H
#define ONYX_SUPPORT_CHILD_H

#include <sys/types.h>

/* Makes this process, a child of `parent` that was just forked, the program argv[0], with these standard
 * files; a negative one is left as it is. It is asked to end (SIGTERM) when its parent does, however that
 * ends. A program that cannot be started says so to its standard error and exits with PROGRAM_MISSING, or
 * with 126 if it is there. */
_Noreturn void child_become(const char *const *argv, int in, int out, int err, pid_t parent);

#endif
