/* Registers of the chip by name, for people with a debugger. */
#include "firmware/register_table.h"
#include "firmware/registers.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

const fw_register fw_registers[FW_REGISTERS] = {
#define REGISTER(block, name, offset, access, reset, doc) {#block, #name, #access, doc, offset, 0, 1, reset},
#define REGISTER_ARRAY(block, name, offset, stride, count, access, reset, doc)                               \
    {#block, #name, #access, doc, offset, stride, count, reset},
#define REGISTER_FIELD(block, reg, field, lsb, width, doc)
#include "firmware/registers.def"
#undef REGISTER
#undef REGISTER_ARRAY
#undef REGISTER_FIELD
};
const fw_register_field fw_register_fields[FW_REGISTER_FIELDS] = {
#define REGISTER(block, name, offset, access, reset, doc)
#define REGISTER_FIELD(block, reg, field, lsb, width, doc) {#block, #reg, #field, doc, lsb, width},
#include "firmware/registers.def"
#undef REGISTER
#undef REGISTER_FIELD
};

/* ---- names -------------------------------------------------------------------------------------- */

static bool is_of(const fw_register *r, const char *block) {
    return strcmp(r->block, block) == 0;
}

static uint32_t block_base(const pnr_board *b, const char *block, uint32_t tile) {
    if (strcmp(block, "PLATFORM") == 0)
        return b->map.platform;
    if (strcmp(block, "GLC") == 0)
        return b->map.cgra_reg;
    if (strcmp(block, "GLB") == 0)
        return b->map.cgra_reg + GLB_FROM_GLC + GLB_TILE_STRIDE * tile;
    return CORE_BASE;
}

/* Takes a decimal number of at most three digits off a text. */
static bool take_number(const char **text, uint32_t *to) {
    uint32_t digits = 0;
    for (*to = 0; **text >= '0' && **text <= '9' && digits < 3; ++*text, digits++)
        *to = 10 * *to + (uint32_t)(**text - '0');
    return digits > 0;
}

/* Takes the block's name off a register's name, and the tile's number behind GLB. */
static bool take_block(const pnr_board *b, const char **text, const char **block, uint32_t *tile) {
    static const char *const blocks[] = {"PLATFORM", "GLC", "GLB", "CORE"};
    *tile = 0;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        const size_t length = strlen(blocks[i]);
        if (strncmp(*text, blocks[i], length) != 0)
            continue;
        *text += length;
        *block = blocks[i];
        return strcmp(*block, "GLB") != 0 || (take_number(text, tile) && *tile < b->glb_tiles);
    }
    return false;
}

static fw_register_at register_at(const pnr_board *b, const fw_register *row, uint32_t tile, uint32_t index) {
    return (fw_register_at){row, tile, index,
                            block_base(b, row->block, tile) + row->offset + row->stride * index};
}

bool fw_register_find(const pnr_board *b, const char *name, fw_register_at *out) {
    const char *block;
    uint32_t tile, index = 0;
    if (!take_block(b, &name, &block, &tile) || *name++ != '_')
        return false;
    for (uint32_t i = 0; i < FW_REGISTERS; i++) {
        const fw_register *row = &fw_registers[i];
        const size_t length = strlen(row->name);
        if (!is_of(row, block) || strncmp(name, row->name, length) != 0)
            continue;
        const char *rest = name + length;
        const bool numbered =
            row->count > 1 && *rest++ == '[' && take_number(&rest, &index) && strcmp(rest, "]") == 0;
        if (row->count > 1 ? !numbered || index >= row->count : *rest != '\0')
            continue;
        *out = register_at(b, row, tile, index);
        return true;
    }
    return false;
}

const char *fw_register_name(const fw_register_at *r, arena *mem) {
    const char *tile = is_of(r->row, "GLB") ? arena_printf(mem, "%u", r->tile) : "";
    const char *index = r->row->count > 1 ? arena_printf(mem, "[%u]", r->index) : "";
    return arena_printf(mem, "%s%s_%s%s", r->row->block, tile, r->row->name, index);
}

bool fw_registers_of(const pnr_board *b, const char *name, arena *mem, fw_register_list *out) {
    const char *block;
    uint32_t tile;
    if (!take_block(b, &name, &block, &tile) || *name)
        return false;
    for (uint32_t i = 0; i < FW_REGISTERS; i++) {
        for (uint32_t k = 0; is_of(&fw_registers[i], block) && k < fw_registers[i].count; k++)
            vec_push(mem, out, register_at(b, &fw_registers[i], tile, k));
    }
    return true;
}

/* ---- SVD ---------------------------------------------------------------------------------------- */

static const char *svd_access(const fw_register *r) {
    return strcmp(r->access, "RO") == 0   ? "read-only"
           : strcmp(r->access, "WP") == 0 ? "write-only"
                                          : "read-write";
}

static void put_doc(const char *doc, FILE *out) {
    fputs("<description>", out);
    text_put_escaped(doc, out);
    fputs("</description>", out);
}

static void put_fields(const fw_register *r, FILE *out) {
    const char *begin = "          <fields>\n", *end = "";
    for (uint32_t i = 0; i < FW_REGISTER_FIELDS; i++) {
        const fw_register_field *f = &fw_register_fields[i];
        if (!is_of(r, f->block) || strcmp(f->reg, r->name) != 0)
            continue;
        fprintf(out, "%s            <field><name>%s</name>", begin, f->field);
        put_doc(*f->doc ? f->doc : f->field, out);
        fprintf(out, "<bitOffset>%u</bitOffset><bitWidth>%u</bitWidth></field>\n", f->lsb, f->width);
        begin = "", end = "          </fields>\n";
    }
    fputs(end, out);
}

static void put_register(const fw_register *r, FILE *out) {
    fputs("        <register>\n          ", out);
    if (r->count > 1)
        fprintf(out, "<dim>%u</dim><dimIncrement>0x%x</dimIncrement>", r->count, r->stride);
    fprintf(out, "<name>%s%s</name>", r->name, r->count > 1 ? "[%s]" : "");
    put_doc(r->doc, out);
    fprintf(out, "<addressOffset>0x%x</addressOffset><access>%s</access><resetValue>0x%x</resetValue>\n",
            r->offset, svd_access(r), r->reset);
    if (strcmp(r->access, "W1C") == 0)
        fputs("          <modifiedWriteValues>oneToClear</modifiedWriteValues>\n", out);
    put_fields(r, out);
    fputs("        </register>\n", out);
}

static void put_peripheral(const pnr_board *b, const char *block, const char *doc, FILE *out) {
    const bool glb = strcmp(block, "GLB") == 0;
    fprintf(out, "    <peripheral>\n      <name>%s%s</name>", block, glb ? "0" : "");
    put_doc(doc, out);
    fprintf(out,
            "<baseAddress>0x%08x</baseAddress>\n      <addressBlock><offset>0</offset><size>0x%x</size>"
            "<usage>registers</usage></addressBlock>\n",
            block_base(b, block, 0), GLB_TILE_STRIDE);
    if (strcmp(block, "GLC") == 0)
        fprintf(out, "      <interrupt><name>CGRA</name><value>%u</value></interrupt>\n", b->map.cgra_irq);
    fputs("      <registers>\n", out);
    for (uint32_t i = 0; i < FW_REGISTERS; i++) {
        if (is_of(&fw_registers[i], block))
            put_register(&fw_registers[i], out);
    }
    fputs("      </registers>\n    </peripheral>\n", out);
    for (uint32_t tile = 1; glb && tile < b->glb_tiles; tile++)
        fprintf(out,
                "    <peripheral derivedFrom=\"GLB0\"><name>GLB%u</name><baseAddress>0x%08x</baseAddress>"
                "</peripheral>\n",
                tile, block_base(b, block, tile));
}

void fw_write_svd(const pnr_board *b, FILE *out) {
    fprintf(
        out,
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
        "<device schemaVersion=\"1.3\" xmlns:xs=\"http://www.w3.org/2001/XMLSchema-instance\" "
        "xs:noNamespaceSchemaLocation=\"CMSIS-SVD.xsd\">\n"
        "  <name>%s</name><version>1</version>"
        "<description>Registers used by the firmware of onyx</description>\n"
        "  <cpu><name>CM3</name><revision>r2p0</revision><endian>little</endian><mpuPresent>true</mpuPresent>"
        "<fpuPresent>false</fpuPresent><nvicPrioBits>3</nvicPrioBits>"
        "<vendorSystickConfig>false</vendorSystickConfig></cpu>\n"
        "  <addressUnitBits>8</addressUnitBits><width>32</width><size>32</size>\n  <peripherals>\n",
        b->name);
    put_peripheral(b, "PLATFORM", "platform controller: clocks and resets", out);
    put_peripheral(b, "GLC", "global controller of the array and its buffer", out);
    put_peripheral(b, "GLB", "a tile of the global buffer", out);
    fputs("  </peripherals>\n</device>\n", out);
}
