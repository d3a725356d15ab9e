/* program.h - child programs, and the clock. */
#ifndef ONYX_SUPPORT_PROGRAM_H
#define ONYX_SUPPORT_PROGRAM_H

/* Runs a program, appends its output to `log`, and waits for its end. Returns its exit code; PROGRAM_MISSING
 * for a missing program (126 when the start fails otherwise, with the reason in the log); minus its ending
 * signal; PROGRAM_NOT_RUN when no process could be created. SIGINT to this program ends the wait: the child
 * gets SIGINT, too, and the answer is -SIGINT in any case. */
enum { PROGRAM_MISSING = 127, PROGRAM_NOT_RUN = -1000 };
int program_run(const char *const *argv, const char *log);

double seconds_now(void); /* monotonic clock */

#endif
