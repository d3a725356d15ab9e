/* Arithmetic of the simulator: wrapping int16, and bfloat16 rounded to nearest even, with products cut first
 * (support/bf16.h).
 *
 * A bfloat16 is the upper half of an IEEE single. Sums and quotients of two bfloat16 computed in single
 * precision and rounded again are correctly rounded, since 24 >= 2 * 8 + 2 (Figueroa 1995). */
#include "sam/operators.h"
#include "sam/sim_int.h"
#include "support/bf16.h"
#include "support/number.h"

#include <math.h>
#include <stdlib.h>

static uint16_t from_float(float f) {
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    if (f != f)
        return 0x7fc0; /* a single quiet NaN: results do not depend on the machine */
    return (uint16_t)((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
}

static uint16_t int_add(uint16_t a, uint16_t b) {
    return (uint16_t)(a + b);
}
static uint16_t int_sub(uint16_t a, uint16_t b) {
    return (uint16_t)(a - b);
}
static uint16_t int_mul(uint16_t a, uint16_t b) {
    return (uint16_t)((uint32_t)a * b);
}
/* Signed, towards zero; by zero gives zero. */
static uint16_t int_div(uint16_t a, uint16_t b) {
    if (b == 0)
        return 0;
    int quotient = (int16_t)a / (int16_t)b;
    return (uint16_t)quotient;
}
/* The sign is that of a; the remainder is a for b = 0. Hence a is always a / b * b + a % b. */
static uint16_t int_rem(uint16_t a, uint16_t b) {
    if (b == 0)
        return a;
    int rest = (int16_t)a % (int16_t)b;
    return (uint16_t)rest;
}
static uint16_t int_max(uint16_t a, uint16_t b) {
    return (int16_t)a > (int16_t)b ? a : b;
}
static uint16_t int_min(uint16_t a, uint16_t b) {
    return (int16_t)a < (int16_t)b ? a : b;
}
static uint16_t fp_add(uint16_t a, uint16_t b) {
    return from_float(bf16_to_float(a) + bf16_to_float(b));
}
static uint16_t fp_sub(uint16_t a, uint16_t b) {
    return from_float(bf16_to_float(a) - bf16_to_float(b));
}
static uint16_t fp_mul(uint16_t a, uint16_t b) {
    return bf16_product(a, b);
}
static uint16_t fp_div(uint16_t a, uint16_t b) {
    return from_float(bf16_to_float(a) / bf16_to_float(b));
}
static uint16_t fp_max(uint16_t a, uint16_t b) {
    return bf16_to_float(a) > bf16_to_float(b) ? a : b;
}
static uint16_t fp_min(uint16_t a, uint16_t b) {
    return bf16_to_float(a) < bf16_to_float(b) ? a : b;
}

static uint16_t int_umax(uint16_t a, uint16_t b) {
    return a > b ? a : b;
}
static uint16_t int_umin(uint16_t a, uint16_t b) {
    return a < b ? a : b;
}
static uint16_t bits_and(uint16_t a, uint16_t b) {
    return a & b;
}
static uint16_t bits_or(uint16_t a, uint16_t b) {
    return a | b;
}
static uint16_t bits_xor(uint16_t a, uint16_t b) {
    return a ^ b;
}
/* Shifts by 16 or more leave only the sign of an arithmetic shift. */
static uint16_t shift_left(uint16_t a, uint16_t b) {
    uint32_t shifted = b < 16 ? (uint32_t)a << b : 0;
    return (uint16_t)shifted;
}
static uint16_t shift_right(uint16_t a, uint16_t b) {
    uint32_t shifted = b < 16 ? (uint32_t)a >> b : 0;
    return (uint16_t)shifted;
}
static uint16_t shift_right_signed(uint16_t a, uint16_t b) {
    uint32_t sign = a >> 15 ? 0xffff0000u : 0;
    uint32_t shifted = (sign | a) >> (b < 16 ? b : 16);
    return (uint16_t)shifted;
}

/* ---- sums with infinities --------------------------------------------------------------------- */

enum {
    INT_LEAST = 0x8000,
    INT_MOST = 0x7fff,
    FP_LEAST = 0xff80, /* minus infinity */
    FP_MOST = 0x7f80,
    FP_ONE = 0x3f80
};

/* The largest and the least int16 are infinite: they absorb every addend, the first of them before the
 * second, and a sum beyond the range becomes one of them. */
static uint16_t add_absorbing(uint16_t a, uint16_t b, uint16_t first, uint16_t second) {
    int sum = (int16_t)a + (int16_t)b;
    if (a == first || b == first)
        return first;
    if (a == second || b == second)
        return second;
    return sum >= INT16_MAX ? INT_MOST : sum <= INT16_MIN ? INT_LEAST : (uint16_t)sum;
}
static uint16_t add_high(uint16_t a, uint16_t b) {
    return add_absorbing(a, b, INT_MOST, INT_LEAST);
}
static uint16_t add_low(uint16_t a, uint16_t b) {
    return add_absorbing(a, b, INT_LEAST, INT_MOST);
}
static uint16_t fp_add_high(uint16_t a, uint16_t b) {
    return a == FP_MOST || b == FP_MOST ? FP_MOST : fp_add(a, b);
}
static uint16_t fp_add_low(uint16_t a, uint16_t b) {
    return a == FP_LEAST || b == FP_LEAST ? FP_LEAST : fp_add(a, b);
}

/* ---- truth: 1 or 0 of the type; nonzero values are true, NaN included ------------------------- */

#define INT_TRUTH(name, condition)                                                                           \
    static uint16_t int_##name(uint16_t a, uint16_t b) {                                                     \
        int16_t x = (int16_t)a, y = (int16_t)b;                                                              \
        return condition;                                                                                    \
    }
#define FP_TRUTH(name, condition)                                                                            \
    static uint16_t fp_##name(uint16_t a, uint16_t b) {                                                      \
        float x = bf16_to_float(a), y = bf16_to_float(b);                                                    \
        return condition ? FP_ONE : 0;                                                                       \
    }
#define TRUTH(name, condition)                                                                               \
    INT_TRUTH(name, condition)                                                                               \
    FP_TRUTH(name, (condition))
TRUTH(eq, x == y)
TRUTH(ne, x != y)
TRUTH(lt, x < y)
TRUTH(le, x <= y)
TRUTH(gt, x > y)
TRUTH(ge, x >= y)
TRUTH(land, x != 0 && y != 0)
TRUTH(lor, x != 0 || y != 0)

/* The first operand: the second only restricts its coordinates. */
static uint16_t first_of(uint16_t a, uint16_t b) {
    (void)b;
    return a;
}
/* The second operand if the first is true, or false for the negated form, and 0 otherwise. */
static uint16_t int_when(uint16_t a, uint16_t b) {
    return a ? b : 0;
}
static uint16_t fp_when(uint16_t a, uint16_t b) {
    return a & 0x7fff ? b : 0;
}
static uint16_t int_unless(uint16_t a, uint16_t b) {
    return a ? 0 : b;
}
static uint16_t fp_unless(uint16_t a, uint16_t b) {
    return a & 0x7fff ? 0 : b;
}

/* ---- of one operand -------------------------------------------------------------------------- */

static uint16_t int_neg(uint16_t a, uint16_t unused) {
    (void)unused;
    return (uint16_t)-a;
}
static uint16_t int_abs(uint16_t a, uint16_t unused) {
    (void)unused;
    return a >> 15 ? (uint16_t)-a : a;
}
static uint16_t int_relu(uint16_t a, uint16_t unused) {
    (void)unused;
    return a >> 15 ? 0 : a;
}
static uint16_t int_square(uint16_t a, uint16_t unused) {
    (void)unused;
    return int_mul(a, a);
}
static uint16_t fp_square(uint16_t a, uint16_t unused) {
    (void)unused;
    return fp_mul(a, a);
}
static uint16_t fp_neg(uint16_t a, uint16_t unused) {
    (void)unused;
    return a ^ 0x8000;
}
static uint16_t fp_abs(uint16_t a, uint16_t unused) {
    (void)unused;
    return a & 0x7fff;
}
static uint16_t fp_relu(uint16_t a, uint16_t unused) {
    (void)unused;
    return bf16_to_float(a) > 0 ? a : 0;
}
static uint16_t fp_exp(uint16_t a, uint16_t unused) {
    (void)unused;
    return from_float((float)exp((double)bf16_to_float(a)));
}

/* ---- fields of a bfloat16, as in Onyx's processing element ------------------------------------ */

static int unbiased_exponent(uint16_t a) {
    return (a >> 7 & 0xff) - 127;
}

/* Returns the mantissa with its hidden 1, shifted by the exponent, with 7 fraction bits. */
static uint32_t fixed_point(uint16_t a) {
    int e = unbiased_exponent(a);
    uint32_t mantissa = (a & 0x7fu) | 0x80u;
    return e <= -8 || e >= 24 ? 0 : e < 0 ? mantissa >> -e : mantissa << e;
}
static uint16_t with_sign_of(uint16_t a, uint32_t magnitude) {
    return (uint16_t)(a >> 15 ? 0u - magnitude : magnitude);
}

/* The result is rounded towards zero and has the low 16 bits. */
static uint16_t get_int(uint16_t a, uint16_t unused) {
    (void)unused;
    return with_sign_of(a, fixed_point(a) >> 7);
}
/* The result is in units of 2^-7 and has the sign of a. */
static uint16_t get_fraction(uint16_t a, uint16_t unused) {
    (void)unused;
    return with_sign_of(a, fixed_point(a) & 0x7f);
}
static uint16_t get_mantissa(uint16_t a, uint16_t unused) {
    (void)unused;
    return a & 0x7f;
}
/* The result is a * 2^b; the exponent field wraps. */
static uint16_t add_to_exponent(uint16_t a, uint16_t b) {
    return (uint16_t)((a & 0x807fu) | ((((uint32_t)a >> 7) + b) << 7 & 0x7f80u));
}

/* ---- the table ------------------------------------------------------------------------------- */

/* clang-format off */
#define UNKNOWN .commutative = false,
#define COMMUTATIVE .commutative = true,
#define ANNIHILATOR(x) .annihilator = {true, SAM_EACH, x},
#define ANNIHILATOR_AT(p, x) .annihilator = {true, p, x},
#define IDENTITY(x) .identity = {true, SAM_EACH, x},
#define IDENTITY_AT(p, x) .identity = {true, p, x},
#define MONOID(x) .monoid = {true, SAM_EACH, x},
#define ORDERED(least, most) COMMUTATIVE .idempotent = true, IDENTITY(least) ANNIHILATOR(most) MONOID(least)
#define ALGEBRA(postfix, x) .algebra = postfix, .fill_is_given = true, .fill = x,
/* clang-format on */

static const struct {
    const char *name;
    uint32_t most;
    sam_operator of[2]; /* of int16, of bfloat16 */
} table[SAM_OPERATIONS] = {
#define OPERATION(name, on_int, on_fp, most, of_int, of_fp, ...)                                             \
    {#name, most, {{of_int.apply = on_int}, {of_fp.fp = true, .apply = on_fp}}},
#include "sam/operations.def"
#undef OPERATION
};

const sam_operator *sam_operator_of(sam_operation operation, bool fp) {
    return &table[operation].of[fp];
}

bool sam_find_operation(const char *name, sam_operation *out) {
    for (uint32_t i = 0; i < SAM_OPERATIONS; i++) {
        if (strcmp(table[i].name, name) == 0) {
            *out = (sam_operation)i;
            return true;
        }
    }
    return false;
}

const char *sam_operation_name(sam_operation operation) {
    return table[operation].name;
}

const sam_operator *sam_reducing(const sam_graph *g, sam_node n) {
    const sam_node_data *node = sam_node_at(g, n);
    sam_operation operation = SAM_OPERATION_add;
    if (node->alu.v && !sam_find_operation(names_text(g->names, node->alu), &operation))
        return NULL;
    const sam_operator *f = sam_operator_of(operation, node->fp);
    return f->monoid.given && f->apply ? f : NULL;
}

sim_operation sim_find_operation(const char *name, bool fp, uint32_t *most_operands) {
    sam_operation operation;
    if (!sam_find_operation(name, &operation))
        return NULL;
    *most_operands = table[operation].most;
    return table[operation].of[fp].apply;
}

bool sam_parse_constant(const char *text, bool fp, uint16_t *out) {
    char *end;
    if (fp) {
        *out = from_float(number_read_float(text, &end));
    } else {
        long value = strtol(text, &end, 10);
        if (value < INT16_MIN || value > UINT16_MAX)
            return false;
        *out = (uint16_t)value;
    }
    return *text && !*end;
}
