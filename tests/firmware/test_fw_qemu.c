/* The runtime's processor side on an emulated Cortex-M3 (qemu mps2-an385: code and SRAM where the chip has
 * them, no array). Skipped where qemu or the cross compiler is missing. */
#include "firmware/fw_int.h"
#include "tests/firmware/small_design.h"

#include <sys/wait.h>

static void skip_without_tools(void) {
    if (system("arm-none-eabi-gcc --version >/dev/null 2>&1") != 0 ||
        system("qemu-system-arm --version >/dev/null 2>&1") != 0) {
        print_message("no arm-none-eabi-gcc or no qemu-system-arm: nothing is emulated\n");
        skip();
    }
}

static int exit_code(const char *command) {
    int status = system(command);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Builds qemu_start.c with what it tests and runs it; the emulator's exit code. */
static int emulate(fixture *f, const char *name, const char *flags) {
    pnr_board board;
    const char *folder = arena_printf(&f->mem, ONYX_BINARY_DIR "/tests/fw/%s", name);
    assert_true(pnr_board_read("onyx", &f->mem, &f->diag, &board));
    assert_true(make_folder(folder, &f->diag));
    assert_true(fw_write_board(&board, folder, &f->diag));
    pnr_board_free(&board);
    const char *target = ONYX_SOURCE_DIR "/firmware/target";
    int built = exit_code(arena_printf(
        &f->mem,
        "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -std=gnu11 -Os -ffreestanding -nostdlib -Wall -Werror "
        "-fno-tree-loop-distribute-patterns %s -I%s -I" ONYX_SOURCE_DIR " -L%s -T %s/onyx.ld -o %s/start.elf "
        "%s/startup.c %s/streams.c %s/crc32.c " ONYX_SOURCE_DIR "/tests/firmware/qemu_start.c",
        flags, folder, folder, target, folder, target, target, target));
    assert_int_equal(built, 0);
    return exit_code(arena_printf(&f->mem,
                                  "timeout 60 qemu-system-arm -M mps2-an385 -display none -serial none "
                                  "-monitor none -semihosting -kernel %s/start.elf",
                                  folder));
}

static void start_up_tick_and_fault_work(void **state) {
    skip_without_tools();
    assert_int_equal(emulate(*state, "qemu-fault", ""), 0);
}

static void an_exception_without_handler_is_reported(void **state) {
    skip_without_tools();
    assert_int_equal(emulate(*state, "qemu-svc", "-DUNEXPECTED"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(start_up_tick_and_fault_work),
        TEST(an_exception_without_handler_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
