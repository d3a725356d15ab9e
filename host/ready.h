/* ready.h - a board that may still run the program of an earlier command: functions of ready.c, and helpers
 * of link.c and target.c. */
#ifndef ONYX_HOST_READY_H
#define ONYX_HOST_READY_H

#include "host/host_int.h"

/* Checks whether the board runs the program and is ready for the batches (NULL: for any batches), as after a
 * start. If ready, *found is HOST_FOUND_READY and the counters are copied from the mailbox. Resets nothing,
 * and accepts no state without evidence. Returns false after an error of the link. */
bool host_find_ready(host_link *l, const char *elf, const fw_batches *all, host_found *found,
                     uint64_t counters[3], uint64_t *checked);
/* Leaves the board, whose program has nothing to do, for jobs of later commands. */
void host_leave_ready(host_link *l);

#define PLATFORM_ID_VALUE 0x5a5a5a5au
/* Reads the IDCODE of the TAP. */
bool host_link_idcode(host_link *l, uint32_t *idcode);
/* Halts the processor by a reset, and looks whether the chip is the board's. */
bool host_link_halt(host_link *l);
/* Tests the memory needed by a program with the batches (NULL: with any batches), from the offset in SRAM on.
 */
bool host_target_try(host_link *l, const fw_batches *all, uint32_t first);
/* Gives the array its clock: the global buffer, where the bitstream goes, does not answer without. */
bool host_array_on(host_link *l);
/* Test pattern of the word at an address: different for every word, to detect aliased addresses. */
static inline uint32_t host_pattern(uint32_t address) {
    return address * 0x9e3779b1u;
}
/* Writes the pattern, with bits flipped, to `n` words from an address on, and reads the words back; *bad is
 * the first that differs, or n. Returns false after an error of the link. */
bool host_target_keeps(host_link *l, uint32_t first, uint32_t *words, uint32_t n, uint32_t flips,
                       uint32_t *bad);
/* Waits as long as is due before look number `n` at the mailbox. */
void host_pause(uint32_t n);

#endif
