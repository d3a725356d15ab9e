/* toml.h - the part of TOML needed for user settings, as cJSON. */
#ifndef ONYX_SUPPORT_TOML_H
#define ONYX_SUPPORT_TOML_H

#include "support/diagnostics.h"
#include <cjson/cJSON.h>

/* A parsed file: its tables, and the place of each item. */
typedef struct {
    cJSON *root; /* freed with cJSON_Delete; NULL after an error */
    uint32_t source;
} toml_file;

/* Reads tables, arrays of tables, keys, strings of a single line, numbers, true and false, and arrays of
 * these types. Dates, inline tables and strings of several lines are refused. E0001-file, E0009-toml. */
toml_file toml_read(const char *path, diagnostics *d);
/* Returns the place of an item of the file, for messages. */
src_loc toml_at(const toml_file *file, const cJSON *item);

#endif
