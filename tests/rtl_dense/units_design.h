/* units_design.h - the verilated units of the dense fabric (onyx_dense_units.sv). Read by C and C++. */
#ifndef ONYX_TESTS_UNITS_DESIGN_H
#define ONYX_TESTS_UNITS_DESIGN_H

#include <stdbool.h>
#include <stdint.h>

enum { UNITS_MEM_WORDS = 46, UNITS_POND_WORDS = 17, UNITS_PE_WORDS = 3 }; /* of CONFIG_SPACE */

typedef struct {
    bool enable, flush;
    uint16_t data[2], chain[2], pond[2];
    bool read, write; /* of the RAM */
    uint16_t address, word;
    uint16_t operand[6]; /* of the PE: three words, three bits */
} units_in;

typedef struct {
    uint16_t data[2];
    bool accessor[2], valid;
    uint16_t pond;
    bool pond_bit[2];
    uint16_t word;
    bool word_valid, ready;
    uint16_t result;
    bool result_bit;
} units_out;

/* The 1-bit network of a tile: settings by output, in its number; arriving wires; a connection box. */
typedef struct {
    bool enable, box, inner;
    uint64_t select; /* three bits an output */
    uint32_t on, registered, arriving;
    uint8_t core, box_select;
} units_wiring;

typedef struct {
    uint32_t leaving;
    bool box;
} units_wires;

typedef struct units_design units_design;
#ifdef __cplusplus
extern "C" {
#endif
/* Makes the units, after reset. */
units_design *units_new(void);
void units_free(units_design *u);
void units_reset(units_design *u);
void units_configure(units_design *u, const uint32_t mem[UNITS_MEM_WORDS],
                     const uint32_t pond[UNITS_POND_WORDS]);
/* Gives the PE an instruction, which has its bit 0 at bit 1. */
void units_instruct(units_design *u, const uint32_t pe[UNITS_PE_WORDS]);
/* Returns the outputs of this cycle, whose end is the rising edge. */
units_out units_cycle(units_design *u, const units_in *in);
/* Does the same for the 1-bit network. */
units_wires units_wire(units_design *u, const units_wiring *in);
#ifdef __cplusplus
}
#endif

#endif
