/* numbers.c - numbers of the reference: operations on words, and the propagation of their losses. */
#include "tiling/numbers_int.h"
#include "tiling/rounding.h"

#include <math.h>

static const double SUM_ROUNDOFF = 0x1p-8;
/* A product is rounded to 11 bits before its rounding to 8, with an error larger by an eighth of the last
 * place. */
static const double PRODUCT_ROUNDOFF = 0x1.4p-8;
static const double LEAST_BF16 = 0x1p-133;

static double value_of(tile_dtype dtype, uint16_t bits) {
    return tile_to_double(dtype, bits);
}

tile_number tile_number_for(tile_dtype dtype, uint16_t bits, double exact) {
    const double x = value_of(dtype, bits);
    const bool beyond = isfinite(exact) && (rint(exact) < INT16_MIN || rint(exact) > INT16_MAX);
    const double whole = beyond ? rint(exact) : x;
    return (tile_number){
        .exact = exact, .real = x, .magnitude = dtype == TILE_DTYPE_BF16 ? fabs(x) : whole, .bits = bits};
}

tile_number tile_number_of(tile_dtype dtype, uint16_t bits) {
    return tile_number_for(dtype, bits, value_of(dtype, bits));
}

tile_number tile_number_at(tile_dtype dtype, const tile_tensor *t, uint64_t entry) {
    const double *original = tile_original(t), *wide = tile_wide(t);
    tile_number n = original ? tile_number_for(dtype, t->val[entry], original[entry])
                             : tile_number_of(dtype, t->val[entry]);
    n.magnitude = wide ? wide[entry] : n.magnitude;
    return n;
}

tile_number tile_literal_number(tile_dtype dtype, double literal) {
    if (dtype == TILE_DTYPE_BF16)
        return tile_number_for(dtype, bf16_from_float((float)literal), literal);
    return (tile_number){
        .exact = literal, .magnitude = literal, .bits = (uint16_t)(uint64_t)(int64_t)literal};
}

/* (1 + u)^adds (1 + v)^muls - 1. */
static double growth(tile_number a) {
    return expm1((double)a.adds * log1p(SUM_ROUNDOFF) + (double)a.muls * log1p(PRODUCT_ROUNDOFF));
}

double tile_tolerance(tile_number a) {
    return (double)a.off + (a.varies ? 2 * (growth(a) * a.magnitude + (double)a.muls * LEAST_BF16) : 0);
}

tile_bound tile_bound_of(tile_number a) {
    static const double SLACK = 1e-6; /* for float32, in which the host adds, and whose own error is below */
    if (!a.varies || a.off != 0 || !isfinite(a.real))
        return (tile_bound){value_of(TILE_DTYPE_BF16, a.bits), tile_tolerance(a)};
    return (tile_bound){a.real, (growth(a) + SLACK) * a.magnitude + (double)a.muls * LEAST_BF16};
}

bool tile_same_number(tile_dtype dtype, tile_number a, tile_number b) {
    const bool zeros = tile_is_zero(dtype, a) && tile_is_zero(dtype, b);
    const bool exact = a.exact == b.exact || (isnan(a.exact) && isnan(b.exact));
    const bool bound = a.off == b.off && a.adds == b.adds && a.muls == b.muls && a.varies == b.varies;
    const bool real = a.real == b.real || (isnan(a.real) && isnan(b.real));
    return (a.bits == b.bits || zeros) && exact && real && bound && a.magnitude == b.magnitude &&
           a.lost == b.lost;
}

tile_number tile_negate(tile_dtype dtype, tile_number a) {
    a.exact = 0 - a.exact;
    a.real = 0 - a.real;
    if (dtype == TILE_DTYPE_INT16) {
        a.bits = (uint16_t)-a.bits;
        a.magnitude = 0 - a.magnitude;
    } else {
        a.bits = tile_is_zero(dtype, a) ? 0 : a.bits ^ 0x8000u;
    }
    return a;
}

/* ---- int16 ------------------------------------------------------------------------------------- */

/* Whether the low 16 bits of the operands determine the low 16 bits of the result. */
static bool is_modular(sam_operation op, tile_number b) {
    return op == SAM_OPERATION_add || op == SAM_OPERATION_sub || op == SAM_OPERATION_mul ||
           op == SAM_OPERATION_times || op == SAM_OPERATION_neg || op == SAM_OPERATION_square ||
           (op == SAM_OPERATION_shl && !tile_has_wrapped(b));
}

/* Whether an operand determines the result for any other operand: 0 of a product, -1 of an or. The largest
 * word is not larger than every number. */
static bool settles(sam_operation op, int at, tile_number a) {
    const sam_special *s = &sam_operator_of(op, false)->annihilator;
    const bool small = s->value == 0 || s->value == 1 || (op == SAM_OPERATION_or && s->value == UINT16_MAX);
    const bool unsigned_one = op == SAM_OPERATION_umax || op == SAM_OPERATION_umin;
    return s->given && small && !unsigned_one && (s->at == SAM_EACH || s->at == at) && a.bits == s->value &&
           !tile_has_wrapped(a);
}

static tile_number modular(sam_operation op, tile_number a, tile_number b) {
    tile_number r = {.magnitude = tile_exact(TILE_DTYPE_INT16, op, a.magnitude, b.magnitude)};
    r.lost = a.lost || b.lost || !(fabs(r.magnitude) < 0x1p53);
    return r;
}

/* An operation on words as numbers. */
static tile_number of_words(sam_operation op, tile_number a, tile_number b) {
    return (tile_number){.magnitude = tile_exact(TILE_DTYPE_INT16, op, (int16_t)a.bits, (int16_t)b.bits),
                         .lost = tile_has_wrapped(a) || tile_has_wrapped(b)};
}

/* A sum that became infinite has the magnitude of a number beyond int16. */
static void mark_infinite(tile_number *r, tile_number a, tile_number b) {
    if ((r->bits == 0x7fff || r->bits == 0x8000) && r->bits != a.bits && r->bits != b.bits)
        r->lost = true;
}

static tile_number operate_int16(sam_operation op, tile_number a, tile_number b) {
    const sam_operator *f = sam_operator_of(op, false);
    tile_number r;
    if (op == SAM_OPERATION_reach)
        return a;
    if ((op == SAM_OPERATION_when || op == SAM_OPERATION_unless) && !tile_has_wrapped(a))
        return (a.bits != 0) == (op == SAM_OPERATION_when) ? b : tile_number_of(TILE_DTYPE_INT16, 0);
    if (settles(op, 0, a) || settles(op, 1, b))
        r = (tile_number){.magnitude = (int16_t)f->apply(a.bits, b.bits)};
    else
        r = is_modular(op, b) ? modular(op, a, b) : of_words(op, a, b);
    r.bits = f->apply(a.bits, b.bits);
    if (op == SAM_OPERATION_addhigh || op == SAM_OPERATION_addlow)
        mark_infinite(&r, a, b);
    return r;
}

/* ---- bfloat16 ---------------------------------------------------------------------------------- */

/* Returns an upper bound over all orders of computation. */
static double largest(tile_number a) {
    return a.magnitude * (1 + growth(a)) + (double)a.off;
}

/* Returns a word with this error. */
static tile_number word_off_by(uint16_t bits, double off) {
    tile_number r = tile_number_of(TILE_DTYPE_BF16, bits);
    r.off = (float)off;
    return r;
}

static tile_number sum(tile_number a, tile_number b) {
    return (tile_number){.magnitude = a.magnitude + b.magnitude,
                         .off = a.off + b.off,
                         .adds = a.adds + b.adds + 1,
                         .muls = fmaxf(a.muls, b.muls),
                         .varies = a.varies || b.varies};
}

/* The product of two sums may be the sum of products, and a factor may combine with any other factor. */
static tile_number product(tile_number a, tile_number b) {
    const double off_a = a.off == 0 ? 0 : (double)a.off * largest(b);
    const double off_b = b.off == 0 ? 0 : (double)b.off * largest(a);
    return (tile_number){.magnitude = a.magnitude * b.magnitude,
                         .off = (float)(off_a + off_b),
                         .adds = a.adds + b.adds + a.adds * b.adds,
                         .muls = a.muls + b.muls + 1,
                         .varies = a.varies || b.varies || a.muls > 0 || b.muls > 0};
}

/* An error of b passes into the quotient; where b may be 0 nothing can be said. */
static tile_number quotient(tile_number a, tile_number b, uint16_t bits) {
    const double y = fabs(value_of(TILE_DTYPE_BF16, b.bits)), off = tile_tolerance(b);
    if (off == 0 && y > 0 && a.magnitude == 0 && a.off == 0) /* nothing is rounded */
        return (tile_number){.adds = a.adds, .muls = a.muls, .varies = a.varies};
    if (off == 0)
        return (tile_number){.magnitude = a.magnitude / y,
                             .off = a.off == 0 ? 0 : (float)((double)a.off / y),
                             .adds = a.adds,
                             .muls = a.muls + 1,
                             .varies = a.varies || a.muls > 0};
    const double x = fabs(value_of(TILE_DTYPE_BF16, a.bits)), off_a = tile_tolerance(a);
    if (!(off < y))
        return word_off_by(bits, (double)INFINITY);
    const double apart = off_a / (y - off) + x * off / (y * (y - off));
    return word_off_by(bits, apart + 2 * SUM_ROUNDOFF * ((x + off_a) / (y - off)));
}

/* Whether a value may be 0 or not, depending on the way. */
static bool may_be_zero(tile_number a) {
    const double off = tile_tolerance(a);
    return off > 0 && fabs(value_of(TILE_DTYPE_BF16, a.bits)) <= off;
}

static bool compares(sam_operation op) {
    return op == SAM_OPERATION_eq || op == SAM_OPERATION_ne || op == SAM_OPERATION_lt ||
           op == SAM_OPERATION_le || op == SAM_OPERATION_gt || op == SAM_OPERATION_ge;
}

/* Returns 1 if the truth value may depend on the order, else 0. */
static double truth_off(sam_operation op, tile_number a, tile_number b) {
    if (!compares(op))
        return may_be_zero(a) || may_be_zero(b);
    const double apart = fabs(value_of(TILE_DTYPE_BF16, a.bits) - value_of(TILE_DTYPE_BF16, b.bits));
    const double off = tile_tolerance(a) + tile_tolerance(b);
    return off > 0 && !(apart > off);
}

/* If the condition may or may not be 0, the value may be present or absent. */
static double chosen_off(sam_operation op, tile_number a, tile_number b) {
    if (may_be_zero(a))
        return fabs(value_of(TILE_DTYPE_BF16, b.bits)) + tile_tolerance(b);
    return tile_is_zero(TILE_DTYPE_BF16, a) == (op == SAM_OPERATION_unless) ? tile_tolerance(b) : 0;
}

/* Returns the error of an operation other than arithmetic. */
static double other_off(sam_operation op, tile_number a, tile_number b, uint16_t bits) {
    const double off = tile_tolerance(a) + tile_tolerance(b);
    if (compares(op) || op == SAM_OPERATION_land || op == SAM_OPERATION_lor)
        return truth_off(op, a, b);
    if (op == SAM_OPERATION_when || op == SAM_OPERATION_unless)
        return chosen_off(op, a, b);
    if (off == 0 || op == SAM_OPERATION_max || op == SAM_OPERATION_min)
        return fmax(tile_tolerance(a), tile_tolerance(b));
    if (op == SAM_OPERATION_abs || op == SAM_OPERATION_relu)
        return tile_tolerance(a);
    if (op == SAM_OPERATION_exp)
        return value_of(TILE_DTYPE_BF16, bits) * (expm1(tile_tolerance(a)) + 2 * SUM_ROUNDOFF);
    return (double)INFINITY;
}

/* Returns the result without rounding; a quotient other than 0 is that of its words. */
static double real_of(sam_operation op, tile_number a, tile_number b, uint16_t bits) {
    switch ((int)op) {
    case SAM_OPERATION_add:
    case SAM_OPERATION_sub:
    case SAM_OPERATION_mul:
    case SAM_OPERATION_times:
    case SAM_OPERATION_square:
        return tile_exact(TILE_DTYPE_BF16, op, a.real, b.real);
    case SAM_OPERATION_div:
        return a.real == 0 && value_of(TILE_DTYPE_BF16, bits) == 0 ? 0 : (double)NAN;
    case SAM_OPERATION_addhigh:
    case SAM_OPERATION_addlow:
        return (double)NAN;
    default:
        return value_of(TILE_DTYPE_BF16, bits);
    }
}

static tile_number operate_bf16(sam_operation op, tile_number a, tile_number b) {
    const uint16_t bits = sam_operator_of(op, true)->apply(a.bits, b.bits);
    tile_number r;
    if (op == SAM_OPERATION_reach)
        return a;
    if (op == SAM_OPERATION_add || op == SAM_OPERATION_sub || op == SAM_OPERATION_addhigh ||
        op == SAM_OPERATION_addlow)
        r = sum(a, b);
    else if (op == SAM_OPERATION_mul || op == SAM_OPERATION_times)
        r = product(a, b);
    else if (op == SAM_OPERATION_square)
        r = product(a, a);
    else if (op == SAM_OPERATION_neg)
        return tile_negate(TILE_DTYPE_BF16, a);
    else if (op == SAM_OPERATION_div)
        r = quotient(a, b, bits);
    else
        r = word_off_by(bits, other_off(op, a, b, bits));
    r.bits = bits;
    r.real = real_of(op, a, b, bits);
    return r;
}

/* ---- both -------------------------------------------------------------------------------------- */

tile_number tile_operate(tile_dtype dtype, sam_operation op, tile_number a, tile_number b) {
    tile_number r = dtype == TILE_DTYPE_BF16 ? operate_bf16(op, a, b) : operate_int16(op, a, b);
    r.exact = tile_exact(dtype, op, a.exact, b.exact);
    return r;
}

static bool rounds(tile_dtype dtype, sam_operation op) {
    return dtype == TILE_DTYPE_BF16 && (op == SAM_OPERATION_mul || op == SAM_OPERATION_add ||
                                        op == SAM_OPERATION_addhigh || op == SAM_OPERATION_addlow);
}

tile_number tile_combine(tile_dtype dtype, uint8_t operation, tile_number total, tile_number a) {
    tile_number r = tile_operate(dtype, (sam_operation)operation, total, a);
    r.varies = r.varies || rounds(dtype, (sam_operation)operation);
    return r;
}

/* n addends are a product of n, and of bfloat16 also as many sums. */
static tile_number times(tile_dtype dtype, tile_number a, uint32_t n) {
    tile_number r = tile_operate(dtype, SAM_OPERATION_mul, a, tile_literal_number(dtype, n));
    if (dtype == TILE_DTYPE_BF16) {
        r.adds = (a.adds + 1) * (float)(n ? n : 1) - 1;
        r.muls = a.muls;
        r.varies = a.varies || n > 1;
        r.magnitude = a.magnitude * n;
        r.real = a.real * n;
    }
    return r;
}

tile_number tile_repeat(tile_dtype dtype, uint8_t operation, tile_number a, uint32_t n) {
    if (operation == SAM_OPERATION_add)
        return times(dtype, a, n);
    tile_number result = a;
    if (!n)
        return tile_number_of(
            dtype, sam_operator_of((sam_operation)operation, dtype == TILE_DTYPE_BF16)->monoid.value);
    for (n--; n; n >>= 1, a = tile_combine(dtype, operation, a, a)) {
        if (n & 1)
            result = tile_combine(dtype, operation, result, a);
    }
    return result;
}
