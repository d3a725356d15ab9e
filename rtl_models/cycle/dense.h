/* dense.h - the configured array of the dense fabric, cycle for cycle.
 *
 * Nodes (units of tiles, registers on routes) exchange values of a cycle: value 0 is constant 0, value 1
 * constant 1. In a cycle every value is computed from the states, in an order that defines each value before
 * its use; afterwards all states step.
 */
#ifndef ONYX_DENSE_MODEL_H
#define ONYX_DENSE_MODEL_H

#include "rtl_models/cycle/dense_units.h"

typedef enum {
    DENSE_NODE_REGISTER, /* in 0; out 0 a cycle later */
    DENSE_NODE_PE,       /* in 0 to 2 words, 3 to 5 bits; out 0 a word, 1 a bit */
    DENSE_NODE_ALL,      /* as a PE; an output is 1 where none of its operands is 0 */
    DENSE_NODE_POND,     /* in 0, 1; out 0 the word, 1, 2 the events of the sets */
    DENSE_NODE_UB,       /* in 0, 1 data, 2, 3 chain; out 0, 1 data, 2, 3 valid bits */
    DENSE_NODE_RAM,      /* in 0 data, 1 address, 2 read, 3 write; out 0 data, 1 ready, 2 valid */
    DENSE_NODE_VALID,    /* out 0 a bit */
    DENSE_NODE_INPUT,    /* out 0 a word, 1 a bit: of the global buffer, a cycle later */
    DENSE_NODE_OUTPUT    /* in 0 a word, 1 a bit */
} dense_node_kind;

enum { DENSE_INS = 6, DENSE_OUTS = 4 };

typedef struct {
    dense_node_kind kind;
    bool late;   /* sees a flush a cycle later */
    bool is_bit; /* of a register: for the 1-bit network */
    uint32_t x, y;
    uint32_t in[DENSE_INS], out[DENSE_OUTS]; /* values */
    const void *config;       /* dense_instruction (also of ALL, dense_all), dense_pond, dense_ub, or
                                 dense_generator of valid bits */
    const uint16_t *contents; /* of a Pond or RAM when a run begins; NULL: 0 */
} dense_node;

typedef struct {
    VEC(dense_node) nodes;
    uint32_t values;
} dense_array;

/* A PE on marks in place of words: a result is 1 where none of its operands, a bit each of `of`, is 0. */
typedef struct {
    dense_instruction pe;
    uint8_t of[2]; /* of the word, of the bit */
} dense_all;
dense_pe_outputs dense_all_read(const dense_all *a, const dense_pe_state *s,
                                const uint16_t in[DENSE_OPERANDS]);

/* Nodes in an order that makes a cycle a single pass: those whose outputs come of their state alone, then the
 * others, each after the nodes it reads. */
typedef struct {
    u32_vec before, combinational;
} dense_order;
/* Orders the nodes. False if nodes form a ring without a register: *ring is a node of the ring. */
bool dense_sort(const dense_array *array, arena *mem, dense_order *out, uint32_t *ring);

typedef struct dense_model dense_model;

/* Makes the model, after reset. NULL after a ring, as dense_sort. */
dense_model *dense_build(const dense_array *array, arena *mem, uint32_t *ring);
/* Sets the global buffer's input to an input node in this cycle: the array has it in the next. */
void dense_drive(dense_model *m, uint32_t node, uint16_t word, bool bit);
enum { DENSE_FLUSH_COLUMNS = 4 };
/* Runs a cycle. Bit g of `groups` flushes columns 4g to 4g + 3: tiles of the near rows in this cycle, late
 * ones in the next. */
void dense_cycle(dense_model *m, uint32_t groups);
/* Returns a value of the cycle that dense_cycle has run. */
uint16_t dense_value_at(const dense_model *m, uint32_t value);
/* Returns the output of an output node to the global buffer in this cycle: the word, and the bit at 16. */
uint32_t dense_taken(const dense_model *m, uint32_t node);

/* What plays the array, cycle by cycle, as the functions of the model. */
typedef struct {
    void *of;
    void (*drive)(void *of, uint32_t node, uint16_t word, bool bit);
    void (*cycle)(void *of, uint32_t groups);
    uint32_t (*taken)(const void *of, uint32_t node);
    struct dense_waves *waves; /* of the model; NULL: none */
} dense_machine;
/* Returns the input or output node of an IO column, or UINT32_MAX. */
uint32_t dense_io_node(const dense_array *a, dense_node_kind kind, uint32_t column);

#endif
