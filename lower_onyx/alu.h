/* alu.h - an operation of a SAM graph as PEs: one PE for a row of alu.def, else several
 * (compositions.def). */
#ifndef ONYX_LOWER_ALU_H
#define ONYX_LOWER_ALU_H

#include "lower_onyx/lower_int.h"

enum { ALU_MAX_STEPS = 28, ALU_MAX_SINKS = 16 };

/* A constant operand. */
typedef struct {
    bool given;
    uint16_t value;
} alu_constant;

/* An operation of one or two operands, at least one a stream. */
typedef struct {
    const char *operation; /* as SAM calls it */
    bool bf16;
    uint32_t operands;
    alu_constant constant[2];
    const char *name; /* of the PE; of several PEs: the prefix of their names */
    src_loc loc;
} alu_wanted;

/* Where a stream has to go. */
typedef struct {
    uint32_t operand;
    onyx_node node;
    onyx_port port;
} alu_sink;

/* The PEs of an operation; result 0: no such operation. */
typedef struct {
    onyx_node result;
    uint32_t sinks;
    alu_sink sink[ALU_MAX_SINKS];
} alu_made;

/* Returns the name, with "_2", "_3" ... appended if a node or tile has the name. */
const char *onyx_free_name(const onyx_graph *g, const char *name);
/* Returns the steps of compositions.def, or NULL. */
const char *alu_composition(const char *operation, bool bf16);
/* Makes the PEs and links them. */
alu_made alu_make(onyx_graph *g, const alu_wanted *in);

/* Returns whether the values are in 0..32767 if the values of all operands are. */
bool alu_is_nonnegative(const sam_graph *g, const sam_edge_data *values);

/* How an accumulator, whose adder reads 0 for an absent value, combines by a monoid: the accumulator keeps
 * values in an encoding with 0 as the identity, and combines encoded values. */
typedef struct {
    const char *name;
    bool bf16, truth; /* truth: values are made 0 or 1 before all */
    uint16_t mask;    /* the form of v is v ^ mask */
    const char *combine;
} alu_monoid;
/* Finds the row of monoids.def, or NULL. */
const alu_monoid *alu_find_monoid(const char *name, bool bf16);

#endif
