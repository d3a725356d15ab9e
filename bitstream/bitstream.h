/* bitstream.h - the register map, the assembler, the disassembler, and the proof that they agree.
 *
 * A word is {address, data}; address = register << 24 | feature << 16 | x << 8 | y.
 */
#ifndef ONYX_BITSTREAM_H
#define ONYX_BITSTREAM_H

#include "pnr/pnr.h"

typedef struct {
    uint32_t address, data;
} bits_word;
typedef struct {
    VEC(bits_word)
    words; /* sorted by (x, y, feature, register): the canonical order of ours; a file's order is kept */
} bits_stream;

/* The register map of a board: every field of every register of every tile kind (boards/onyx/ CSV tables). */
typedef struct bits_map bits_map;
bool bits_map_read(const pnr_board *b, arena *mem, diagnostics *d, bits_map **out);

/* Routed design to words: fields packed as the chip's tools do; words of one address OR-ed; zero words
 * dropped. */
bool bits_encode(const pnr_design *design, const bits_map *map, arena *mem, diagnostics *d, bits_stream *out);

/* Words to a configured netlist on its sites, with routes: cells are named after their tile ("x4y2"), nets
 * found by following the configured multiplexers. Bits no field explains are errors E0620-unknown-bit
 * (counted in *unknown). */
bool bits_decode(const bits_stream *in, const pnr_board *b, const bits_map *map, name_table *names,
                 arena *mem, diagnostics *d, netlist *net, pnr_design *design, uint32_t *unknown);
/* True if the decoded design is the routed one, up to names: modes, configurations, sites, pins, hops,
 * registers. */
bool bits_same(const pnr_design *decoded, const pnr_design *routed, diagnostics *d);

/* "%08X %08X" text, one word a line; errors E0610-bits-text located. The 64-bit image of the global buffer:
 * little-endian {data, address}. */
bool bits_read(const char *path, arena *mem, diagnostics *d, bits_stream *out);
bool bits_write(const bits_stream *bits, const char *path, diagnostics *d);
bool bits_write_image(const bits_stream *bits, const char *path, diagnostics *d);

/* Writes the configured design as a SystemVerilog netlist of rtl_models primitives: only what is used,
 * constants folded. */
bool bits_to_verilog(const pnr_design *design, const char *path, diagnostics *d);

#endif
