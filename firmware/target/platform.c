/* Gives the array its clock and lifts its reset: it wakes up without either. Clocks are set whatever is
 * found: an earlier program may have left others, and cycles would be counted in another unit. */
#include "firmware/target/hal.h"
#include "firmware/target/target.h"

enum { PLATFORM_ID_VALUE = 0x5a5a5a5a, RESET_TRIES = 1000 };

void platform_start_array(bool again) {
    uint32_t id = platform_read(PLATFORM_ID);
    if (id != PLATFORM_ID_VALUE)
        fail(FW_ERROR_PLATFORM_ID, id, PLATFORM_ID_VALUE);
    platform_write(PLATFORM_SYS_CLK_SELECT, 1); /* half the array's: configure.c counts on it */
    platform_write(PLATFORM_CGRA_CLK_SELECT, 0);
    platform_write(PLATFORM_CLK_GATE_EN,
                   platform_read(PLATFORM_CLK_GATE_EN) & ~FIELD(PLATFORM_CLK_GATE_EN_CGRA, 1));
    uint32_t others = platform_read(PLATFORM_RESET_REQ) & ~FIELD(PLATFORM_RESET_REQ_CGRA, 1);
    if (again)
        platform_write(PLATFORM_RESET_REQ, others | FIELD(PLATFORM_RESET_REQ_CGRA, 1));
    platform_write(PLATFORM_RESET_REQ, others);
    for (uint32_t tries = 0; tries < RESET_TRIES; tries++) {
        if (!(platform_read(PLATFORM_RESET_ACK) & FIELD(PLATFORM_RESET_ACK_CGRA, 1)))
            return;
    }
    fail(FW_ERROR_ARRAY_RESET, platform_read(PLATFORM_RESET_ACK), 0);
}
