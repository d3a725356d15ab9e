/* tcl.h - words of Tcl, the language of OpenOCD. */
#ifndef ONYX_HOST_TCL_H
#define ONYX_HOST_TCL_H

#include "support/arena.h"

/* Returns a text as a word of Tcl, also within braces. */
const char *host_tcl_word(const char *text, arena *mem);

#endif
