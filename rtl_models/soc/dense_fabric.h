/* dense_fabric.h - the meaning of a dense program's words and registers, which the machine's user knows. */
#ifndef ONYX_COSIM_DENSE_FABRIC_H
#define ONYX_COSIM_DENSE_FABRIC_H

#include "bitstream/bits_fields.h"
#include "rtl_models/cycle/dense.h"
#include "rtl_models/cycle/dense_streams.h"

typedef struct dense_fabric {
    const pnr_board *board;
    /* Makes the array configured by words in the order of their arrival. Returns why there is none, or NULL.
     */
    const char *(*array_of)(const bits_stream *words, const pnr_board *board, diagnostics *d,
                            dense_array *out);
    /* Lists the streams that the registers of all tiles (dense_side_start) set up; false: impossible ones. */
    bool (*streams_of)(const uint32_t *registers, diagnostics *d, dense_streams *out);
} dense_fabric;

#endif
