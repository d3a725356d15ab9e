/* fw_device_cases.h - shared by the parts of test_fw_device; a part runs its tests and returns how many
 * failed. */
#ifndef ONYX_TESTS_FIRMWARE_FW_DEVICE_CASES_H
#define ONYX_TESTS_FIRMWARE_FW_DEVICE_CASES_H

#include "firmware/sums.h"
#include "firmware/target/functions.h"
#include "firmware/target/hal.h"
#include "firmware/target/mailbox.h"
#include "firmware/target/target.h"
#include "sam/operators.h"
#include "support/mlist.h"
#include "tests/firmware/device.h"
#include "tests/firmware/random_plan.h"
#include "tests/firmware/test_kernel.h"
#include "tests/quota.h"
#include "tests/support/bf16_products.h"

bool serve(device *d, const test_kernel *t);
void expect_failure(uint32_t error, uint32_t detail0, uint32_t detail1);
/* Frees the device; no access may have violated the chip's rules. */
void device_end(device *d);
uint64_t counter(const volatile uint32_t c[2]);
uint32_t cell(const cJSON *row, int i);
device *with_batch(device *d, test_kernel *t, uint32_t runs);
device *device_with_batch(test_kernel *t, uint32_t runs, uint64_t seed);
/* A function of its own: longjmp can change no local variable here. */
__attribute__((noinline)) bool is_served(device *d, const kernel_description *k);
/* Has kernel `number` of the description run `runs` runs; returns whether the program did. */
bool serve_kernel(device *d, const kernel_description *k, uint32_t number, uint32_t runs);
/* Has kernel `number` run once, by a batch of a list; returns whether the program did. */
bool list_kernel(device *d, const kernel_description *k, uint32_t number);
enum { ITEM_WORDS = FW_COMMAND_BYTES / 4, LIST_MOST = 4 };
uint32_t *list_item(device *d, uint32_t i);
/* Runs a list of these items, for at most `steps` steps. */
bool serve_list(device *d, const test_kernel *t, const uint32_t (*items)[ITEM_WORDS], uint32_t n,
                uint32_t again, uint32_t steps);
/* Returns a chip whose processor takes lists of the batches of a kernel with a load and a store. */
device *device_with_lists(test_kernel *t, uint32_t runs, uint64_t seed);
/* A row of two stores: coordinates 1, 3, 4 of five segments' room, values -2, 0, 9 and a value beyond
 * them. */
void put_vector(device *d);

int fw_boots(void);
int fw_runs(void);
int fw_images(void);
int fw_lists(void);
int fw_vectors(void);
int fw_entries(void);
int fw_values(void);

#endif
