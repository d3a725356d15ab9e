/* batch_cases.h - shared by the parts of test_fw_batches; a part runs its tests and returns how many failed.
 */
#ifndef ONYX_TESTS_FIRMWARE_BATCH_CASES_H
#define ONYX_TESTS_FIRMWARE_BATCH_CASES_H

#include "firmware/calls.h"
#include "firmware/lists.h"
#include "firmware/sums.h"
#include "tests/firmware/random_plan.h"
#include "tests/quota.h"

void write_batches(fixture *f, const tile_plan *plan, const fw_columns *c, const pnr_board *b,
                   const char *path, fw_batch_stats *stats);
fw_batches read_batches(fixture *f, const pnr_board *b, const char *path);
uint32_t get32(const uint8_t *at);
/* Memory after the batch was loaded: byte at an address of the processor. */
const uint8_t *loaded(const fw_batch *batch, uint32_t address);
/* Checks the plans in order and the end of the file; closes the file. */
void check_file(fixture *f, const tile_plan *plans, uint32_t n, const fw_columns *c, const pnr_board *b,
                fw_batches *file);
/* A plan of `runs` runs over distinct blocks of `words` words. */
tile_plan plan_of_blocks(fixture *f, uint32_t runs, uint32_t words, uint32_t bound);
void write_bytes(const char *path, const char *bytes, size_t length);

int batch_runs(void);
int batch_refusals(void);
int batch_lists(void);

#endif
