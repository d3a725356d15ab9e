/* lists.h - lists of batches that the chip's processor goes through by itself (protocol.h), as firmware.h has
 * batches that the host gives it one by one. */
#ifndef ONYX_FIRMWARE_LISTS_H
#define ONYX_FIRMWARE_LISTS_H

#include "firmware/firmware.h"

/* An item's words as they lie in SRAM. */
enum { FW_ITEM_WORDS = FW_ITEM_BYTES / 4, FW_ITEM_COUNTERS = (FW_ITEM_BYTES - FW_ITEM_CYCLES) / 4 };
typedef struct {
    uint32_t word[FW_ITEM_WORDS];
} fw_item;
typedef VEC(fw_item) fw_items;

/* Makes a list that repeats what it can of these steps, which are all to be made in this order: item
 * step < n ? step : *again + (step - n) % (n - *again) is that step, where n is the number of items returned,
 * the least that a period of up to FW_PERIOD_MOST steps allows. O(FW_PERIOD_MOST * steps). */
enum { FW_PERIOD_MOST = 256 };
uint32_t fw_fold_steps(const fw_items *steps, uint32_t *again);
/* Returns where a list of so many items lies: at the end of the tables' area. */
uint32_t fw_list_address(const pnr_board *b, uint32_t items);
/* Writes the file of a list: `n` items that make so many steps, what the host writes before, and what the
 * stores write. Errors: E0004-write. */
bool fw_write_list(const fw_items *steps, uint32_t n, uint32_t again, const fw_segments *segments,
                   const fw_segments *left, const pnr_board *b, const char *path, diagnostics *d);
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
