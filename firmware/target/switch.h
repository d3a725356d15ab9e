/* switch.h - what the parts do together when an image comes into the array, the first or another one. */
#ifndef ONYX_TARGET_SWITCH_H
#define ONYX_TARGET_SWITCH_H

#include "firmware/target/target.h"

/* ---- configure.c ----------------------------------------------------------------------------- */
/* Sends an image to the array in place of the one that is there; columns stand still from here on. Returns
 * while the words are on their way. */
void configure_begin(const kernel_description *k, const kernel_image *i);
/* Sets up streams meanwhile, of that kernel of it also for the run with this row, if there is one, and
 * returns when all words are there. */
void configure_end(const kernel_description *k, const kernel_part *p, uint32_t row);

/* ---- dispatch.c ------------------------------------------------------------------------------ */
/* Sets the streams of a kernel whose image comes in, behind a reset of the buffer and while columns stand
 * still; for the batch's run with this row, if there is one. The image's other kernels have theirs set when
 * they run. */
void dispatch_set_streams(const kernel_part *p, uint32_t row);

/* ---- streams.c ------------------------------------------------------------------------------- */
/* Makes these ready to start: streams_start does it where it was not done before. */
void streams_rest(uint32_t streams);

#endif
