/* test_kernel.h - a kernel for the native firmware and its image in the model of the chip. */
#ifndef ONYX_TESTS_TEST_KERNEL_H
#define ONYX_TESTS_TEST_KERNEL_H

#include "firmware/target/target.h"
#include "tests/firmware/device.h"

/* A kernel as fw_build would generate: loads on even columns, stores on odd ones, from GLB tile `first`
 * on. */
typedef struct {
    kernel_stream loads[KERNEL_MAX_STREAMS], stores[KERNEL_MAX_STREAMS];
    kernel_lane lanes[KERNEL_MAX_LANES];
    kernel_image image;
    array_kernel kernel;
    kernel_description k;
} test_kernel;

static inline void make_kernel(test_kernel *t, uint32_t first, uint32_t loads, uint32_t stores) {
    *t = (test_kernel){0};
    t->image = (kernel_image){.loads = t->loads, .stores = t->stores, .n_loads = loads, .n_stores = stores};
    t->kernel = (array_kernel){.image = &t->image,
                               .loads = t->loads,
                               .stores = t->stores,
                               .lanes = t->lanes,
                               .n_lanes = 1,
                               .n_loads = loads,
                               .n_stores = stores,
                               .flush_crossbar = first * 0x11111111u};
    t->k = (kernel_description){.images = &t->image,
                                .kernels = &t->kernel,
                                .n_images = 1,
                                .n_kernels = 1,
                                .stall_mask = UINT32_MAX,
                                .timeout = 1u << 20};
    for (uint32_t i = 0; i < loads; i++) {
        t->loads[i] = (kernel_stream){.glb_tile = (uint8_t)(first + i), .data_mux = 1};
        t->lanes[0].load_mask |= (uint16_t)(1u << (first + i));
    }
    for (uint32_t i = 0; i < stores; i++) {
        t->stores[i] = (kernel_stream){
            .glb_tile = (uint8_t)(first + i), .data_mux = 2, .num_blocks = (uint16_t)(1 + i % 2)};
        t->lanes[0].store_mask |= (uint16_t)(1u << (first + i));
    }
}

static inline void put_word(device *d, uint32_t at, uint32_t value) {
    for (uint32_t b = 0; b < 4; b++)
        d->glb[at + b] = (uint8_t)(value >> 8 * b);
}
static inline uint32_t word_at(const device *d, uint32_t at) {
    return d->glb[at] | (uint32_t)d->glb[at + 1] << 8 | (uint32_t)d->glb[at + 2] << 16 |
           (uint32_t)d->glb[at + 3] << 24;
}

/* Where the members of the header stand, by docs/firmware.md. */
enum { MAGIC_AT = 0, VERSION_AT = 4, BOARD_AT = 8, WORDS_AT = 12, SUMS_AT = 16, WORDS_FROM = 32 };

/* Weight of word `w` in the sums of the image at `at`: the address after the word, as the processor sees the
 * address. */
static inline uint64_t weight_of(uint32_t at, uint32_t w) {
    return 0x20400000u + at + WORDS_FROM + 8 * (uint64_t)(w + 1);
}

/* Half `i` of the sums of the words in memory, by docs/firmware.md. */
static inline uint32_t sum_of(const device *d, uint32_t at, uint32_t words, uint32_t i) {
    uint64_t sum = 0;
    for (uint32_t w = 0; w < words; w++)
        sum += weight_of(at, w) * word_at(d, at + WORDS_FROM + 8 * w + i / 2 * 4);
    return (uint32_t)(sum >> 32 * (i % 2));
}

/* Replaces the stored sums by the sums of the words in memory, as the image's maker would. */
static inline void sign(device *d, test_kernel *t) {
    const uint32_t at = t->image.at;
    for (uint32_t i = 0; i < 4; i++) {
        t->image.config_sums[i] = sum_of(d, at, t->image.config_words, i);
        put_word(d, at + SUMS_AT + 4 * i, t->image.config_sums[i]);
    }
}

/* Address of word i: in order, over all columns and rows. */
static inline uint32_t word_address(uint32_t i, uint32_t words) {
    uint32_t site = 512 * i / words;
    return i << 24 | site / 16 << 8 | (1 + site % 16);
}

/* An image of up to 256 words, its header at byte `at` of the global buffer. */
static inline void load_bitstream_at(device *d, test_kernel *t, uint32_t at, uint32_t words) {
    put_word(d, at + MAGIC_AT, 0x49584e4f);
    put_word(d, at + VERSION_AT, 2);
    put_word(d, at + BOARD_AT, 0xb0a2d001);
    put_word(d, at + WORDS_AT, words);
    for (uint32_t i = 0; i < words; i++) {
        put_word(d, at + WORDS_FROM + 8 * i, 0x9e3779b9u * (i + 1));
        put_word(d, at + WORDS_FROM + 8 * i + 4, word_address(i, words));
    }
    t->image.at = at;
    t->image.config_words = words;
    t->image.config_tiles = (word_address(words - 1, words) >> 8 & 0xff) / 2 + 1;
    sign(d, t);
}

static inline void load_bitstream(device *d, test_kernel *t, uint32_t words) {
    load_bitstream_at(d, t, 0, words);
}

/* Runs the firmware's boot; false after an error. */
static inline bool boot(device *d, const test_kernel *t) {
    if (setjmp(d->stopped))
        return false;
    firmware_boot(&t->k);
    return true;
}

#endif
