/* sums.h - sums of data for the chip, and of files of batches. */
#ifndef ONYX_FW_SUMS_H
#define ONYX_FW_SUMS_H

#include "firmware/firmware.h"

/* Returns the sum of a segment at the processor's address (protocol.h). A flipped bit changes the sum. */
uint64_t fw_sum(uint32_t address, const uint8_t *content, uint32_t bytes);

/* Has a loaded segment checked by a command of its own: `put` writes words of the mailbox, in this order, and
 * `wait` waits until the command with the number is done. Each says whether that went well. */
typedef struct {
    void *context;
    bool (*put)(void *context, uint32_t offset, uint32_t value);
    bool (*wait)(void *context, uint32_t number);
} fw_check_by;
/* Checks all segments, whose hash is their sum, with command numbers distinct from batches' (*asked counts
 * the commands), and forgets the segments. False: a check failed. */
bool fw_check_loaded(const fw_check_by *by, fw_puts *all, uint32_t *asked);

/* Hashes `bytes` bytes of a file, from its position on, in pieces of 64 KB; false: the file is too short. */
bool fw_hash_file(FILE *in, uint64_t bytes, uint64_t *hash);
/* Appends the hash of its contents to a file of batches, as the last eight bytes. False after a write error.
 */
bool fw_seal(const char *path);
/* Seals and commits the file. E0004-write. */
bool fw_commit_batches(file_out *f, diagnostics *d);

#endif
