/* CRC-32 four bits at a time: 16 table entries, 8 steps a word. */
#include "firmware/target/target.h"

/* Remainder of each 4-bit value under the reflected polynomial 0xedb88320. */
static const uint32_t remainder_of[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

uint32_t crc32_word(uint32_t crc, uint32_t word) {
    uint32_t c = ~crc ^ word;
    for (uint32_t i = 0; i < 8; i++)
        c = c >> 4 ^ remainder_of[c & 15];
    return ~c;
}
