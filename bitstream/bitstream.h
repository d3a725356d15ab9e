/* bitstream.h - the register map, the assembler, the disassembler, and the proof that they agree.
 *
 * A word is {address, data}; address = register << 24 | feature << 16 | x << 8 | y.
 */
#ifndef ONYX_BITSTREAM_H
#define ONYX_BITSTREAM_H

#include "bitstream/bits_map.h"
#include "bitstream/bits_text.h"
#include "bitstream/bits_verilog.h"
#include "pnr/pnr.h"

/* Makes words of a routed design: fields are packed as the chip's tools do, words of one address OR-ed, zero
 * words dropped. `mode` and `tile_en` follow from the cell; its config may repeat them. Errors: E0605 a field
 * written twice with different values, E0606 a value too wide, E0607 an unknown field. */
bool bits_encode(const pnr_design *design, const bits_map *map, arena *mem, diagnostics *d, bits_stream *out);

/* Makes a configured netlist of words, on its sites and with routes: cells are named after their tile
 * ("x4y2"), nets are found by following the configured multiplexers. Bits no field explains are errors
 * E0620-unknown-bit (counted in *unknown), or E0623-profile where they belong to another profile of the
 * board. A configuration that is not a complete circuit is an error E0630..E0634 naming the tile. Cells are
 * ordered by (x, y), nets by source, sinks by (cell, port). An IO cell's tensor, level and number of blocks
 * are not in the words and stay empty. The netlist
 * (design->net) and the rest of the design live in the arena of `d`. */
bool bits_decode(const bits_stream *in, const bits_map *map, name_table *names, diagnostics *d,
                 pnr_design *design, uint32_t *unknown);

/* True if the decoded design equals the routed design, up to names and order: modes, configurations, sites,
 * pins, hops, registers. Each difference is an error E0650-design-differs naming the tile. */
bool bits_same(const pnr_design *decoded, const pnr_design *routed, diagnostics *d);
/* Compares two decoded designs as bits_same does: prints the differences, a line each, and returns whether
 * none exists. */
bool bits_diff(const pnr_design *a, const pnr_design *b, FILE *out, arena *mem);

/* Returns the words in canonical order, words of the same address OR-ed, zero words dropped, as bits_encode
 * does. */
bits_stream bits_canonical(const bits_stream *bits, arena *mem);

/* Sorts the words of `bits` into the order of `model` (addresses unknown to `model` follow in their own
 * order), to compare a re-encoded stream with its file. */
void bits_order_as(bits_stream *bits, const bits_stream *model, arena *mem);

#endif
