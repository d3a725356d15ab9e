/* Arithmetic of the simulator: int16 that wraps, and bfloat16 rounded to nearest even.
 *
 * A bfloat16 is the upper half of an IEEE single. Sums, products and quotients of two of them computed in
 * single precision and rounded again are correctly rounded, since 24 >= 2 * 8 + 2 (Figueroa 1995). */
#include "sam/sim_int.h"

#include <stdlib.h>

static float to_float(uint16_t bits) {
    uint32_t word = (uint32_t)bits << 16;
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}

static uint16_t from_float(float f) {
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    if (f != f)
        return 0x7fc0; /* one quiet NaN, so that results do not depend on the machine */
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
static uint16_t int_max(uint16_t a, uint16_t b) {
    return (int16_t)a > (int16_t)b ? a : b;
}
static uint16_t int_min(uint16_t a, uint16_t b) {
    return (int16_t)a < (int16_t)b ? a : b;
}
static uint16_t fp_add(uint16_t a, uint16_t b) {
    return from_float(to_float(a) + to_float(b));
}
static uint16_t fp_sub(uint16_t a, uint16_t b) {
    return from_float(to_float(a) - to_float(b));
}
static uint16_t fp_mul(uint16_t a, uint16_t b) {
    return from_float(to_float(a) * to_float(b));
}
static uint16_t fp_div(uint16_t a, uint16_t b) {
    return from_float(to_float(a) / to_float(b));
}
static uint16_t fp_max(uint16_t a, uint16_t b) {
    return to_float(a) > to_float(b) ? a : b;
}
static uint16_t fp_min(uint16_t a, uint16_t b) {
    return to_float(a) < to_float(b) ? a : b;
}

sim_operation sim_find_operation(const char *name, bool fp, uint32_t *most_operands) {
    static const struct {
        const char *name;
        sim_operation on_int, on_fp;
        uint32_t most;
    } table[] = {
        {"add", int_add, fp_add, UINT8_MAX}, {"sub", int_sub, fp_sub, 2},
        {"mul", int_mul, fp_mul, UINT8_MAX}, {"div", int_div, fp_div, 2},
        {"max", int_max, fp_max, UINT8_MAX}, {"min", int_min, fp_min, UINT8_MAX},
        {"smax", int_max, NULL, UINT8_MAX},  {"smin", int_min, NULL, UINT8_MAX},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].name, name) == 0) {
            *most_operands = table[i].most;
            return fp ? table[i].on_fp : table[i].on_int;
        }
    }
    return NULL;
}

bool sim_parse_constant(const char *text, bool fp, uint16_t *out) {
    char *end;
    if (fp) {
        *out = from_float(strtof(text, &end));
    } else {
        long value = strtol(text, &end, 10);
        if (value < INT16_MIN || value > UINT16_MAX)
            return false;
        *out = (uint16_t)value;
    }
    return *text && !*end;
}
