/* The PE as an ALU: operands by the modes of their registers, the result, its flags, and the selected
 * flag. */
#include "rtl_models/cycle/alu.h"
#include "rtl_models/cycle/dense.h"

enum { KIND_ALU, KIND_CUSTOM, KIND_FP };
enum { OP_ADC, OP_SBC, OP_ABS, FP_SUB = 1, FP_CMP };
enum { GET_MANT, ADD_EXPONENT, SUB_EXPONENT, EXPONENT_TO_FP, FP_TO_INT, FP_FRACTION, INT_TO_FP };

typedef struct {
    uint16_t word;
    bool z, n, c, v;
    bool own; /* the bit of the operation itself */
} result;

/* ---- operations on the fields of a bfloat16 number --------------------------------------------- */

static int32_t exponent_of(uint16_t x) {
    return x >> 7 & 0xff;
}

/* Returns an integer as bfloat16, its lower bits cut off. */
static uint16_t from_integer(int32_t x) {
    uint32_t magnitude = (uint32_t)(x < 0 ? -x : x), exponent = 127, sign = x < 0 ? 0x8000 : 0;
    if (!magnitude)
        return 0;
    while (magnitude >> (exponent - 127) > 1)
        exponent++;
    uint32_t shift = exponent - 127;
    uint32_t mantissa = shift > 7 ? magnitude >> (shift - 7) : magnitude << (7 - shift);
    return (uint16_t)(sign | exponent << 7 | (mantissa & 0x7f));
}

/* Returns the number in units of 1/128, without its sign; modulo 2^32. */
static uint32_t fixed_point(uint16_t x) {
    int32_t shift = exponent_of(x) - 127;
    uint32_t significand = (x & 0x7fu) | 0x80u;
    if (shift < 0)
        return shift > -8 ? significand >> -shift : 0;
    return shift < 25 ? significand << shift : 0;
}

static uint16_t with_sign_of(uint16_t x, uint32_t magnitude) {
    return (uint16_t)(x >> 15 ? 0u - magnitude : magnitude);
}

static result custom(uint32_t opcode, bool is_signed, uint16_t a, uint16_t b) {
    result r = {.word = 0};
    int32_t exponent = exponent_of(a);
    switch (opcode) {
    case GET_MANT:
        r.word = a & 0x7f;
        break;
    case ADD_EXPONENT:
        r.word = (uint16_t)((a & 0x807f) | (((uint32_t)exponent + b) & 0xff) << 7);
        r.own = (((uint32_t)exponent + (b & 0x1ffu)) & 0x1ff) > 255;
        break;
    case SUB_EXPONENT:
        r.word = (uint16_t)(((a | b) & 0x8000) | ((uint32_t)(exponent - exponent_of(b) + 127) & 0xff) << 7 |
                            (a & 0x7f));
        break;
    case EXPONENT_TO_FP:
        r.word = from_integer(exponent - 127);
        break;
    case FP_TO_INT:
        r.word = with_sign_of(a, fixed_point(a) >> 7);
        r.v = exponent > 142;
        break;
    case FP_FRACTION:
        r.word = with_sign_of(a, fixed_point(a) & 0x7f);
        break;
    case INT_TO_FP:
        r.word = from_integer(is_signed ? (int16_t)a : a);
        break;
    default:
        break;
    }
    return r;
}

/* ---- results and conditions -------------------------------------------------------------------- */

/* Sets carry and overflow of a + b + d. */
static void add_flags(result *r, uint16_t a, uint16_t b, bool d) {
    uint32_t sum = (uint32_t)a + b + d;
    r->c = sum >> 16;
    r->v = ((a ^ sum) & (b ^ sum)) >> 15 & 1;
}

static result integer(const dense_instruction *i, const uint16_t x[3], bool d) {
    const rtl_operands operands = {x[0], x[1], x[2], d};
    result r = {.word = rtl_operate(i->opcode, i->is_signed, &operands)};
    if (i->opcode == OP_ADC || i->opcode == OP_SBC)
        add_flags(&r, x[0], i->opcode == OP_SBC ? (uint16_t)~x[1] : x[1], d);
    r.own = i->opcode == OP_ABS ? x[0] >> 15 : r.c;
    r.z = !r.word;
    r.n = r.word >> 15;
    return r;
}

static bool is_infinity(uint16_t x) {
    return (x & 0x7fff) == 0x7f80;
}

static result floating(const dense_instruction *i, const uint16_t x[3]) {
    result r = {.word = rtl_fp(i->opcode == FP_CMP ? FP_SUB : i->opcode, x[0], x[1])};
    r.z = !(r.word & 0x7fff) || (i->opcode == FP_CMP && x[0] == x[1] && is_infinity(x[0]));
    r.n = r.word >> 15;
    return r;
}

/* Besides an operation of the other kinds the integer adder goes on: its carry is the carry flag. */
static result compute(const dense_instruction *i, const uint16_t x[3], bool d) {
    if (i->kind == KIND_ALU)
        return integer(i, x, d);
    result r = i->kind == KIND_CUSTOM ? custom(i->opcode, i->is_signed, x[0], x[1]) : floating(i, x);
    r.c = ((uint32_t)x[0] + x[1]) >> 16;
    return r;
}

static bool condition(uint32_t number, const result *r, bool looked_up) {
    const bool less = r->n != r->v;
    const bool holds[20] = {r->z,   !r->z,         r->c,           !r->c,         r->n,
                            !r->n,  r->v,          !r->v,          r->c && !r->z, !r->c || r->z,
                            !less,  less,          !less && !r->z, less || r->z,  looked_up,
                            r->own, !r->n || r->z, !r->n && !r->z, r->n || r->z,  r->n && !r->z};
    return number < 20 && holds[number];
}

/* ---- the tile ---------------------------------------------------------------------------------- */

static uint16_t operand(const dense_instruction *i, const dense_pe_state *s, const uint16_t *in, uint32_t k) {
    switch (i->mode[k]) {
    case DENSE_CONST:
        return i->constant[k];
    case DENSE_BYPASS:
        return in[k];
    default:
        return s->delayed[k];
    }
}

dense_pe_outputs dense_pe_read(const dense_instruction *i, const dense_pe_state *s,
                               const uint16_t in[DENSE_OPERANDS]) {
    uint16_t x[DENSE_OPERANDS];
    for (uint32_t k = 0; k < DENSE_OPERANDS; k++)
        x[k] = operand(i, s, in, k);
    result r = compute(i, x, x[3] & 1);
    bool looked_up = i->lut >> ((x[3] & 1) | (x[4] & 1) << 1 | (x[5] & 1) << 2) & 1;
    return (dense_pe_outputs){.data = r.word, .bit = condition(i->condition, &r, looked_up)};
}

dense_pe_outputs dense_all_read(const dense_all *a, const dense_pe_state *s,
                                const uint16_t in[DENSE_OPERANDS]) {
    uint32_t zeros = 0;
    for (uint32_t k = 0; k < DENSE_OPERANDS; k++)
        zeros |= operand(&a->pe, s, in, k) ? 0 : 1u << k;
    return (dense_pe_outputs){.data = !(zeros & a->of[0]), .bit = !(zeros & a->of[1])};
}

void dense_pe_clock(const dense_instruction *i, dense_pe_state *s, const uint16_t in[DENSE_OPERANDS]) {
    for (uint32_t k = 0; k < DENSE_OPERANDS; k++) {
        if (i->mode[k] == DENSE_DELAY)
            s->delayed[k] = in[k];
    }
}
