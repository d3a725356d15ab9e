/* commands.h - reads a field of the command at an address: command_field(at, copy, from). */
#ifndef ONYX_TARGET_COMMANDS_H
#define ONYX_TARGET_COMMANDS_H

#include "firmware/commands.h"
#include "firmware/target/hal.h"

#define command_field(at, command, field)                                                                    \
    FW_TAKE(bus_read32((at) + FW_AT_##command##_##field), command, field)

/* The whole word of a field: read once for commands that use both halves. */
#define command_word(at, command, field) bus_read32((at) + FW_AT_##command##_##field)

#endif
