/* switch.h - cooperation of the firmware's files when an image enters the array, the first or another. */
#ifndef ONYX_TARGET_SWITCH_H
#define ONYX_TARGET_SWITCH_H

#include "firmware/target/target.h"

/* ---- configure.c ----------------------------------------------------------------------------- */
/* Sends an image to the array in place of the current image; columns stall from here on. Returns while the
 * words are on their way. */
void configure_begin(const kernel_description *k, const kernel_image *i);
/* Returns when all words of the image of kernel `p` have arrived. Its streams are set up in the meantime. */
void configure_end(const kernel_description *k, const array_kernel *p);

/* ---- streams.c ------------------------------------------------------------------------------- */
/* Makes these streams ready to start, if streams_start has not. */
void streams_rest(uint32_t streams);

#endif
