/* Finds out whether what lies at the start of the global buffer is this program's bitstream, for this board,
 * and whole. That is asked before a single configuration word is written, and once more, another way, right
 * before. */
#include "firmware/target/hal.h"
#include "firmware/target/target.h"

#define HEADER(member) glb_data32(offsetof(fw_image_header, member))

static volatile uint32_t computed; /* CRC of the words, or that of nothing until they have been read */

static ONCE uint32_t header_crc(void) {
    uint32_t crc = CRC32_START;
    for (uint32_t at = 0; at < offsetof(fw_image_header, header_crc); at += 4)
        crc = crc32_word(crc, glb_data32(at));
    return crc;
}

static ONCE void check_header(const kernel_description *k) {
    if (HEADER(magic) != FW_IMAGE_MAGIC)
        fail(FW_ERROR_IMAGE_MAGIC, HEADER(magic), FW_IMAGE_MAGIC);
    if (HEADER(version) != FW_IMAGE_VERSION)
        fail(FW_ERROR_IMAGE_VERSION, HEADER(version), FW_IMAGE_VERSION);
    uint32_t crc = header_crc();
    if (crc != HEADER(header_crc))
        fail(FW_ERROR_IMAGE_HEADER, crc, HEADER(header_crc));
    if (HEADER(board) != ONYX_BOARD_ID)
        fail(FW_ERROR_IMAGE_BOARD, HEADER(board), ONYX_BOARD_ID);
    if (HEADER(words) != k->config_words || HEADER(crc) != k->config_crc)
        fail(FW_ERROR_IMAGE_PROGRAM, HEADER(words), k->config_words);
}

/* The configuration bus has no answer for tiles that are not there. */
static bool is_outside(uint32_t address) {
    return (address >> 8 & 0xff) >= ONYX_COLUMNS || (address & 0xff) >= ONYX_ROWS;
}

/* Checks the words and reads every one of them once, since reading takes longer than anything else here. A
 * word is not what the builder wrote if the next one does not come behind it, by column, row, feature and
 * register, or if it sets nothing. */
static void check_words(const kernel_description *k) {
    uint32_t crc = CRC32_START, last = 0, error = 0, bad_address = 0, bad_number = 0;
    for (uint32_t number = 0; number < k->config_words; number++) {
        uint32_t at = IMAGE_WORDS + IMAGE_WORD_BYTES * number;
        uint32_t data = glb_data32(at), address = glb_data32(at + 4);
        uint32_t place =
            (address & 0xff00) << 16 | (address & 0xff) << 16 | (address >> 16 & 0xff) << 8 | address >> 24;
        crc = crc32_word(crc32_word(crc, data), address);
        if (!error && (is_outside(address) || (number && place <= last) || !data)) {
            error = is_outside(address) ? FW_ERROR_IMAGE_ADDRESS : FW_ERROR_IMAGE_ORDER;
            bad_address = address;
            bad_number = number;
        }
        last = place;
    }
    computed = crc;
    if (computed != k->config_crc)
        fail(FW_ERROR_IMAGE_CRC, computed, k->config_crc);
    if (error)
        fail(error, bad_address, bad_number);
}

void image_check(const kernel_description *k) {
    check_header(k);
    check_words(k);
}

void image_confirm(const kernel_description *k) {
    uint32_t differences = (computed ^ k->config_crc) | (HEADER(magic) ^ FW_IMAGE_MAGIC) |
                           (HEADER(version) ^ FW_IMAGE_VERSION) | (HEADER(board) ^ ONYX_BOARD_ID) |
                           (HEADER(words) ^ k->config_words) | (HEADER(crc) ^ k->config_crc);
    if (differences)
        fail(FW_ERROR_IMAGE_CRC, computed, k->config_crc);
    for (uint32_t at = IMAGE_WORDS; at < image_end(k); at += IMAGE_WORD_BYTES) {
        uint32_t address = glb_data32(at + 4);
        if (is_outside(address))
            fail(FW_ERROR_IMAGE_ADDRESS, address, (at - IMAGE_WORDS) / IMAGE_WORD_BYTES);
    }
}
