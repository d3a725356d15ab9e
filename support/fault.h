/* fault.h - internal and machine faults that end the program. */
#ifndef ONYX_SUPPORT_FAULT_H
#define ONYX_SUPPORT_FAULT_H

#include <stddef.h>

/* BUG is for a broken internal invariant, never for a user's mistake: prints file:line and aborts. */
#define BUG(...) bug_report(__FILE__, __LINE__, __VA_ARGS__)
#define BUG_IF(cond, ...)                                                                                    \
    do {                                                                                                     \
        if (cond)                                                                                            \
            BUG(__VA_ARGS__);                                                                                \
    } while (0)
_Noreturn void bug_report(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Called when an allocation of `bytes` (0: of unknown size) fails: reports E0005-memory and ends the program
 * with exit code 1. Files being written have no final name yet; a NAME.PID.part may stay, as after a kill. */
_Noreturn void out_of_memory(size_t bytes);

#endif
