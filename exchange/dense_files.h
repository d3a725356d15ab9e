/* dense_files.h - forms of dense programs other than one JSON file. */
#ifndef ONYX_EXCHANGE_DENSE_FILES_H
#define ONYX_EXCHANGE_DENSE_FILES_H

#include "exchange/exchange_int.h"

/* Makes the JSON form of the register writes in a C header alone; the caller frees the object. */
cJSON *exchange_writes_of_header(const char *path, arena *mem, diagnostics *d);
/* Returns whether the folder's design_meta.json has streams of the dense fabric; reads it, and the files
 * named there, but for the bitstream if *out has words. E0970-chip-file. */
bool exchange_has_dense_meta(const char *path);
bool exchange_read_dense_meta(const char *path, arena *mem, diagnostics *d, dense_program *out);

#endif
