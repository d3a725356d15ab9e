/* switch.h - cooperation of the parts when an image enters the array, the first or another. */
#ifndef ONYX_TARGET_SWITCH_H
#define ONYX_TARGET_SWITCH_H

#include "firmware/target/target.h"

/* ---- configure.c ----------------------------------------------------------------------------- */
/* Sends an image to the array in place of the current image; columns stall from here on. Returns while the
 * words are on their way. */
void configure_begin(const kernel_description *k, const kernel_image *i);
/* Sets up streams in the meantime, of kernel `p` also for the run of this row, if any, and returns when all
 * words have arrived. */
void configure_end(const kernel_description *k, const kernel_part *p, uint32_t row);

/* ---- dispatch.c ------------------------------------------------------------------------------ */
/* Sets the streams of a kernel whose image comes in, after a reset of the buffer and while columns stall; for
 * the batch's run of this row, if any. The image's other kernels are set up when they run. */
void dispatch_set_streams(const kernel_part *p, uint32_t row);

/* ---- streams.c ------------------------------------------------------------------------------- */
/* Makes these streams ready to start, if streams_start has not. */
void streams_rest(uint32_t streams);

#endif
