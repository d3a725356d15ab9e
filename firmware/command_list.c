/* The table of commands at run time: decodes words, prints commands, and writes the page in docs/. */
#include "firmware/command_list.h"

#include <ctype.h>
#include <stdlib.h>

/* Flags of protocol.h with fields of their own in a command's first word. */
_Static_assert(FW_PACK_MORE == 1 << FW_LOW_gather_more && FW_PACK_OPEN == 1 << FW_LOW_gather_open &&
                   FW_PACK_FILL_SHIFT - FW_LOW_gather_fill == 0 &&
                   FW_PACK_BITS == (1 << FW_BITS_pack_how) - 1,
               "a compressed vector");
_Static_assert(FW_ENTRIES_TURNED == 1 << FW_LOW_take_turned && FW_ENTRIES_DENSE == 1 << FW_LOW_shape_dense &&
                   FW_ENTRIES_PADDED == 1 << FW_LOW_shape_padded,
               "a list of entries");
_Static_assert(FW_CALC_NUMBER == 1 << FW_LOW_calc_number && FW_TEST_WORD == 1 << FW_LOW_test_word,
               "a value of two, a test");
_Static_assert(4 * FW_COMMAND_WORDS == FW_COMMAND_BYTES && FW_AT_batch_config - FW_COMMAND_CYCLES == 0,
               "a command");

typedef struct {
    const char *name;
    uint32_t word, low, bits;
    const char *kind, *doc;
} field_row;

typedef struct {
    const char *name;
    uint32_t opcode, told_by; /* bits of the first word */
    const char *doc;
    const field_row *fields;
    uint32_t n;
} command_row;

#define FW_COMMAND(command, opcode, bits, doc) static const field_row fields_of_##command[] = {
#define FW_FIELD(command, field, word, low, bits, kind, doc) {#field, word, low, bits, #kind, doc},
#define FW_COMMAND_END(command)                                                                              \
    }                                                                                                        \
    ;
/* clang-format off */
#include "firmware/commands.def"
#undef FW_COMMAND
#undef FW_FIELD
#undef FW_COMMAND_END
/* clang-format on */

static const command_row rows[] = {
#define FW_COMMAND(command, opcode, bits, doc)                                                               \
    {#command, opcode, bits, doc, fields_of_##command, sizeof fields_of_##command / sizeof(field_row)},
#define FW_FIELD(command, field, word, low, bits, kind, doc)
#define FW_COMMAND_END(command)
#include "firmware/commands.def"
#undef FW_COMMAND
#undef FW_FIELD
#undef FW_COMMAND_END
};

static uint32_t field_mask(const field_row *f) {
    return (uint32_t)((UINT64_C(1) << f->bits) - 1) << f->low;
}

static uint32_t field_in(const field_row *f, const uint32_t *word) {
    return (word[f->word] & field_mask(f)) >> f->low;
}

uint32_t fw_command_of(const uint32_t *word) {
    if (word[0] < FW_ENTRIES || word[0] >= FW_FUNCTION)
        return FW_COMMAND_batch;
    for (uint32_t c = FW_COMMAND_batch + 1; c < FW_COMMANDS; c++) {
        if ((word[0] & rows[c].told_by) == rows[c].opcode)
            return c;
    }
    return FW_COMMANDS;
}

bool fw_command_is_plain(uint32_t command, const uint32_t *word) {
    const command_row *row = &rows[command];
    uint32_t known[FW_COMMAND_WORDS] = {row->told_by};
    bool plain = true;
    for (uint32_t f = 0; f < row->n; f++)
        known[row->fields[f].word] |= field_mask(&row->fields[f]);
    for (uint32_t w = 0; w < FW_COMMAND_WORDS; w++)
        plain = plain && !(word[w] & ~known[w]);
    return plain;
}

/* ---- text ---------------------------------------------------------------------------------------- */

/* Addresses are hexadecimal; counts, lengths and values are not. */
static bool is_hexadecimal(const field_row *f) {
    return strcmp(f->kind, "PLACE") == 0 || strcmp(f->kind, "CELL") == 0 || strcmp(f->kind, "TABLE") == 0 ||
           strcmp(f->kind, "BITS") == 0 || strcmp(f->kind, "PAIR") == 0;
}

void fw_command_print(FILE *out, const uint32_t *word) {
    const uint32_t command = fw_command_of(word);
    if (command == FW_COMMANDS || !fw_command_is_plain(command, word)) {
        fputs("words", out);
        for (uint32_t w = 0; w < FW_COMMAND_WORDS; w++)
            fprintf(out, " 0x%x", word[w]);
        fputc('\n', out);
        return;
    }
    fputs(rows[command].name, out);
    for (uint32_t f = 0; f < rows[command].n; f++) {
        const field_row *field = &rows[command].fields[f];
        const uint32_t value = field_in(field, word);
        if (value)
            fprintf(out, is_hexadecimal(field) ? " %s=0x%x" : " %s=%u", field->name, value);
    }
    fputc('\n', out);
}

/* Reads a number up to a blank or the end; returns the rest, or NULL. */
static const char *number_at(const char *text, uint32_t *value) {
    char *end;
    if (!isdigit((unsigned char)*text))
        return NULL;
    const unsigned long long read = strtoull(text, &end, 0);
    *value = (uint32_t)read;
    return read <= UINT32_MAX && (*end == ' ' || *end == '\0' || *end == '\n') ? end : NULL;
}

static bool parse_words(const char *at, fw_command *out) {
    for (uint32_t w = 0; w < FW_COMMAND_WORDS && at; w++)
        at = *at == ' ' ? number_at(at + 1, &out->word[w]) : NULL;
    return at && (*at == '\0' || *at == '\n');
}

static const field_row *field_named(const command_row *row, const char *name, size_t length) {
    for (uint32_t f = 0; f < row->n; f++) {
        if (strlen(row->fields[f].name) == length && strncmp(row->fields[f].name, name, length) == 0)
            return &row->fields[f];
    }
    return NULL;
}

static bool parse_fields(const command_row *row, const char *at, fw_command *out) {
    out->word[0] = row->opcode;
    while (at && *at == ' ') {
        const size_t length = strcspn(++at, "= \n");
        const field_row *f = at[length] == '=' ? field_named(row, at, length) : NULL;
        uint32_t value = 0;
        at = f ? number_at(at + length + 1, &value) : NULL;
        if (!at || (uint64_t)value >> f->bits)
            return false;
        fw_set_bits(&out->word[f->word], f->low, f->bits, value);
    }
    return at && (*at == '\0' || *at == '\n');
}

bool fw_command_parse(const char *line, fw_command *out) {
    const size_t length = strcspn(line, " \n");
    *out = (fw_command){{0}};
    if (length == strlen("words") && strncmp(line, "words", length) == 0)
        return parse_words(line + length, out);
    for (uint32_t c = 0; c < FW_COMMANDS; c++) {
        if (strlen(rows[c].name) == length && strncmp(rows[c].name, line, length) == 0)
            return parse_fields(&rows[c], line + length, out);
    }
    return false;
}

/* ---- the page ------------------------------------------------------------------------------------ */

void fw_command_page(FILE *out) {
    fputs("# Commands of a list\n\n"
          "<!-- written by build/tests/test_fw_commands --write from firmware/commands.def -->\n\n"
          "The commands that the chip's processor goes through by itself in a loop of a program "
          "([firmware](../firmware.md#lists)).\n"
          "For people who write firmware or read batch files; `--dump list` keeps the lists of a program "
          "with these names.\n\n"
          "A command has seven words of 32 bits, the opcode in the first; all bits without a field are 0.\n\n"
          "| kind | unit |\n|---|---|\n"
          "| `PLACE` | a byte of the global buffer, or `0x80000000` and a byte of the scratch area |\n"
          "| `CELL` | address in SRAM of a run table's {first byte, words}; 0: none |\n"
          "| `TABLE` | address in SRAM |\n"
          "| `BYTES`, `WORDS`, `STEP` | bytes; words of 16 bits; bytes between neighbours |\n"
          "| `COUNT`, `CRD`, `SIGNED` | a number; a coordinate; a number that may be negative |\n"
          "| `PAIR` | two numbers of 16 bits, the outer level's above |\n"
          "| `VALUE`, `OP`, `BITS` | 16 bits; an operation (`FW_OP_*`); flags |\n"
          "| `CYCLES` | of the processor; the firmware adds them up |\n",
          out);
    for (uint32_t c = 0; c < FW_COMMANDS; c++) {
        fprintf(out,
                "\n## %s\n\n`0x%08x`: %s.\n\n| field | word | bits | kind | meaning "
                "|\n|---|---|---|---|---|\n",
                rows[c].name, rows[c].opcode, rows[c].doc);
        for (uint32_t f = 0; f < rows[c].n; f++) {
            const field_row *field = &rows[c].fields[f];
            fprintf(out, "| `%s` | %u | %u..%u | %s | %s |\n", field->name, field->word, field->low,
                    field->low + field->bits - 1, field->kind, field->doc);
        }
    }
}
