/* steps.h - operations made of PEs and tables, step by step. */
#ifndef ONYX_LOWER_STEPS_H
#define ONYX_LOWER_STEPS_H

#include "lower_onyx/alu.h"

/* The operation under construction; names of its tiles begin with the name of `in`. */
typedef struct {
    alu_made out; /* its sinks; the result is for the caller to say */
    const alu_wanted *in;
    onyx_graph *g;
} step_making;

/* A stream: an operand of the whole operation, or a node's output port. */
typedef struct {
    onyx_node node; /* 0: the operand */
    onyx_port port;
    uint32_t operand;
} step_stream;

/* Adds the PE for an operation of int16 on two streams. */
step_stream step_combine(step_making *m, const char *operation, step_stream a, step_stream b);
/* Adds the PE for an operation of int16 on a stream and a constant. */
step_stream step_change(step_making *m, const char *operation, step_stream a, uint16_t constant);
/* Adds the PE for an operation of int16 on a constant and a stream. */
step_stream step_change_by(step_making *m, const char *operation, uint16_t constant, step_stream b);
/* Adds a memory tile with n words, and its load stream, and returns the words at the addresses of `index`,
 * which must be below n. */
step_stream step_look_up(step_making *m, const uint16_t *words, uint32_t n, step_stream index);

#endif
