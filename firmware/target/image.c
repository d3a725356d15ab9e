/* Is what lies at the start of the global buffer this program's bitstream, for this board, and whole? Asked
 * before a single configuration word is written, and once more, another way, right before.
 */
#include "firmware/target/hal.h"
#include "firmware/target/target.h"

#define HEADER(member) glb_data32(offsetof(fw_image_header, member))

static volatile uint32_t computed; /* CRC of the words; of nothing until they were read */

static uint32_t crc_of(uint32_t from, uint32_t to) {
    uint32_t crc = CRC32_START;
    for (; from < to; from += 4)
        crc = crc32_word(crc, glb_data32(from));
    return crc;
}

static void check_header(const kernel_description *k) {
    if (HEADER(magic) != FW_IMAGE_MAGIC)
        fail(FW_ERROR_IMAGE_MAGIC, HEADER(magic), FW_IMAGE_MAGIC);
    if (HEADER(version) != FW_IMAGE_VERSION)
        fail(FW_ERROR_IMAGE_VERSION, HEADER(version), FW_IMAGE_VERSION);
    uint32_t crc = crc_of(0, offsetof(fw_image_header, header_crc));
    if (crc != HEADER(header_crc))
        fail(FW_ERROR_IMAGE_HEADER, crc, HEADER(header_crc));
    if (HEADER(board) != ONYX_BOARD_ID)
        fail(FW_ERROR_IMAGE_BOARD, HEADER(board), ONYX_BOARD_ID);
    if (HEADER(words) != k->config_words || HEADER(crc) != k->config_crc)
        fail(FW_ERROR_IMAGE_PROGRAM, HEADER(words), k->config_words);
}

/* The configuration bus has no answer for tiles that are not there. A word is not what the builder wrote
 * where the next one does not come behind it, by column, row, feature and register, or where it sets nothing.
 */
static void check_words(const kernel_description *k) {
    uint32_t last = 0;
    for (uint32_t at = IMAGE_WORDS; at < image_end(k); at += IMAGE_WORD_BYTES) {
        uint32_t address = glb_data32(at + 4), x = address >> 8 & 0xff, y = address & 0xff;
        uint32_t place = x << 24 | y << 16 | (address >> 16 & 0xff) << 8 | address >> 24;
        uint32_t number = (at - IMAGE_WORDS) / IMAGE_WORD_BYTES;
        if (x >= ONYX_COLUMNS || y >= ONYX_ROWS)
            fail(FW_ERROR_IMAGE_ADDRESS, address, number);
        if ((number && place <= last) || glb_data32(at) == 0)
            fail(FW_ERROR_IMAGE_ORDER, address, number);
        last = place;
    }
}

void image_check(const kernel_description *k) {
    check_header(k);
    computed = crc_of(IMAGE_WORDS, image_end(k));
    if (computed != k->config_crc)
        fail(FW_ERROR_IMAGE_CRC, computed, k->config_crc);
    check_words(k);
}

void image_confirm(const kernel_description *k) {
    uint32_t differences = (computed ^ k->config_crc) | (HEADER(magic) ^ FW_IMAGE_MAGIC) |
                           (HEADER(version) ^ FW_IMAGE_VERSION) | (HEADER(board) ^ ONYX_BOARD_ID) |
                           (HEADER(words) ^ k->config_words) | (HEADER(crc) ^ k->config_crc);
    if (differences)
        fail(FW_ERROR_IMAGE_CRC, computed, k->config_crc);
    check_words(k);
}
