/* device_parts.h - what the parts of the model of the chip share: its registers, and the array with its
 * streams. */
#ifndef ONYX_TESTS_DEVICE_PARTS_H
#define ONYX_TESTS_DEVICE_PARTS_H

#include "firmware/target/hal.h"
#include "firmware/target/mailbox.h"
#include "support/support.h"
#include "tests/firmware/device.h"

enum { LOAD, STORE, CONFIG, KINDS };
enum { READ_ARRAY_CYCLES = 128, READ_PROCESSOR_CYCLES = 64 }; /* until a word of configuration is read */
enum { DONE_PULSE = 5 }; /* array cycles of a finished stream's done bit, also after a clear */

/* Registers and what runs. */
typedef struct {
    uint32_t platform[32], glc[32], glb[DEVICE_TILES][64];
    uint32_t done[KINDS];                /* isr bits */
    uint64_t due[KINDS][DEVICE_TILES];   /* cycle at which a stream finishes; 0 = not running */
    uint64_t pulse[KINDS][DEVICE_TILES]; /* cycle at which the done pulse of a stream is over */
    uint32_t bank[KINDS][DEVICE_TILES];  /* of the buffer, counted from its start, that a stream uses */
    uint64_t now, reset_until, read_due, tick_due;
    uint32_t read_at;
    uint32_t tick_reload, tick_ctrl, irq_enabled, irq_pending, demcr, dwt_ctrl;
    uint64_t cycle_zero;
    bool tick_pending, masked, in_handler;
    bool no_store;  /* was done when the program last asked */
    uint32_t early; /* stores that were started before the columns ran */
    prng random;
} device_chip;

extern device_chip chip;
extern device *the;
extern const kernel_description *kernel_of;

/* Return the kernel of the batch last requested by the host, or of the present command of its list, and the
 * kernel's number. */
uint32_t kernel_number(void);
const array_kernel *kernel_now(void);
/* Notes the first thing that the chip would not forgive. */
void violate(const char *what);

/* device_array.c */
uint16_t glb_word(uint32_t address);
uint32_t *config_register(uint32_t address);
void configure(uint32_t address, uint32_t data);
uint32_t glb_word32(uint32_t address);
void start_config(uint32_t tiles);
void release_columns(void);
void start_streams(uint32_t value);

#endif
