/* lists.h - lists of batches run by the chip's processor itself (protocol.h); firmware.h has the batches
 * given singly by the host. */
#ifndef ONYX_FIRMWARE_LISTS_H
#define ONYX_FIRMWARE_LISTS_H

#include "firmware/command_list.h"
#include "firmware/firmware.h"

/* A list: its first `n` steps are its commands, and after the last one the list continues with number
 * `again`. */
typedef struct {
    const fw_commands *steps;
    uint32_t n, again;
} fw_list;
/* Print the list as text, a line for each command (docs/notebook/commands.md), and read the text back: all
 * commands, and *again; false for invalid text. */
void fw_list_print(const fw_list *list, FILE *out);
bool fw_list_parse(const char *text, arena *mem, fw_commands *commands, uint32_t *again);

/* Makes a list that repeats as many of these steps as possible, all to be made in this order: command step <
 * n ? step : *again + (step - n) % (n - *again) is the step, where n is the returned number of commands, the
 * least for periods of up to FW_PERIOD_MOST steps. O(FW_PERIOD_MOST * steps). */
enum { FW_PERIOD_MOST = 256 };
uint32_t fw_fold_steps(const fw_commands *steps, uint32_t *again);
/* Returns the address of a list of `commands` commands: at the end of the tables' area. */
uint32_t fw_list_address(const pnr_board *b, uint32_t commands);
/* Writes the file of a list, the segments to be written before, and the segments written by its stores.
 * Errors: E0004-write. */
bool fw_write_list(const fw_list *list, const fw_segments *segments, const fw_segments *stored,
                   const pnr_board *b, const char *path, diagnostics *d);
/* Writes the file that fetches the results of a batch of these streams run by a list. */
bool fw_write_collect(const fw_columns *c, uint32_t runs, uint32_t table, const char *path, diagnostics *d);
/* Writes the file that fetches words of the global buffer, and reads the fetched words. Errors: E0004-write;
 * E0718-list-results. */
bool fw_write_fetch(const fw_put *put, const pnr_board *b, const char *path, diagnostics *d);
bool fw_read_fetched(const char *path, uint32_t words, arena *mem, diagnostics *d, const uint8_t **out);

/* The result of a list: the number of steps made, and for each of the `n` commands the processor cycles, over
 * all steps, of configuration, kernel and firmware. */
typedef struct {
    uint32_t steps, n;
    uint32_t (*cycles)[FW_COMMAND_COUNTERS];
} fw_list_result;
/* Write and read the result as a file. Error: E0718-list-results. */
bool fw_write_list_result(FILE *out, const fw_list_result *r);
bool fw_read_list_result(const char *path, uint32_t n, arena *mem, diagnostics *d, fw_list_result *out);

#endif
