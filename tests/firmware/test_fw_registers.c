/* The register table: no two registers or fields overlap, the constants equal the table, and
 * docs/registers.md and docs/errors/firmware.md are made from the tables. */
#include <ctype.h>
#include <stdlib.h>

#include "firmware/fw_int.h"
#include "firmware/register_table.h"
#include "firmware/registers.h"
#include "tests/test.h"

#define regs fw_registers
#define fields fw_register_fields
typedef fw_register reg_row;
typedef fw_register_field field_row;
enum { REGS = FW_REGISTERS, FIELDS = FW_REGISTER_FIELDS };

static bool is_register_of(const field_row *f, const reg_row *r) {
    return strcmp(f->block, r->block) == 0 && strcmp(f->reg, r->name) == 0;
}

static void registers_do_not_overlap(void **state) {
    (void)state;
    static const char *const blocks[] = {"PLATFORM", "GLC", "GLB", "CORE"};
    for (size_t b = 0; b < 4; b++) {
        static bool taken[0x10000 / 4];
        memset(taken, 0, sizeof taken);
        for (uint32_t i = 0; i < REGS; i++) {
            if (strcmp(regs[i].block, blocks[b]) != 0)
                continue;
            for (uint32_t k = 0; k < regs[i].count; k++) {
                uint32_t at = regs[i].offset + k * regs[i].stride;
                assert_int_equal(at % 4, 0);
                assert_true(at < 0x10000);
                assert_true(strcmp(blocks[b], "GLB") != 0 || at < GLB_TILE_STRIDE);
                if (taken[at / 4])
                    fail_msg("%s.%s overlaps another register", regs[i].block, regs[i].name);
                taken[at / 4] = true;
            }
        }
    }
}

static void fields_lie_in_their_registers(void **state) {
    (void)state;
    for (uint32_t i = 0; i < REGS; i++) {
        uint64_t taken = 0;
        for (uint32_t k = 0; k < FIELDS; k++) {
            if (!is_register_of(&fields[k], &regs[i]))
                continue;
            uint64_t bits = ((UINT64_C(1) << fields[k].width) - 1) << fields[k].lsb;
            assert_true(fields[k].width > 0 && bits <= UINT32_MAX);
            assert_int_equal(taken & bits, 0);
            taken |= bits;
        }
    }
    for (uint32_t k = 0; k < FIELDS; k++) {
        uint32_t owners = 0;
        for (uint32_t i = 0; i < REGS; i++)
            owners += is_register_of(&fields[k], &regs[i]);
        assert_int_equal(owners, 1);
    }
}

/* Addresses published for the chip, by hand. */
static void constants_are_the_chips(void **state) {
    (void)state;
    assert_int_equal(GLC_STREAM_START, 0x18);
    assert_int_equal(GLC_CFG_READ_DATA, 0x50);
    assert_int_equal(GLC_FLUSH_CROSSBAR, 0x54);
    assert_int_equal(GLB_LD_RANGE + 7 * GLB_LD_RANGE_STRIDE, 0xdc);
    assert_int_equal(GLB_ST_CYCLE_STRIDE + 6 * GLB_ST_CYCLE_STRIDE_STRIDE, 0x74);
    assert_int_equal(GLB_LD_RANGE_COUNT, 8);
    assert_int_equal(FIELD(GLB_LD_CTRL_MODE, DMA_ONCE) | FIELD(GLB_LD_CTRL_VALID_MODE, LD_READY_VALID) |
                         FIELD(GLB_LD_CTRL_DATA_MUX, GLB_COLUMN_ODD),
                     0x49);
    assert_int_equal(FIELD(GLB_ST_CTRL_MODE, DMA_ONCE) | FIELD(GLB_ST_CTRL_VALID_MODE, ST_READY_VALID) |
                         FIELD(GLB_ST_CTRL_DATA_MUX, GLB_COLUMN_EVEN),
                     0x15);
    assert_int_equal(FIELD(GLC_STREAM_START_F2G, 0x12345), 0x23450000); /* never beyond its field */
    assert_int_equal(FIELD(GLB_PCFG_BROADCAST_MUX_SOUTH, BROADCAST_OWN_DMA) |
                         FIELD(GLB_PCFG_BROADCAST_MUX_EAST, BROADCAST_OWN_DMA),
                     0x14);
}

/* "StartAddr" of the RTL is START_ADDR of the table. */
static void table_name(const char *name, size_t length, char *out) {
    for (size_t i = 0; i < length; i++) {
        if (i && isupper((unsigned char)name[i]))
            *out++ = '_';
        *out++ = (char)toupper((unsigned char)name[i]);
    }
    *out = '\0';
}

static const reg_row *find_register(const char *block, const char *name) {
    for (uint32_t i = 0; i < REGS; i++) {
        if (strcmp(regs[i].block, block) == 0 && strcmp(regs[i].name, name) == 0)
            return &regs[i];
    }
    fail_msg("%s has no register %s", block, name);
    return NULL;
}

/* How many names "<prefix>Name = <number>" the module declares, each with the word the table says. */
static uint32_t compare_module(fixture *f, const char *module, char prefix, const char *block) {
    size_t length = 0;
    uint32_t found = 0;
    const char *text = file_read(arena_printf(&f->mem, ONYX_SOURCE_DIR "/rtl_models/rtl/%s", module), &f->mem,
                                 &length, &f->diag);
    assert_non_null(text);
    for (const char *at = strchr(text, prefix); at; at = strchr(at + 1, prefix)) {
        size_t n = 1;
        char name[64];
        if (isalnum((unsigned char)at[-1]) || at[-1] == '_' || !isupper((unsigned char)at[1]))
            continue;
        while (isalnum((unsigned char)at[n]))
            n++;
        if (strncmp(at + n, " = ", 3) != 0 || n > 30)
            continue;
        const char *number = at + n + 3;
        const char *digits = strncmp(number, "5'd", 3) == 0 ? number + 3 : number;
        table_name(at + 1, n - 1, name);
        assert_int_equal(4 * strtoul(digits, NULL, 10), find_register(block, name)->offset);
        found++;
    }
    return found;
}

/* The platform controller's reset values equal its public description; every used register of the controller,
 * the buffer and the processor resets to 0, but for frames of exceptions at multiples of 8, as the
 * processor's integration has them. */
static void reset_values_are_the_chips(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint32_t reset;
    } platform[] = {{"ID", 0x5a5a5a5a},      {"SYS_CLK_SELECT", 1}, {"CGRA_CLK_SELECT", 5},
                    {"CLK_GATE_EN", 0x7d5c}, {"RESET_REQ", 0x7dd8}, {"RESET_ACK", 0x7dd8}};
    uint32_t rows = 0;
    for (uint32_t i = 0; i < sizeof platform / sizeof *platform; i++)
        assert_int_equal(find_register("PLATFORM", platform[i].name)->reset, platform[i].reset);
    for (uint32_t i = 0; i < REGS; i++) {
        bool of_platform = strcmp(regs[i].block, "PLATFORM") == 0;
        rows += of_platform;
        assert_int_equal(of_platform ? 0 : regs[i].reset, strcmp(regs[i].name, "CCR") == 0 ? 0x200 : 0);
    }
    assert_int_equal(rows, sizeof platform / sizeof *platform);
}

static void the_rtl_has_these_addresses(void **state) {
    uint32_t controller = 0;
    for (uint32_t i = 0; i < REGS; i++)
        controller += strcmp(regs[i].block, "GLC") == 0;
    assert_int_equal(compare_module(*state, "onyx_glc.sv", 'W', "GLC"), controller);
    assert_int_equal(compare_module(*state, "onyx_glb_tile.sv", 'R', "GLB"), 19);
}

static void print_fields(FILE *out, const reg_row *r) {
    for (uint32_t k = 0; k < FIELDS; k++) {
        if (!is_register_of(&fields[k], r))
            continue;
        uint32_t top = fields[k].lsb + fields[k].width - 1;
        if (fields[k].width == 1)
            fprintf(out, "| | [%u] | | | `%s`", top, fields[k].field);
        else
            fprintf(out, "| | [%u:%u] | | | `%s`", top, fields[k].lsb, fields[k].field);
        fprintf(out, *fields[k].doc ? " %s |\n" : "%s |\n", fields[k].doc);
    }
}

static void print_registers(FILE *out) {
    fprintf(
        out,
        "# Registers the firmware uses\n\nAddresses, access and reset of the registers, by their names in "
        "[firmware](firmware.md). For people who write a host or\nfirmware of their own.\n\n"
        "Made from `firmware/registers.def` by `test_fw_registers`; do not edit. RO: read only; W1C: "
        "writing 1 clears; WP: a\nwrite acts, reads are 0.\n\n"
        "| block | address on board `onyx` |\n|---|---|\n"
        "| `PLATFORM`, the platform controller | `0x40007000` |\n"
        "| `GLC`, the controller of array and buffer | `0x40010000` |\n"
        "| `GLB`, tile g of the global buffer | `0x40011000 + 0x100 * g` |\n"
        "| `CORE`, the processor's own | `0xe0000000` |\n\n"
        "| register | offset | access | reset | meaning |\n|---|---|---|---|---|\n");
    for (uint32_t i = 0; i < REGS; i++) {
        const reg_row *r = &regs[i];
        fprintf(out, "| `%s_%s` | %02x", r->block, r->name, r->offset);
        if (r->count > 1)
            fprintf(out, " + %u * k, k < %u", r->stride, r->count);
        fprintf(out, " | %s | %x | %s |\n", r->access, r->reset, r->doc);
        print_fields(out, r);
    }
}

static void the_register_page_is_current(void **state) {
    fixture *f = *state;
    char *want = NULL;
    size_t length = 0, have = 0;
    FILE *out = open_memstream(&want, &length);
    print_registers(out);
    fclose(out);
    const char *page = file_read(ONYX_SOURCE_DIR "/docs/registers.md", &f->mem, &have, &f->diag);
    if (!page || strcmp(page, want) != 0) {
        const char *made = ONYX_BINARY_DIR "/tests/registers.md";
        FILE *copy = fopen(made, "w");
        assert_non_null(copy);
        fputs(want, copy);
        fclose(copy);
        free(want);
        fail_msg("docs/registers.md is not what the table says: copy '%s' there", made);
    }
    free(want);
}

static void the_error_page_lists_every_number(void **state) {
    fixture *f = *state;
    size_t length = 0;
    const char *page = file_read(ONYX_SOURCE_DIR "/docs/errors/firmware.md", &f->mem, &length, &f->diag);
    assert_non_null(page);
    for (uint32_t i = 1; fw_error_find(i); i++) {
        const fw_error_info *e = fw_error_find(i);
        const char *row = arena_printf(&f->mem, "\n| %u | %s | %s |", e->number, e->name, e->message);
        if (!strstr(page, row))
            fail_msg("docs/errors/firmware.md lacks error %u, %s", e->number, e->name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(registers_do_not_overlap),          TEST(fields_lie_in_their_registers),
        TEST(constants_are_the_chips),           TEST(reset_values_are_the_chips),
        TEST(the_rtl_has_these_addresses),       TEST(the_register_page_is_current),
        TEST(the_error_page_lists_every_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
