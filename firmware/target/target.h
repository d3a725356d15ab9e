/* target.h - the firmware's parts, in the order they run. Errors end in fail(), which does not return. */
#ifndef ONYX_TARGET_TARGET_H
#define ONYX_TARGET_TARGET_H

#include "firmware/protocol.h"
#include "firmware/target/kernel.h"

/* Runs once, at boot or at the end: the compiler makes it small rather than fast. */
#define ONCE __attribute__((cold))

/* ---- mailbox.c ------------------------------------------------------------------------------- */
extern volatile fw_mailbox mailbox;
ONCE void mailbox_clear(void);
void mailbox_add_cycles(volatile uint32_t counter[2], uint64_t cycles);
/* Writes the cause into the mailbox and stops. */
ONCE _Noreturn void fail(uint32_t error, uint32_t detail0, uint32_t detail1);

/* ---- platform.c: clocks and reset of the array ----------------------------------------------- */
/* `again`: resets it first, the controller and the buffer's registers included. */
ONCE void platform_start_array(bool again);

/* ---- image.c: is what lies in the global buffer this program's bitstream? -------------------- */
enum { IMAGE_WORDS = sizeof(fw_image_header), IMAGE_WORD_BYTES = 8 }; /* first byte; {data, address} */
static inline uint32_t image_end(const kernel_image *i) {
    return i->at + IMAGE_WORDS + IMAGE_WORD_BYTES * i->config_words;
}
/* Returns only if it is; called before anything of it is configured. */
void image_check(const kernel_description *k, const kernel_image *i);
/* Asks again, another way: a processor that skips one instruction skips one of the two. */
ONCE void image_confirm(const kernel_image *i);

/* ---- configure.c: bitstream in the global buffer to registers of the array ------------------- */
/* Brings the image of that kernel into the array, in place of the one that is there; or, where it is 0, that
 * of the first, after a reset of the processor. Sets the streams up, too: that takes no longer than the words
 * are on their way. Columns stand still afterwards. */
ONCE void configure_array(const kernel_description *k, const kernel_part *p);

/* ---- streams.c: done streams, by interrupt or by asking -------------------------------------- */
typedef enum { STREAM_LOAD, STREAM_STORE, STREAM_KINDS } stream_kind;
/* Enables the interrupt and forgets what was done before. */
ONCE void streams_enable(bool poll);
/* Sets the processor cycles after which streams_wait gives up; they count from the latest streams_expect, or
 * from here. */
ONCE void streams_set_timeout(uint32_t timeout);
/* Forgets that these streams, a bit a GLB tile, are done: they are about to start. Restarts the time-out. */
void streams_expect(uint32_t loads, uint32_t stores);
typedef struct {
    uint16_t mask; /* one bit a GLB tile; 0: nobody waits for this set */
    uint8_t kind;  /* stream_kind */
} stream_set;
/* Waits until all streams of one of the sets have finished, and returns which set; n after the time-out.
 * Interrupts are masked. */
uint32_t streams_wait(const stream_set *sets, uint32_t n);
uint32_t streams_open(stream_kind kind, uint32_t mask); /* of `mask`, not finished */
uint32_t streams_last_done(void);                       /* cycle at which the latest stream was seen done */
void array_interrupt(void);
void tick_interrupt(void);

/* ---- dispatch.c: the runs of a batch --------------------------------------------------------- */
/* Sets what all runs share, of the image's loads or stores, while columns stand still. `old` was on the array
 * before, or is 0; `known`: so was this one, since the buffer's registers were reset, and what does not
 * change is there. */
ONCE void dispatch_set(const kernel_image *i, stream_kind kind, const kernel_image *old, bool known);
/* Lets the columns run, with this kernel the one that runs, and takes out what needs no load. */
ONCE void dispatch_release(const kernel_description *k, const kernel_part *p);
/* Runs a batch of that kernel of `k`, whose outputs go to the bank `outputs`; if another image is in the
 * array, its own comes in first. */
void dispatch_batch(const kernel_description *k, uint32_t part, uint32_t table, uint32_t runs,
                    uint32_t outputs);

/* ---- firmware.c ------------------------------------------------------------------------------ */
ONCE void firmware_boot(const kernel_description *k);
void firmware_serve(const kernel_description *k); /* runs one batch if the host asks for one */

#endif
