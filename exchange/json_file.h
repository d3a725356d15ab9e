/* json_file.h - a program of the chip as a JSON file, for any fabric. */
#ifndef ONYX_EXCHANGE_JSON_FILE_H
#define ONYX_EXCHANGE_JSON_FILE_H

#include "exchange/exchange.h"

enum { EXCHANGE_GLB_TILES = 16 };

typedef struct {
    const char *path;
    const cJSON *json;
    arena *mem;
    diagnostics *d;
    fw_write_vec
        *disturbing; /* receives writes that stall columns, or configure tiles; NULL: they are refused */
    dense_crossbar *crossbar; /* receives the write of the flush crossbar; NULL: it is refused */
} exchange_json;

/* Reads and parses a file, perhaps compressed by gzip, or C headers (.h); NULL after an error. The caller
 * frees the result with cJSON_Delete. */
cJSON *exchange_open_json(const char *path, arena *mem, diagnostics *d);
/* Moves the file's register writes to the chip's map if they are of the map before the tape-out:
 * E0978-older-map, a warning, or E0970-chip-file. */
bool exchange_take_older_map(const exchange_json *file);
/* Reads the words of its bitstream; a file of words: with address and data of a line in either order. */
bool exchange_json_bits(const exchange_json *file, bits_stream *out);
bool exchange_read_bits(const char *path, arena *mem, diagnostics *d, bits_stream *out);
/* Functions of the register writes: to set up streams, and to load the bitstream. */
#define EXCHANGE_STREAMS_FUNCTION "app_glb_config"
#define EXCHANGE_BITSTREAM_FUNCTION "bitstream_glb_config"
/* Returns the writes of a function; if none has its name, of the first one that writes its registers. */
const cJSON *exchange_json_function(const exchange_json *file, const char *function);
/* Reads the register writes of a function. E0970-chip-file. */
bool exchange_json_writes(const exchange_json *file, const char *function, fw_write_vec *out);
/* Reports an invalid program file, E0970-chip-file, and returns false. */
bool exchange_json_refuse(const exchange_json *file, const char *what);

#endif
