/* bare_elf.h - qemu_start.c with what it tests of the runtime, as a program that needs no device. */
#ifndef ONYX_TESTS_BARE_ELF_H
#define ONYX_TESTS_BARE_ELF_H

#include <stdlib.h>
#include <sys/wait.h>

#include "firmware/fw_int.h"
#include "tests/test.h"

static inline int exit_code(const char *command) {
    int status = system(command);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Path of the program, in a folder of that name. */
static inline const char *bare_elf(fixture *f, const char *name, const char *flags) {
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
        "%s/startup.c %s/streams.c " ONYX_SOURCE_DIR "/tests/firmware/qemu_start.c",
        flags, folder, folder, target, folder, target, target));
    assert_int_equal(built, 0);
    return arena_printf(&f->mem, "%s/start.elf", folder);
}

#endif
