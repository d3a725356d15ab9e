/* How far the registers of the chip's controller reach: a board may be larger, for engines without one. */
#include "firmware/controller.h"
#include "firmware/fw_int.h"

/* A bound of a register, and the member of a board that exceeds the bound. */
typedef struct {
    const char *section, *key, *what; /* what the register counts */
    uint32_t has, most;
    const char *reg;
} reach;

bool fw_is_controlled(const pnr_board *b, diagnostics *d) {
    enum { ADDRESS_BITS = 22, COLUMNS_OF_TILE = 2 };
    const uint64_t bytes = (uint64_t)b->glb_tiles * b->glb_banks_per_tile * b->glb_bank_bytes;
    const reach all[] = {
        {"glb", "tiles", "tiles of the global buffer", b->glb_tiles, FW_MAX_STREAMS, "GLC_STREAM_START"},
        {"array", "width", "columns", b->width, 32, "GLC_CGRA_STALL"},
        {"glb", "flush_columns", "groups of columns that are flushed together",
         (b->width + b->flush_columns - 1) / b->flush_columns, FW_FLUSH_GROUPS, "GLC_FLUSH_CROSSBAR"},
        {"glb", "columns_per_tile", "columns of a tile of the global buffer", b->columns_per_glb_tile,
         COLUMNS_OF_TILE, "GLB_LD_CTRL"},
        {"glb", "bank_bytes", "kilobytes of global buffer", (uint32_t)(bytes >> 10),
         UINT32_C(1) << (ADDRESS_BITS - 10), "GLB_LD_START_ADDR"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const reach *one = &all[i];
        if (one->has <= one->most)
            continue;
        diag_error(d, pnr_board_member(&b->text, one->section, one->key), "E0720-controller",
                   "board '%s' has %u %s, and the chip's controller reaches %u (register %s)", b->name,
                   one->has, one->what, one->most, one->reg);
        return diag_hint(d, "--engine sam, cycle and rtl have no controller and take the board; the "
                            "processor needs a board within the chip's registers (docs/registers.md)");
    }
    return true;
}
