/* calls.h - batches of calls of a function on the chip's processor (firmware.h: batches of runs). */
#ifndef ONYX_FIRMWARE_CALLS_H
#define ONYX_FIRMWARE_CALLS_H

#include "firmware/firmware.h"

/* A row of calls of a function (protocol.h): its inputs, and how many words its result has. */
typedef struct {
    struct {
        const uint16_t *word;
        uint32_t words; /* from 1 on */
    } in[FW_FUNCTION_INPUTS_MOST];
    uint32_t out_words;
} fw_call_row;
/* Rows of calls of a function. */
typedef struct {
    uint32_t function, inputs; /* its number, from 0 on; of each row */
    const fw_call_row *rows;
    uint32_t n;
    uint32_t bank; /* of calls beside runs of the array */
} fw_calls;
/* Writes the batch file of the rows; a batch takes rows as long as the bank of inputs, the bank of results
 * and the table have room. E0710-batch-capacity (exit 2) if a single row has no room. `when` is 0, or
 * FW_OVERLAPPED or FW_REST (protocol.h), for rows of a single batch, whose table is fw_calls_table. */
bool fw_write_calls(const fw_calls *c, const pnr_board *b, uint32_t when, const char *path, diagnostics *d);
/* Returns the address of a table of all rows at the end of the tables' area, in its second half; 0 if the
 * rows exceed the half, or their operands or results exceed half a bank. */
uint32_t fw_calls_table(const fw_calls *c, const pnr_board *b);
/* Reads the calls' results from a result file: the words of all rows, back to back, and the sum of their
 * cycles (array clock). Errors: E0001-file, E0717-call-results. */
bool fw_read_calls(const fw_calls *c, const char *path, uint16_t *made, uint64_t *cycles, diagnostics *d);

#endif
