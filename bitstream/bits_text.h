/* bits_text.h - bitstreams as text. */
#ifndef ONYX_BITSTREAM_BITS_TEXT_H
#define ONYX_BITSTREAM_BITS_TEXT_H

#include "bitstream/bits_map.h"

/* A file is "%08X %08X" text, one word a line; `#` starts a comment, empty lines are skipped. Errors
 * E0610-bits-text and E0611-bits-truncated, located. */
bool bits_read(const char *path, arena *mem, diagnostics *d, bits_stream *out);
/* Reads from a text in memory, alive as long as the diagnostics; `name` is the file's name. */
bool bits_parse(const char *name, const char *text, size_t length, arena *mem, diagnostics *d,
                bits_stream *out);
bool bits_write(const bits_stream *bits, const char *path, diagnostics *d);
/* Exchanges address and data of all words if only the data are addresses of an array of this width and
 * height, or only the data are so without a repetition: E0979-column-order, a warning. */
void bits_order_columns(bits_stream *bits, uint32_t width, uint32_t height, diagnostics *d);
/* Reads a bitstream of a board, with the columns in either order. */
bool bits_read_on(const pnr_board *board, const char *path, arena *mem, diagnostics *d, bits_stream *out);

/* Prints each word in the form of bits_read, then a comment: its tile, feature and nonzero fields. */
void bits_explain(const bits_stream *bits, const bits_map *map, FILE *out);
/* Prints counts: of words, tiles by mode, switch-box outputs, registers, connection boxes, unknown bits. */
void bits_stat(const bits_stream *bits, const bits_map *map, FILE *out);

#endif
