/* spec.h - results that the sparse primitives of the chip's tiles must compute, on token streams, without
 * time: written from their meaning, not from the RTL. The RTL, and with the RTL the cycle model, is compared
 * with these functions.
 *
 * A primitive is a function from the token streams at its inputs to the streams at its outputs: a Kahn
 * process, hence gaps, stalls and latencies cannot change the result.
 */
#ifndef ONYX_TESTS_SPEC_H
#define ONYX_TESTS_SPEC_H

#include "rtl_models/cycle/primitives.h"

/* ---- the PE tile ----------------------------------------------------------------------------- */

enum { SPEC_INS = 4, SPEC_OUTS = 3 };

/* Behaviour of a primitive for errata of the fabricated chip (docs/errata.md): our RTL's, which raises a
 * monitor and continues by the graph's meaning, or copies the chip if nothing else is possible; the graph's
 * meaning; the chip's, whose repeater depends on the order of its streams.
 */
typedef enum {
    SPEC_RTL,
    SPEC_SAM,
    SPEC_CHIP,       /* a repeater has all tokens at once */
    SPEC_CHIP_LATE,  /* .. a token of its signal only when nothing else can change */
    SPEC_CHIP_EARLY, /* .. the first token of its signal before any reference */
    SPEC_MEANINGS
} spec_meaning;

/* The streams at a tile's ports. A model takes whole inputs, appends to the outputs, and stops when a token
 * it needs is missing: taken[i] < in[i].len afterwards means the streams do not fit together. */
typedef struct {
    arena *mem;
    spec_meaning meaning;
    u32_vec in[SPEC_INS];
    uint32_t taken[SPEC_INS];
    u32_vec out[SPEC_OUTS];
} spec_streams;

/* The configuration in the layout of the tile's registers: mode field and CONFIG_SPACE_0 .. 2. */
typedef struct {
    rtl_pe_mode mode;
    uint32_t space[3];
} spec_pe_config;

/* The reducers' operation: the field `op`, for bfloat16 or integers; a scalar sum of bfloat16 as float32. */
typedef struct {
    uint32_t op;
    bool bf16, float32;
} spec_reduction;

/* Runs the configured primitive. Ports by mode as in onyx_pe_core.sv. */
void spec_pe(const spec_pe_config *config, spec_streams *streams);

/* The primitives themselves.
 * joiner: in crd0 crd1 pos0 pos1, out crd pos0 pos1; regions: bit 0 what side 0 has alone, bit 1 side 1, bit
 * 2 both. crddrop, crdhold: in and out inner, outer. alu: in two value streams, instruction =
 * CONFIG_SPACE[84:1] of `space`. repeat: in proc, repsig; root makes its own proc stream in place of in[0];
 * one_reference: the first one serves the whole tree. */
void spec_joiner(spec_streams *s, uint32_t regions);
void spec_crddrop(spec_streams *s);
void spec_crdhold(spec_streams *s);
void spec_alu(spec_streams *s, const uint32_t space[3]);
void spec_repeat(spec_streams *s, bool root, bool one_reference);
void spec_rsg(spec_streams *s);
void spec_reduce(spec_streams *s, uint16_t default_value, spec_reduction by);

/* A value before combination: conjunctions and disjunctions use 0 or 1. */
uint16_t spec_entry(spec_reduction by, uint16_t v);
/* Two entries combined: of bfloat16, sums and products are the nearest, ties to even; NaN is 7fc0. */
uint16_t spec_combine(spec_reduction by, uint16_t a, uint16_t b);

/* ---- the MEM tile ---------------------------------------------------------------------------- */

/* CONFIG_SPACE_0 .. 3 of a MEM tile in mode 0 (fiber access), in the registers' layout. */
typedef struct {
    uint32_t space[4];
} spec_mem_config;

/* Writes the trees on the inputs into blocks of the buffet and reads them back. Ports as in onyx_mem_core.sv:
 * in references, write addresses, blocks, write data; out blocks, coordinates or values, positions.
 * A block larger than its capacity stops the writer for good, as in the tile. The streams must be legal:
 * references name fibers or values that were written; an entry never written reads as 0 here. taken[] counts
 * the tokens of whole trees.
 * Of an accumulator (docs/notebook/accumulate.md) every stop of the level set ends a block, and the reader
 * takes the blocks one by one; a tree has two levels around its sub-fibers. */
void spec_fiber_access(const spec_mem_config *config, spec_streams *streams);

/* Checks the omissions of a scanner of profile onyx-ext: compared with its output alone (`all`, as of
 * spec_fiber_access), the scanner may omit coordinates, with their positions, absent from the fiber of the
 * intersecter's other side. The choice depends on time, hence no function defines the output. Returns NULL,
 * or the fault. */
const char *spec_skip_fault(const u32_vec all[2], const u32_vec *partner, const u32_vec *crd,
                            const u32_vec *pos);

/* Mode 3, the vector reducer of profile onyx-ext: in and out coordinates, values. The two inputs have the
 * same shape. */
enum { SPEC_VECTOR_COORDINATES = 1024 }; /* entries beyond are lost */
void spec_vector_reduce(spec_streams *streams, spec_reduction by);

/* The vector reducer in matrix mode, whose inner coordinates have inner_bits bits: in and out inner
 * coordinates, values, and outer coordinates, each with a fiber of the two other streams. */
void spec_matrix_reduce(spec_streams *streams, uint32_t inner_bits, spec_reduction by);

#endif
