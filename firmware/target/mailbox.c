/* The mailbox: what the host sees of the firmware. The linker puts it at FW_MAILBOX_OFFSET. */
#include "firmware/target/hal.h"
#include "firmware/target/target.h"

__attribute__((section(".mailbox"))) volatile fw_mailbox mailbox;

_Static_assert(offsetof(fw_mailbox, state) == FW_MAILBOX_STATE, "docs/firmware.md");
_Static_assert(offsetof(fw_mailbox, error) == FW_MAILBOX_ERROR, "docs/firmware.md");
_Static_assert(offsetof(fw_mailbox, detail) == FW_MAILBOX_DETAIL, "docs/firmware.md");
_Static_assert(offsetof(fw_mailbox, command) == FW_MAILBOX_COMMAND, "docs/firmware.md");
_Static_assert(offsetof(fw_mailbox, done) == FW_MAILBOX_DONE, "docs/firmware.md");
_Static_assert(offsetof(fw_mailbox, runs) == FW_MAILBOX_RUNS, "docs/firmware.md");
_Static_assert(offsetof(fw_mailbox, table) == FW_MAILBOX_TABLE, "docs/firmware.md");
_Static_assert(offsetof(fw_mailbox, outputs) == FW_MAILBOX_OUTPUTS, "docs/firmware.md");
_Static_assert(offsetof(fw_mailbox, rewritten) == FW_MAILBOX_REWRITTEN, "docs/firmware.md");
_Static_assert(offsetof(fw_mailbox, config_cycles) == FW_MAILBOX_CYCLES, "docs/firmware.md");
_Static_assert(sizeof(fw_mailbox) == FW_MAILBOX_BYTES, "docs/firmware.md");

/* Clears the mailbox, since SRAM holds anything after power-up, and an old magic after a restart. */
void mailbox_clear(void) {
    volatile uint32_t *words = (volatile uint32_t *)&mailbox;
    for (uint32_t i = 0; i < sizeof mailbox / sizeof *words; i++)
        words[i] = 0;
    mailbox.version = FW_PROTOCOL_VERSION;
}

static void add(volatile uint32_t counter[2], uint64_t cycles) {
    uint64_t sum = (counter[0] | (uint64_t)counter[1] << 32) + cycles;
    counter[0] = (uint32_t)sum;
    counter[1] = (uint32_t)(sum >> 32);
}

void mailbox_add_cycles(volatile uint32_t counter[2], uint64_t cycles) {
    add(counter, cycles);
    add(mailbox.total_cycles, cycles);
}

_Noreturn void fail(uint32_t error, uint32_t detail0, uint32_t detail1) {
    mailbox.detail[0] = detail0;
    mailbox.detail[1] = detail1;
    mailbox.error = error;
    mailbox.state = FW_STATE_FAILED;
    mailbox.magic = FW_MAILBOX_MAGIC; /* a failed boot is visible, too */
    hal_stop();
}
