/* sums.h - sums of segments, and of the program's own code. */
#ifndef ONYX_TARGET_SUMS_H
#define ONYX_TARGET_SUMS_H

#include <stdint.h>

/* Returns the sum of a segment (protocol.h). */
uint64_t image_sum(uint32_t at, uint32_t bytes);
/* Looks whether the segment that the mailbox names has arrived as the host has sent it. */
void image_check_segment(void);
/* Counts cycles in which segments were checked. */
void mailbox_add_checked(uint32_t cycles);

#endif
