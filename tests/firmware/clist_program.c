/* In place of firmware.c on an emulated Cortex-M3: the cases of tests/support/clist_cases.h. Ends by
 * semihosting with exit code 0, or the number of the first case that is wrong. */
#include "tests/firmware/leave.h"
#include "tests/support/clist_cases.h"

enum { CASES = 3000, CASES_OF_OTHERS = 100, MOST = 4 };

static clist_case memory;

void firmware_boot(const kernel_description *k) {
    (void)k;
    uint32_t wrong = 0;
    for (uint32_t p = 0; p < POLICIES && !wrong; p++) {
        memory.how = &policies[p];
        wrong = clist_wrong_case(&memory, p == POLICY_COORD ? CASES : CASES_OF_OTHERS, MOST);
    }
    leave(wrong);
}

_Noreturn void fail(uint32_t error, uint32_t detail0, uint32_t detail1) {
    (void)error, (void)detail0, (void)detail1;
    leave(UINT32_MAX);
}
