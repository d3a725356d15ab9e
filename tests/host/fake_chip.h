/* fake_chip.h - the chip of fake_openocd.c. With FAKE_CHIP in the environment the chip is a file: its state
 * outlives a command, and a test can inspect the state.
 */
#ifndef ONYX_TESTS_FAKE_CHIP_H
#define ONYX_TESTS_FAKE_CHIP_H

#include <stdbool.h>
#include <stdint.h>

enum { FAKE_CODE_BYTES = 0x20000, FAKE_SRAM_BYTES = 0x20000, FAKE_GLB_BYTES = 0x400000, FAKE_WORDS = 64 };

typedef struct {
    uint8_t sram[FAKE_SRAM_BYTES], code[FAKE_CODE_BYTES], glb[FAKE_GLB_BYTES];
    uint32_t platform[32], glc[32]; /* registers, by number */
    struct {
        uint32_t data, address;
    } array[FAKE_WORDS]; /* configuration words */
    uint32_t n_array, cycles, boots, checks;
    bool halted, deaf; /* the processor, until a reset releases it; ignores commands */
} fake_chip;

#endif
