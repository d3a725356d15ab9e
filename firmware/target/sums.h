/* sums.h - sums of segments, and of the program's own code. */
#ifndef ONYX_TARGET_SUMS_H
#define ONYX_TARGET_SUMS_H

#include <stdint.h>

/* Returns the sum of a segment (protocol.h). */
uint64_t image_sum(uint32_t at, uint32_t bytes);
/* Checks that the mailbox' segment has arrived as the host sent the segment. */
void image_check_segment(void);
/* Counts cycles of segment checks. */
void mailbox_add_checked(uint32_t cycles);

#endif
