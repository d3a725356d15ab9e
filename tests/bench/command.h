/* command.h - the onyx command as a measuring instrument: what a run of it says in report.json, or why there
 * is none. */
#ifndef ONYX_TESTS_BENCH_COMMAND_H
#define ONYX_TESTS_BENCH_COMMAND_H

#include "support/support.h"

typedef struct {
    const char
        *code; /* of the first error, "stopped after N s", or NULL: there is a result, and it is right */
    double pe, mem, io, hops, words, fmax_mhz, cycles, config_cycles, pairs,
        time_us;        /* of several kernels as docs/report.md says */
    const char *warned; /* kinds of hazards met, and E0450-deadlock, as far as they only warned; "" if none */
} command_report;

/* "onyx run ARGUMENTS", quiet, everything in `folder`. The arguments are words of the shell. */
command_report command_run(const char *arguments, const char *folder, uint32_t most_seconds, arena *mem);

/* The code of the first error in what onyx printed, or NULL. */
const char *command_code(const char *printed, arena *mem);

#endif
