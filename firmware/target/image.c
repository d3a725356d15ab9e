/* Checks that the global buffer holds this program's bitstreams, for this board, undamaged. All are checked
 * before the first configuration word, and each outcome is confirmed by a second computation, that of the
 * first bitstream right before its first word. The builder has proved the words to be in order and inside of
 * the array: right sums are sufficient. */
#include "firmware/target/hal.h"
#include "firmware/target/mailbox.h"
#include "firmware/target/sums.h"
#include "firmware/target/target.h"

/* A word of the header at this byte of the global buffer. */
#define HEADER(at, member) glb_data32((at) + (uint32_t)offsetof(fw_image_header, member))

static volatile uint32_t computed[FW_IMAGE_SUMS]; /* of the words, 0 until computed */

SMALL_FROM_HERE

static inline uint32_t header_sum(uint32_t at, uint32_t n) {
    return glb_data32(at + (uint32_t)offsetof(fw_image_header, sums) + 4 * n);
}

static ONCE void check_header(const kernel_image *i) {
    const uint32_t at = i->at;
    if (HEADER(at, magic) != FW_IMAGE_MAGIC)
        fail(FW_ERROR_IMAGE_MAGIC, HEADER(at, magic), FW_IMAGE_MAGIC);
    if (HEADER(at, version) != FW_IMAGE_VERSION)
        fail(FW_ERROR_IMAGE_VERSION, HEADER(at, version), FW_IMAGE_VERSION);
    if (HEADER(at, board) != ONYX_BOARD_ID)
        fail(FW_ERROR_IMAGE_BOARD, HEADER(at, board), ONYX_BOARD_ID);
    uint32_t differences = HEADER(at, words) ^ i->config_words;
    for (uint32_t n = 0; n < FW_IMAGE_SUMS; n++)
        differences |= header_sum(at, n) ^ i->config_sums[n];
    if (differences)
        fail(FW_ERROR_IMAGE_PROGRAM, HEADER(at, words), i->config_words);
}

SMALL_TO_HERE

typedef struct {
    uint64_t data, addresses;
} sums;

/* Adds four words, each times the address after the word. */
static inline __attribute__((always_inline)) void add_four(sums *s, uint32_t *at) {
    bus_add_pair(at, &s->data, &s->addresses);
    bus_add_pair(at, &s->data, &s->addresses);
    bus_add_pair(at, &s->data, &s->addresses);
    bus_add_pair(at, &s->data, &s->addresses);
}

/* Adds the words up by protocol.h. The loop takes most of a configuration's time, hence eight words a turn,
 * and a single comparison: no segment ends below its eight words. */
static __attribute__((hot, noinline)) void add_up(uint32_t at, uint32_t end) {
    const uint32_t last = end - 8 * IMAGE_WORD_BYTES;
    sums s = {0, 0};
    while (at <= last) {
        add_four(&s, &at);
        add_four(&s, &at);
    }
    while (at < end)
        bus_add_pair(&at, &s.data, &s.addresses);
    computed[0] = (uint32_t)s.data;
    computed[1] = (uint32_t)(s.data >> 32);
    computed[2] = (uint32_t)s.addresses;
    computed[3] = (uint32_t)(s.addresses >> 32);
}

SMALL_FROM_HERE

/* Checks the builder's proof: each word follows the previous word, by column, row, feature and register,
 * inside of the array, and sets something. */
static ONCE void check_order(const kernel_image *i) {
    uint32_t last = 0;
    for (uint32_t number = 0; number < i->config_words; number++) {
        uint32_t at = i->at + IMAGE_WORDS + IMAGE_WORD_BYTES * number, address = glb_data32(at + 4);
        uint32_t column = address >> 8 & 0xff, row = address & 0xff;
        uint32_t place = column << 24 | row << 16 | (address >> 16 & 0xff) << 8 | address >> 24;
        if (column >= ONYX_COLUMNS || row >= ONYX_ROWS)
            fail(FW_ERROR_IMAGE_ADDRESS, address, number);
        if ((number && place <= last) || !glb_data32(at))
            fail(FW_ERROR_IMAGE_ORDER, address, number);
        last = place;
    }
}

/* A last word without a partner, possibly with fewer than four valid bytes. */
static void add_rest(uint32_t at, uint32_t bytes, uint64_t *sum) {
    uint32_t weight = at + 8;
    if (bytes >= 4) {
        *sum += (uint64_t)weight * bus_read32(at);
        at += 4;
        bytes -= 4;
        if (bytes)
            *sum += FW_SUM_FACTOR * ((uint64_t)weight * (bus_read32(at) & ((1u << 8 * bytes) - 1)));
    } else if (bytes) {
        *sum += (uint64_t)weight * (bus_read32(at) & ((1u << 8 * bytes) - 1));
    }
}

uint64_t image_sum(uint32_t at, uint32_t bytes) {
    const uint32_t end = at + (bytes & ~7u);
    add_up(at, end);
    uint64_t sum = (computed[0] | (uint64_t)computed[1] << 32) +
                   FW_SUM_FACTOR * (computed[2] | (uint64_t)computed[3] << 32);
    add_rest(end, bytes & 7, &sum);
    return sum;
}

void image_check_segment(void) {
    const uint32_t start = cycles_now(), at = mailbox.table, bytes = mailbox.runs;
    const uint64_t sum = image_sum(at, bytes);
    if (((uint32_t)sum ^ mailbox.sum[0]) | ((uint32_t)(sum >> 32) ^ mailbox.sum[1]))
        fail(FW_ERROR_SEGMENT_SUMS, at, bytes);
    mailbox_add_checked(cycles_now() - start);
}

void image_check(const kernel_description *k) {
    for (const kernel_image *i = k->images + k->n_images; i-- > k->images;) {
        check_header(i);
        add_up(ONYX_CGRA_DATA + i->at + IMAGE_WORDS, ONYX_CGRA_DATA + image_end(i));
        for (uint32_t n = 0; n < FW_IMAGE_SUMS; n++) {
            if (computed[n] != i->config_sums[n])
                fail(FW_ERROR_IMAGE_SUMS, computed[n], i->config_sums[n]);
        }
        image_confirm(i);
        if (k->verify)
            check_order(i);
    }
}

void image_confirm(const kernel_image *i) {
    const uint32_t at = i->at;
    uint32_t differences = (HEADER(at, magic) ^ FW_IMAGE_MAGIC) | (HEADER(at, version) ^ FW_IMAGE_VERSION) |
                           (HEADER(at, board) ^ ONYX_BOARD_ID) | (HEADER(at, words) ^ i->config_words);
    for (uint32_t n = 0; n < FW_IMAGE_SUMS; n++)
        differences |= (computed[n] ^ i->config_sums[n]) | (header_sum(at, n) ^ i->config_sums[n]);
    if (differences)
        fail(FW_ERROR_IMAGE_SUMS, computed[0], i->config_sums[0]);
}
