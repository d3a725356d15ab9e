/* functions.h - calls of functions by the processor, and lists of batches, in programs that have some. */
#ifndef ONYX_TARGET_FUNCTIONS_H
#define ONYX_TARGET_FUNCTIONS_H

#include "firmware/target/target.h"

/* Fails where so many rows of a table of that many bytes each are not in the table's area, or there is no
 * such bank for outputs (dispatch.c). */
void dispatch_check(uint32_t table, uint32_t rows, uint32_t row_bytes, uint32_t outputs);
/* While streams_wait has nothing to do it calls this, until it is false that there was something to do; 0: it
 * calls nothing (streams.c). */
void streams_work_beside(bool (*work)(void));
/* Makes the calls of all rows of the table, of function `number` of `k`, with results in the bank `outputs`
 * of the last GLB tile: a bit for each tile, as of a batch of runs. With FW_BESIDE it makes them while the
 * batches that follow wait for the array, and with FW_REST those that are left of them. */
void functions_batch(const kernel_description *k, uint32_t number, uint32_t table, uint32_t rows,
                     uint32_t outputs);
/* Goes through the list at `table`, for so many steps at most, or until one of its tests holds; all other
 * numbers are functions'. */
void lists_batch(const kernel_description *k, uint32_t number, uint32_t table, uint32_t steps,
                 uint32_t outputs);
/* Does an item FW_ENTRIES | what (entries.c). */
void entries_item(const kernel_description *k, uint32_t item, uint32_t what);
/* Returns the processor's address of a place that has so many bytes; fails where they are neither in the
 * buffer nor in the scratch area. */
uint32_t lists_place(uint32_t item, uint32_t address, uint32_t bytes);
/* Returns the words of a cell of a run table: their address, and above that how many they are; and the number
 * that a block of so many words begins with. */
uint64_t lists_words(uint32_t item, uint32_t cell);
uint32_t lists_begin(uint32_t item, uint32_t at, uint32_t words);
/* Gives every row whose cell begins at this place of the buffer so many words; `rows` << 16, and how long
 * they are. */
void lists_complete(uint32_t cell, uint32_t rows, uint32_t address, uint32_t words);
/* Returns what FW_OP_* makes of two int16, in the lower half, or of two bf16 (bf16.c). */
uint32_t lists_combine(uint32_t how, uint32_t word, uint32_t with);
uint32_t bf16_combine(uint32_t how, uint32_t a, uint32_t b);
/* What the description of a program says of its list of functions. */
#define FUNCTIONS_OF(list)                                                                                   \
    .functions = (list), .n_functions = sizeof(list) / sizeof *(list), .call_function = functions_batch

/* What it says where there are lists, beside that. */
#define LISTS_OF_INT16 .call = lists_batch, .combine = lists_combine
#define LISTS_OF_BF16 .call = lists_batch, .combine = bf16_combine
#define LISTS_OF_ENTRIES .entries = entries_item

#endif
