/* find.h - the meaning of a path: folders, and the headers in a folder. */
#ifndef ONYX_EXCHANGE_FIND_H
#define ONYX_EXCHANGE_FIND_H

#include "support/arena.h"
#include <stdbool.h>

/* Returns the folder of a file. */
const char *exchange_folder_of(const char *path, arena *mem);
/* Returns the headers NAME_script.h of the only program as headers in the folder; NULL if there is none. */
const char *exchange_headers_in(const char *folder, arena *mem);
/* Returns the folder of a run of the program in this folder, number 0 as well as any other; NULL where there
 * is none. */
const char *exchange_run_folder(const char *path, uint32_t run, arena *mem);
/* Returns the file or folder that a path stands for: a folder with headers and NAME_input_script.h for
 * NAME_script.h, a meta file for its folder. */
const char *exchange_stand_for(const char *path, arena *mem);

#endif
