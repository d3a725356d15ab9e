/* exchange_int.h - common to the files of exchange/. */
#ifndef ONYX_EXCHANGE_INT_H
#define ONYX_EXCHANGE_INT_H

#include "exchange/exchange.h"

/* Reads 16-bit words from a file: .raw (big-endian), .bin and .leraw (little-endian). E0970-chip-file. */
bool exchange_read_words(const char *path, arena *mem, diagnostics *d, u16_vec *out);
/* Writes words as FOLDER/NAME.raw, the form of other tools. */
bool exchange_write_words(const char *folder, const char *name, const uint16_t *words, uint32_t n,
                          diagnostics *d);
/* Reads a program as a JSON file: bitstream, arrays by name, register writes; or as C headers.
 * E0970-chip-file. */
bool exchange_read_json(const char *path, arena *mem, diagnostics *d, exchange_program *p);
/* Makes the JSON form of C headers: the caller frees the object; NULL after E0001-file. */
cJSON *exchange_of_headers(const char *path, arena *mem, diagnostics *d);
/* Reads FOLDER/design_meta.json and the files named there. E0970-chip-file. */
bool exchange_read_meta(const char *folder, arena *mem, diagnostics *d, exchange_program *p);
/* Returns the folder of the meta file in this folder: itself or its folder bin; NULL if missing. */
const char *exchange_meta_folder(const char *folder, arena *mem);
/* Returns the words of `blocks` length-headed blocks from `at` on; 0 if the n words end too early. */
uint32_t exchange_words_of_run(const uint16_t *words, uint32_t n, uint32_t at, uint32_t blocks);
/* Returns the stream at an IO column, or NULL. */
static inline exchange_stream *exchange_stream_at(exchange_streams *all, uint32_t column) {
    for (uint32_t i = 0; i < all->len; i++) {
        if (all->at[i].column == column)
            return &all->at[i];
    }
    return NULL;
}
/* Compares all outputs with the expected outputs. */
void exchange_compare(const exchange_program *p, arena *mem, exchange_stored *stored);
/* Returns a name for an output's verdict. */
const char *exchange_verdict_text(const exchange_stored *s);

/* Runs a dense program on the RTL of its tiles, in onyx-array. E0930-tool. */
bool exchange_dense_on_rtl(const compile_options *o, compile_context *ctx, const dense_program *p,
                           const dense_streams *streams, dense_outcome *out);

/* The two forms of exchange_write. */
bool exchange_write_aha(compile_context *ctx, const exchange_program *p, const exchange_array *a,
                        const char *folder);
bool exchange_write_rtl(compile_context *ctx, const compile_kernel *k, const exchange_program *p,
                        const exchange_array *a, const exchange_target *how);

#endif
