/* functions.h - calls of functions by the processor, and lists of batches, in programs that have them. */
#ifndef ONYX_TARGET_FUNCTIONS_H
#define ONYX_TARGET_FUNCTIONS_H

#include "firmware/target/target.h"

/* Fails if `rows` rows of `row_bytes` bytes are not inside the table's area, or the bank for outputs does not
 * exist (dispatch.c). */
void dispatch_check(uint32_t table, uint32_t rows, uint32_t row_bytes, uint32_t outputs);
/* Runs a command's batch, and adds its cycles up in the command. Those of a single run on the present image
 * are in none of the mailbox's counters; its report is written beside the next run, or by dispatch_report. */
void dispatch_command(const kernel_description *k, uint32_t command);
void dispatch_report(void);
extern uint32_t dispatch_list[2];  /* the end of the list, and the command behind the last */
extern uint32_t dispatch_settled;  /* a bit for each kernel whose row is set up; 0: rows have changed */
extern uint32_t dispatch_ahead;    /* the command whose run is set up; 0: none, or rows have changed */
extern uint32_t dispatch_followed; /* commands whose next run is known; 0: another list */
extern uint32_t dispatch_short_work;
/* Makes the calls of all rows of the table, of function `number` of `k`, with results in the bank `outputs`
 * of the last GLB tile: a bit for each tile, as of a batch of runs. With FW_OVERLAPPED the calls are made
 * while later batches wait for the array, and with FW_REST the remaining calls are made. With FW_HEADED
 * results are in the bank added to the number, each with its length in the first word. */
void functions_batch(const kernel_description *k, uint32_t number, uint32_t table, uint32_t rows,
                     uint32_t outputs);
/* Runs the list at `table`, for at most `steps` steps, or until one of its tests holds; all other numbers are
 * functions'. */
void lists_batch(const kernel_description *k, uint32_t number, uint32_t table, uint32_t steps,
                 uint32_t outputs);
/* Executes a command FW_ENTRIES | what (entries.c). */
void entries_command(const kernel_description *k, uint32_t command, uint32_t what);
/* Returns the processor's address of a place of `bytes` bytes; fails outside of the buffer and the scratch
 * area. */
uint32_t lists_address(uint32_t command, uint32_t address, uint32_t bytes);
/* Returns the words of a cell of a run table: their address, and their number in the upper half; writes the
 * length in front of a block of `words` words. */
uint64_t lists_words(uint32_t command, uint32_t cell);
uint32_t lists_begin(uint32_t command, uint32_t at, uint32_t words);
/* Sets the length of every row whose cell begins at this place of the buffer to `words`; `rows` << 16, and
 * their size. */
void lists_complete(uint32_t cell, uint32_t rows, uint32_t address, uint32_t words);
/* Returns the result of FW_OP_* for two int16, in the lower half, or for two bf16 (bf16.c). */
uint32_t lists_combine(uint32_t how, uint32_t word, uint32_t with);
uint32_t bf16_combine(uint32_t how, uint32_t a, uint32_t b);
/* Members of a program's description for its list of functions. */
#define FUNCTIONS_OF(list)                                                                                   \
    .functions = (list), .n_functions = sizeof(list) / sizeof *(list), .call_function = functions_batch

/* Additional members for lists. */
#define LISTS_OF_INT16 .call = lists_batch, .combine = lists_combine
#define LISTS_OF_BF16 .call = lists_batch, .combine = bf16_combine
#define LISTS_OF_ENTRIES .entries = entries_command

#endif
