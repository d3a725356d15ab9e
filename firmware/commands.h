/* commands.h - the commands of a list, generated from commands.def: where their fields are, for the firmware
 * and for the host. C and C++; needs protocol.h alone.
 */
#ifndef ONYX_COMMANDS_H
#define ONYX_COMMANDS_H

#include "firmware/protocol.h"

/* FW_COMMAND_copy etc.: numbers of the commands, in the table's order. */
enum {
#define FW_COMMAND(command, opcode, bits, doc) FW_COMMAND_##command,
#define FW_FIELD(command, field, word, low, bits, kind, doc)
#define FW_COMMAND_END(command)
#include "firmware/commands.def"
#undef FW_COMMAND
#undef FW_FIELD
#undef FW_COMMAND_END
    FW_COMMANDS
};

/* FW_AT_copy_from, FW_LOW_copy_from, FW_BITS_copy_from and the like: a field's byte in the command, and its
 * lowest bit and number of bits in the word. */
enum {
#define FW_COMMAND(command, opcode, bits, doc)
#define FW_FIELD(command, field, word, low, bits, kind, doc)                                                 \
    FW_AT_##command##_##field = 4 * (word), FW_LOW_##command##_##field = (low),                              \
    FW_BITS_##command##_##field = (bits),
#define FW_COMMAND_END(command)
#include "firmware/commands.def"
#undef FW_COMMAND
#undef FW_FIELD
#undef FW_COMMAND_END
};

/* A field of a command, taken from its word. */
#define FW_TAKE(word, command, field)                                                                        \
    ((uint32_t)(word) >> FW_LOW_##command##_##field &                                                        \
     (uint32_t)((UINT64_C(1) << FW_BITS_##command##_##field) - 1))

#endif
