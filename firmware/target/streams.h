/* streams.h - starts streams, and waits for their end by interrupt or polling. */
#ifndef ONYX_FIRMWARE_TARGET_STREAMS_H
#define ONYX_FIRMWARE_TARGET_STREAMS_H

#include "firmware/target/target.h"

/* Streams are a word with a bit each: loads by their GLB tile, stores above by theirs, as in
 * GLC_STREAM_START. */
enum { STREAM_STORES = GLC_STREAM_START_F2G_LSB, STREAM_LOADS = (1 << STREAM_STORES) - 1 };

/* Enables the done bits and forgets earlier done streams. */
ONCE void streams_enable(bool poll);
/* Sets the processor cycles until streams_wait gives up; counted from the latest start, or from this call. */
ONCE void streams_set_timeout(uint32_t timeout);
/* Starts these idle streams together; returns the cycle. Interrupts are masked from here on, until the
 * waiting function is satisfied. */
uint32_t streams_start(uint32_t streams);
/* Waits until all streams of one of the `n` sets have finished, and returns the set, and the cycle of
 * detection; n after the time-out. An empty set is not awaited. */
uint32_t streams_wait(const uint32_t *sets, uint32_t n, uint32_t *when);
/* Waits until these streams, the latest that started, have finished, with the cycle of detection; false after
 * the time-out. */
bool streams_end(const uint32_t *streams, uint32_t *when);
/* Work for idle times of streams_wait, called until it returns false (nothing to do); 0: none. */
void streams_overlap(bool (*work)(void));
uint32_t streams_open(uint32_t streams); /* those that have not finished */
void array_interrupt(void);
void tick_interrupt(void);

#endif
