/* The specification on streams small enough to know the answer by hand. */
#include <math.h>

#include "tests/quota.h"
#include "tests/spec/spec.h"
#include "tests/support/bf16_products.h"
#include "tests/test.h"

/* "1 2 S0 N D": data in hexadecimal, S<level>, N maybe, D done. */
static void parse(arena *mem, const char *text, u32_vec *out) {
    char *at = arena_strdup(mem, text);
    for (char *word = strtok(at, " "); word; word = strtok(NULL, " ")) {
        uint32_t token = word[0] == 'S'   ? RTL_STOP(strtoul(word + 1, NULL, 10))
                         : word[0] == 'N' ? RTL_MAYBE
                         : word[0] == 'D' ? RTL_DONE
                                          : (uint32_t)strtoul(word, NULL, 16);
        vec_push(mem, out, token);
    }
}

static const char *print(arena *mem, const u32_vec *tokens) {
    const char *text = "";
    for (uint32_t i = 0; i < tokens->len; i++) {
        uint32_t t = tokens->at[i];
        const char *gap = i ? " " : "";
        text = rtl_is_stop(t)    ? arena_printf(mem, "%s%sS%u", text, gap, rtl_stop_level(t))
               : rtl_is_maybe(t) ? arena_printf(mem, "%s%sN", text, gap)
               : rtl_is_done(t)  ? arena_printf(mem, "%s%sD", text, gap)
                                 : arena_printf(mem, "%s%s%x", text, gap, t);
    }
    return text;
}

typedef struct {
    spec_pe_config config;
    const char *in[SPEC_INS], *out[SPEC_OUTS];
} example;

static void check(void **state, const example *e) {
    fixture *f = *state;
    spec_streams s = {.mem = &f->mem};
    for (int i = 0; i < SPEC_INS; i++)
        if (e->in[i])
            parse(&f->mem, e->in[i], &s.in[i]);
    spec_pe(&e->config, &s);
    for (int i = 0; i < SPEC_INS; i++)
        assert_int_equal(s.taken[i], s.in[i].len);
    for (int o = 0; o < SPEC_OUTS; o++)
        assert_string_equal(print(&f->mem, &s.out[o]), e->out[o] ? e->out[o] : "");
}

static void test_joiner(void **state) {
    check(state, &(example){{RTL_PE_JOINER, {1}},
                            {"0 2 3 S0 5 S1 D", "2 3 4 S0 S1 D", "a b c S0 d S1 D", "e f 0 S0 S1 D"},
                            {"2 3 S0 S1 D", "b c S0 S1 D", "e f S0 S1 D"}});
    check(state, &(example){{RTL_PE_JOINER, {3}},
                            {"0 2 S0 S1 D", "2 3 S0 4 S1 D", "a b S0 S1 D", "c N S0 d S1 D"},
                            {"0 2 3 S0 4 S1 D", "a b N S0 N S1 D", "N c N S0 d S1 D"}});
}

/* The eight sets of regions; each ends its fibers. */
static void test_regions(void **state) {
    example e = {.in = {"0 2 3 S0 5 S1 D", "2 3 4 S0 S1 D", "a b c S0 d S1 D", "e f 0 S0 S1 D"}};
    static const char *const out[8][3] = {
        [0] = {"S0 S1 D", "S0 S1 D", "S0 S1 D"},
        [RTL_REGION_SIDE0] = {"0 S0 5 S1 D", "a S0 d S1 D", "N S0 N S1 D"},
        [RTL_REGION_SIDE1] = {"4 S0 S1 D", "N S0 S1 D", "0 S0 S1 D"},
        [3] = {"0 4 S0 5 S1 D", "a N S0 d S1 D", "N 0 S0 N S1 D"},
        [RTL_REGION_BOTH] = {"2 3 S0 S1 D", "b c S0 S1 D", "e f S0 S1 D"},
        [5] = {"0 2 3 S0 5 S1 D", "a b c S0 d S1 D", "N e f S0 N S1 D"},
        [6] = {"2 3 4 S0 S1 D", "b c N S0 S1 D", "e f 0 S0 S1 D"},
        [7] = {"0 2 3 4 S0 5 S1 D", "a b c N S0 d S1 D", "N e f 0 S0 N S1 D"},
    };
    for (uint32_t regions = 0; regions < 8; regions++) {
        e.config = (spec_pe_config){RTL_PE_REGION_JOIN, {1 | regions << 1}};
        memcpy(e.out, out[regions], sizeof e.out);
        check(state, &e);
    }
}

static void test_crddrop(void **state) {
    check(
        state,
        &(example){{RTL_PE_CRDDROP, {1}}, {"1 2 S0 S0 3 S1 D", "7 8 9 S0 D"}, {"1 2 S0 3 S1 D", "7 9 S0 D"}});
    /* Inner stops without a remaining outer token. */
    check(state, &(example){{RTL_PE_CRDDROP, {1}}, {"1 S1 S0 S2 D", "7 S0 D"}, {"1 S1 S0 S2 D", "7 S0 D"}});
    check(state, &(example){{RTL_PE_CRDDROP, {1}}, {"1 S0 D S0 D", "D 7 D"}, {"1 S0 D D", "D D"}});
    /* An outer fiber without coordinates keeps its stop. */
    check(state, &(example){{RTL_PE_CRDDROP, {1}},
                            {"1 S1 S1 3 S2 D", "7 S0 S0 9 S1 D"},
                            {"1 S1 3 S2 D", "7 S0 S0 9 S1 D"}});
}

static void test_crdhold(void **state) {
    check(state, &(example){{RTL_PE_CRDHOLD, {1}},
                            {"1 2 S0 S0 3 S1 D", "7 8 9 S0 D"},
                            {"1 2 S0 S0 3 S1 D", "7 7 S0 S0 9 S1 D"}});
    /* An empty fiber of the first coordinate after a fiber's end, then an empty outer fiber. */
    check(state, &(example){{RTL_PE_CRDHOLD, {1}},
                            {"1 S1 S0 2 S1 S1 3 S2 D", "7 S0 8 9 S0 S0 a S1 D"},
                            {"1 S1 S0 2 S1 S1 3 S2 D", "7 S1 S0 9 S1 S1 a S2 D"}});
}

static void test_repeat(void **state) {
    check(state, &(example){{RTL_PE_REPEAT, {1}}, {"7 N 9 S0 D", "1 1 S0 1 S0 S1 D"}, {"7 7 S0 N S0 S1 D"}});
    /* Empty repeat fibers, first and right after a higher stop: the chip's erratum. */
    check(state,
          &(example){{RTL_PE_REPEAT, {1}}, {"7 8 S0 9 a S1 D", "S0 1 S1 S0 1 S2 D"}, {"S0 8 S1 S0 a S2 D"}});
    check(state, &(example){{RTL_PE_REPEAT, {1 | 1 << 18}}, {NULL, "1 1 S0 D S0 D"}, {"0 0 S0 D S0 D"}});
}

/* Inner stops whose level a dropper before has lowered. */
static void test_lost_levels(void **state) {
    check(state,
          &(example){{RTL_PE_CRDDROP, {1}}, {"1 S0 2 S0 D", "7 S0 8 S1 D"}, {"1 S0 2 S0 D", "7 S0 8 S1 D"}});
    check(state,
          &(example){{RTL_PE_CRDHOLD, {1}}, {"1 S0 2 S0 D", "7 S0 8 S1 D"}, {"1 S0 2 S0 D", "7 S0 8 S0 D"}});
    check(state, &(example){{RTL_PE_REPEAT, {1}}, {"7 S0 8 S1 D", "1 S0 1 1 S0 D"}, {"7 S0 8 8 S0 D"}});
}

static void test_rsg(void **state) {
    check(state, &(example){{RTL_PE_RSG, {1}}, {"5 0 S0 N S1 D"}, {"1 1 S0 N S1 D"}});
}

static void test_reduce(void **state) {
    check(state, &(example){{RTL_PE_REDUCE, {1}}, {"1 N ffff S0 2 3 S1 S2 D"}, {"0 5 S0 0 S1 D"}});
    check(state, &(example){{RTL_PE_REDUCE, {1 | 5 << 17}}, {"1 S0 S0 2 S1 D"}, {"1 5 7 S0 D"}});
    check(state, &(example){{RTL_PE_REDUCE, {1 | 5 << 17}}, {"1 2 D D 3 D"}, {"3 D D 8 D"}});
    check(state, &(example){{RTL_PE_REDUCE, {1, 1}}, {"S0 S0 D"}, {"0 8000 D"}});
    /* By min from 7fff on, the first fiber, too; by lor; by a sum absorbed by 7fff. */
    check(
        state,
        &(example){{RTL_PE_REDUCE, {1 | 0xfffeu << 16, 2 << 2}}, {"5 fffb S0 S0 9 S0 D"}, {"fffb 7fff 9 D"}});
    /* 256 and 1 and 1 and 1 of bfloat16, each sum rounded, and as float32: 256, and 259, nearest to which is
     * 260. */
    check(state, &(example){{RTL_PE_REDUCE, {1, 1 << 1}}, {"4380 3f80 3f80 3f80 S0 D"}, {"4380 D"}});
    check(state, &(example){{RTL_PE_REDUCE, {1, 1 << 1 | 1 << 6}},
                            {"4380 3f80 3f80 3f80 S0 3f80 S0 D"},
                            {"4382 3f80 D"}});
    check(state, &(example){{RTL_PE_REDUCE, {1, 10 << 2}}, {"5 0 S0 0 S0 S0 D"}, {"1 0 0 D"}});
    check(state, &(example){{RTL_PE_REDUCE, {1, 11 << 2}}, {"5 7fff S0 7000 7000 S0 D"}, {"7fff 7fff D"}});
}

static void test_alu_streams(void **state) {
    const spec_pe_config sub = {RTL_PE_ALU, {0x00800009, 0x08000200, 0x94000}};
    check(state, &(example){sub, {"5 N 1 S0 N D", "3 2 N S0 N D"}, {"2 fffe 1 S0 N D"}});
}

/* An instruction: opcode, signedness, c and d constants; a and b come from the inputs unless given. */
static uint16_t result(uint32_t opcode, bool is_signed, uint32_t c, bool d, uint16_t a, uint16_t b) {
    uint32_t space[3] = {1 | opcode << 3 | (uint32_t)is_signed << 8 | 2u << 22, 2u << 8 | (c & 15) << 28,
                         c >> 4 | (uint32_t)d << 14};
    return rtl_alu_result(space, a, b);
}

static void test_alu_operations(void **state) {
    (void)state;
    assert_int_equal(result(0, false, 0, false, 0xffff, 2), 1);
    assert_int_equal(result(1, false, 0, true, 3, 5), 0xfffe);
    assert_int_equal(result(2, true, 0, false, 0xfff0, 0), 0x10);
    assert_int_equal(result(2, true, 0, false, 0x8000, 0), 0x8000);
    assert_int_equal(result(3, false, 0, true, 3, 5), 3);
    assert_int_equal(result(3, false, 0, false, 3, 5), 5);
    assert_int_equal(result(4, false, 0, false, 0x1234, 0x100), 0x3400);
    assert_int_equal(result(5, false, 0, false, 0x1234, 0x100), 0x1234);
    assert_int_equal(result(6, false, 0, false, 0xffff, 0xffff), 0xfffe);
    assert_int_equal(result(6, true, 0, false, 0xffff, 0xffff), 0);
    assert_int_equal(result(7, false, 4, false, 0x8010, 0), 0x0801);
    assert_int_equal(result(7, true, 4, false, 0x8010, 0), 0xf801);
    assert_int_equal(result(7, true, 40, false, 0x8010, 0), 0xffff);
    assert_int_equal(result(8, false, 0, false, 3, 4), 0x30);
    assert_int_equal(result(8, false, 0, false, 3, 16), 0);
    assert_int_equal(result(9, false, 0, false, 0xf0f0, 0x00ff), 0xf0ff);
    assert_int_equal(result(10, false, 0, false, 0xf0f0, 0x00ff), 0x00f0);
    assert_int_equal(result(11, false, 0, false, 0xf0f0, 0x00ff), 0xf00f);
    assert_int_equal(result(12, false, 7, false, 3, 5), 22);
    assert_int_equal(result(13, false, 7, false, 3, 5), 8);
    assert_int_equal(result(14, false, 7, false, 3, 5), 15);
    assert_int_equal(result(15, false, 7, false, 3, 5), 1);
    assert_int_equal(result(16, false, 7, true, 3, 5), 5);
    assert_int_equal(result(17, false, 7, true, 3, 5), 0xfff7);
    assert_int_equal(result(18, false, 4, false, 3, 5), 4);
    assert_int_equal(result(18, true, 0, false, 0xfff0, 5), 0);
    assert_int_equal(result(18, false, 0, false, 9, 5), 5);
    assert_int_equal(result(19, false, 4, false, 0x10, 0x123), 0x123);
}

/* ---- bfloat16 ---- */

static double number(uint16_t bits) {
    uint32_t word = (uint32_t)bits << 16;
    float f;
    memcpy(&f, &word, sizeof f);
    return (double)f;
}

/* The bfloat16 nearest to x. Sums and products of two bfloat16 numbers in double precision are exact or,
 * where they are not, too far from a tie for a second rounding to matter. */
static uint16_t nearest(double x) {
    if (isnan(x))
        return 0x7fc0;
    int exponent;
    frexp(x, &exponent);
    int quantum = exponent - 8 < -133 ? -133 : exponent - 8;
    float f = (float)ldexp(nearbyint(ldexp(x, -quantum)), quantum);
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    return isinf(x) || fabs(ldexp(nearbyint(ldexp(x, -quantum)), quantum)) >= ldexp(1, 128)
               ? (uint16_t)(x < 0 ? 0xff80 : 0x7f80)
               : (uint16_t)(word >> 16);
}

/* x cut to three bits more than the nearest bfloat16 has. */
static double cut(double x) {
    int exponent;
    if (isnan(x) || isinf(x))
        return x;
    frexp(x, &exponent);
    int quantum = exponent - 11 < -136 ? -136 : exponent - 11;
    return ldexp(trunc(ldexp(x, -quantum)), quantum);
}

/* Returns whether all results are trivial: an operand, 0, infinite or no number. */
static bool check_bf16(uint16_t a, uint16_t b) {
    bool trivial = true;
    static const uint32_t opcodes[] = {0, 1, 3};
    const double values[] = {number(a) + number(b), number(a) - number(b), cut(number(a) * number(b))};
    for (int i = 0; i < 3; i++) {
        uint32_t space[3] = {1 | 2 << 1 | opcodes[i] << 3 | 2u << 22, 2u << 8 | 2u << 26, 2u << 12};
        uint16_t got = rtl_alu_result(space, a, b), want = nearest(values[i]);
        if (got != want)
            fail_msg("opcode %u of %04x and %04x is %04x, not %04x", opcodes[i], a, b, got, want);
        trivial = trivial && (got == a || got == b || !(got & 0x7fff) || (got & 0x7f80) == 0x7f80);
    }
    return trivial;
}

static void test_bf16(void **state) {
    static const uint16_t special[] = {0,      1,      2,      0x40,   0x7f,   0x80,
                                       0x81,   0xff,   0x3f7f, 0x3f80, 0x3f81, 0x4000,
                                       0x7eff, 0x7f00, 0x7f7f, 0x7f80, 0x7f81, 0x7fff};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof special / sizeof *special; i++) {
        uint16_t a = (uint16_t)(special[i / 2] | (i & 1) << 15);
        for (uint32_t b = 0; b < 0x10000; b++) {
            check_bf16(a, (uint16_t)b);
            check_bf16((uint16_t)b, a);
        }
    }
    prng random = prng_seed(5);
    quota shown = {0};
    for (int i = 0; i < 1000000; i++) {
        uint16_t a = (uint16_t)prng_below(&random, 0x10000), b = (uint16_t)prng_below(&random, 0x10000);
        quota_add(&shown, true, check_bf16(a, b));
        quota_add(&shown, true, check_bf16(a, (uint16_t)(b & 0x807f) | (a & 0x7f80))); /* of like size */
    }
    assert_false(quota_failed(&shown));
}

/* All pairs of significands, in the ALU and in a multiplying reducer. */
static void test_bf16_products(void **state) {
    (void)state;
    for (uint32_t n = 0; n < BF16_PRODUCTS; n++) {
        const bf16_case c = bf16_case_at(n);
        assert_int_equal(
            rtl_alu_result((const uint32_t[]){1 | 2 << 1 | 3 << 3 | 2u << 22, 2u << 8 | 2u << 26, 2u << 12},
                           c.a, c.b),
            c.chip);
        assert_int_equal(rtl_combine(RTL_BY_MUL, true, c.a, c.b), c.chip);
        assert_int_equal(spec_combine((spec_reduction){.op = 1, .bf16 = true}, c.a, c.b), c.chip);
    }
}

RUN_TESTS(TEST(test_joiner), TEST(test_regions), TEST(test_crddrop), TEST(test_crdhold), TEST(test_repeat),
          TEST(test_lost_levels), TEST(test_rsg), TEST(test_reduce), TEST(test_alu_streams),
          TEST(test_alu_operations), TEST(test_bf16), TEST(test_bf16_products))
