/* options_int.h - common to the files of options/. */
#ifndef ONYX_OPTIONS_INT_H
#define ONYX_OPTIONS_INT_H

#include "options/options.h"

/* Where values go. */
struct option_values {
    command_line *o;
    arena *mem;
    diagnostics *diag;
};

/* Returns the words whose bits are set in `chosen`, as "cycle, rtl or soc". */
const char *options_join(const char *const *words, uint32_t chosen, arena *mem);

#endif
