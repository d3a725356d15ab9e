/* The integer ALU of a PE: the meaning of an instruction word, with the operands as numbers. */
#include "rtl_models/rtl_models.h"

enum { INSTRUCTION_LO = 1 }; /* of the instruction's bit 0 in the configuration space */

/* Instruction bits [lo + width - 1 : lo], width <= 16. */
static uint32_t field(const uint32_t space[3], uint32_t lo, uint32_t width) {
    uint32_t bit = lo + INSTRUCTION_LO, word = bit / 32;
    uint64_t two = space[word] | (word < 2 ? (uint64_t)space[word + 1] << 32 : 0);
    return (uint32_t)(two >> bit % 32) & ((1u << width) - 1);
}

/* One operand: the constant if its register is in mode 0, else the input. */
static uint16_t operand(const uint32_t space[3], uint32_t mode_lo, uint32_t const_lo, uint16_t input) {
    return field(space, mode_lo, 2) == 0 ? (uint16_t)field(space, const_lo, 16) : input;
}

static int64_t number(uint16_t bits, bool is_signed) {
    return is_signed ? (int16_t)bits : bits;
}

static uint16_t shift_right(uint16_t value, uint16_t amount, bool is_signed) {
    int64_t divisor = (int64_t)1 << (amount < 17 ? amount : 17);
    int64_t v = number(value, is_signed);
    return (uint16_t)(v >= 0 ? v / divisor : -((-v + divisor - 1) / divisor)); /* floor */
}

uint16_t rtl_alu_result(const uint32_t space[3], uint16_t in0, uint16_t in1) {
    uint16_t a = operand(space, 21, 23, in0), b = operand(space, 39, 41, in1), c = operand(space, 57, 59, 0);
    bool is_signed = field(space, 7, 1), d = field(space, 75, 2) == 0 && field(space, 77, 1);
    int64_t na = number(a, is_signed), nb = number(b, is_signed), nc = number(c, is_signed);
    int64_t product = na * nb, least = na < nb ? na : nb;
    int64_t sum = a + b + d, difference = a - b - 1 + d;
    switch (field(space, 2, 5)) {
    case 0: /* Adc */
        return (uint16_t)sum;
    case 1: /* Sbc */
        return (uint16_t)difference;
    case 2: /* Abs */
        return (uint16_t)((int16_t)a < 0 ? -(int16_t)a : a);
    case 3: /* Sel */
        return d ? a : b;
    case 4: /* Mult0 */
        return (uint16_t)product;
    case 5: /* Mult1 */
        return (uint16_t)((uint64_t)product >> 8);
    case 6: /* Mult2 */
        return (uint16_t)((uint64_t)product >> 16);
    case 7: /* SHR */
        return shift_right(a, c, is_signed);
    case 8: /* SHL */
        return (uint16_t)(b < 16 ? (uint32_t)a << b : 0);
    case 9:
        return a | b;
    case 10:
        return a & b;
    case 11:
        return a ^ b;
    case 12: /* MULADD */
        return (uint16_t)(product + c);
    case 13: /* MULSUB */
        return (uint16_t)(product - c);
    case 14: /* TAA */
        return (uint16_t)(sum + c);
    case 15: /* TAS */
        return (uint16_t)(sum - c);
    case 16: /* TSA */
        return (uint16_t)(difference + c);
    case 17: /* TSS */
        return (uint16_t)(difference - c);
    case 18: /* CROP: at most b, then at least c */
        return (uint16_t)(least > nc ? least : nc);
    case 19: /* MULSHR */
        return shift_right((uint16_t)product, c, is_signed);
    default:
        return 0;
    }
}
