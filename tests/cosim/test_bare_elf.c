/* The program of test_fw_qemu (the same file) on the processor model instead of qemu's Cortex-M3: start-up,
 * tick, sleep, exceptions; and a program that sorts and merges lists. Each ends at a breakpoint, with
 * semihosting's exit code 0. */
#include "rtl_models/soc/m3.h"
#include "tests/firmware/bare_elf.h"
#include "tests/firmware/elf_segments.h"

enum { MEMORY_BYTES = 0x20000, MOST_STEPS = 300000000, EXIT_EXTENDED = 0x20 };

typedef struct {
    uint8_t code[MEMORY_BYTES], sram[MEMORY_BYTES];
} memories;

/* No stream is ever done: where the array's registers would be, qemu's machine reads 0, too. */
static bool read_nothing(void *context, uint32_t address, unsigned size, uint32_t *value) {
    (void)context, (void)address, (void)size;
    *value = 0;
    return true;
}
static bool write_nothing(void *context, uint32_t address, unsigned size, uint32_t value) {
    (void)context, (void)address, (void)size, (void)value;
    return true;
}

static void load(fixture *f, const char *path, memories *m) {
    elf_segments all = elf_segments_of(f, path);
    for (uint32_t i = 0; i < all.len; i++) {
        const elf_segment *s = &all.at[i];
        assert_true(s->address < MEMORY_BYTES && s->bytes <= MEMORY_BYTES - s->address);
        memcpy(m->code + s->address, s->content, s->bytes);
    }
}

/* The exit code, or the failing line. */
static uint32_t run(fixture *f, const char *program) {
    memories *m = arena_new(&f->mem, memories);
    m3 *core = m3_create((m3_bus){m, read_nothing, write_nothing});
    assert_non_null(core);
    load(f, program, m);
    assert_true(m3_map_ram(core, 0, m->code, MEMORY_BYTES));
    assert_true(m3_map_ram(core, 0x20000000, m->sram, MEMORY_BYTES));
    assert_true(m3_map_device(core, 0x40010000, 0x2000));
    m3_reset(core);
    m3_state state = M3_RUNNING;
    for (uint32_t i = 0; i < MOST_STEPS && state != M3_STOPPED; i++) {
        unsigned cycles;
        state = m3_step(core, &cycles);
        m3_tick(core, cycles);
    }
    assert_int_equal(state, M3_STOPPED);
    assert_non_null(strstr(m3_stop_reason(core), "breakpoint"));
    assert_int_equal(m3_register(core, 0), EXIT_EXTENDED);
    uint32_t code = file_u32_at(m->sram + (m3_register(core, 1) - 0x20000000) + 4);
    m3_destroy(core);
    return code;
}

static void skip_without_compiler(void) {
    if (exit_code("arm-none-eabi-gcc --version >/dev/null 2>&1") != 0) {
        print_message("no arm-none-eabi-gcc: there is no program\n");
        skip();
    }
}

static void start_up_tick_and_fault_work(void **state) {
    skip_without_compiler();
    assert_int_equal(run(*state, bare_elf(*state, "m3-fault", "")), 0);
}

static void null_pointers_and_the_end_of_the_stack_are_faults(void **state) {
    skip_without_compiler();
    assert_int_equal(run(*state, bare_elf(*state, "m3-null", "-DFORBIDDEN=0")), 0);
    assert_int_equal(run(*state, bare_elf(*state, "m3-fence", "-DFORBIDDEN=stack_fence")), 0);
}

static void an_exception_without_handler_is_reported(void **state) {
    skip_without_compiler();
    assert_int_equal(run(*state, bare_elf(*state, "m3-svc", "-DUNEXPECTED")), 0);
}

static void lists_are_merged(void **state) {
    skip_without_compiler();
    const char *program = bare_program(*state, "m3-clist", "support/clist.c tests/firmware/clist_program.c");
    assert_int_equal(run(*state, program), 0);
}

RUN_TESTS(TEST(start_up_tick_and_fault_work), TEST(null_pointers_and_the_end_of_the_stack_are_faults),
          TEST(an_exception_without_handler_is_reported), TEST(lists_are_merged))
