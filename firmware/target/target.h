/* target.h - the firmware's parts, in execution order. Errors end in fail(), which does not return. */
#ifndef ONYX_TARGET_TARGET_H
#define ONYX_TARGET_TARGET_H

#include "firmware/protocol.h"
#include "firmware/registers.h"
#include "firmware/target/kernel.h"

/* Runs once, at boot or at the end: the compiler optimizes for size instead of speed. */
#define ONCE __attribute__((cold))
/* Code between these macros is optimized for size. */
#if defined FIRMWARE_ON_HOST || defined __clang__
#define SMALL_FROM_HERE
#define SMALL_TO_HERE
#else
#define SMALL_FROM_HERE _Pragma("GCC push_options") _Pragma("GCC optimize(\"Os\")")
#define SMALL_TO_HERE _Pragma("GCC pop_options")
#endif

/* ---- mailbox.c ------------------------------------------------------------------------------- */
extern volatile fw_mailbox mailbox;
ONCE void mailbox_clear(void);
void mailbox_add_cycles(volatile uint32_t counter[2], uint32_t cycles);
void mailbox_add_run(uint32_t worked, uint32_t all); /* the rest is the firmware's */
/* Writes the cause into the mailbox and stops. */
ONCE _Noreturn void fail(uint32_t error, uint32_t detail0, uint32_t detail1);

/* ---- platform.c: clocks and reset of the array ----------------------------------------------- */
/* `again`: resets the array first, the controller and the buffer's registers included. */
ONCE void platform_start_array(bool again);

/* ---- image.c: does the global buffer hold this program's bitstream? -------------------------- */
enum { IMAGE_WORDS = sizeof(fw_image_header), IMAGE_WORD_BYTES = 8 }; /* first byte; {data, address} */
static inline uint32_t image_end(const kernel_image *i) {
    return i->at + IMAGE_WORDS + IMAGE_WORD_BYTES * i->config_words;
}
/* Returns only for this program's image; called before any configuration. */
void image_check(const kernel_description *k, const kernel_image *i);
/* Checks again, by another computation: a processor that skips an instruction skips only one of the two
 * checks. */
ONCE void image_confirm(const kernel_image *i);

/* ---- configure.c: bitstream in the global buffer to registers of the array ------------------- */
/* Brings the first image into the array, after a reset of the processor. A program of functions alone needs
 * the buffer's clocks, and gets no more. */
ONCE void configure_boot(const kernel_description *k);

/* ---- streams.c: start streams, and wait by interrupt or polling ------------------------------- */
/* Streams are a word with a bit each: loads by their GLB tile, stores above by theirs, as in
 * GLC_STREAM_START. */
enum { STREAM_STORES = GLC_STREAM_START_F2G_LSB, STREAM_LOADS = (1 << STREAM_STORES) - 1 };
/* Enables the done bits and forgets earlier done streams. */
ONCE void streams_enable(bool poll);
/* Sets the processor cycles until streams_wait gives up; counted from the latest start, or from this call. */
ONCE void streams_set_timeout(uint32_t timeout);
/* Starts these idle streams together; returns the cycle. Interrupts are masked from here on, until the
 * waiting function is satisfied. */
uint32_t streams_start(uint32_t streams);
/* Waits until all streams of one of the `n` sets have finished, and returns the set, and the cycle of
 * detection; n after the time-out. An empty set is not awaited. */
uint32_t streams_wait(const uint32_t *sets, uint32_t n, uint32_t *when);
uint32_t streams_open(uint32_t streams); /* those that have not finished */
void array_interrupt(void);
void tick_interrupt(void);

/* ---- dispatch.c: the runs of a batch --------------------------------------------------------- */
/* Lets the columns run after boot, for the first kernel, and drains outputs without a load. */
ONCE void dispatch_begin(const kernel_description *k);
/* Runs a batch of that kernel of `k`, whose outputs go to the bank `outputs`; if another image is in the
 * array, its own comes in first. */
void dispatch_batch(const kernel_description *k, uint32_t part, uint32_t table, uint32_t runs,
                    uint32_t outputs);

/* ---- firmware.c ------------------------------------------------------------------------------ */
ONCE void firmware_boot(const kernel_description *k);
void firmware_serve(const kernel_description *k); /* runs a batch on the host's request */

#endif
