/* runtime.h - what the program that compiles the runtime for a board (runtime_main.c) asks of build.c. */
#ifndef ONYX_FIRMWARE_RUNTIME_H
#define ONYX_FIRMWARE_RUNTIME_H

#include "firmware/firmware.h"

/* Compiles the runtime for a board, for fw_options.objects: FOLDER gets objects, stack reports, app_board.h,
 * and made_of, the hash of what they are made of. It becomes the working directory. `moved` is where
 * HOME is going to be, for debuggers; NULL: it stays. Error: E0702-compiler. */
bool fw_build_runtime(const pnr_board *b, const char *home, const char *folder, const char *compiler,
                      const char *moved, diagnostics *d);

#endif
