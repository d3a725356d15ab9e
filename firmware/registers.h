/* registers.h - the table registers.def as constants: GLB_LD_CTRL is a register's byte offset in its block,
 * GLB_LD_CTRL_MODE_LSB and _WIDTH are a field's place, GLB_LD_RANGE_STRIDE and _COUNT describe an array.
 * C and C++; needs nothing of the house.
 */
#ifndef ONYX_REGISTERS_H
#define ONYX_REGISTERS_H

#include <stdint.h>

enum {
#define REGISTER(block, name, offset, access, reset, doc) block##_##name = (offset),
#define REGISTER_FIELD(block, reg, field, lsb, width, doc)                                                   \
    block##_##reg##_##field##_LSB = (lsb), block##_##reg##_##field##_WIDTH = (width),
#include "registers.def"
#undef REGISTER
#undef REGISTER_FIELD

#define REGISTER(block, name, offset, access, reset, doc)
#define REGISTER_FIELD(block, reg, field, lsb, width, doc)
#define REGISTER_ARRAY(block, name, offset, stride, count, access, reset, doc)                               \
    block##_##name##_STRIDE = (stride), block##_##name##_COUNT = (count),
#include "registers.def"
#undef REGISTER
#undef REGISTER_FIELD
#undef REGISTER_ARRAY
};

/* Where the blocks are. GLC and GLB stand at the board's cgra_reg, PLATFORM at its platform address. */
enum { GLB_FROM_GLC = 0x1000, GLB_TILE_STRIDE = 0x100 };
#define CORE_BASE 0xe0000000u

/* FIELD puts `value` at its place in the register: FIELD(GLB_LD_CTRL_MODE, DMA_ONCE). */
#define FIELD(field, value) (((uint32_t)(value) & ((1u << field##_WIDTH) - 1u)) << field##_LSB)

/* Values of fields. */
enum { DMA_OFF, DMA_ONCE, DMA_REPEAT, DMA_QUEUE };              /* *_CTRL.MODE */
enum { LD_STATIC, LD_VALID, LD_READY_VALID };                   /* LD_CTRL.VALID_MODE */
enum { ST_VALID, ST_READY_VALID, ST_STATIC };                   /* ST_CTRL.VALID_MODE */
enum { GLB_COLUMN_EVEN = 1, GLB_COLUMN_ODD = 2 };               /* *_CTRL.DATA_MUX */
enum { BROADCAST_OFF, BROADCAST_OWN_DMA, BROADCAST_FROM_WEST }; /* PCFG_BROADCAST_MUX.* */

#endif
