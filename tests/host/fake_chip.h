/* fake_chip.h - what fake_openocd.c has of a chip. With FAKE_CHIP in the environment it is a file, so that it
 * outlives a command as a chip does, and a test can look into it.
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
    bool halted, deaf; /* the processor, until a reset lets it run; it does nothing that it is told */
} fake_chip;

#endif
