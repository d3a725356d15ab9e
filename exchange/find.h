/* find.h - the meaning of a path: folders, and the headers in a folder. */
#ifndef ONYX_EXCHANGE_FIND_H
#define ONYX_EXCHANGE_FIND_H

#include "support/arena.h"
#include <stdbool.h>

/* Returns whether the path is a folder; the folder of a file. */
bool exchange_is_folder(const char *path);
const char *exchange_folder_of(const char *path, arena *mem);
/* Returns the headers NAME_script.h of the only program as headers in the folder; NULL if there is none. */
const char *exchange_headers_in(const char *folder, arena *mem);
/* Returns NAME_script.h of NAME_input_script.h; any other path unchanged. */
const char *exchange_script_of(const char *path, arena *mem);

#endif
