/* Values of bf16 in lists, for programs that need bf16: in integer arithmetic, since the chip's processor has
 * no other. Sums and quotients are those of IEEE 754, rounded to nearest even, with subnormal numbers, and a
 * single NaN: bit for bit equal to the host's. Products are those of the array's processing elements, which
 * cut the product after EXTRA bits below the last bit and round (support/bf16.h): a value does not depend on
 * the processor chosen by the compiler. */
#include "firmware/target/functions.h"

SMALL_FROM_HERE

enum {
    SIGN = 0x8000,
    INFINITE = 0x7f80, /* larger words are NaN */
    NO_NUMBER = 0x7fc0,
    ONE = 0x3f80,
    HIDDEN = 0x80,
    BELOW = 11, /* bits below the last bit of a bf16 */
    TOP = 18,   /* the hidden bit's, above those */
    EXTRA = 3,  /* bits below the last bit kept by a product until rounding */
    UNORDERED = 2
};

static uint32_t exponent_of(uint32_t word) {
    const uint32_t exponent = word >> 7 & 0xff;
    return exponent ? exponent : 1;
}

static uint32_t mantissa_of(uint32_t word) {
    return (word & 0x7f) | (word & INFINITE ? HIDDEN : 0);
}

/* Returns m shifted to the right; lost bits are ORed into the last bit. */
static uint32_t shifted(uint32_t m, uint32_t by) {
    return by > 31 ? m != 0 : m >> by | ((m & ((1u << by) - 1)) != 0);
}

/* Returns the bf16 of m, which has this exponent if its first bit is TOP. `cut`: only EXTRA bits below the
 * last bit count. */
static __attribute__((noinline)) uint32_t rounded(uint32_t sign, int32_t exponent, uint32_t m, bool cut) {
    if (!m)
        return sign;
    const int32_t shift = __builtin_clz(m) - (31 - TOP);
    m = shift < 0 ? shifted(m, (uint32_t)-shift) : m << shift;
    exponent -= shift;
    if (exponent >= 0xff)
        return sign | INFINITE;
    if (exponent < 1) {
        m = shifted(m, (uint32_t)(1 - exponent));
        exponent = 0; /* adds no hidden bit, or a carry's */
    } else {
        exponent--; /* the hidden bit counts one */
    }
    if (cut)
        m &= ~((1u << (BELOW - EXTRA)) - 1);
    m += (1u << (BELOW - 1)) - 1 + (m >> BELOW & 1);
    return sign | (((uint32_t)exponent << 7) + (m >> BELOW));
}

static uint32_t sum(uint32_t a, uint32_t b) {
    if ((a & ~(uint32_t)SIGN) < (b & ~(uint32_t)SIGN)) {
        const uint32_t less = a;
        a = b;
        b = less;
    }
    if ((a & INFINITE) == INFINITE)
        return (a ^ b) == SIGN ? NO_NUMBER : a;
    const uint32_t exponent = exponent_of(a), sign = a & SIGN, of_a = mantissa_of(a) << BELOW,
                   of_b = shifted(mantissa_of(b) << BELOW, exponent - exponent_of(b));
    if (!((a ^ b) & SIGN))
        return rounded(sign, (int32_t)exponent, of_a + of_b, false);
    return of_a == of_b ? 0 : rounded(sign, (int32_t)exponent, of_a - of_b, false);
}

static uint32_t product(uint32_t a, uint32_t b) {
    const uint32_t sign = (a ^ b) & SIGN, m = mantissa_of(a) * mantissa_of(b);
    if ((a & INFINITE) == INFINITE || (b & INFINITE) == INFINITE)
        return m ? sign | INFINITE : NO_NUMBER; /* an infinity has a mantissa, and 0 has none */
    return rounded(sign, (int32_t)(exponent_of(a) + exponent_of(b)) - 123, m, true);
}

/* Returns the quotient of two normal numbers that is one, too, or 0: another form has to be taken. The
 * significand of 17 bits ends at no half of the last of the 8 that are kept: no quotient of two of 8 bits
 * does. */
static uint32_t plain_quotient(uint32_t a, uint32_t b) {
    const uint32_t of_a = a >> 7 & 0xff, of_b = b >> 7 & 0xff;
    if (of_a - 1 >= 0xfe || of_b - 1 >= 0xfe)
        return 0;
    const uint32_t m = (a & 0x7f) | HIDDEN, n = (b & 0x7f) | HIDDEN, less = m < n,
                   exponent = of_a + 126 - of_b - less; /* the hidden bit counts one */
    if (exponent >= 0xfe)
        return 0;
    const uint32_t q = (m << (16 + less)) / n;
    return ((a ^ b) & SIGN) | ((exponent << 7) + ((q + (1 << 8)) >> 9));
}

static uint32_t quotient_of(uint32_t a, uint32_t b) {
    const uint32_t sign = (a ^ b) & SIGN, of_a = mantissa_of(a) << 24, of_b = mantissa_of(b);
    const bool from_infinity = (a & INFINITE) == INFINITE, by_infinity = (b & INFINITE) == INFINITE;
    if (from_infinity ? by_infinity : !of_a && !of_b)
        return NO_NUMBER;
    if (from_infinity || !of_b)
        return sign | INFINITE;
    if (by_infinity)
        return sign;
    const uint32_t q = of_a / of_b;
    return rounded(sign, (int32_t)exponent_of(a) - (int32_t)exponent_of(b) + 121, q | (q * of_b != of_a),
                   false);
}

/* The mantissa becomes an integer of 24 or 25 bits times an even power of two: its root has 12 or 13 bits, of
 * which 8 are kept, and a further bit records the remainder. */
static uint32_t root_of(uint32_t a) {
    uint32_t m = mantissa_of(a), root = 0;
    int32_t exponent = (int32_t)exponent_of(a);
    if (!m || a == INFINITE)
        return a;     /* the root of -0 is -0 */
    if (a > INFINITE) /* a is negative or no number */
        return NO_NUMBER;
    for (; m < HIDDEN; exponent--)
        m <<= 1;
    m <<= 16 + (exponent & 1);
    for (uint32_t bit = 1u << 12; bit; bit >>= 1) {
        if ((root + bit) * (root + bit) <= m)
            root += bit;
    }
    return rounded(0, (exponent - (exponent & 1) - 150) / 2 + 144, root << 1 | (root * root != m), false);
}

/* Numbers in order; both zeros are equal. */
static int32_t key_of(uint32_t word) {
    const int32_t size = (int32_t)(word & ~(uint32_t)SIGN);
    return word & SIGN ? -size : size;
}

/* Returns the result of FW_OP_COMPARE for two values. */
static int32_t compared(uint32_t a, uint32_t b) {
    const int32_t x = key_of(a), y = key_of(b);
    if ((a & ~(uint32_t)SIGN) > INFINITE || (b & ~(uint32_t)SIGN) > INFINITE)
        return UNORDERED;
    return x < y ? -1 : x > y;
}

static uint32_t calculated(uint32_t how, uint32_t a, uint32_t b, bool no_number) {
    if (no_number)
        return NO_NUMBER;
    if (how == FW_OP_ROOT)
        return root_of(a);
    if (how == FW_OP_MUL)
        return product(a, b);
    return how == FW_OP_DIV ? quotient_of(a, b) : sum(a, how == FW_OP_SUB ? b ^ SIGN : b);
}

/* Sums and plain quotients come before all comparisons: they are most of what a list computes. */
uint32_t bf16_combine(uint32_t how, uint32_t a, uint32_t b) {
    const uint32_t plain = how == FW_OP_DIV ? plain_quotient(a, b) : 0;
    if (plain)
        return plain;
    if (how == FW_OP_ADD && (a & ~(uint32_t)SIGN) <= INFINITE && (b & ~(uint32_t)SIGN) <= INFINITE)
        return sum(a, b);
    const int32_t compares = compared(a, b);
    bool holds = compares == 0;
    switch (how) {
    case FW_OP_SET:
        return b;
    case FW_OP_OR:
        return a | b;
    case FW_OP_AND:
        return a & b;
    case FW_OP_MIN:
        return compares == -1 ? a : b;
    case FW_OP_MAX:
        return compares == 1 ? a : b;
    case FW_OP_COMPARE:
        return (uint32_t)compares;
    case FW_OP_LESS:
    case FW_OP_LESS_EQUAL:
        holds = compares == -1 || (holds && how == FW_OP_LESS_EQUAL);
        break;
    case FW_OP_UNEQUAL:
        holds = !holds;
        break;
    case FW_OP_EQUAL:
        break;
    default:
        return calculated(how, a, b, how != FW_OP_ROOT && compares == UNORDERED);
    }
    return holds ? ONE : 0;
}

SMALL_TO_HERE
