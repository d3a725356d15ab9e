/* Gives the array its clock and lifts its reset: the array wakes up without either. Clocks are set in any
 * case: an earlier program may have left other clocks, and cycles would be counted in another unit. */
#include "firmware/target/hal.h"
#include "firmware/target/mailbox.h"
#include "firmware/target/target.h"

SMALL_FROM_HERE

enum { PLATFORM_ID_VALUE = 0x5a5a5a5a, RESET_TRIES = 1000 };

/* Requests the reset, or its end, and waits for completion. */
static ONCE bool reset_is(uint32_t others, uint32_t wanted) {
    platform_write(PLATFORM_RESET_REQ, others | wanted);
    uint32_t tries = RESET_TRIES;
    while (tries && (platform_read(PLATFORM_RESET_ACK) & FIELD(PLATFORM_RESET_ACK_CGRA, 1)) != wanted)
        tries--;
    return tries != 0;
}

void platform_start_array(bool again) {
    const uint32_t cgra = FIELD(PLATFORM_RESET_REQ_CGRA, 1);
    uint32_t id = platform_read(PLATFORM_ID);
    if (id != PLATFORM_ID_VALUE)
        fail(FW_ERROR_PLATFORM_ID, id, PLATFORM_ID_VALUE);
    platform_write(PLATFORM_SYS_CLK_SELECT, 1); /* half the array's: configure.c depends on this ratio */
    platform_write(PLATFORM_CGRA_CLK_SELECT, 0);
    platform_write(PLATFORM_CLK_GATE_EN,
                   platform_read(PLATFORM_CLK_GATE_EN) & ~FIELD(PLATFORM_CLK_GATE_EN_CGRA, 1));
    uint32_t others = platform_read(PLATFORM_RESET_REQ) & ~cgra;
    if ((again && !reset_is(others, cgra)) || !reset_is(others, 0))
        fail(FW_ERROR_ARRAY_RESET, platform_read(PLATFORM_RESET_ACK), 0);
}
_Static_assert(PLATFORM_RESET_REQ_CGRA_LSB == PLATFORM_RESET_ACK_CGRA_LSB, "reset_is");
