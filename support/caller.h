/* caller.h - the state of the calling process: its locale, its floating-point environment, its signals. A
 * library function for other programs works between caller_begin and caller_end; a program begins with
 * caller_defaults. */
#ifndef ONYX_SUPPORT_CALLER_H
#define ONYX_SUPPORT_CALLER_H

#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>

typedef struct {
    locale_t locale;
    fenv_t numbers;
    sigset_t mask;
    struct sigaction children; /* the caller's action for SIGCHLD */
    bool replaced;             /* whether that was replaced */
} caller_state;

/* Keeps the caller's state, and sets ours. Of this thread: the locale "C", rounding to nearest, no flush to
 * zero, and signals held back whose handlers would interrupt our system calls. Of the process: the default
 * for SIGCHLD, since who ignores or handles it may take the end of our children. */
void caller_begin(caller_state *s);
/* Puts the caller's state back. A handler of SIGCHLD is called once, as ends of the caller's own children may
 * have been missed. */
void caller_end(const caller_state *s);

/* Makes this process able to have children, whatever its parent left: SIGCHLD, SIGTERM and SIGPIPE get their
 * defaults, and no signal is blocked. Ignored SIGINT and SIGHUP stay ignored (nohup). A child calls this
 * function before it becomes another program, which SIGTERM asks to end. */
void caller_defaults(void);

#endif
