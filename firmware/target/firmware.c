/* The program: starts the array, configures the array, and runs batches for the host. */
#include "firmware/target/hal.h"
#include "firmware/target/mailbox.h"
#include "firmware/target/sums.h"
#include "firmware/target/target.h"

SMALL_FROM_HERE

/* This word stands between data and stack. */
#define GUARD 0x57ac4a4du
static __attribute__((section(".guard"))) volatile uint32_t stack_guard;

static void count_cycles(void) {
    core_write(CORE_DEMCR, core_read(CORE_DEMCR) | FIELD(CORE_DEMCR_TRCENA, 1));
    core_write(CORE_DWT_CYCCNT, 0);
    core_write(CORE_DWT_CTRL, core_read(CORE_DWT_CTRL) | FIELD(CORE_DWT_CTRL_CYCCNTENA, 1));
}

void firmware_boot(const kernel_description *k) {
    stack_guard = GUARD;
    mailbox_clear();
    platform_start_array(false);
    image_check(k);
    count_cycles();
    configure_boot(k);
    if (k->n_images)
        dispatch_begin(k);
    mailbox_add_cycles(mailbox.config_cycles, cycles_now());
    mailbox.state = FW_STATE_READY;
    mailbox.magic = FW_MAILBOX_MAGIC;
}

SMALL_TO_HERE

void firmware_serve(const kernel_description *k) {
    uint32_t command = mailbox.command;
    if (command == mailbox.done)
        return;
    mailbox.state = FW_STATE_RUNNING;
    const uint32_t callee = mailbox.callee;
    if (callee < FW_FUNCTION)
        dispatch_batch(k, callee, mailbox.table, mailbox.runs, mailbox.outputs);
    else if (callee == FW_CHECK)
        image_check_segment();
    else if (k->call)
        k->call(k, callee - FW_FUNCTION, mailbox.table, mailbox.runs, mailbox.outputs);
    else
        fail(FW_ERROR_BAD_FUNCTION, callee - FW_FUNCTION, 0);
    if (stack_guard != GUARD)
        fail(FW_ERROR_STACK_OVERFLOW, stack_guard, 0);
    hal_order(); /* results that the program itself has written are there */
    mailbox.state = FW_STATE_READY;
    mailbox.done = command;
}
