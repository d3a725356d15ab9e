/* tiling/: every int16 value that depends on a wrapped value is counted, whatever the surrounding
 * operations. The test evaluates random expressions a second time, point by point: in integers of 64
 * bits, and in words. */
#include "frontend/language/language.h"
#include "tests/quota.h"
#include "tests/test.h"
#include "tiling/tiling_int.h"

#include <stdlib.h>

enum { POINTS = 8, OPERANDS = 3, DEPTH = 4, PRODUCTS = 3, CASES = 5000 };

/* A value at each point: the whole number; the word of the array; whether a wrapped word went through an
 * operation without a counterpart modulo 2^16. */
typedef struct {
    int64_t whole[POINTS];
    int16_t word[POINTS];
    bool lost[POINTS];
    char text[400];
} value;

typedef struct {
    prng random;
    value operand[OPERANDS];
    uint32_t products; /* that may still come */
    quota shown;       /* trivial: one value at all points */
} maker;

static uint32_t draw(maker *m, uint32_t n) {
    return (uint32_t)(prng_next(&m->random) >> 33) % n;
}

static bool wrapped(const value *v, uint32_t p) {
    return v->lost[p] || v->whole[p] != v->word[p];
}

/* ---- operations: on whole numbers, hence on words --------------------------------------------------- */

/* Products of products exceed 64 bits, too: whole numbers are modulo 2^64, and only lost values differ. */

static int64_t of_add(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}
static int64_t of_sub(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a - (uint64_t)b);
}
static int64_t of_mul(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a * (uint64_t)b);
}
static int64_t of_div(int64_t a, int64_t b) {
    return b ? a / b : 0;
}
static int64_t of_rem(int64_t a, int64_t b) {
    return b ? a % b : a;
}
static int64_t of_max(int64_t a, int64_t b) {
    return a > b ? a : b;
}
static int64_t of_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static int64_t of_and(int64_t a, int64_t b) {
    return a & b;
}
static int64_t of_or(int64_t a, int64_t b) {
    return a | b;
}
static int64_t of_xor(int64_t a, int64_t b) {
    return a ^ b;
}
static int64_t of_lt(int64_t a, int64_t b) {
    return a < b;
}
static int64_t of_ge(int64_t a, int64_t b) {
    return a >= b;
}
static int64_t of_eq(int64_t a, int64_t b) {
    return a == b;
}
static int64_t of_mask(int64_t a, int64_t b) {
    return a ? b : 0;
}
static int64_t of_relu(int64_t a, int64_t b) {
    return a > 0 ? a : b * 0;
}
static int64_t of_abs(int64_t a, int64_t b) {
    return a < 0 ? of_sub(0, a) : a + b * 0;
}
static int64_t of_square(int64_t a, int64_t b) {
    return of_mul(a, a) + b * 0;
}
static int64_t of_clamp(int64_t a, int64_t b) {
    return a < -9 ? -9 : a > 900 ? 900 : a + b * 0;
}
static int64_t of_shift(int64_t a, int64_t b) {
    return of_mul(a, 8) + b * 0;
}
static int64_t of_half(int64_t a, int64_t b) {
    return (a >> 2) + b * 0;
}

/* Operands that decide the result alone: none, either side if it is 0 or -1, the left one if it is 0; the
 * mask is decided by 0 on either side, and by another left one to be its right one. */
typedef enum { NOTHING, ZERO, ONES, LEFT_ZERO, MASK } decision;

static const struct {
    const char *text; /* of both sides */
    int64_t (*of)(int64_t, int64_t);
    bool one, modular, product;
    decision by;
} operations[] = {
    {"(%s + %s)", of_add, false, true, false, NOTHING},
    {"(%s - %s)", of_sub, false, true, false, NOTHING},
    {"(%s * %s)", of_mul, false, true, true, ZERO},
    {"(%s / %s)", of_div, false, false, false, ZERO},
    {"(%s % %s)", of_rem, false, false, false, LEFT_ZERO},
    {"max(%s, %s)", of_max, false, false, false, NOTHING},
    {"min(%s, %s)", of_min, false, false, false, NOTHING},
    {"(%s & %s)", of_and, false, false, false, ZERO},
    {"(%s | %s)", of_or, false, false, false, ONES},
    {"(%s ^ %s)", of_xor, false, false, false, NOTHING},
    {"(%s < %s)", of_lt, false, false, false, NOTHING},
    {"(%s >= %s)", of_ge, false, false, false, NOTHING},
    {"(%s == %s)", of_eq, false, false, false, NOTHING},
    {"mask(%s, %s)", of_mask, false, false, false, MASK},
    {"absdiff(%s, %s)", NULL, false, false, false, NOTHING},
    {"relu(%s)", of_relu, true, false, false, NOTHING},
    {"abs(%s)", of_abs, true, false, false, NOTHING},
    {"square(%s)", of_square, true, true, true, NOTHING},
    {"clamp(%s, -9, 900)", of_clamp, true, false, false, NOTHING},
    {"(%s << 3)", of_shift, true, true, true, NOTHING},
    {"(%s >> 2)", of_half, true, false, false, NOTHING},
};
enum { SUB = 1, ABSDIFF = 14, ABS = 16, OPERATIONS = sizeof operations / sizeof *operations };

/* Whether a value with right words decides the result whatever the other side, from this side. */
static bool decides(decision by, const value *v, uint32_t p, bool left) {
    const int16_t word = v->word[p];
    if (wrapped(v, p))
        return false;
    if (by == ONES)
        return word == -1;
    return word == 0 && (by == ZERO || by == MASK || (by == LEFT_ZERO && left));
}

/* ---- expressions ------------------------------------------------------------------------------- */

/* Writes the operation of both sides. */
static void write_text(const char *format, const value *a, const value *b, value *out) {
    size_t n = 0;
    const value *side = a;
    for (; *format; format++) {
        if (format[0] == '%' && format[1] == 's') {
            n += (size_t)snprintf(out->text + n, sizeof out->text - n, "%s", side->text);
            side = b;
            format++;
        } else {
            out->text[n++] = *format;
        }
    }
    out->text[n] = '\0';
}

static void apply(uint32_t op, const value *a, const value *b, value *out) {
    for (uint32_t p = 0; p < POINTS; p++) {
        const decision by = operations[op].by;
        const bool decided = decides(by, a, p, true) || decides(by, b, p, false);
        const bool passes = by == MASK && !wrapped(a, p); /* what the right side is */
        const bool lost = (a->lost[p] && !passes) || (!operations[op].one && b->lost[p]);
        const bool bad = (wrapped(a, p) && !passes) || (!operations[op].one && wrapped(b, p));
        out->word[p] = (int16_t)(uint16_t)(uint64_t)operations[op].of(a->word[p], b->word[p]);
        out->whole[p] = operations[op].of(a->whole[p], b->whole[p]);
        out->lost[p] = !decided && (lost || (!operations[op].modular && bad));
    }
    write_text(operations[op].text, a, b, out);
}

/* absdiff(a, b) is abs(a - b): the difference is a word. */
static void apply_all(uint32_t op, const value *a, const value *b, value *out) {
    value apart;
    if (op != ABSDIFF) {
        apply(op, a, b, out);
        return;
    }
    apply(SUB, a, b, &apart);
    apply(ABS, &apart, &apart, out);
    write_text(operations[op].text, a, b, out);
}

static void make(maker *m, uint32_t depth, value *out) {
    value a, b;
    uint32_t op = draw(m, OPERATIONS);
    if (!depth || !draw(m, 6)) {
        *out = m->operand[draw(m, OPERANDS)];
        return;
    }
    while (operations[op].product && !m->products)
        op = draw(m, OPERATIONS);
    m->products -= operations[op].product;
    make(m, depth - 1, &a);
    b = a;
    if (!operations[op].one)
        make(m, depth - 1, &b);
    apply_all(op, &a, &b, out);
}

/* Values up to the limits of int16, or small values. */
static void make_operands(maker *m) {
    const int32_t most = draw(m, 3) ? 32767 : 20;
    for (uint32_t t = 0; t < OPERANDS; t++) {
        for (uint32_t p = 0; p < POINTS; p++) {
            const int32_t x = (int32_t)draw(m, (uint32_t)most) + 1;
            m->operand[t].word[p] = (int16_t)(draw(m, 2) ? x : -x);
            m->operand[t].whole[p] = m->operand[t].word[p];
            m->operand[t].lost[p] = false;
        }
        snprintf(m->operand[t].text, sizeof m->operand[t].text, "%c(i)", 'b' + (int)t);
    }
}

static tile_tensor reference_of(fixture *f, const maker *m, const char *expression) {
    const fe_in in = {.expression = expression, .integers = true};
    sam_statement s;
    tile_tensor out, data[OPERANDS + 1];
    static const uint32_t crd[POINTS] = {0, 1, 2, 3, 4, 5, 6, 7};
    if (!fe_parse(&in, &f->names, &f->mem, &f->diag, &s))
        fail_msg("%s\n%s", expression, fixture_printed(f));
    for (uint32_t t = 1; t < s.tensors.len; t++) {
        const char *name = names_text(&f->names, s.tensors.at[t].name);
        data[t] = (tile_tensor){.order = 1, .dim = {POINTS}, .nnz = POINTS, .crd = crd};
        data[t].val = (const uint16_t *)m->operand[*name - 'b'].word;
    }
    const tile_operands of = {data, s.tensors.len, TILE_DTYPE_INT16};
    assert_true(tile_reference(&s, &of, &f->mem, &f->diag, &out));
    return out;
}

/* Returns whether the expression has a value to be counted. */
static bool check(fixture *f, maker *m) {
    value v;
    char expression[420];
    uint64_t must = 0;
    make_operands(m);
    m->products = PRODUCTS;
    make(m, DEPTH, &v);
    snprintf(expression, sizeof expression, "x(i) = %s", v.text);
    const tile_tensor got = reference_of(f, m, expression);
    for (uint32_t p = 0; p < POINTS; p++)
        must += wrapped(&v, p);
    if (got.wrapped != must)
        fail_msg("%s: %llu values counted, %llu of 8 made of what wrapped", expression,
                 (unsigned long long)got.wrapped, (unsigned long long)must);
    quota_add(&m->shown, true, quota_constant(v.whole, POINTS, sizeof *v.whole));
    return must > 0;
}

static void all_that_is_made_of_wrapped_values_is_counted(void **state) {
    fixture *f = *state;
    maker m = {.random = prng_seed(52)};
    uint32_t bad = 0, good = 0;
    while (bad < CASES) {
        *(check(f, &m) ? &bad : &good) += 1;
    }
    assert_false(quota_failed(&m.shown));
    printf("%u expressions with values that wrapped, all counted; %u without, none counted\n", bad, good);
}

RUN_TESTS(TEST(all_that_is_made_of_wrapped_values_is_counted))
