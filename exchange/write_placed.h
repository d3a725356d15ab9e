/* write_placed.h - what place and route leaves of an exported kernel, as files for others. */
#ifndef ONYX_EXCHANGE_WRITE_PLACED_H
#define ONYX_EXCHANGE_WRITE_PLACED_H

#include "exchange/exchange.h"

/* Begins file `name` of a folder. */
bool exchange_create(compile_context *ctx, file_out *f, const char *folder, const char *name);
/* Copies a file. */
bool exchange_copy(compile_context *ctx, const char *from, const char *to);
/* Writes netlist, placement, routes, names of blocks and SAM graph of an exported kernel. */
bool exchange_write_placed(compile_context *ctx, const exchange_program *p, const char *folder);

#endif
