/* mailbox.h - the mailbox, and the end of a program that fails. */
#ifndef ONYX_FIRMWARE_TARGET_MAILBOX_H
#define ONYX_FIRMWARE_TARGET_MAILBOX_H

#include "firmware/target/target.h"

extern volatile fw_mailbox mailbox;
ONCE void mailbox_clear(void);
void mailbox_add_cycles(volatile uint32_t counter[2], uint32_t cycles);
void mailbox_add_run(uint32_t worked, uint32_t all); /* the rest is the firmware's */
/* Writes the cause into the mailbox and stops. */
ONCE _Noreturn void fail(uint32_t error, uint32_t detail0, uint32_t detail1);

#endif
