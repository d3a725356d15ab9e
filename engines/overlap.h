/* overlap.h - calls of a function by the chip's processor while the array runs a later statement: a batch of
 * calls waits in the session until an independent kernel runs, and precedes this kernel's batches
 * (FW_OVERLAPPED of protocol.h), with FW_REST after them. This machine's results of the calls are used
 * meanwhile, and compared with the processor's. */
#ifndef ONYX_ENGINES_OVERLAP_H
#define ONYX_ENGINES_OVERLAP_H

#include "engines/engine.h"
#include "kernel/processor.h"

/* Calls of a function as rows, and this machine's results. */
typedef struct {
    fe_described *f;
    fw_calls calls;
    const uint16_t *want;
    uint64_t n; /* calls */
} compile_called;

/* Makes the processor execute the calls of a file, start them, or finish them (0, FW_OVERLAPPED, FW_REST).
 * Finished calls are compared with c->want. Adds to *out. `elf` is the program, if none runs; NULL: a program
 * with functions alone. */
bool compile_make_calls(compile_engine_in *in, const compile_engine_row *engine, const compile_called *c,
                        uint32_t when, const char *elf, compile_outcome *out);

typedef struct compile_overlapped {
    arena mem;
    compile_called called;
    compile_engine_in in;
    const compile_engine_row *engine;
    uint32_t table;       /* address of the first row, at the end of the tables' area */
    compile_outcome cost; /* so far */
    bool begun, done;
} compile_overlapped;

/* Defers the calls to the session, if the session allows deferral and the calls fit in a batch. */
bool compile_defer_calls(const compile_engine_in *in, const compile_engine_row *engine,
                         const compile_called *c);
/* Does the work due before the batches of a kernel in the file f, with its program: the processor starts the
 * calls if no bank and no table of the kernel conflicts, otherwise makes all or the remaining calls.
 */
bool compile_begin_overlap(const compile_engine_in *in, const compile_firmware *f);
/* Makes the remaining calls after the last kernel. */
bool compile_end_overlap(compile_context *ctx, compile_overlapped *b);

#endif
