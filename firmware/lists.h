/* lists.h - lists of batches that the chip's processor goes through by itself (protocol.h), as firmware.h has
 * batches that the host gives it one by one. */
#ifndef ONYX_FIRMWARE_LISTS_H
#define ONYX_FIRMWARE_LISTS_H

#include "firmware/command_list.h"
#include "firmware/firmware.h"

/* A list: its first `n` steps are its commands, and after the last one it goes on with number `again`. */
typedef struct {
    const fw_items *steps;
    uint32_t n, again;
} fw_list;
/* Print it as text, a line for each command (docs/commands.md), and read that back: all commands, and *again;
 * false where it is no such text. */
void fw_list_print(const fw_list *list, FILE *out);
bool fw_list_parse(const char *text, arena *mem, fw_items *commands, uint32_t *again);

/* Makes a list that repeats what it can of these steps, which are all to be made in this order: item
 * step < n ? step : *again + (step - n) % (n - *again) is that step, where n is the number of items returned,
 * the least that a period of up to FW_PERIOD_MOST steps allows. O(FW_PERIOD_MOST * steps). */
enum { FW_PERIOD_MOST = 256 };
uint32_t fw_fold_steps(const fw_items *steps, uint32_t *again);
/* Returns where a list of so many items lies: at the end of the tables' area. */
uint32_t fw_list_address(const pnr_board *b, uint32_t items);
/* Writes the file of a list, what the host writes before, and what the stores write. Errors: E0004-write. */
bool fw_write_list(const fw_list *list, const fw_segments *segments, const fw_segments *left,
                   const pnr_board *b, const char *path, diagnostics *d);
/* Writes the file that takes the results of a batch of these streams which a list has run. */
bool fw_write_collect(const fw_columns *c, uint32_t runs, uint32_t table, const char *path, diagnostics *d);
/* Writes the file that takes words of the global buffer, and reads what comes of it. Errors: E0004-write;
 * E0718-list-results. */
bool fw_write_fetch(const fw_put *put, const pnr_board *b, const char *path, diagnostics *d);
bool fw_read_fetched(const char *path, uint32_t words, arena *mem, diagnostics *d, const uint8_t **out);

/* What came of a list: the steps that were made, and of each of the `n` items the cycles of the processor, in
 * all steps, that configuration, kernel and firmware took. */
typedef struct {
    uint32_t steps, n;
    uint32_t (*cycles)[FW_ITEM_COUNTERS];
} fw_list_result;
/* These write and read it as a file. Error: E0718-list-results. */
bool fw_write_list_result(FILE *out, const fw_list_result *r);
bool fw_read_list_result(const char *path, uint32_t n, arena *mem, diagnostics *d, fw_list_result *out);

#endif
