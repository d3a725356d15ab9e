/* alu.h - operations of a PE on numbers, common to the sparse and the dense ALU. */
#ifndef ONYX_RTL_ALU_H
#define ONYX_RTL_ALU_H

#include "support/support.h"

/* Operands of an integer operation (kind 0); `d` is its bit. */
typedef struct {
    uint16_t a, b, c;
    bool d;
} rtl_operands;

/* The result of an integer opcode. */
uint16_t rtl_operate(uint32_t opcode, bool is_signed, const rtl_operands *x);
/* The result of a bfloat16 opcode (kind 2): 0 a sum, 1 a difference, 3 a product; other opcodes give 0. */
uint16_t rtl_fp(uint32_t opcode, uint16_t a, uint16_t b);

#endif
