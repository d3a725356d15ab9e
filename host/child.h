/* child.h - child programs. */
#ifndef ONYX_HOST_CHILD_H
#define ONYX_HOST_CHILD_H

#include "support/support.h"

#include <sys/types.h>

typedef struct {
    pid_t pid; /* 0: none */
    bool ended;
    int status; /* of waitpid, once ended */
} host_child;

/* Starts a child program in a process group of its own: Ctrl-C reaches the parent alone, and the child ends
 * with the parent. Output goes to `log`; `channel`, if not -1, becomes the child's standard input and output.
 */
bool host_child_start(host_child *c, const char *const *argv, const char *log, int channel);
bool host_child_alive(host_child *c);
/* Says how the child ended: "ended with code 1", "was ended by signal 9". */
const char *host_child_fate(host_child *c, arena *mem);
void host_child_end(host_child *c);

#endif
