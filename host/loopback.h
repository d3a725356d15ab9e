/* loopback.h - configurations that lead the words of a column's load to a store beside the load. */
#ifndef ONYX_HOST_LOOPBACK_H
#define ONYX_HOST_LOOPBACK_H

#include "bitstream/bitstream.h"

/* Makes a loop in every GLB tile: from the even column to the odd column, or with `odd` back. Every column of
 * the array loads in one of the two, and stores in the other. */
bool host_loopback(const pnr_board *b, bool odd, arena *mem, diagnostics *d, bits_stream *out);

#endif
