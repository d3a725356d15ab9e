/* Compiles the runtime for a board, during onyx's own build: firmware_runtime HOME BOARD FOLDER COMPILER
 * [MOVED]; see runtime.h. */
#include <stdio.h>

#include "firmware/runtime.h"

int main(int argc, char **argv) {
    arena mem = {0};
    diagnostics d;
    pnr_board board;
    diag_init(&d, &mem);
    if (argc < 5 || argc > 6) {
        fputs("usage: firmware_runtime HOME BOARD FOLDER COMPILER [MOVED]\n", stderr);
        return 1;
    }
    bool read = pnr_board_read(arena_printf(&mem, "%s/boards/%s.json", argv[1], argv[2]), &mem, &d, &board);
    bool good = read && fw_build_runtime(&board, argv[1], argv[3], argv[4], argv[5], &d);
    if (read)
        pnr_board_free(&board);
    diag_print(&d, 0, stderr, false);
    arena_free(&mem);
    return good ? 0 : 1;
}
