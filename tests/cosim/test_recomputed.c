/* Checks left for a damaged bitstream with right sums, as if built with the damage: every 13th single-bit
 * flip of a kernel of the golden array, loaded by the real firmware, which reads back, into the RTL of the
 * array. Refused before configuration: addresses outside of the array, words out of order, words without
 * effect; found by read-back: words for absent registers or bits. The rest is another valid bitstream. */
#include "firmware/fw_int.h"
#include "golden_kernel.h"
#include "rtl_models/soc/machine_memory.h"

enum { HEADER_BYTES = 32, STRIDE = 13, MOST_STEPS = 200000 };

typedef struct {
    uint32_t flips, outside, order, differs, loaded, hangs;
} tally;

/* Place of the sums of the program's words: the only place with their values. */
static uint32_t find_sums(machine *m, const uint32_t sums[FW_IMAGE_SUMS]) {
    uint32_t found = UINT32_MAX;
    for (uint32_t at = 0; at < 0x4000; at += 4) {
        uint32_t alike = 0;
        while (alike < FW_IMAGE_SUMS && machine_word(m, at + 4 * alike) == sums[alike])
            alike++;
        if (alike == FW_IMAGE_SUMS) {
            assert_int_equal(found, UINT32_MAX);
            found = at;
        }
    }
    assert_int_not_equal(found, UINT32_MAX);
    return found;
}

/* The sums of the image, and the program's. */
static void sign(machine *m, const pnr_board *b, uint8_t *image, uint32_t words, uint32_t in_program) {
    uint64_t sums[2] = {0};
    for (uint32_t i = 0; i < 2 * words; i++)
        sums[i % 2] += (b->map.cgra_data + HEADER_BYTES + 8 * (uint64_t)(i / 2 + 1)) *
                       file_u32_at(image + HEADER_BYTES + 4 * i);
    memcpy(image + offsetof(fw_image_header, sums), sums, sizeof sums);
    assert_true(machine_load(m, in_program, sums, sizeof sums));
    assert_true(machine_load(m, b->map.cgra_data, image, HEADER_BYTES + 8 * words));
}

static uint32_t mailbox_word(machine *m, const pnr_board *b, uint32_t offset) {
    return machine_word(m, b->map.sram + FW_MAILBOX_OFFSET + offset);
}

/* Boots the program; returns its error, 0 when ready, UINT32_MAX in any other state. */
static uint32_t boot(machine *m, const pnr_board *b) {
    const uint8_t nothing[FW_MAILBOX_BYTES] = {0};
    assert_true(machine_load(m, b->map.sram + FW_MAILBOX_OFFSET, nothing, sizeof nothing));
    machine_reset(m);
    for (uint32_t i = 0; i < MOST_STEPS && machine_step(m); i++) {
        if (mailbox_word(m, b, 0) == FW_MAILBOX_MAGIC)
            return mailbox_word(m, b, FW_MAILBOX_ERROR);
    }
    return UINT32_MAX;
}

static void try_flip(machine *m, const pnr_board *b, uint8_t *image, uint32_t words, uint32_t sums_at,
                     uint32_t bit, tally *t) {
    uint8_t *at = &image[HEADER_BYTES + bit / 8];
    *at ^= (uint8_t)(1u << bit % 8);
    sign(m, b, image, words, sums_at);
    uint32_t error = boot(m, b);
    *at ^= (uint8_t)(1u << bit % 8);
    t->flips++;
    t->outside += error == FW_ERROR_IMAGE_ADDRESS;
    t->order += error == FW_ERROR_IMAGE_ORDER;
    t->differs += error == FW_ERROR_CONFIG_MISMATCH;
    t->loaded += error == FW_ERROR_NONE;
    t->hangs += error == UINT32_MAX;
}

static void print(const char *what, const tally *t) {
    print_message(
        "%-8s %4u flips: %4u outside of the array, %4u out of order or 0, %4u read back differently, %4u are "
        "another bitstream, %u stopped\n",
        what, t->flips, t->outside, t->order, t->differs, t->loaded, t->hangs);
    assert_int_equal(t->outside + t->order + t->differs + t->loaded + t->hangs, t->flips);
}

static void flips_with_right_checksums(void **state) {
    fixture *f = *state;
    pnr_board board;
    golden_kernel *k = golden_read(f, "vec_elemmul");
    if (!k || system("arm-none-eabi-gcc --version > /dev/null 2>&1") != 0) {
        print_message("no golden array data or no arm-none-eabi-gcc: skipped\n");
        skip();
    }
    const char *folder = ONYX_BINARY_DIR "/tests/cosim/recomputed";
    assert_true(make_folder(folder, &f->diag) && pnr_board_read("onyx", &f->mem, &f->diag, &board));
    fw_options o = fw_options_default(ONYX_SOURCE_DIR, folder);
    o.objects = ONYX_BINARY_DIR "/firmware/objects";
    o.verify = true;
    o.unchecked = true; /* a program built with the damage has the sum of its code, too */
    machine *m = cosim_machine(&board, (cosim_chip){0}, stderr, &f->diag);
    assert_non_null(m);
    assert_true(cosim_load_elf(m, golden_build(f, k, &board, &o), &f->mem, &f->diag));
    const bits_stream built = bits_canonical(&k->bits, &f->mem);
    uint32_t sums[FW_IMAGE_SUMS], words = built.words.len;
    fw_add_up(&board, 0, &built, sums);
    uint32_t sums_at = find_sums(m, sums);
    uint8_t *image = arena_new_n(&f->mem, uint8_t, HEADER_BYTES + 8 * words);
    assert_true(machine_dump(m, board.map.cgra_data, image, HEADER_BYTES + 8 * words));
    assert_int_equal(boot(m, &board), FW_ERROR_NONE);
    tally data = {0}, address = {0};
    for (uint32_t bit = 0; bit < 64 * words; bit += STRIDE)
        try_flip(m, &board, image, words, sums_at, bit, bit % 64 < 32 ? &data : &address);
    print("data", &data);
    print("address", &address);
    assert_true(address.outside > 0 && address.differs > 0 && address.order > 4 * address.loaded);
    assert_true(data.outside == 0);
    machine_destroy(m);
    pnr_board_free(&board);
}

RUN_TESTS(TEST(flips_with_right_checksums))
