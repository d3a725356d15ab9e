/* onyx_dispatch.h - the dispatcher of a compiled kernel in a program of your own for the chip's Cortex-M3.
 * Link the program to the files of the kernel's folder and of firmware/target, without startup.c
 * (examples/target.mk, docs/host.md).
 *
 * The program has the vectors: interrupt ONYX_ARRAY_INTERRUPT is array_interrupt, SysTick tick_interrupt. The
 * dispatcher uses both, the DWT's cycle counter, and the memories of docs/firmware.md; an error stops the
 * program, with the error's number in the mailbox.
 */
#ifndef ONYX_FIRMWARE_ONYX_DISPATCH_H
#define ONYX_FIRMWARE_ONYX_DISPATCH_H

#include <stdint.h>

enum { ONYX_ARRAY_INTERRUPT = 9 };

struct kernel_description;
extern const struct kernel_description kernel; /* of the kernel's folder */
void firmware_boot(const struct kernel_description *k);
void firmware_serve(const struct kernel_description *k);
void dispatch_batch(const struct kernel_description *k, uint32_t number, uint32_t table, uint32_t runs,
                    uint32_t outputs);
void array_interrupt(void);
void tick_interrupt(void);

/* Clock and reset of the array, the bitstream's check and configuration. The bitstream is in the global
 * buffer, which needs the array's clock to be loaded. */
static inline void onyx_start(void) {
    firmware_boot(&kernel);
}
/* Runs the batch in the mailbox, if the host has asked for a new batch; returns when the batch is done. */
static inline void onyx_serve(void) {
    firmware_serve(&kernel);
}
/* Runs a batch of a kernel without a host: `runs` rows of the run table at an address, with the loads of each
 * row; rows get the stores. Bit g of `outputs`: the bank of GLB tile g for stores. */
static inline void onyx_run(uint32_t number, uint32_t table, uint32_t runs, uint32_t outputs) {
    dispatch_batch(&kernel, number, table, runs, outputs);
}

#endif
