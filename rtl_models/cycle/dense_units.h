/* dense_units.h - the statically scheduled units of the dense fabric.
 *
 * A unit has a configuration (the fields of its registers as numbers) and a state, which is 0 after reset. A
 * cycle has two halves: the outputs are read from the state and, where a path is combinational, from the
 * inputs; then the clock edge ends the cycle. Cycles count from the first cycle with flush low; the counter
 * has 16 bits.
 */
#ifndef ONYX_DENSE_UNITS_H
#define ONYX_DENSE_UNITS_H

#include "support/support.h"

/* ---- generators ------------------------------------------------------------------------------ */

enum { DENSE_LOOPS = 8, DENSE_END = DENSE_LOOPS };

/* Loops of a nest; loop 0 is the innermost. A loop has range + 2 iterations. */
typedef struct {
    uint32_t dim, range[DENSE_LOOPS];
} dense_nest;

/* A value on a nest: a step of a loop adds the loop's increment. */
typedef struct {
    uint32_t start, increment[DENSE_LOOPS];
} dense_affine;

/* Events on a nest: an event in each cycle equal to `at`, with up to two addresses. */
typedef struct {
    bool enable;
    uint16_t delay; /* cycles from the event to its effect in an updating buffer */
    dense_nest nest;
    dense_affine at, address[2];
} dense_generator;

typedef struct {
    uint32_t count[DENSE_LOOPS], at, address[2];
    bool finished; /* until the next flush */
} dense_generator_state;

/* Returns whether an event is due in the cycle. */
bool dense_due(const dense_generator *g, const dense_generator_state *s, uint32_t cycle);
/* Steps after an event. Returns the stepped loop, or DENSE_END at the nest's end. */
uint32_t dense_step(const dense_generator *g, dense_generator_state *s);
/* Loads the starting values, as a flush does. */
void dense_restart(const dense_generator *g, dense_generator_state *s);

/* ---- unified buffer -------------------------------------------------------------------------- */

enum { DENSE_LINES = 512 /* of the SRAM */, DENSE_LANES = 4, DENSE_QUEUE = 8, DENSE_SRAM_QUEUE = 4 };

/* write: address[0] in the aggregator; read: address[0] in the SRAM, [1] of the transpose buffer's write;
 * out: address[0] in the transpose buffer. */
typedef struct {
    dense_generator write[2], read[2], out[2];
    uint16_t padding[2], start[2];
    uint8_t mode[2]; /* bit 1: port updates in place the reads of the port in bit 0 */
    bool chain, shared;
} dense_ub;

/* Pending events of a scheduler for the delayed half of an updating buffer. */
typedef struct {
    uint16_t at[DENSE_QUEUE], address[DENSE_QUEUE];
    uint32_t head, count;
    uint16_t shown; /* the address at `head`, a cycle late */
} dense_queue;

typedef struct {
    uint16_t cycle;
    dense_generator_state write[2], read[2], out[2];
    uint16_t aggregator[2][2][DENSE_LANES], sram[DENSE_LINES][DENSE_LANES], line[DENSE_LANES],
        transpose[2][2][DENSE_LANES];
    uint16_t linear[2], padding_remaining[2];
    bool full[2], was_read[2]; /* in the cycle before: the aggregator's last word, a read event */
    uint16_t transpose_write[2];
    dense_queue out_queue[2], read_queue[2];
} dense_ub_state;

typedef struct {
    uint16_t data[2];
    bool valid[2];
} dense_ub_outputs;

dense_ub_outputs dense_ub_read(const dense_ub *u, const dense_ub_state *s, const uint16_t chain[2]);
void dense_ub_clock(const dense_ub *u, dense_ub_state *s, const uint16_t in[2], bool flush);

/* ---- Pond, valid generator, RAM -------------------------------------------------------------- */

enum { DENSE_POND_WORDS = 32 };

/* Each port has two loop sets, run in turn on a common generator. */
typedef struct {
    dense_generator write[2], read[2];
} dense_pond;

typedef struct {
    dense_generator_state now;
    bool second;      /* the set that runs */
    bool finished[2]; /* sets, until the next flush */
} dense_pond_port;

typedef struct {
    uint16_t cycle, word[DENSE_POND_WORDS];
    dense_pond_port write, read;
} dense_pond_state;

typedef struct {
    uint16_t data;
    bool event[2];
} dense_pond_outputs;

dense_pond_outputs dense_pond_read(const dense_pond *p, const dense_pond_state *s);
void dense_pond_clock(const dense_pond *p, dense_pond_state *s, const uint16_t in[2], bool flush);

typedef struct {
    uint16_t cycle;
    dense_generator_state now;
    bool flushed; /* the bit stays 0 before the first flush */
} dense_valid_state;

bool dense_valid_read(const dense_generator *g, const dense_valid_state *s);
void dense_valid_clock(const dense_generator *g, dense_valid_state *s, bool flush);

/* The SRAM as RAM or ROM: a word a cycle read, or a word in two cycles written. */
typedef struct {
    uint16_t word[DENSE_LINES * DENSE_LANES], data;
    bool valid, busy;
} dense_ram_state;

enum { DENSE_RAM_DATA, DENSE_RAM_ADDRESS, DENSE_RAM_READ, DENSE_RAM_WRITE, DENSE_RAM_INS };
void dense_ram_clock(dense_ram_state *s, const uint16_t in[DENSE_RAM_INS]);

/* ---- PE -------------------------------------------------------------------------------------- */

enum { DENSE_CONST, DENSE_OLD, DENSE_BYPASS, DENSE_DELAY }; /* modes of an input's register */
enum { DENSE_OPERANDS = 6 };                                /* three words, three bits */

typedef struct {
    uint8_t kind, opcode, lut, condition;
    bool is_signed;
    uint8_t mode[DENSE_OPERANDS];
    uint16_t constant[DENSE_OPERANDS];
} dense_instruction;

typedef struct {
    uint16_t delayed[DENSE_OPERANDS];
} dense_pe_state;

typedef struct {
    uint16_t data;
    bool bit;
} dense_pe_outputs;

dense_pe_outputs dense_pe_read(const dense_instruction *i, const dense_pe_state *s,
                               const uint16_t in[DENSE_OPERANDS]);
void dense_pe_clock(const dense_instruction *i, dense_pe_state *s, const uint16_t in[DENSE_OPERANDS]);

#endif
