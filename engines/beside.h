/* beside.h - calls of a function that the chip's processor makes while the array runs a later statement: a
 * batch of calls waits in the session until a kernel runs that needs nothing of it, and then goes before that
 * kernel's batches (FW_BESIDE of protocol.h), with FW_REST behind them. What the calls make is known by this
 * machine meanwhile, and held against what comes. */
#ifndef ONYX_ENGINES_BESIDE_H
#define ONYX_ENGINES_BESIDE_H

#include "engines/engine.h"
#include "kernel/processor.h"

/* Calls of a function as rows, and the words that this machine makes of them. */
typedef struct {
    fe_described *f;
    fw_calls calls;
    const uint16_t *want;
    uint64_t n; /* calls */
} compile_called;

/* Has the processor make the calls of a file, or begin with them, or what is left of them (0, FW_BESIDE,
 * FW_REST). Where they are made now, holds the results against c->want. Adds to *out. `elf` is the program,
 * if none runs; NULL: one with functions alone. */
bool compile_make_calls(compile_engine_in *in, const compile_engine_row *engine, const compile_called *c,
                        uint32_t when, const char *elf, compile_outcome *out);

typedef struct compile_beside {
    arena mem;
    compile_called called;
    compile_engine_in in;
    const compile_engine_row *engine;
    uint32_t table;       /* address of the first row, at the end of the tables' area */
    compile_outcome cost; /* so far */
    bool begun, done;
} compile_beside;

/* Lets the calls wait in the session, where it wants that and they fit in one batch. */
bool compile_let_wait(const compile_engine_in *in, const compile_engine_row *engine, const compile_called *c);
/* Does what is due before the batches of a kernel in the file f, whose program it is: the processor begins
 * with the calls if no bank and no table of the kernel is in their way, else it makes all of them, or what is
 * left.
 */
bool compile_begin_beside(const compile_engine_in *in, const compile_firmware *f);
/* Makes what is left of the calls behind the last kernel. */
bool compile_end_beside(compile_context *ctx, compile_beside *b);

#endif
