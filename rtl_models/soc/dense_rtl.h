/* dense_rtl.h - the configured array of the dense fabric as a tile library: RTL of every tile
 * (dense_tiles.h), set up by the words of the bitstream, joined by the routes of a dense_array. */
#ifndef ONYX_RTL_MODELS_DENSE_RTL_H
#define ONYX_RTL_MODELS_DENSE_RTL_H

#include "bitstream/bits_fields.h"
#include "rtl_models/cycle/dense.h"

typedef struct dense_rtl dense_rtl;
/* Makes the array, after reset and configuration. NULL after a ring, as dense_sort. */
dense_rtl *dense_rtl_create(const dense_array *array, const bits_stream *words, arena *mem, uint32_t *ring);
void dense_rtl_destroy(dense_rtl *r);
dense_machine dense_rtl_machine(dense_rtl *r);

#endif
