/* runtime.h - interface of build.c for the program that compiles the runtime of a board (runtime_main.c). */
#ifndef ONYX_FIRMWARE_RUNTIME_H
#define ONYX_FIRMWARE_RUNTIME_H

#include "firmware/firmware.h"

/* Compiles the runtime for a board, for fw_options.objects: FOLDER gets objects, stack reports, app_board.h,
 * and made_of, the hash of the sources. FOLDER becomes the working directory. `moved` is the future path of
 * HOME, for debuggers; NULL: unchanged. Error: E0702-compiler. */
bool fw_build_runtime(const pnr_board *b, const char *home, const char *folder, const char *compiler,
                      const char *moved, diagnostics *d);

#endif
