/* the primitives on a single nesting level: repeat signal, reducer, ALU; and the dispatch.
 */
#include "tests/spec/streams.h"

#include <math.h>

void spec_rsg(spec_streams *s) {
    while (has(s, 0)) {
        uint32_t token = take(s, 0);
        put(s, 0, rtl_is_control(token) ? token : 1);
    }
}

/* A product is cut to three bits more than a bfloat16 has: 11 in all, fewer for subnormal numbers.
 */
static float cut_product(double exact) {
    int exponent;
    if (exact == 0 || isinf(exact) || isnan(exact))
        return (float)exact;
    frexp(exact, &exponent);
    const int last = (exponent < -125 ? -125 : exponent) - 11;
    return (float)ldexp(trunc(ldexp(exact, -last)), last);
}

/* A float has over twice the digits of a bfloat16: rounding to float first changes nothing. */
static uint16_t bf16_result(uint16_t a, uint16_t b, bool product) {
    uint32_t bits_a = (uint32_t)a << 16, bits_b = (uint32_t)b << 16, bits;
    float x, y, sum; /* or product */
    memcpy(&x, &bits_a, sizeof x);
    memcpy(&y, &bits_b, sizeof y);
    sum = product ? cut_product((double)x * (double)y) : x + y;
    memcpy(&bits, &sum, sizeof bits);
    if (sum != sum)
        return 0x7fc0;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Where a value stands among all, from 0: integers with sign by their number, without by their bits, bfloat16
 * by sign and magnitude. */
static int32_t place(spec_reduction by, uint16_t v) {
    if (by.bf16)
        return v & 0x8000 ? -1 - (v & 0x7fff) : v;
    return by.op < 4 ? (int16_t)v : v;
}

uint16_t spec_entry(spec_reduction by, uint16_t v) {
    return by.op == 9 || by.op == 10 ? v != 0 : v;
}

/* The sum in the range of int16: `first` absorbs, and after it `second`, the range's ends. */
static uint16_t sum_within(int32_t x, int32_t y, int32_t first, int32_t second) {
    if (x == first || y == first)
        return (uint16_t)first;
    if (x == second || y == second)
        return (uint16_t)second;
    int32_t sum = x + y;
    sum = sum > INT16_MAX ? INT16_MAX : sum;
    return (uint16_t)(sum < INT16_MIN ? INT16_MIN : sum);
}

uint16_t spec_combine(spec_reduction by, uint16_t a, uint16_t b) {
    const int32_t x = (int16_t)a, y = (int16_t)b, most = INT16_MAX, least = INT16_MIN;
    const uint16_t entry = spec_entry(by, b);
    switch (by.op) {
    case 1:
        return by.bf16 ? bf16_result(a, b, true) : (uint16_t)(a * (uint32_t)b);
    case 2: /* least, with sign and without */
    case 4:
        return place(by, b) < place(by, a) ? b : a;
    case 3:
    case 5:
        return place(by, b) > place(by, a) ? b : a;
    case 6:
    case 9:
        return a & entry;
    case 7:
    case 10:
        return a | entry;
    case 8:
        return a ^ b;
    case 11:
        return sum_within(x, y, most, least);
    case 12:
        return sum_within(x, y, least, most);
    default:
        return by.bf16 ? bf16_result(a, b, false) : (uint16_t)(a + b);
    }
}

/* The nearest float32 to the sum of one, whose bits are `a`, and a bfloat16: a double has over twice the
 * digits. */
static uint32_t float32_sum(uint32_t a, uint16_t b) {
    const uint32_t bits_b = (uint32_t)b << 16;
    float x, y;
    uint32_t bits;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &bits_b, sizeof y);
    x = (float)((double)x + (double)y);
    memcpy(&bits, &x, sizeof bits);
    return isnan(x) ? 0x7fc00000 : bits;
}

/* A sum in the upper half of 32 bits; the lower half is that of a float32. */
static uint32_t next_sum(spec_reduction by, uint32_t sum, uint16_t value) {
    if (by.float32 && by.bf16 && !by.op)
        return float32_sum(sum, value);
    return (uint32_t)spec_combine(by, (uint16_t)(sum >> 16), value) << 16;
}

void spec_reduce(spec_streams *s, uint16_t default_value, spec_reduction by) {
    const uint32_t first = (uint32_t)default_value << 16;
    uint32_t sum =
        by.op ? first : 0; /* the chip's first sum after a flush does not start from default_value */
    bool open = false;     /* the fiber has an item: done without a stop ends the fiber, too */
    while (has(s, 0)) {
        uint32_t token = take(s, 0);
        if (rtl_is_stop(token) || (rtl_is_done(token) && open)) {
            put(s, 0, (sum + 0x7fff + (sum >> 16 & 1)) >> 16);
            sum = first;
        }
        if (rtl_is_stop(token) && rtl_stop_level(token) > 0)
            put(s, 0, token - 1);
        if (rtl_is_done(token))
            put(s, 0, token);
        if (s->meaning >= SPEC_CHIP && rtl_is_maybe(token))
            return; /* it stands still */
        open = rtl_is_item(token);
        if (open && !rtl_is_maybe(token))
            sum = next_sum(by, sum, (uint16_t)token);
    }
}

void spec_alu(spec_streams *s, const uint32_t space[3]) {
    while (has(s, 0) && has(s, 1)) {
        uint32_t x = take(s, 0), y = take(s, 1);
        if (rtl_is_control(x) && rtl_is_control(y))
            put(s, 0, x);
        else
            put(s, 0,
                rtl_alu_result(space, rtl_is_maybe(x) ? 0 : (uint16_t)x, rtl_is_maybe(y) ? 0 : (uint16_t)y));
    }
}

/* ---- dispatch -------------------------------------------------------------------------------- */

void spec_pe(const spec_pe_config *config, spec_streams *s) {
    const uint32_t *space = config->space;
    switch (config->mode) {
    case RTL_PE_JOINER:
        spec_joiner(s, space[0] >> 1 & 1 ? 7 : 4);
        return;
    case RTL_PE_CRDDROP:
        spec_crddrop(s);
        return;
    case RTL_PE_CRDHOLD:
        spec_crdhold(s);
        return;
    case RTL_PE_ALU:
        spec_alu(s, space);
        return;
    case RTL_PE_REPEAT:
        spec_repeat(s, space[0] >> 18 & 1, space[0] >> 17 & 1);
        return;
    case RTL_PE_RSG:
        spec_rsg(s);
        return;
    case RTL_PE_REDUCE:
        spec_reduce(s, (uint16_t)(space[0] >> 17 | space[1] << 15),
                    (spec_reduction){space[1] >> 2 & 15, space[1] >> 1 & 1, space[1] >> 6 & 1});
        return;
    case RTL_PE_REGION_JOIN:
        spec_joiner(s, space[0] >> 1 & 7);
        return;
    }
    BUG("PE mode %d", (int)config->mode);
}
