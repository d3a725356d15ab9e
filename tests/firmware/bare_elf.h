/* bare_elf.h - links firmware_boot and the code it tests as a program without a device. */
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

/* Path of the program, in a folder of that name; `sources` are options and files of the compiler's, from the
 * folder of the sources. */
static inline const char *bare_program(fixture *f, const char *name, const char *sources) {
    pnr_board board;
    const char *folder = arena_printf(&f->mem, ONYX_BINARY_DIR "/tests/fw/%s", name);
    assert_true(pnr_board_read("onyx", &f->mem, &f->diag, &board));
    assert_true(make_folder(folder, &f->diag));
    assert_true(fw_write_board(&board, 0, folder, &f->diag));
    pnr_board_free(&board);
    const char *target = ONYX_SOURCE_DIR "/firmware/target";
    int built = exit_code(arena_printf(
        &f->mem,
        "cd " ONYX_SOURCE_DIR
        " && arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -std=gnu11 -Os -ffreestanding -nostdlib -Wall -Werror "
        "-fno-tree-loop-distribute-patterns -I%s -I. -L%s -T %s/onyx.ld -o %s/start.elf "
        "%s/startup.c %s/streams.c %s",
        folder, folder, target, folder, target, target, sources));
    assert_int_equal(built, 0);
    return arena_printf(&f->mem, "%s/start.elf", folder);
}

/* Returns the path of the program built with qemu_start.c and the compiler's `flags`. */
static inline const char *bare_elf(fixture *f, const char *name, const char *flags) {
    return bare_program(f, name, arena_printf(&f->mem, "%s tests/firmware/qemu_start.c", flags));
}

#endif
