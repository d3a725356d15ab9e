/* rtl_models.h - what the sparse primitives of the chip's tiles compute, on token streams, without time.
 *
 * A primitive is a function from the token streams at its inputs to those at its outputs: a Kahn process, so
 * gaps, stalls and latencies cannot change the result. The SystemVerilog of rtl/ must send the very same
 * tokens; its cycles are checked against recordings of the reference netlist.
 */
#ifndef ONYX_RTL_MODELS_H
#define ONYX_RTL_MODELS_H

#include "support/support.h"

/* ---- tokens ---------------------------------------------------------------------------------- */

/* 17 bits: data 0x00000 | value, stop of level n 0x10000 | n (0 = innermost), done, maybe ("no value here").
 */
#define RTL_STOP(level) (0x10000u | (uint32_t)(level))
#define RTL_DONE 0x10100u
#define RTL_MAYBE 0x10200u

static inline bool rtl_is_control(uint32_t token) {
    return token >> 16 & 1;
}
static inline bool rtl_is_stop(uint32_t token) {
    return (token & 0x10300) == 0x10000;
}
static inline bool rtl_is_done(uint32_t token) {
    return (token & 0x10300) == 0x10100;
}
static inline bool rtl_is_maybe(uint32_t token) {
    return (token & 0x10300) == 0x10200;
}
/* An element of a fiber: data or maybe. */
static inline bool rtl_is_item(uint32_t token) {
    return !rtl_is_stop(token) && !rtl_is_done(token);
}
static inline uint32_t rtl_stop_level(uint32_t stop) {
    return stop & 0xff;
}

/* ---- the PE tile ----------------------------------------------------------------------------- */

enum { RTL_PE_INS = 4, RTL_PE_OUTS = 3 };

/* The streams at a tile's ports. A model takes whole inputs, appends to the outputs, and stops when a token
 * it needs is missing: taken[i] < in[i].len afterwards means the streams do not fit together. */
typedef struct {
    arena *mem;
    u32_vec in[RTL_PE_INS];
    uint32_t taken[RTL_PE_INS];
    u32_vec out[RTL_PE_OUTS];
} rtl_pe_streams;

typedef enum { /* the values of the mode field */
               RTL_PE_JOINER = 0,
               RTL_PE_CRDDROP = 1,
               RTL_PE_CRDHOLD = 2,
               RTL_PE_ALU = 3,
               RTL_PE_REPEAT = 4,
               RTL_PE_RSG = 5,
               RTL_PE_REDUCE = 6
} rtl_pe_mode;

/* The configuration as the tile's registers hold it: mode field and CONFIG_SPACE_0 .. 2. */
typedef struct {
    rtl_pe_mode mode;
    uint32_t space[3];
} rtl_pe_config;

/* Runs the configured primitive. Ports by mode as in onyx_pe_core.sv. Only integer ALU instructions. */
void rtl_model_pe(const rtl_pe_config *config, rtl_pe_streams *streams);

/* The primitives themselves.
 * joiner: in crd0 crd1 pos0 pos1, out crd pos0 pos1. crddrop, crdhold: in and out inner, outer.
 * alu: in two value streams, instruction = CONFIG_SPACE[84:1] of `space`. repeat: in proc, repsig;
 * root makes its own proc stream in place of in[0]. */
void rtl_model_joiner(rtl_pe_streams *s, bool is_union);
void rtl_model_crddrop(rtl_pe_streams *s);
void rtl_model_crdhold(rtl_pe_streams *s);
void rtl_model_alu(rtl_pe_streams *s, const uint32_t space[3]);
void rtl_model_repeat(rtl_pe_streams *s, bool root);
void rtl_model_rsg(rtl_pe_streams *s);
void rtl_model_reduce(rtl_pe_streams *s, uint16_t default_value);

/* The integer ALU of one PE: the 16-bit result of the instruction in `space` for operands a and b. */
uint16_t rtl_model_alu_result(const uint32_t space[3], uint16_t a, uint16_t b);

/* ---- the MEM tile ---------------------------------------------------------------------------- */

/* CONFIG_SPACE_0 .. 3 of a MEM tile in mode 0 (fiber access), as the tile's registers hold them. */
typedef struct {
    uint32_t space[4];
} rtl_mem_config;

/* Writes the trees on the inputs into blocks of the buffet and reads them back. Ports as in onyx_mem_core.sv:
 * in references, write addresses, blocks, write data; out blocks, coordinates or values, positions.
 * A block larger than its capacity stops the writer for good, as in the tile. The streams must be legal:
 * references name fibers or values that were written; an entry never written reads as 0 here. taken[] counts
 * the tokens of whole trees. */
void rtl_model_fiber_access(const rtl_mem_config *config, rtl_pe_streams *streams);

#endif
