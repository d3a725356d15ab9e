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

#endif
