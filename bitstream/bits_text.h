/* bits_text.h - bitstreams as text. */
#ifndef ONYX_BITSTREAM_BITS_TEXT_H
#define ONYX_BITSTREAM_BITS_TEXT_H

#include "bitstream/bits_map.h"

/* A file is "%08X %08X" text, one word a line; `#` starts a comment, empty lines are skipped. Errors
 * E0610-bits-text and E0611-bits-truncated, located. */
bool bits_read(const char *path, arena *mem, diagnostics *d, bits_stream *out);
/* Reads the same from a text in memory, which must live as long as the diagnostics; `name` is that of its
 * file. */
bool bits_parse(const char *name, const char *text, size_t length, arena *mem, diagnostics *d,
                bits_stream *out);
bool bits_write(const bits_stream *bits, const char *path, diagnostics *d);

/* Prints each word as bits_read reads it, then a comment: its tile, feature and the fields that are not 0. */
void bits_explain(const bits_stream *bits, const bits_map *map, FILE *out);
/* Prints counts: of words, tiles by mode, switch-box outputs, registers, connection boxes, unknown bits. */
void bits_stat(const bits_stream *bits, const bits_map *map, FILE *out);

#endif
