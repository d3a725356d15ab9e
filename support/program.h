/* program.h - child programs, and the clock. */
#ifndef ONYX_SUPPORT_PROGRAM_H
#define ONYX_SUPPORT_PROGRAM_H

/* Runs a program, appends what it prints to `log`, and waits for it. Returns its exit code; PROGRAM_MISSING
 * when there is no such program (126 when it cannot be started otherwise, and the log says why); minus the
 * signal that ended it; PROGRAM_NOT_RUN when no process could be had. SIGINT to this program ends the wait:
 * the child gets it, too, and whatever it makes of it, the answer is -SIGINT. */
enum { PROGRAM_MISSING = 127, PROGRAM_NOT_RUN = -1000 };
int program_run(const char *const *argv, const char *log);

double seconds_now(void); /* monotonic clock */

#endif
