/* The ALU and the bfloat16 unit of a PE: the meaning of an instruction word, with the operands as numbers. */
#include "rtl_models/cycle/alu.h"
#include "rtl_models/cycle/primitives.h"
#include "support/bf16.h"

/* A field of the instruction in the configuration space. */
#define INSTRUCTION(field) onyx_space_field(space, ONYX_PE_ONYX_ONYXPEINTF_##field)

/* An operand: the constant if its register is in mode 0, else the input. */
#define OPERAND(mode, constant, input) (INSTRUCTION(mode) == 0 ? (uint16_t)INSTRUCTION(constant) : (input))

static int64_t number(uint16_t bits, bool is_signed) {
    return is_signed ? (int16_t)bits : bits;
}

static uint16_t shift_right(uint16_t value, uint16_t amount, bool is_signed) {
    int64_t divisor = (int64_t)1 << (amount < 17 ? amount : 17);
    int64_t v = number(value, is_signed);
    return (uint16_t)(v >= 0 ? v / divisor : -((-v + divisor - 1) / divisor)); /* rounds down */
}

/* ---- bfloat16, as onyx_bf16.sv has it; products are in support/bf16.c ------------------------- */

enum { INFINITY_BITS = 0x7f80, NOT_A_NUMBER = 0x7fc0 };

/* Significand with its leading 1, exponent with 1 for subnormals. */
typedef struct {
    bool sign, nan, inf;
    int32_t exponent;
    uint32_t significand;
} bf16;

static bf16 unpack(uint16_t bits, bool negate) {
    uint32_t e = bits >> 7 & 0xff, magnitude = bits & 0x7fff;
    return (bf16){.sign = (bits >> 15) != negate,
                  .nan = magnitude > INFINITY_BITS,
                  .inf = magnitude == INFINITY_BITS,
                  .exponent = e ? (int32_t)e : 1,
                  .significand = (bits & 0x7fu) | (e ? 0x80u : 0)};
}

/* x >> amount, with the lost bits joined into the lowest; x has 20 bits. */
static uint32_t jam(uint32_t x, int32_t amount) {
    if (amount > 19)
        return x != 0;
    return x >> amount | ((x & ((1u << amount) - 1)) != 0);
}

static uint16_t with_sign(bool sign, uint32_t magnitude) {
    return (uint16_t)((uint32_t)sign << 15 | magnitude);
}

/* The number nearest to x * 2^(scale - 146), ties to even; 0 < x < 2^20. */
static uint32_t rounded(uint32_t x, int32_t scale) {
    for (; x >> 19 == 0; scale--)
        x <<= 1;
    if (scale < 1) {
        x = jam(x, 1 - scale);
        scale = 1;
    }
    bool up = (x >> 11 & 1) && ((x >> 12 & 1) || (x & 0x7ff) != 0);
    uint32_t magnitude = ((uint32_t)(scale - 1) << 7) + (x >> 12) + up;
    return magnitude > INFINITY_BITS ? INFINITY_BITS : magnitude;
}

static uint16_t fp_add(bf16 a, bf16 b) {
    if (a.inf || b.inf)
        return a.inf && b.inf && a.sign != b.sign ? NOT_A_NUMBER
                                                  : with_sign(a.inf ? a.sign : b.sign, INFINITY_BITS);
    int32_t larger = a.exponent > b.exponent ? a.exponent : b.exponent;
    uint32_t x = jam(a.significand << 10, larger - a.exponent);
    uint32_t y = jam(b.significand << 10, larger - b.exponent);
    bool sign = a.sign == b.sign || x > y ? a.sign : x < y && b.sign;
    uint32_t sum = a.sign == b.sign ? x + y : x > y ? x - y : y - x;
    return with_sign(sign, sum ? rounded(sum, larger + 2) : 0);
}

uint16_t rtl_fp(uint32_t opcode, uint16_t a, uint16_t b) {
    bf16 x = unpack(a, false), y = unpack(b, opcode == 1);
    if (opcode == 3)
        return bf16_product(a, b);
    if (opcode != 0 && opcode != 1)
        return 0;
    return x.nan || y.nan ? NOT_A_NUMBER : fp_add(x, y);
}

/* ---- what reducers combine by ---------------------------------------------------------------- */

/* Maps a value to a word whose unsigned order is the order of the values. */
static uint16_t rank(uint16_t v, rtl_reduction by, bool fp) {
    const bool is_signed = by == RTL_BY_MIN || by == RTL_BY_MAX;
    return (uint16_t)(fp && v >> 15 ? ~v : is_signed ? v ^ 0x8000 : v);
}

/* A sum inside the range of int16; the ends absorb every addend, `first` before the other end. */
static uint16_t absorbing_sum(uint16_t a, uint16_t b, uint16_t first) {
    const uint16_t other = (uint16_t)~first;
    const int sum = (int16_t)a + (int16_t)b;
    if (a == first || b == first)
        return first;
    if (a == other || b == other)
        return other;
    return (uint16_t)(sum > INT16_MAX ? INT16_MAX : sum < INT16_MIN ? INT16_MIN : sum);
}

uint16_t rtl_combine(rtl_reduction by, bool fp, uint16_t a, uint16_t b) {
    const bool less = rank(a, by, fp) < rank(b, by, fp);
    const uint16_t entry = rtl_entry(by, b);
    switch (by) {
    case RTL_BY_MUL:
        return fp ? rtl_fp(3, a, b) : (uint16_t)((uint32_t)a * b);
    case RTL_BY_MIN:
    case RTL_BY_UMIN:
        return less ? a : b;
    case RTL_BY_MAX:
    case RTL_BY_UMAX:
        return less ? b : a;
    case RTL_BY_AND:
    case RTL_BY_LAND:
        return a & entry;
    case RTL_BY_OR:
    case RTL_BY_LOR:
        return a | entry;
    case RTL_BY_XOR:
        return a ^ b;
    case RTL_BY_ADDHIGH:
        return absorbing_sum(a, b, INT16_MAX);
    case RTL_BY_ADDLOW:
        return absorbing_sum(a, b, 0x8000);
    case RTL_BY_ADD:
        break;
    }
    return fp ? rtl_fp(0, a, b) : (uint16_t)(a + b);
}

/* ---- instructions ---------------------------------------------------------------------------- */

uint16_t rtl_operate(uint32_t opcode, bool is_signed, const rtl_operands *x) {
    const uint16_t a = x->a, b = x->b, c = x->c;
    const bool d = x->d;
    int64_t na = number(a, is_signed), nb = number(b, is_signed), nc = number(c, is_signed);
    int64_t product = na * nb, least = na < nb ? na : nb;
    int64_t sum = a + b + d, difference = a - b - 1 + d;
    switch (opcode) {
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
    case 18: /* CROP: at most b, at least c */
        return (uint16_t)(least > nc ? least : nc);
    case 19: /* MULSHR */
        return shift_right((uint16_t)product, c, is_signed);
    default:
        return 0;
    }
}

uint16_t rtl_alu_result(const uint32_t space[3], uint16_t in0, uint16_t in1) {
    const rtl_operands x = {OPERAND(REGA_MODE, CONST0, in0), OPERAND(REGB_MODE, CONST1, in1),
                            OPERAND(REGC_MODE, CONST2, 0), INSTRUCTION(REGD_MODE) == 0 && INSTRUCTION(BIT0)};
    uint32_t kind = INSTRUCTION(KIND), opcode = INSTRUCTION(OPCODE);
    if (kind != 0)
        return kind == 2 ? rtl_fp(opcode, x.a, x.b) : 0;
    return rtl_operate(opcode, INSTRUCTION(SIGNED), &x);
}
