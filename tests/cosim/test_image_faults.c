/* The program refuses bad images, of a program of two, even if the processor skips an instruction: every
 * instruction of the verification in turn, on the processor model, for images with a single fault each. A
 * write of configuration means a loaded bad image. */
#include "firmware/fw_int.h"
#include "rtl_models/soc/m3_debug.h"
#include "tests/firmware/elf_segments.h"
#include "tests/firmware/small_design.h"

enum { MEMORY_BYTES = 0x20000, MOST_STEPS = 60000, HEADER_BYTES = 32, WORDS = 2 };
enum { SECOND = HEADER_BYTES + 8 * WORDS }; /* where the second image begins */

/* Program memory, SRAM, the first bank of the buffer; and the devices that the program reads before
 * configuration. */
typedef struct {
    m3 *core;
    uint8_t code[MEMORY_BYTES], sram[MEMORY_BYTES], glb[MEMORY_BYTES];
    uint8_t program[MEMORY_BYTES], image[MEMORY_BYTES]; /* as loaded */
    const pnr_board *board;
    uint32_t check, confirm; /* addresses of image_check and image_confirm */
    bool unchecked;          /* leave both checks out, as a whole */
    bool configured;
} chip;

static bool read_device(void *context, uint32_t address, unsigned size, uint32_t *value) {
    const chip *c = context;
    (void)size;
    *value = address == c->board->map.platform + PLATFORM_ID ? 0x5a5a5a5a : 0;
    return true;
}

static bool write_device(void *context, uint32_t address, unsigned size, uint32_t value) {
    chip *c = context;
    uint32_t offset = address - c->board->map.cgra_reg;
    (void)size;
    (void)value;
    c->configured |= offset == GLC_PC_START || offset == GLC_CFG_WRITE;
    return true;
}

static void put_word(uint8_t *at, uint32_t value) {
    for (uint32_t b = 0; b < 4; b++)
        at[b] = (uint8_t)(value >> 8 * b);
}

static void load_elf(fixture *f, chip *c, const char *path) {
    elf_segments all = elf_segments_of(f, path);
    for (uint32_t i = 0; i < all.len; i++) {
        const elf_segment *s = &all.at[i];
        assert_true(s->bytes <= MEMORY_BYTES);
        memcpy(s->address == c->board->map.cgra_data ? c->image : c->program + s->address, s->content,
               s->bytes);
    }
}

/* Where a function of the ELF file begins. */
static uint32_t symbol(fixture *f, const char *elf, const char *name) {
    size_t length = 0;
    const char *list = arena_printf(&f->mem, "%s.nm", elf);
    assert_int_equal(system(arena_printf(&f->mem, "arm-none-eabi-nm %s > %s", elf, list)), 0);
    const char *text = file_read(list, &f->mem, &length, &f->diag);
    const char *at = text ? strstr(text, arena_printf(&f->mem, " %s\n", name)) : NULL;
    assert_non_null(at);
    while (at > text && at[-1] != '\n')
        at--;
    return (uint32_t)strtoul(at, NULL, 16);
}

static chip *chip_new(fixture *f, const pnr_board *board) {
    chip *c = arena_new(&f->mem, chip);
    c->board = board;
    c->core = m3_create((m3_bus){c, read_device, write_device});
    assert_non_null(c->core);
    assert_true(m3_map_ram(c->core, board->map.code, c->code, MEMORY_BYTES));
    assert_true(m3_map_ram(c->core, board->map.sram, c->sram, MEMORY_BYTES));
    assert_true(m3_map_ram(c->core, board->map.cgra_data, c->glb, MEMORY_BYTES));
    assert_true(m3_map_device(c->core, board->map.cgra_reg, 0x2000));
    assert_true(m3_map_device(c->core, board->map.platform & ~0xfffu, 0x1000));
    return c;
}

/* Skips the next instruction. Its first half word tells its length: 0b11101.. to 0b11111.. is an instruction
 of two.
 */
static void skip_one(chip *c) {
    uint32_t pc = m3_register(c->core, 15) & ~1u;
    bool two = pc + 2 <= MEMORY_BYTES && c->code[pc + 1] >> 3 >= 0x1d;
    m3_set_debug_register(c->core, 15, pc + (two ? 4 : 2));
}

/* Returns at once from the function about to begin. */
static void leave_out(chip *c) {
    m3_set_debug_register(c->core, 15, m3_register(c->core, 14) & ~1u);
}

/* Boots without step `skip` after image_check; UINT32_MAX: all steps. Returns the number of steps from
 * image_check to the end: the program gave up, stopped, or began to configure. */
static uint32_t boot(chip *c, uint32_t skip) {
    uint32_t steps = 0;
    bool checking = false;
    memcpy(c->code, c->program, MEMORY_BYTES);
    memcpy(c->glb, c->image, MEMORY_BYTES);
    memset(c->sram, 0, MEMORY_BYTES);
    c->configured = false;
    m3_reset(c->core);
    for (uint32_t i = 0; i < MOST_STEPS && !c->configured; i++) {
        unsigned cycles;
        uint32_t pc = m3_register(c->core, 15) & ~1u;
        if (c->unchecked && (pc == c->check || pc == c->confirm))
            leave_out(c);
        checking = checking || pc == c->check;
        if (checking && steps++ == skip)
            skip_one(c);
        m3_state state = m3_step(c->core, &cycles);
        m3_tick(c->core, cycles);
        if (state != M3_RUNNING)
            break;
    }
    return steps;
}

static uint32_t error_of(const chip *c) {
    return file_u32_at(c->sram + FW_MAILBOX_OFFSET + FW_MAILBOX_STATE) == FW_STATE_FAILED
               ? file_u32_at(c->sram + FW_MAILBOX_OFFSET + FW_MAILBOX_ERROR)
               : 0;
}

static void flipped_word(chip *c) {
    c->image[HEADER_BYTES + 5] ^= 0x20;
}
static void no_image(chip *c) {
    put_word(c->image, 0);
}
static void other_version(chip *c) {
    put_word(c->image + offsetof(fw_image_header, version), 1);
}
static void other_board(chip *c) {
    put_word(c->image + offsetof(fw_image_header, board), 0x12345678);
}
static void other_length(chip *c) {
    put_word(c->image + offsetof(fw_image_header, words), 1);
}
static void other_sums(chip *c) {
    c->image[offsetof(fw_image_header, sums) + 9] ^= 0x40;
}
/* The sums of the image are right for another program: an image of another program. */
static void other_program(chip *c) {
    c->image[HEADER_BYTES + 5] ^= 0x20;
    c->image[offsetof(fw_image_header, sums) + 9] ^= 0x20;
}
static void flipped_word_of_second(chip *c) {
    c->image[SECOND + HEADER_BYTES + 12] ^= 0x80;
}
static void no_second(chip *c) {
    put_word(c->image + SECOND, 0);
}
static void second_of_other_program(chip *c) {
    c->image[SECOND + HEADER_BYTES + 5] ^= 0x20;
    c->image[SECOND + offsetof(fw_image_header, sums) + 9] ^= 0x20;
}

static const struct {
    const char *name;
    void (*damage)(chip *);
    uint32_t error;
} bad[] = {{"a bit of a word", flipped_word, FW_ERROR_IMAGE_SUMS},
           {"no image", no_image, FW_ERROR_IMAGE_MAGIC},
           {"another version", other_version, FW_ERROR_IMAGE_VERSION},
           {"another board", other_board, FW_ERROR_IMAGE_BOARD},
           {"another length", other_length, FW_ERROR_IMAGE_PROGRAM},
           {"another sum", other_sums, FW_ERROR_IMAGE_PROGRAM},
           {"another program", other_program, FW_ERROR_IMAGE_PROGRAM},
           {"a bit of the second", flipped_word_of_second, FW_ERROR_IMAGE_SUMS},
           {"no second", no_second, FW_ERROR_IMAGE_MAGIC},
           {"another second", second_of_other_program, FW_ERROR_IMAGE_PROGRAM}};

/* Returns a load and a store from this column on, and words. */
static small_design *design_at(fixture *f, const chip *c, uint16_t column) {
    small_design *s = arena_new(&f->mem, small_design);
    s->board = *c->board;
    s->net = (netlist){.mem = &f->mem, .names = &f->names};
    s->design.net = &s->net;
    s->design.board = &s->board;
    add_io(f, s, column, false, 1);
    add_io(f, s, column + 1, true, 1);
    add_words(f, s, WORDS);
    return s;
}

/* Builds a program of two images for the chip. */
static void build(fixture *f, chip *c) {
    const small_design *first = design_at(f, c, 2), *second = design_at(f, c, 4);
    fw_options o = fw_options_default(ONYX_SOURCE_DIR, ONYX_BINARY_DIR "/tests/fw/image_faults");
    o.objects = ONYX_BINARY_DIR "/firmware/objects";
    fw_app app;
    const fw_image images[] = {{.design = &first->design, .bits = &first->bits},
                               {.design = &second->design, .bits = &second->bits}};
    if (!fw_build(images, 2, &o, &f->mem, &f->diag, &app))
        fail_msg("%s", fixture_printed(f));
    memset(c->program, 0, MEMORY_BYTES);
    memset(c->image, 0, MEMORY_BYTES);
    load_elf(f, c, app.elf);
    c->check = symbol(f, app.elf, "image_check");
    c->confirm = symbol(f, app.elf, "image_confirm");
}

static void no_single_skip_loads_a_bad_image(void **state) {
    fixture *f = *state;
    pnr_board board;
    if (system("arm-none-eabi-gcc --version >/dev/null 2>&1") != 0) {
        print_message("no arm-none-eabi-gcc: there is no program\n");
        skip();
    }
    assert_true(pnr_board_read("onyx", &f->mem, &f->diag, &board));
    chip *c = chip_new(f, &board);
    build(f, c);
    boot(c, UINT32_MAX);
    assert_true(c->configured); /* the good one is loaded */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint32_t told = 0, stopped = 0, loaded = 0;
        build(f, c);
        bad[i].damage(c);
        uint32_t steps = boot(c, UINT32_MAX);
        assert_false(c->configured);
        assert_int_equal(error_of(c), bad[i].error);
        /* Without the verification the image is loaded, and the test notices. */
        c->unchecked = true;
        boot(c, UINT32_MAX);
        assert_true(c->configured);
        c->unchecked = false;
        for (uint32_t skip = 0; skip < steps; skip++) {
            boot(c, skip);
            told += error_of(c) != 0 && !c->configured;
            stopped += error_of(c) == 0 && !c->configured;
            loaded += c->configured;
        }
        print_message("%-19s %5u skips: %5u refused with a code, %u stopped without one, %u loaded\n",
                      bad[i].name, steps, told, stopped, loaded);
        assert_int_equal(loaded, 0);
        assert_true(steps > 10);
    }
    m3_destroy(c->core);
    pnr_board_free(&board);
}

RUN_TESTS(TEST(no_single_skip_loads_a_bad_image))
