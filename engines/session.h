/* session.h - state between the runs of a kernel, or of kernels on the same array, that keeps the array
 * configured: the co-simulation's program, or a board. */
#ifndef ONYX_ENGINES_SESSION_H
#define ONYX_ENGINES_SESSION_H

#include "kernel/kernel.h"

#include <sys/types.h>

struct compile_session {
    pid_t pid; /* 0: no program runs */
    int channel;
    const char *program, *log; /* of a board: the first loaded firmware; no log */
    host_session *board;       /* NULL: there is none */
    struct {
        uint64_t kernel, total, verify, lag[2];
    } counted;           /* cycles of all its runs up to now */
    uint32_t configured; /* cycles of the processor for configuring the array up to now */
    struct {
        uint64_t loaded, kept, collected;
    } words;
    fw_memory memory;           /* what lies on the chip */
    uint32_t last_image;        /* of the last kernel */
    uint32_t calls;             /* of functions, by the program's count */
    uint32_t worked_overlapped; /* cycles of concurrent calls while the array ran, by the firmware's count */
    bool may_wait;              /* calls of a function may wait for a later run of the array */
    struct compile_overlapped *overlapped; /* that do (overlap.h); NULL: none */
    u32_vec raised;                        /* reported hazards: image, kind, column and row in a word */
};

enum { COMPILE_SESSION_FILES = 3 }; /* batches, result, statistics */
/* Starts the program, or requests the execution of these files, which replace the files of its arguments; and
 * waits for the answering line. E0930-tool; ctx->interrupted as compile_spawn. */
bool compile_session_run(compile_context *ctx, compile_session *s, const char *const *argv,
                         const char *const *files, const char *log);
/* Returns whether a program runs, or a board is connected. */
static inline bool compile_session_is_open(const compile_session *s) {
    return s->pid || s->board;
}
/* Announces the end, and waits until the program has ended; releases the board. E0930-tool. */
bool compile_session_end(compile_context *ctx, compile_session *s);
#endif
