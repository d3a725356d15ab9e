/* queue.h - waiting batches of a program, run in sequence by the chip's processor; and results that stay on
 * the chip until the host needs their values. */
#ifndef ONYX_PROGRAMS_QUEUE_H
#define ONYX_PROGRAMS_QUEUE_H

#include "programs/interpreter.h"

/* Finds the statements whose results may stay on the chip until their values are needed, as far as
 * the program's text tells (residency.c). */
void compile_find_deferrable(const compile_options *o, compile_context *ctx, compile_application *a);
/* Returns whether a condition compares one value of a tensor, or its number of values (*counts), with a
 * number: *value, or the number's bf16 word. *holds are the bits of a test (firmware/protocol.h), *operand is
 * the handle less 1. */
bool compile_is_test(const fe_step *step, uint32_t *operand, bool *counts, uint32_t *holds, int32_t *value);

/* A statement of a run: its present operands, its value, and the chip's result. */
typedef struct {
    compile_statement_plan *plan;
    compile_data data;
    tile_tensor value;
    compile_resident *resident; /* NULL: the host has the value */
} compile_member;
/* Runs the kernel of the statements (several: join.h) by the cycle model, and adds the batch to the list.
 * Sets the values; the chip's results take over the arena of `ctx`, used by the statements only. A
 * batch that cannot wait (plan->waits becomes false), or cannot wait yet (operands must be read again),
 * leaves no trace. */
typedef enum { COMPILE_QUEUED, COMPILE_AGAIN, COMPILE_NEVER } compile_enqueued;
bool compile_enqueue(interpreter *m, compile_context *ctx, compile_member *members, uint32_t n,
                     compile_enqueued *waited);
/* Adds the test of a loop to the list, with a known outcome. Returns false if the processor cannot make the
 * test. */
bool compile_enqueue_test(interpreter *m, const fe_step *step, bool over);

#endif
