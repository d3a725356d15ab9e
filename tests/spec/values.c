/* the primitives on a single nesting level: repeat signal, reducer, ALU; and the dispatch.
 */
#include "tests/spec/streams.h"

void spec_rsg(spec_streams *s) {
    while (has(s, 0)) {
        uint32_t token = take(s, 0);
        put(s, 0, rtl_is_control(token) ? token : 1);
    }
}

/* A float has over twice the digits of a bfloat16, so rounding to it first changes nothing. */
uint16_t spec_bf16_sum(uint16_t a, uint16_t b) {
    uint32_t bits_a = (uint32_t)a << 16, bits_b = (uint32_t)b << 16, bits;
    float x, y, sum;
    memcpy(&x, &bits_a, sizeof x);
    memcpy(&y, &bits_b, sizeof y);
    sum = x + y;
    memcpy(&bits, &sum, sizeof bits);
    if (sum != sum)
        return 0x7fc0;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void spec_reduce(spec_streams *s, uint16_t default_value, bool bf16) {
    uint16_t sum = 0;  /* the chip's first sum after a flush does not start from default_value */
    bool open = false; /* the fiber at hand has had an item: done without a stop before it ends it, too */
    while (has(s, 0)) {
        uint32_t token = take(s, 0);
        if (rtl_is_stop(token) || (rtl_is_done(token) && open)) {
            put(s, 0, sum);
            sum = default_value;
        }
        if (rtl_is_stop(token) && rtl_stop_level(token) > 0)
            put(s, 0, token - 1);
        if (rtl_is_done(token))
            put(s, 0, token);
        open = rtl_is_item(token);
        if (open && !rtl_is_maybe(token))
            sum = bf16 ? spec_bf16_sum(sum, (uint16_t)token) : (uint16_t)(sum + token);
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
        spec_joiner(s, space[0] >> 1 & 1);
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
        spec_reduce(s, (uint16_t)(space[0] >> 17 | space[1] << 15), space[1] >> 1 & 1);
        return;
    }
    BUG("PE mode %d", (int)config->mode);
}
