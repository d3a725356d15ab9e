/* singles.h - operands with a single coordinate along a longer index. */
#ifndef ONYX_COMPILE_SINGLES_H
#define ONYX_COMPILE_SINGLES_H

#include "kernel/kernel.h"

/* Returns options in which operands with a single coordinate along an index are broadcast where other
 * operands have more, with a note for each; `o` itself if there are none. An extent that -d or nothing but a
 * file's entries states is kept. Files are read once if the data choose the type. */
const compile_options *compile_broadcast(const compile_options *o, compile_context *ctx);

#endif
