/* The runtime's processor side on an emulated Cortex-M3 (qemu mps2-an385: code and SRAM where the chip has
 * them, no array). Skipped where qemu or the cross compiler is missing. */
#include "tests/firmware/bare_elf.h"

static void skip_without_tools(void) {
    if (system("arm-none-eabi-gcc --version >/dev/null 2>&1") != 0 ||
        system("qemu-system-arm --version >/dev/null 2>&1") != 0) {
        print_message("no arm-none-eabi-gcc or no qemu-system-arm: nothing is emulated\n");
        skip();
    }
}

/* Runs the program; the emulator's exit code. */
static int emulate(fixture *f, const char *name, const char *flags) {
    return exit_code(arena_printf(&f->mem,
                                  "timeout 60 qemu-system-arm -M mps2-an385 -display none -serial none "
                                  "-monitor none -semihosting -kernel %s",
                                  bare_elf(f, name, flags)));
}

static void start_up_tick_and_fault_work(void **state) {
    skip_without_tools();
    assert_int_equal(emulate(*state, "qemu-fault", ""), 0);
}

static void null_pointers_and_the_end_of_the_stack_are_faults(void **state) {
    skip_without_tools();
    assert_int_equal(emulate(*state, "qemu-null", "-DFORBIDDEN=0"), 0);
    assert_int_equal(emulate(*state, "qemu-fence", "-DFORBIDDEN=stack_fence"), 0);
}

static void an_exception_without_handler_is_reported(void **state) {
    skip_without_tools();
    assert_int_equal(emulate(*state, "qemu-svc", "-DUNEXPECTED"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(start_up_tick_and_fault_work),
        TEST(null_pointers_and_the_end_of_the_stack_are_faults),
        TEST(an_exception_without_handler_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
