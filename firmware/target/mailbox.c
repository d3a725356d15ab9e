/* The mailbox: the firmware's interface to the host. The linker puts the mailbox at FW_MAILBOX_OFFSET. */
#include "firmware/target/mailbox.h"
#include "firmware/target/hal.h"
#include "firmware/target/sums.h"
#include "firmware/target/target.h"

__attribute__((section(".mailbox"))) volatile fw_mailbox mailbox;

_Static_assert(sizeof(fw_mailbox) == FW_MAILBOX_BYTES, "docs/firmware.md");

SMALL_FROM_HERE

/* Clears the mailbox, since SRAM holds anything after power-up, and an old magic after a restart. */
void mailbox_clear(void) {
    volatile uint32_t *words = (volatile uint32_t *)&mailbox;
    for (const volatile uint32_t *end = words + sizeof mailbox / sizeof *words; words < end; words += 4)
        words[0] = words[1] = words[2] = words[3] = 0;
    mailbox.version = FW_PROTOCOL_VERSION;
}

SMALL_TO_HERE

static void add(volatile uint32_t counter[2], uint32_t cycles) {
    uint32_t low = counter[0] + cycles;
    counter[0] = low;
    if (low < cycles)
        counter[1] = counter[1] + 1;
}

void mailbox_add_cycles(volatile uint32_t counter[2], uint32_t cycles) {
    add(counter, cycles);
    add(mailbox.total_cycles, cycles);
}

void mailbox_add_run(uint32_t worked, uint32_t all) {
    add(mailbox.kernel_cycles, worked);
    add(mailbox.firmware_cycles, all - worked);
    add(mailbox.total_cycles, all);
}

void mailbox_add_checked(uint32_t cycles) {
    add(mailbox.checked, cycles);
}

_Noreturn void fail(uint32_t error, uint32_t detail0, uint32_t detail1) {
    mailbox.detail[0] = detail0;
    mailbox.detail[1] = detail1;
    mailbox.error = error;
    mailbox.state = FW_STATE_FAILED;
    mailbox.magic = FW_MAILBOX_MAGIC; /* a failed boot is visible, too */
    hal_stop();
}
