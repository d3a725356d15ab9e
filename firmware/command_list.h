/* command_list.h - commands as the host encodes, reads, prints and checks them; generated from commands.def.
 *   FW_MAKE(copy, .from = a, .bytes = n, .to = b)    the words of a command; fields that are not named are 0
 *   FW_GET(made, copy, from)                         a field
 *   FW_SET(made, copy, times, n)                     changes a field
 */
#ifndef ONYX_FIRMWARE_COMMAND_LIST_H
#define ONYX_FIRMWARE_COMMAND_LIST_H

#include "firmware/commands.h"
#include "support/support.h"

/* A command's words in SRAM. */
enum {
    FW_COMMAND_WORDS = FW_COMMAND_BYTES / 4,
    FW_COMMAND_COUNTERS = (FW_COMMAND_BYTES - FW_COMMAND_CYCLES) / 4
};
typedef struct {
    uint32_t word[FW_COMMAND_WORDS];
} fw_command;
typedef VEC(fw_command) fw_commands;

/* Sets bits of a word. A value with more bits is a bug. */
static inline void fw_set_bits(uint32_t *word, uint32_t low, uint32_t bits, uint32_t value) {
    const uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1);
    BUG_IF(value & ~mask, "a field of a command has %u bits, its value is %u", bits, value);
    *word = (*word & ~(mask << low)) | value << low;
}

/* The fields of each command: fw_copy_fields and the like. */
#define FW_COMMAND(command, opcode, bits, doc) typedef struct {
#define FW_FIELD(command, field, word, low, bits, kind, doc) uint32_t field;
#define FW_COMMAND_END(command)                                                                              \
    }                                                                                                        \
    fw_##command##_fields;
/* clang-format off */
#include "firmware/commands.def"
#undef FW_COMMAND
#undef FW_FIELD
#undef FW_COMMAND_END

#define FW_COMMAND(command, opcode, bits, doc)                                                               \
    static inline fw_command fw_encode_##command(const fw_##command##_fields *fields) {                         \
        fw_command made = {{opcode}};
#define FW_FIELD(command, field, index, low, bits, kind, doc)                                                \
        fw_set_bits(&made.word[index], low, bits, fields->field);
#define FW_COMMAND_END(command)                                                                              \
        return made;                                                                                         \
    }
#include "firmware/commands.def"
#undef FW_COMMAND
#undef FW_FIELD
#undef FW_COMMAND_END
/* clang-format on */

#define FW_MAKE(command, ...) fw_encode_##command(&(fw_##command##_fields){__VA_ARGS__})
#define FW_GET(made, command, field) FW_TAKE((made)->word[FW_AT_##command##_##field / 4], command, field)
#define FW_SET(made, command, field, value)                                                                  \
    fw_set_bits(&(made)->word[FW_AT_##command##_##field / 4], FW_LOW_##command##_##field,                    \
                FW_BITS_##command##_##field, value)

/* Returns the command of the words: FW_COMMAND_copy etc.; FW_COMMANDS if the words are no command. */
uint32_t fw_command_of(const uint32_t *word);
/* Returns whether every set bit belongs to the opcode or to a field of the command. */
bool fw_command_is_plain(uint32_t command, const uint32_t *word);
/* Print a command as a line, "copy from=0x40 bytes=8 to=0x80" without fields equal to 0, and read a line
 * back; false for any other line. */
void fw_command_print(FILE *out, const uint32_t *word);
bool fw_command_parse(const char *line, fw_command *out);
/* Prints the table as a page: docs/notebook/commands.md. */
void fw_command_page(FILE *out);

#endif
