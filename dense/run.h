/* run.h - a dense program on the cycle model. */
#ifndef ONYX_DENSE_RUN_H
#define ONYX_DENSE_RUN_H

#include "dense/program.h"
#include "rtl_models/cycle/dense.h"

enum { DENSE_GLB_BYTES = 0x400000 };

/* What a stream did. */
typedef struct {
    dense_stream stream;
    dense_stream_state state;
} dense_ran_stream;

typedef struct {
    bool done;       /* all streams ended */
    uint32_t cycles; /* of the array, to the last stored word */
    VEC(dense_ran_stream) streams;
    uint16_t *memory; /* the global buffer, in words */
} dense_outcome;

/* Returns a global buffer with the program's inputs. */
uint16_t *dense_memory_of(const dense_program *p, arena *mem);
/* Runs the streams on the design from reset until all have ended, or nothing can move any more. Errors:
 * E0631-wire-loop, E0981-dense-stream. */
bool dense_run(const dense_design *design, const dense_streams *streams, uint16_t *memory, diagnostics *d,
               dense_outcome *out);
/* Does the same with an array made of a design. */
bool dense_run_array(const dense_array *array, const dense_streams *streams, uint16_t *memory, diagnostics *d,
                     dense_outcome *out);
/* Compares the buffer with the expected output. Returns the number of equal words; *first is the first
 * different word. */
uint32_t dense_equal_words(const dense_words *expected, const uint16_t *memory, uint32_t *first);

#endif
