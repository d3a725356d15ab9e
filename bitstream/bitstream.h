/* bitstream.h - the register map, the assembler, the disassembler, and the proof that they agree.
 *
 * A word is {address, data}; address = register << 24 | feature << 16 | x << 8 | y.
 */
#ifndef ONYX_BITSTREAM_H
#define ONYX_BITSTREAM_H

#include "pnr/pnr.h"

typedef struct {
    uint32_t address, data;
    src_loc loc; /* the word's place in the file it was read from; nowhere for words of bits_encode */
} bits_word;
typedef struct {
    VEC(bits_word)
    words; /* sorted by (x, y, feature, register): the canonical order of ours; a file's order is kept */
} bits_stream;

/* ---- the register map ------------------------------------------------------------------------ */

/* Every field of every register of every tile kind: regmap.csv and config_space.csv of the board's folder,
 * and what the board's profile adds (docs/bitstream.md, docs/boards.md). Holds `b`. Errors, located in the
 * tables: E0601..E0604. */
typedef struct bits_map bits_map;
bool bits_map_read(const pnr_board *b, arena *mem, diagnostics *d, bits_map **out);
/* Lists the fields of the board's profiles besides the chip: a line each says what it does and where it
 * stands. */
void bits_list_profiles(const bits_map *map, const char *indent, FILE *out);

/* ---- words and designs ----------------------------------------------------------------------- */

/* Makes words of a routed design: fields are packed as the chip's tools do, words of one address OR-ed, zero
 * words dropped. `mode` and `tile_en` follow from the cell; its config may repeat them. Errors: E0605 a field
 * written twice with different values, E0606 a value too wide, E0607 an unknown field. */
bool bits_encode(const pnr_design *design, const bits_map *map, arena *mem, diagnostics *d, bits_stream *out);

/* Makes a configured netlist of words, on its sites and with routes: cells are named after their tile
 * ("x4y2"), nets are found by following the configured multiplexers. Bits no field explains are errors
 * E0620-unknown-bit (counted in *unknown), or E0623-profile where they belong to another profile of the
 * board. A configuration that is not a complete circuit is an error E0630..E0634 naming the tile. Cells are
 * ordered by (x, y), nets by source, sinks by (cell, port). An IO cell's tensor, level and number of blocks
 * are not in the words and stay empty. */
bool bits_decode(const bits_stream *in, const pnr_board *b, const bits_map *map, name_table *names,
                 arena *mem, diagnostics *d, netlist *net, pnr_design *design, uint32_t *unknown);

/* True if the decoded design is the routed one, up to names and order: modes, configurations, sites, pins,
 * hops, registers. Each difference is an error E0650-design-differs naming the tile. */
bool bits_same(const pnr_design *decoded, const pnr_design *routed, diagnostics *d);
/* Compares two decoded designs as bits_same does: prints the differences, a line each, and says whether there
 * is none. */
bool bits_diff(const pnr_design *a, const pnr_design *b, FILE *out, arena *mem);

/* Returns the words in the canonical order, those of one address OR-ed, zero words dropped: as bits_encode
 * leaves them. */
bits_stream bits_canonical(const bits_stream *bits, arena *mem);

/* Puts the words of `bits` into the order of `model` (addresses unknown to it follow in their own order),
 * which makes a re-encoded stream comparable with the file it came from. */
void bits_order_as(bits_stream *bits, const bits_stream *model, arena *mem);

/* ---- files ----------------------------------------------------------------------------------- */

/* A file is "%08X %08X" text, one word a line; `#` starts a comment, empty lines are skipped. Errors
 * E0610-bits-text and E0611-bits-truncated, located. */
bool bits_read(const char *path, arena *mem, diagnostics *d, bits_stream *out);
bool bits_write(const bits_stream *bits, const char *path, diagnostics *d);

/* Prints each word as bits_read reads it, then a comment: its tile, feature and the fields that are not 0. */
void bits_explain(const bits_stream *bits, const bits_map *map, FILE *out);
/* Prints counts: of words, tiles by mode, switch-box outputs, registers, connection boxes, unknown bits. */
void bits_stat(const bits_stream *bits, const bits_map *map, FILE *out);

/* True if the cores work and nothing overrides their handshakes, so that a netlist or a model of primitives
 * and routes is all there is to the design; otherwise errors E0660-not-specialised. */
bool bits_check_sparse(const pnr_design *design, const bits_map *map, diagnostics *d);
/* Returns CONFIG_SPACE word `word` of a cell, as the tile's register holds it. */
uint32_t bits_core_space(const pnr_design *design, const bits_map *map, net_cell cell, uint32_t word);
/* Writes the configured design as a SystemVerilog netlist of rtl_models primitives: only what is used,
 * constants folded. Module `onyx_design`: clk_i, rst_ni, flush_i, and by IO column x in_<x>_{data,valid}_i,
 * in_<x>_ready_o or out_<x>_{data,valid}_o, out_<x>_ready_i; hazard_<n>_o, a bit for each monitor, set if it
 * was raised since the last flush. Its cycles are those of the configured tiles. Refuses what
 * bits_check_sparse refuses. */
bool bits_to_verilog(const pnr_design *design, const bits_map *map, const char *path, diagnostics *d);
/* Writes the ports of bits_to_verilog as C macros for a test bench: ONYX_INPUTS(X) and ONYX_OUTPUTS(X) list
 * the IO columns that the bench drives (`driven`, by column; NULL: all), ascending; ONYX_HAZARD_WORDS(X) the
 * ports hazard_<n>_o, ONYX_HAZARDS(X) their bits as X("hazard", "tile mode"). */
bool bits_write_ports(const pnr_design *design, const bool *driven, const char *path, diagnostics *d);

#endif
