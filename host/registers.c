/* Registers of a board, read and written one by one. */
#include "firmware/registers.h"
#include "host/host_int.h"
#include "host/registers.h"

/* The array's registers answer with a clock and out of reset alone. */
static bool has_clock(host_link *l, const host_access *a) {
    const uint32_t array = 1u << PLATFORM_CLK_GATE_EN_CGRA_LSB, platform = l->board->map.platform;
    uint32_t gated, reset;
    if (!host_read_words(l, platform + PLATFORM_CLK_GATE_EN, &gated, 1) ||
        !host_read_words(l, platform + PLATFORM_RESET_ACK, &reset, 1))
        return false;
    if (!(gated & array) && !(reset & array))
        return true;
    diag_error(l->d, (src_loc){0}, "E0791-no-clock", "%s: the array %s", a->name,
               gated & array ? "has no clock" : "is in reset");
    return diag_hint(l->d,
                     "first PLATFORM_CGRA_CLK_SELECT=0 PLATFORM_CLK_GATE_EN=0x%x PLATFORM_RESET_REQ=0x%x",
                     gated & ~array, reset & ~array);
}

static bool make_access(host_link *l, host_access *a) {
    return (!a->of_array || has_clock(l, a)) && (!a->write || host_write_word(l, a->address, a->value)) &&
           host_read_words(l, a->address, &a->got, 1);
}

bool host_registers(const pnr_board *board, const host_options *o, host_accesses *all, const char *folder,
                    arena *mem, diagnostics *d) {
    host_link l;
    bool ok = host_link_open(&l, board, o, folder, mem, d);
    for (uint32_t i = 0; i < all->len && ok; i++)
        ok = make_access(&l, &all->at[i]);
    host_link_close(&l);
    return ok;
}
