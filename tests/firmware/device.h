/* device.h - a model of the chip around the processor, as the natively compiled firmware sees it through
 * hal.h: platform controller, global controller, global buffer with its DMAs, configuration registers of the
 * array, system tick, interrupts. Written from docs/firmware.md and registers.def, not from the firmware.
 *
 * The array is a kernel of the model's own: store i streams, per block, the words of load i % loads; a block
 * b of run r has min(words, 7 * b + 3) of them. Stores of the kernel's early_stores get words when the
 * columns run, too, before any load. Every bus access takes cycles, and interrupts arrive between any two of
 * them.
 */
#ifndef ONYX_TESTS_DEVICE_H
#define ONYX_TESTS_DEVICE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "firmware/target/kernel.h"

enum { DEVICE_TILES = 16, DEVICE_BANK = 0x20000, DEVICE_CONFIG = 4096 };

typedef struct {
    /* What a test chooses. */
    uint32_t platform_id;
    bool stuck_reset;                     /* the array never leaves reset */
    uint32_t hang_loads;                  /* GLB tiles whose load never finishes */
    uint32_t hang_stores;                 /* likewise */
    bool hang_config;                     /* configuration by DMA never finishes */
    uint32_t flip_address;                /* configuration register with a flipped bit; 0 = none */
    uint32_t flips;                       /* in so many writes */
    bool stuck_configuration, dead_reset; /* configuration survives resets; platform reset has no effect */
    bool dead_global_reset;               /* the controller's does nothing */
    bool debugger, no_tick;               /* keeps clocks on during sleep; the system tick stands still */
    uint64_t seed;                        /* of delays */
    uint32_t stream_delay;                /* longest time of a stream, cycles */
    uint32_t slow_lane;                   /* extra cycles of each run of the first lane */
    uint32_t output_banks;                /* of stores, a bit a tile; loads use the opposite bank */
    const uint16_t *stream;               /* replaces the blocks of the first store; NULL = keep the blocks */
    uint32_t stream_words;
    /* Memories. */
    uint8_t glb[DEVICE_TILES * 2 * DEVICE_BANK];
    _Alignas(8) uint32_t sram[0x20000 / 4];
    /* What the model saw. */
    uint32_t starts, config_writes, ticks, sleeps;
    uint32_t idle_looks; /* reads of the done bits of stores, then loads, without a done stream */
    uint32_t interrupts; /* of the array: interrupts handled, and interrupts that ended a sleep */
    uint32_t lane_starts[KERNEL_MAX_LANES];
    uint32_t stalled_columns;
    bool array_clock;
    uint32_t flush_crossbar;
    const char *violation; /* the first thing the chip would not forgive; NULL = none */
    /* Configuration registers. */
    struct {
        uint32_t address, data;
    } config[DEVICE_CONFIG];
    uint32_t n_config;
    jmp_buf stopped; /* hal_stop comes back here */
} device;

/* Makes a chip after power-up and connects the bus to it. The kernel describes the array's behaviour to the
 * model. */
device *device_new(const kernel_description *k, uint64_t seed);
void device_free(device *d);
/* The expected words of store `i` of a run whose load (i % loads) streamed `words`; returns how many. */
uint32_t device_expected(const kernel_description *k, uint32_t i, const uint16_t *words, uint32_t n,
                         uint16_t *out);

#endif
