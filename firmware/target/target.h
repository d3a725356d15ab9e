/* target.h - the firmware's files, in execution order. Errors end in fail(), which does not return. */
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

/* ---- platform.c: clocks and reset of the array ----------------------------------------------- */
/* `again`: resets the array first, the controller and the buffer's registers included. */
ONCE void platform_start_array(bool again);

/* ---- image.c: does the global buffer hold this program's bitstream? -------------------------- */
enum { IMAGE_WORDS = sizeof(fw_image_header), IMAGE_WORD_BYTES = 8 }; /* first byte; {data, address} */
static inline uint32_t image_end(const kernel_image *i) {
    return i->at + IMAGE_WORDS + IMAGE_WORD_BYTES * i->config_words;
}
/* Returns only if all images are this program's, the first of them last; called before any configuration. */
ONCE void image_check(const kernel_description *k);
/* Checks the image that was checked last again, by another computation: a processor that skips an instruction
 * skips only one of the two checks. */
ONCE void image_confirm(const kernel_image *i);

/* ---- configure.c: bitstream in the global buffer to registers of the array ------------------- */
/* Sends the first image to the array, after a reset of the processor; dispatch_begin waits for the words. A
 * program of functions alone needs the buffer's clocks, and gets no more. */
ONCE void configure_boot(const kernel_description *k);

/* ---- dispatch.c: the runs of a batch --------------------------------------------------------- */
/* Ends the configuration of the first image. Lets the columns run after boot, for the first kernel, and
 * drains outputs without a load. */
ONCE void dispatch_begin(const kernel_description *k);
/* Runs a batch of that kernel of `k`, whose outputs go to the bank `outputs`; if another image is in the
 * array, its own comes in first. */
void dispatch_batch(const kernel_description *k, uint32_t number, uint32_t table, uint32_t runs,
                    uint32_t outputs);

/* ---- firmware.c ------------------------------------------------------------------------------ */
ONCE void firmware_boot(const kernel_description *k);
void firmware_serve(const kernel_description *k); /* runs a batch on the host's request */

#endif
