/* options_int.h - what the files of options/ share. */
#ifndef ONYX_OPTIONS_INT_H
#define ONYX_OPTIONS_INT_H

#include "options/options.h"

/* Where values go. */
struct option_values {
    command_line *o;
    arena *mem;
    diagnostics *diag;
};

#endif
