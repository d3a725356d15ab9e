/* exchange_int.h - what the files of exchange/ share. */
#ifndef ONYX_EXCHANGE_INT_H
#define ONYX_EXCHANGE_INT_H

#include "exchange/exchange.h"

/* Reads 16-bit words from a file: .raw (big-endian), .bin and .leraw (little-endian). E0970-chip-file. */
bool exchange_read_words(const char *path, arena *mem, diagnostics *d, u16_vec *out);
/* Reads a program as one JSON file: bitstream, arrays by name, register writes; or as C headers.
 * E0970-chip-file. */
bool exchange_read_json(const char *path, arena *mem, diagnostics *d, exchange_program *p);
/* Makes such a file of C headers: the caller frees it; NULL after E0001-file. */
cJSON *exchange_of_headers(const char *path, arena *mem, diagnostics *d);
/* Reads FOLDER/design_meta.json and the files that it names. E0970-chip-file. */
bool exchange_read_meta(const char *folder, arena *mem, diagnostics *d, exchange_program *p);
/* Returns the folder of the meta file in this folder: itself or its folder bin; NULL where there is none. */
const char *exchange_meta_folder(const char *folder, arena *mem);
/* Finds the last value that the code of the program writes to a register of a GLB tile; false where it writes
 * none. */
bool exchange_written(const exchange_program *p, uint32_t tile, uint32_t reg, uint32_t *value);
/* Returns the words that the load of the tile takes in a run, by what is written. */
uint32_t exchange_words_of_load(const exchange_program *p, uint32_t tile);
/* Has the processor of engine soc make these writes, if they are of this bitstream and these words;
 * E0975-chip-registers, a warning, says why it does not. */
void exchange_take_registers(const compile_options *o, compile_context *ctx, const exchange_program *p,
                             exchange_array *a);
/* Returns the words of so many length-headed blocks from `at` on; 0 where the n words end before. */
uint32_t exchange_words_of_run(const uint16_t *words, uint32_t n, uint32_t at, uint32_t blocks);
/* Compares all outputs with what is expected. */
void exchange_compare(const exchange_program *p, arena *mem, exchange_stored *stored);
/* Returns a name for what an output of a verdict is. */
const char *exchange_verdict_text(const exchange_stored *s);

#endif
