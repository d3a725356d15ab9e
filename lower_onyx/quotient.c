/* quotient.c - a / b of bfloat16: significands by a table of reciprocals, exponents by tables.
 *
 * Each operand becomes an exponent and seven bits f of a significand 128 + f, also of what is subnormal. With
 * s = 1 where the significand of a is the lesser, and m that of a times 2^s, the quotient is x 2^t / 128 with
 * x = 128 m / (128 + f_b) from 128 up to 256. The product of m and a reciprocal rounded up, plus one, over
 * 128 is 2x rounded down or one more; the sign of the remainder says which, and whether it is 0 is kept as a
 * bit below. So 4x with that bit is rounded right, however far it is shifted for a subnormal result.
 *
 * The exponents of zeros, infinities and NaNs are chosen so that their differences fall where no numbers' do:
 * what the tables of the difference give there is 0, infinity or a NaN. Exact for all 2^32 pairs.
 */
#include "lower_onyx/quotient.h"
#include "lower_onyx/steps.h"

enum {
    FRACTION = 128, /* words of a bfloat16 with one exponent: the leading one of a significand */
    INFINITE = 255,
    BIAS = 127,
    /* Number of words of the table of the difference; its first word is for a difference of -LEAST. */
    LEAST = 560,
    DIFFERENCES = 864,
    BOTH = 262, /* the difference of two zeros, and of two infinities */
    SIGNED = 0x8000
};

/* Exponents of zeros, infinities and NaNs. A NaN makes every difference less than -LEAST. */
typedef struct {
    int zero, infinity, nan;
} special_exponents;
static const special_exponents of_a = {-142, 652, -3000}, of_b = {-404, 390, 3000};

/* ---- tables ------------------------------------------------------------------------------------ */

/* Rows of an operand: of numbers, of zero and subnormal ones, of infinity and NaNs. */
enum { SUBNORMAL = 1, BEYOND = 2, KINDS = 3 };

/* Tables of the seven low bits of an operand, by its kind: f, and the addend of its exponent field. */
typedef struct {
    uint16_t fraction[KINDS * FRACTION], exponent[KINDS * FRACTION];
} operand_tables;

static void fill_operand(const special_exponents *special, operand_tables *t) {
    *t = (operand_tables){.exponent = {0}};
    for (uint32_t f = 0; f < FRACTION; f++) {
        uint32_t significand = f;
        int e = 1;
        for (; significand && significand < FRACTION; e--)
            significand *= 2;
        t->fraction[f] = (uint16_t)f;
        t->fraction[SUBNORMAL * FRACTION + f] = (uint16_t)(significand % FRACTION);
        t->exponent[SUBNORMAL * FRACTION + f] = (uint16_t)(f ? e : special->zero);
        t->exponent[BEYOND * FRACTION + f] = (uint16_t)((f ? special->nan : special->infinity) - INFINITE);
    }
}

/* Effect of an exponent difference on the quotient, in one word: the addend of the rounded significand, the
 * presence of a sign, and the shift of the significand. */
enum {
    BASE = 0x7fc0,
    SIGN_BIT = 1 << 4,
    SIGN_UP = 11, /* from SIGN_BIT to SIGNED */
    SHIFT = 15,   /* as a number: no significand */
    SCALE = 14    /* an unshifted significand is 2^14 times itself, over 2^16 */
};

static uint16_t result_of(int difference) {
    const int e = difference + BIAS, shift = e < 1 ? 1 - e : 0;
    if (difference == -LEAST || difference == BOTH)
        return BASE | SHIFT;
    if (e >= INFINITE)
        return INFINITE * FRACTION | SIGN_BIT | SHIFT;
    return (uint16_t)((e > 0 ? (e - 1) * FRACTION : 0) | SIGN_BIT | (shift < 10 ? shift : SHIFT));
}

/* ---- PEs --------------------------------------------------------------------------------------- */

typedef struct {
    step_stream fraction, significand, exponent;
} taken_apart;

/* Returns 128 times the kind, by the field of the exponent. */
static step_stream row_of(step_making *m, step_stream field) {
    const step_stream none = step_change(m, "xor", step_change(m, "umin", field, 1), 1);
    const step_stream all = step_change(m, "lshr", step_change(m, "add", field, 1), 8);
    return step_combine(m, "add", step_change(m, "shl", none, 7), step_change(m, "shl", all, 8));
}

static taken_apart take_apart(step_making *m, uint32_t operand, const special_exponents *special) {
    const step_stream x = {.operand = operand};
    operand_tables *t = arena_new(m->g->mem, operand_tables);
    fill_operand(special, t);
    const step_stream field = step_change(m, "and", step_change(m, "lshr", x, 7), INFINITE);
    const step_stream low = step_change(m, "and", x, FRACTION - 1);
    const step_stream index = step_combine(m, "add", row_of(m, field), low);
    const step_stream more = step_look_up(m, t->exponent, KINDS * FRACTION, index);
    const step_stream fraction = step_look_up(m, t->fraction, KINDS * FRACTION, index);
    return (taken_apart){.fraction = fraction,
                         .significand = step_change(m, "or", fraction, FRACTION),
                         .exponent = step_combine(m, "add", more, field)};
}

/* Returns 4x, with a bit for the remainder below 2x. `moved` is m. */
static step_stream divide(step_making *m, step_stream moved, const taken_apart *b) {
    uint16_t reciprocal[FRACTION];
    for (uint32_t f = 0; f < FRACTION; f++) {
        const uint32_t up = ((1u << 23) + FRACTION + f - 1) / (FRACTION + f);
        reciprocal[f] = (uint16_t)(up > UINT16_MAX ? UINT16_MAX : up);
    }
    const step_stream product =
        step_combine(m, "mulmid", moved, step_look_up(m, reciprocal, FRACTION, b->fraction));
    const step_stream near = step_change(m, "lshr", step_change(m, "add", product, 1), 7);
    const step_stream rest =
        step_combine(m, "sub", step_change(m, "shl", moved, 8), step_combine(m, "mul", near, b->significand));
    const step_stream down = step_combine(m, "sub", near, step_change(m, "lshr", rest, 15));
    return step_combine(m, "or", step_change(m, "shl", down, 1), step_change(m, "umin", rest, 1));
}

/* Returns the word of result_of for a difference of exponents. */
static step_stream find_result(step_making *m, step_stream difference) {
    uint16_t *words = arena_new_n(m->g->mem, uint16_t, DIFFERENCES);
    for (int i = 0; i < DIFFERENCES; i++)
        words[i] = result_of(i - LEAST);
    const step_stream from = step_change(m, "add", difference, LEAST);
    const step_stream least = step_change(m, "smax", from, 0);
    return step_look_up(m, words, DIFFERENCES, step_change(m, "smin", least, DIFFERENCES - 1));
}

/* Returns the magnitude: the significand times a power of 2, rounded to nearest even, plus the base. */
static step_stream round_off(step_making *m, step_stream fourfold, step_stream result) {
    const step_stream shift = step_change(m, "and", result, SHIFT);
    const step_stream amount = step_change_by(m, "sub", SCALE, shift);
    const step_stream scale = step_change_by(m, "shl", 1, amount);
    const step_stream half = step_change(m, "sub", step_change_by(m, "shl", 2, shift), 1);
    const step_stream odd = step_change(m, "and", step_combine(m, "mulhigh", fourfold, scale), 1);
    const step_stream sum = step_combine(m, "add", step_combine(m, "add", fourfold, half), odd);
    return step_combine(m, "add", step_combine(m, "mulhigh", sum, scale),
                        step_change(m, "and", result, BASE));
}

alu_made quotient_make(onyx_graph *g, const alu_wanted *in) {
    step_making m = {.g = g, .in = in};
    const step_stream x = {.operand = 0}, y = {.operand = 1};
    const taken_apart a = take_apart(&m, 0, &of_a), b = take_apart(&m, 1, &of_b);
    const step_stream less = step_change(&m, "lshr", step_combine(&m, "sub", a.fraction, b.fraction), 15);
    const step_stream fourfold = divide(&m, step_combine(&m, "shl", a.significand, less), &b);
    const step_stream apart = step_combine(&m, "sub", a.exponent, b.exponent);
    const step_stream result = find_result(&m, step_combine(&m, "sub", apart, less));
    const step_stream signs = step_combine(&m, "xor", x, y), up = step_change(&m, "shl", result, SIGN_UP);
    const step_stream sign = step_change(&m, "and", step_combine(&m, "and", signs, up), SIGNED);
    m.out.result = step_combine(&m, "or", round_off(&m, fourfold, result), sign).node;
    return m.out;
}
