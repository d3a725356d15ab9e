/* columns.h - the order of address and data in the lines of a bitstream. */
#ifndef ONYX_EXCHANGE_COLUMNS_H
#define ONYX_EXCHANGE_COLUMNS_H

#include "bitstream/bitstream.h"

/* Returns whether a diagnostic of this code stands already: a program is read as dense first, then as sparse.
 */
bool exchange_is_said(const diagnostics *d, const char *code);
/* Exchanges address and data of all words if only the data are addresses: E0979-column-order, a warning. */
void exchange_order_columns(bits_stream *bits, diagnostics *d);
/* Reads a bitstream as bits_read does, in either order. */
bool exchange_read_bits(const char *path, arena *mem, diagnostics *d, bits_stream *out);

#endif
