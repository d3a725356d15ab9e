/* session.h - what goes on between the runs of a kernel, or of kernels that share the array, so that this
 * stays configured: the co-simulation's program, or a board. */
#ifndef ONYX_ENGINES_SESSION_H
#define ONYX_ENGINES_SESSION_H

#include "kernel/kernel.h"

#include <sys/types.h>

struct compile_session {
    pid_t pid; /* 0: no program runs */
    int channel;
    const char *program, *log; /* of a board: the firmware that was loaded first; no log */
    host_session *board;       /* NULL: there is none */
    struct {
        uint64_t kernel, total, verify;
    } counted;           /* cycles of all its runs so far */
    uint32_t configured; /* cycles of the processor in which the array was configured so far */
    struct {
        uint64_t loaded, kept, collected;
    } words;
    fw_memory memory;              /* what lies on the chip */
    uint32_t last_image;           /* of the kernel that ran last */
    uint32_t calls;                /* of functions, by the program's count */
    uint32_t worked_beside;        /* cycles in such while the array ran, by its count */
    bool may_wait;                 /* calls of a function may, for a run of the array that follows */
    struct compile_beside *beside; /* that do (beside.h); NULL: none */
    u32_vec raised;                /* hazards that were told of: image, kind, column and row in a word */
};

enum { COMPILE_SESSION_FILES = 3 }; /* batches, result, statistics */
/* Starts the program, if it does not run yet, or asks it to do with these files what its arguments say of
 * others; and waits for the line that answers. E0930-tool; ctx->interrupted as compile_spawn. */
bool compile_session_run(compile_context *ctx, compile_session *s, const char *const *argv,
                         const char *const *files, const char *log);
/* Returns whether a program runs, or a board is there. */
static inline bool compile_session_is_open(const compile_session *s) {
    return s->pid || s->board;
}
/* Says that there is no more to do, and waits until the program has ended; lets go of the board. E0930-tool.
 */
bool compile_session_end(compile_context *ctx, compile_session *s);
#endif
