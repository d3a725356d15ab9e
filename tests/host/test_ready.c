/* test_ready.c - a board that still runs the program of an earlier command, in front of fake_openocd.c: the
 * board is neither reset nor loaded again; every difference makes the command reset and load. */
#include <fcntl.h>
#include <sys/mman.h>

#include "firmware/registers.h"
#include "tests/host/fake_chip.h"
#include "tests/host/host_bench.h"

/* The firmware of fake_openocd.c adds these cycles; the batch without runs has none. */
enum { KERNEL_CYCLES = 100 + 101 + 102 + 100 + 101, FIRMWARE_CYCLES = 50, CONFIG_CYCLES = 1000 };
enum { CODE_WORDS = 16, IMAGE_WORDS = 40 };

static void put_header(file_out *out, uint32_t at, uint32_t address, uint32_t bytes) {
    const uint32_t header[] = {1, at, address, address, bytes, bytes, 5, 4};
    for (size_t i = 0; i < sizeof header / sizeof *header; i++)
        file_put_u32(out->stream, header[i]);
}

static void put_image(file_out *out, uint32_t value) {
    const uint32_t header[] = {FW_IMAGE_MAGIC, FW_IMAGE_VERSION, 0, IMAGE_WORDS, 0, 0, 0, 0};
    for (size_t i = 0; i < sizeof header / sizeof *header; i++)
        file_put_u32(out->stream, header[i]);
    for (uint32_t i = 0; i < IMAGE_WORDS; i++) {
        file_put_u32(out->stream, value + i);
        file_put_u32(out->stream, 0x101 + i);
    }
}

/* A program for a 32-bit Arm processor: its code, followed by images. */
static void put_program(fixture *f, const bench *b, uint32_t code, uint32_t image, uint32_t images) {
    enum { HEADERS_AT = 52, BEGIN = HEADERS_AT + 2 * 32, IMAGE_BYTES = 32 + 8 * IMAGE_WORDS };
    static const uint32_t head[] = {0x464c457f, 0x10101,        0, 0, 40u << 16 | 2, 1, 0, HEADERS_AT, 0,
                                    0,          32u << 16 | 52, 2, 0};
    file_out out;
    assert_true(file_create(&out, b->job.elf, &f->mem, &f->diag));
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        file_put_u32(out.stream, head[i]);
    put_header(&out, BEGIN, 0, 4 * CODE_WORDS);
    put_header(&out, BEGIN + 4 * CODE_WORDS, GLB, images * IMAGE_BYTES);
    for (uint32_t i = 0; i < CODE_WORDS; i++)
        file_put_u32(out.stream, code + i);
    for (uint32_t i = 0; i < images; i++)
        put_image(&out, image + 0x1000 * i);
    assert_true(file_commit(&out, &f->diag));
}

/* A bench with a chip whose state outlives its commands. */
typedef struct {
    bench *b;
    fake_chip *chip;
    const char *path;
} lasting;

static lasting begin(fixture *f, const char *name, uint32_t images) {
    lasting t = {.b = bench_new(f, name, "")};
    t.path = arena_printf(&f->mem, "%s.chip", t.b->folder);
    remove(t.path);
    const int file = open(t.path, O_RDWR | O_CREAT, 0666);
    assert_true(file >= 0 && ftruncate(file, sizeof *t.chip) == 0);
    t.chip = mmap(NULL, sizeof *t.chip, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_true(t.chip != MAP_FAILED);
    close(file);
    prng r = prng_seed(images);
    for (uint32_t i = 0; i < FAKE_SRAM_BYTES; i++) /* as power comes */
        t.chip->sram[i] = (uint8_t)prng_next(&r);
    put_program(f, t.b, 0x1000, 0x5000, images);
    t.b->first_tile = 3; /* resident images have a bank of their own */
    put_file(f, t.b, 1);
    setenv("FAKE_CHIP", t.path, 1);
    return t;
}

static void finish(lasting *t) {
    unsetenv("FAKE_CHIP");
    munmap(t->chip, sizeof *t->chip);
    remove(t->path);
    end(t->b);
}

static fw_mailbox *mailbox_of(const lasting *t) {
    return (fw_mailbox *)(void *)&t->chip->sram[FW_MAILBOX_OFFSET];
}

/* Runs the job, whose result is right for any state of the board; checks the number of boots and the
 * report. */
static void expect(fixture *f, lasting *t, const char *found) {
    const bool ready = strcmp(found, "ready") == 0;
    const uint32_t boots = t->chip->boots;
    if (!program(f, t->b))
        fail_msg("%s", fixture_printed(f));
    assert_string_equal(host_found_name(t->b->outcome.found), found);
    check_result(f, t->b);
    assert_int_equal(t->chip->boots - boots, !ready);
    assert_int_equal(t->b->outcome.config_cycles, ready ? 0 : CONFIG_CYCLES);
    assert_int_equal(t->b->outcome.kernel_cycles, KERNEL_CYCLES);
    assert_int_equal(t->b->outcome.firmware_cycles, FIRMWARE_CYCLES);
    assert_string_equal(fixture_printed(f), "");
}

static void test_a_program_that_is_there_goes_on(void **state) {
    fixture *f = *state;
    for (uint32_t images = 1; images < 3; images++) {
        lasting t = begin(f, "there", images);
        expect(f, &t, "nothing");
        for (uint32_t i = 0; i < 3; i++)
            expect(f, &t, "ready");
        put_file(f, t.b, 2); /* other batches, whose tables reach further */
        memset(&t.chip->sram[FW_TABLE_OFFSET + 0x1000], 0, 4);
        expect(f, &t, "ready");
        assert_true(mailbox_of(&t)->tried > FW_TABLE_OFFSET + HALF);
        finish(&t);
    }
}

/* Each function damages a board left ready. */
static void damage_code(lasting *t) {
    t->chip->code[13] ^= 1;
}
static void damage_array(lasting *t) {
    for (uint32_t i = 0; i < IMAGE_WORDS; i++)
        t->chip->array[i].data ^= 8;
}
static void reset_array(lasting *t) {
    t->chip->n_array = 0;
}
static void stall(lasting *t) {
    t->chip->glc[GLC_CGRA_STALL / 4] = 1;
}
static void stop_clock(lasting *t) {
    t->chip->platform[PLATFORM_CLK_GATE_EN / 4] = 0x100;
}
static void halt(lasting *t) {
    t->chip->halted = true;
}
static void make_deaf(lasting *t) {
    t->chip->deaf = true;
}
static void let_run(lasting *t) {
    mailbox_of(t)->state = FW_STATE_RUNNING;
}
static void let_fail(lasting *t) {
    mailbox_of(t)->state = FW_STATE_FAILED;
}
static void ask(lasting *t) {
    mailbox_of(t)->command++;
}
static void lose_checksum(lasting *t) {
    mailbox_of(t)->kept[0] = mailbox_of(t)->kept[1] = 0;
}
static void lose_half(lasting *t) {
    mailbox_of(t)->kept[1] = 0;
}
static void lose_magic(lasting *t) {
    mailbox_of(t)->magic ^= 0x10000;
}
static void speak_otherwise(lasting *t) {
    mailbox_of(t)->version++;
}
static void lose_bound(lasting *t) {
    mailbox_of(t)->tried = UINT32_MAX;
}
static void lose_power(lasting *t) {
    prng r = prng_seed(7);
    memset(t->chip->platform, 0xff, sizeof t->chip->platform);
    for (uint32_t i = 0; i < FAKE_SRAM_BYTES; i++)
        t->chip->sram[i] = (uint8_t)prng_next(&r);
}
static void ask_for_it(lasting *t) {
    t->b->options.reload = true;
}

static void test_what_differs_is_loaded(void **state) {
    static const struct {
        void (*change)(lasting *t);
        const char *found;
    } cases[] = {{damage_code, "damaged memory"},
                 {damage_array, "another configuration"},
                 {reset_array, "another configuration"},
                 {stall, "another configuration"},
                 {stop_clock, "other clocks"},
                 {halt, "no answer"},
                 {make_deaf, "no answer"},
                 {let_run, "cut off"},
                 {let_fail, "cut off"},
                 {ask, "cut off"},
                 {lose_checksum, "cut off"},
                 {lose_half, "another program"},
                 {lose_magic, "nothing"},
                 {speak_otherwise, "nothing"},
                 {lose_bound, "damaged memory"},
                 {lose_power, "nothing"},
                 {ask_for_it, "not asked"}};
    fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lasting t = begin(f, "differs", 1);
        expect(f, &t, "nothing");
        cases[i].change(&t);
        expect(f, &t, cases[i].found);
        t.b->options.reload = false;
        expect(f, &t, "ready"); /* the board is ready again after any damage */
        finish(&t);
    }
}

/* Operands may overwrite a single image; several images have to be whole. */
static void test_images_are_looked_at_where_they_stay(void **state) {
    fixture *f = *state;
    for (uint32_t images = 1; images < 3; images++) {
        lasting t = begin(f, "images", images);
        expect(f, &t, "nothing");
        t.chip->glb[32 + 8 * IMAGE_WORDS - 2] ^= 1;
        expect(f, &t, images == 1 ? "ready" : "damaged memory");
        finish(&t);
    }
}

static void test_programs_are_told_apart(void **state) {
    fixture *f = *state;
    lasting t = begin(f, "apart", 1);
    expect(f, &t, "nothing");
    put_program(f, t.b, 0x1001, 0x5000, 1);
    expect(f, &t, "another program");
    put_program(f, t.b, 0x1001, 0x5001, 1);
    expect(f, &t, "another program");
    put_program(f, t.b, 0x1001, 0x5001, 2);
    expect(f, &t, "another program");
    expect(f, &t, "ready");
    /* An invalid program is loaded, whatever OpenOCD does, and never found. */
    file_out out;
    assert_true(file_create(&out, t.b->job.elf, &f->mem, &f->diag));
    fputs("no program", out.stream);
    assert_true(file_commit(&out, &f->diag));
    expect(f, &t, "not asked");
    expect(f, &t, "not asked");
    finish(&t);
}

/* A board left ready, before a fault of the next command. */
static lasting begin_before(fixture *f, const char *mode) {
    lasting t = begin(f, "before", 1);
    expect(f, &t, "nothing");
    setenv("FAKE_OPENOCD", mode, 1);
    return t;
}

/* An aborted command leaves nothing that counts as ready, and keeps its finished batches. */
static void test_a_command_that_is_cut_off(void **state) {
    fixture *f = *state;
    lasting t = begin_before(f, "dies later");
    mailbox_of(&t)->command = mailbox_of(&t)->done = 0; /* where this mode looks: at batch number 2 */
    assert_false(program(f, t.b));
    diag_init(&f->diag, &f->mem);
    setenv("FAKE_OPENOCD", "", 1);
    const uint32_t boots = t.chip->boots;
    assert_true(program(f, t.b));
    assert_int_equal(t.b->outcome.found, HOST_FOUND_CUT_OFF);
    assert_int_equal(t.chip->boots, boots + 1);
    check_result(f, t.b);
    expect(f, &t, "ready");
    finish(&t);
}

/* A board damaged in untested memory: the tables of this job reach further. */
static void test_more_of_sram_is_tried(void **state) {
    fixture *f = *state;
    lasting t = begin_before(f, "table");
    mailbox_of(&t)->tried = FW_TABLE_OFFSET;
    assert_false(program(f, t.b));
    assert_non_null(strstr(fixture_printed(f), "[E0789-sram]"));
    finish(&t);
}

RUN_TESTS(TEST(test_a_program_that_is_there_goes_on), TEST(test_what_differs_is_loaded),
          TEST(test_images_are_looked_at_where_they_stay), TEST(test_programs_are_told_apart),
          TEST(test_a_command_that_is_cut_off), TEST(test_more_of_sram_is_tried))
