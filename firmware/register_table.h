/* register_table.h - registers.def as rows: registers by name and address, and as a description for
 * debuggers.
 */
#ifndef ONYX_FIRMWARE_REGISTER_TABLE_H
#define ONYX_FIRMWARE_REGISTER_TABLE_H

#include "pnr/pnr.h"
#include <stdio.h>

typedef struct {
    const char *block, *name, *access, *doc; /* "GLB", "LD_RANGE", "RW" */
    uint32_t offset, stride, count, reset;   /* offset in the block; count 1: no array */
} fw_register;
typedef struct {
    const char *block, *reg, *field, *doc;
    uint32_t lsb, width;
} fw_register_field;
enum {
#define REGISTER(block, name, offset, access, reset, doc) FW_ROW_##block##_##name,
#define REGISTER_FIELD(block, reg, field, lsb, width, doc)
#include "firmware/registers.def"
#undef REGISTER
#undef REGISTER_FIELD
    FW_REGISTERS
};
enum {
#define REGISTER(block, name, offset, access, reset, doc)
#define REGISTER_FIELD(block, reg, field, lsb, width, doc) FW_FIELD_##block##_##reg##_##field,
#include "firmware/registers.def"
#undef REGISTER
#undef REGISTER_FIELD
    FW_REGISTER_FIELDS
};
extern const fw_register fw_registers[FW_REGISTERS];
extern const fw_register_field fw_register_fields[FW_REGISTER_FIELDS];

/* A register of the chip: of an array and of a buffer tile, too. */
typedef struct {
    const fw_register *row;
    uint32_t tile, index, address; /* tile: of block GLB; index: in a register array */
} fw_register_at;
/* Finds a register by its name: "GLC_TEST", "GLB3_LD_CTRL", "GLB3_LD_RANGE[2]". False without one on the
 * board. */
bool fw_register_find(const pnr_board *b, const char *name, fw_register_at *out);
/* Names a register as fw_register_find reads it. */
const char *fw_register_name(const fw_register_at *r, arena *mem);
/* Lists the registers of a block: "PLATFORM", "GLC", "GLB3", "CORE". False without one on the board. */
typedef VEC(fw_register_at) fw_register_list;
bool fw_registers_of(const pnr_board *b, const char *name, arena *mem, fw_register_list *out);
/* Writes the registers of platform controller, controller and buffer tiles as a CMSIS SVD file. */
void fw_write_svd(const pnr_board *b, FILE *out);

#endif
