/* test_list_items.c - lists of items as the host makes them, on the chip's interpreter of lists compiled for
 * the host: the words that the host expects are those that the interpreter leaves in the global buffer. */
#include "firmware/target/functions.h"
#include "firmware/target/mailbox.h"
#include "tests/firmware/device.h"
#include "tests/firmware/test_kernel.h"
#include "tests/frontend/fe_case.h"

#include "programs/commands.h"
#include "programs/queue.h"
#include "programs/scalar.h"
#include "support/prng.h"
#include "tests/quota.h"
#include "tiling/plain.h"

enum { GLB = 0x20400000, TABLE_END = 0x20000000 + FW_TABLE_END };

/* Makes a chip whose processor has lists; its values are bf16 or int16. */
static device *begin_chip(test_kernel *t, bool bf16) {
    make_kernel(t, 0, 1, 1);
    t->k.call = lists_batch;
    t->k.combine = bf16 ? bf16_combine : lists_combine;
    device *d = device_new(&t->k, 1);
    load_bitstream(d, t, 4);
    assert_true(boot(d, t));
    return d;
}

/* Runs each item once, in order. */
static void run_items(device *d, const test_kernel *t, const fw_commands *items) {
    const uint32_t head = TABLE_END - items->len * FW_COMMAND_BYTES - FW_LIST_HEAD;
    uint32_t *at = d->sram + (head - 0x20000000) / 4;
    at[0] = items->len;
    at[1] = 0;
    for (uint32_t i = 0; i < items->len; i++)
        memcpy(at + FW_LIST_HEAD / 4 + i * FW_COMMAND_WORDS, items->at[i].word, sizeof items->at[i].word);
    mailbox.callee = FW_COMMAND_LIST;
    mailbox.table = head;
    mailbox.runs = items->len;
    mailbox.outputs = 0;
    mailbox.command = mailbox.done + 1;
    if (setjmp(d->stopped))
        print_error("error %u: %x %x\n", mailbox.error, mailbox.detail[0], mailbox.detail[1]);
    else
        firmware_serve(&t->k);
    assert_int_equal(mailbox.state, FW_STATE_READY);
}

static uint16_t glb_word(const device *d, uint32_t at) {
    return (uint16_t)(d->glb[at] | d->glb[at + 1] << 8);
}

/* Some words near 0 and at the ends; of bf16 also infinities and NaN. */
static uint16_t random_word(prng *r) {
    static const uint16_t ends[] = {0, 1, 0xffff, 0x7fff, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0};
    const uint32_t kind = prng_below(r, 3);
    return kind == 0   ? ends[prng_below(r, sizeof ends / sizeof *ends)]
           : kind == 1 ? (uint16_t)prng_below(r, 1 << 16)
                       : (uint16_t)(prng_below(r, 17) - 8);
}

/* Blocks of the operands, one behind the other, then places for values in between, then the result. */
static compile_layout layout_of(const compile_dense *d, prng *r) {
    compile_layout y = {.size = {1 + prng_below(r, 9), 1}, .inputs = d->operands, .begin = 0x1000};
    y.size[1] = d->vars > 1 ? 1 + prng_below(r, 9) : 1;
    y.n = y.size[0] * y.size[1];
    y.bytes = 2 * (y.n + 1);
    y.each = (y.bytes + 3) / 4 * 4;
    y.result_size[0] = d->results > 0 ? y.size[0] : 1;
    y.result_size[1] = d->results > 1 ? y.size[1] : 1;
    y.results = y.result_size[0] * y.result_size[1];
    y.result_bytes = 2 * (y.results + 1);
    y.to = 2 * DEVICE_BANK;
    return y;
}

static fw_segments random_blocks(device *chip, const compile_layout *y, prng *r, arena *mem) {
    fw_segments in = {0};
    for (uint32_t i = 0; i < y->inputs; i++) {
        const uint32_t at = y->begin + i * y->each;
        uint8_t *content = arena_new_n(mem, uint8_t, y->bytes);
        const uint16_t length = (uint16_t)y->n;
        memcpy(content, &length, 2);
        for (uint32_t w = 0; w < y->n; w++) {
            const uint16_t word = random_word(r);
            memcpy(content + 2 + 2 * w, &word, 2);
        }
        memcpy(chip->glb + at, content, y->bytes);
        vec_push(mem, &in, ((fw_segment){GLB + at, y->bytes, content}));
    }
    return in;
}

/* The result of the statement on the integers of the blocks, by loops over all coordinates. */
static tile_tensor plain_result(fixture *f, const compile_dense *d, const compile_layout *y,
                                const fw_segments *blocks) {
    tile_tensor of[COMPILE_DENSE_OPERANDS + 1] = {0}, out;
    for (uint32_t i = 0; i < d->operands; i++) {
        const uint32_t t = sam_expr_at(d->s, d->operand[i])->tensor.v - 1;
        const uint32_t order = d->s->tensors.at[t].order;
        uint32_t *crd = arena_new_n(&f->mem, uint32_t, y->n * 2);
        uint16_t *val = arena_new_n(&f->mem, uint16_t, y->n + 1);
        memcpy(val, blocks->at[i].content + 2, 2 * y->n);
        for (uint32_t w = 0; w < y->n; w++) {
            crd[w * order] = order > 1 ? w / y->size[1] : w;
            crd[w * order + order - 1] = order > 1 ? w % y->size[1] : w;
        }
        of[t] =
            (tile_tensor){.name = d->s->tensors.at[t].name, .order = order, .dim = {y->size[0], y->size[1]}};
        of[t].nnz = y->n;
        of[t].crd = crd;
        of[t].val = val;
    }
    const tile_operands in = {of, d->s->tensors.len, TILE_DTYPE_INT16};
    assert_true(tile_plain(d->s, &in, &f->mem, &f->diag, &out));
    return out;
}

/* The word of an entry in a dense block; a scalar has no coordinates. */
static size_t word_of(const tile_tensor *t, uint64_t entry, const compile_layout *y) {
    if (!t->order)
        return 0;
    const uint32_t *at = &t->crd[entry * t->order];
    return t->order > 1 ? (size_t)at[0] * y->size[1] + at[1] : at[0];
}

/* The host's words are the meaning of the statement. */
static void expect_plain(fixture *f, const compile_dense *d, const compile_layout *y,
                         const fw_segments *blocks, const uint16_t *want) {
    const tile_tensor plain = plain_result(f, d, y, blocks);
    uint16_t *all = arena_new_n(&f->mem, uint16_t, y->results + 1);
    for (uint64_t e = 0; e < plain.nnz; e++)
        all[word_of(&plain, e, y)] = plain.val[e];
    for (uint32_t i = 0; i < y->results; i++)
        assert_int_equal(want[i], all[i]);
}

typedef struct {
    bool bf16;
    quota cases; /* trivial: a copy */
} tally;

static void items_of(fixture *f, const char *expression, bool bf16, prng *r, quota *cases) {
    const fe_in in = {.expression = expression, .integers = !bf16};
    sam_statement s;
    compile_dense dense;
    assert_true(fe_parse(&in, &f->names, &f->mem, &f->diag, &s));
    if (!compile_find_dense(&s, &dense)) {
        quota_add(cases, false, false);
        return;
    }
    test_kernel t;
    device *chip = begin_chip(&t, bf16);
    const compile_layout y = layout_of(&dense, r);
    const fw_segments blocks = random_blocks(chip, &y, r, &f->mem);
    fw_commands items = {0};
    uint32_t between;
    const uint16_t *want = compile_dense_commands(&dense, &y, &blocks, GLB, &f->mem, &items, &between);
    if (want) {
        run_items(chip, &t, &items);
        for (uint32_t i = 0; i < y.results; i++) {
            const uint16_t got = glb_word(chip, y.to + 2 + 2 * i);
            if (got != want[i])
                fail_msg("%s: word %u is %04x, the host expects %04x", expression, i, got, want[i]);
        }
        if (!bf16)
            expect_plain(f, &dense, &y, &blocks, want);
    }
    quota_add(cases, want != NULL, items.len == 1 && fw_command_of(items.at->word) == FW_COMMAND_copy);
    assert_null(chip->violation);
    device_free(chip);
}

/* Every form of a list of dense values: each operation, numbers on both sides, values in between, reductions
 * of rows, of columns and of everything. */
static const char *const expressions[] = {
    "x(i) = b(i) + c(i)",
    "x(i) = b(i)",
    "x(i) = (b(i) - c(i)) * d(i) + b(i) * b(i)",
    "x(i) = 3 - b(i) * 2 + c(i)",
    "x(i) = -b(i) + abs(c(i))",
    "x(i) = 3 + b(i)",
    "x(i) = (2 + 1) * (b(i) - c(i))",
    "x(i) = max(b(i), c(i)) - min(c(i), d(i))",
    "x(i) = relu(b(i) - c(i)) * 4",
    "X(i,j) = B(i,j) * C(i,j) - D(i,j)",
    "x(i) = sum(j, B(i,j) * C(i,j))",
    "x(i) = max(j, B(i,j) + 1)",
    "x = sum(i, b(i) * c(i))",
    "x = sum(i, sum(j, B(i,j) - C(i,j)))",
    "x = min(i, b(i))",
};
enum { EXPRESSIONS = sizeof expressions / sizeof *expressions };

static void one_list(fixture *f, uint32_t i, void *of) {
    tally *all = of;
    prng r = prng_seed(i);
    items_of(f, expressions[i % EXPRESSIONS], all->bf16, &r, &all->cases);
}

static void lists_of_dense_values_compute_what_the_host_expects(void **state) {
    (void)state;
    for (uint32_t bf16 = 0; bf16 < 2; bf16++) {
        tally all = {.bf16 = bf16 == 1};
        each_afresh(20 * EXPRESSIONS, one_list, &all);
        assert_false(quota_failed(&all.cases));
    }
}

/* A list has up to six operands, each with one order of the result's indices and of those of its sums, which
 * are of one kind. */
static void other_statements_are_no_lists(void **state) {
    fixture *f = *state;
    static const struct {
        const char *expression;
        uint32_t operands; /* 0: no list */
    } all[] = {{"x(i) = a(i) + b(i) + c(i) + d(i) + e(i) + f(i)", 6},
               {"x(i) = a(i) + b(i) + c(i) + d(i) + e(i) + f(i) + g(i)", 0},
               {"x(i) = a(i) * a(i) + a(i)", 1},
               {"X(i,j) = B(i,j) + C(j,i)", 2},
               {"X(i,j) = B(i,j) + B(j,i)", 0},
               {"x(i) = B(i,i)", 0},
               {"x(i) = sum(j, B(i,j)) + c(i)", 0},
               {"x = sum(i, max(j, B(i,j)))", 0},
               {"x = max(i, max(j, B(i,j)))", 1},
               {"X(i,j) = sum(k, B(i,j) * c(k))", 0}};
    for (uint32_t i = 0; i < sizeof all / sizeof *all; i++) {
        const fe_in in = {.expression = all[i].expression, .integers = true};
        sam_statement s;
        compile_dense dense = {.operands = 0};
        assert_true(fe_parse(&in, &f->names, &f->mem, &f->diag, &s));
        const bool is = compile_find_dense(&s, &dense);
        if (is != (all[i].operands > 0) || (is && dense.operands != all[i].operands))
            fail_msg("%s: %d, %u operands", all[i].expression, is, dense.operands);
    }
}

/* The items that compare a bf16 on the chip with another end a list, without their test, where the host says
 * so. */
static void comparisons_of_bf16_come_out_alike(void **state) {
    fixture *f = *state;
    static const uint16_t values[] = {0,      0x8000, 0x3f80, 0xbf80, 0x4000, 0xc000,
                                      0x7f80, 0xff80, 1,      0x8001, 0x7fc0};
    static const uint32_t tests[] = {FW_TEST_EQUAL,
                                     FW_TEST_LESS,
                                     FW_TEST_GREATER,
                                     FW_TEST_EQUAL | FW_TEST_LESS,
                                     FW_TEST_EQUAL | FW_TEST_GREATER,
                                     FW_TEST_LESS | FW_TEST_GREATER};
    enum { VALUES = sizeof values / sizeof *values, TESTS = sizeof tests / sizeof *tests, AT = 0x1000 };
    test_kernel t;
    device *chip = begin_chip(&t, true);
    for (uint32_t i = 0; i < VALUES * VALUES * TESTS; i++) {
        const uint16_t now = values[i % VALUES], with = values[i / VALUES % VALUES];
        const uint32_t holds = tests[i / (VALUES * VALUES)];
        fw_command made[COMPILE_COMPARE_COMMANDS];
        fw_commands items = {0};
        const uint32_t n = compile_compare_bf16(holds, AT, with, made);
        for (uint32_t k = 0; k < n; k++)
            vec_push(&f->mem, &items, made[k]);
        vec_push(&f->mem, &items, FW_MAKE(copy, .from = AT, .bytes = 2, .to = 2 * DEVICE_BANK));
        memcpy(chip->glb + AT, (const uint16_t[]){1, now}, 4);
        run_items(chip, &t, &items);
        const uint32_t steps = compile_holds_bf16(holds, now, with) ? n - 1 : n + 1;
        if (mailbox.steps != steps)
            fail_msg("test %u of %04x with %04x: %u steps, the host expects %u", holds, now, with,
                     mailbox.steps, steps);
    }
    assert_null(chip->violation);
    device_free(chip);
}

/* Conditions of loops tested by the processor: the operand counts or is a value, and is compared with a
 * number of 16 bits; a count of bf16 with a number that bf16 has. */
static void conditions_are_tests_of_the_processor(void **state) {
    fixture *f = *state;
    enum { L = FW_TEST_LESS, E = FW_TEST_EQUAL, G = FW_TEST_GREATER };
    static const struct {
        const char *condition;
        bool integers, is, counts;
        uint32_t holds;
        int32_t value;
    } all[] = {{"n == 3", true, true, false, E, 3},         {"n != 3", true, true, false, L | G, 3},
               {"n < 32767", true, true, false, L, 32767},  {"n <= 32767", true, true, false, L | E, 32767},
               {"n > 0", true, true, false, G, 0},          {"n >= 1", true, true, false, G | E, 1},
               {"n > 32768", true, false, false, 0, 0},     {"n > -1", true, false, false, 0, 0},
               {"nnz(x) == 0", true, true, true, E, 0},     {"nnz(x) < 300", true, true, true, L, 300},
               {"nnz(x) < 255", false, true, true, L, 255}, {"nnz(x) < 256", false, false, true, 0, 0},
               {"nnz(x) < 2.5", false, false, true, 0, 0},  {"n >= 0.5", false, true, false, G | E, 0x3f00},
               {"n + 1 > 2", true, false, false, 0, 0},     {"n > m", true, false, false, 0, 0}};
    for (uint32_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *text =
            arena_printf(&f->mem,
                         "tensor x: s = {0: 1}; scalar n = 1; scalar m = 2\nrepeat until %s max 7 "
                         "{ x(i) = 2 * x(i); n = n + 1; m = m + n }\nresult x, n, m",
                         all[i].condition);
        const fe_program_in in = {
            .name = "p.onx", .text = text, .length = strlen(text), .integers = all[i].integers};
        fe_program p;
        if (!fe_program_parse(&in, &f->names, &f->mem, &f->diag, &p))
            fail_msg("%s\n%s", text, fixture_printed(f));
        uint32_t operand = 0, holds = 0;
        int32_t value = 0;
        bool counts = false, is = false;
        for (uint32_t s = 0; s < p.steps.len; s++) {
            if (p.steps.at[s].kind == FE_STEP_REPEAT)
                is = compile_is_test(&p.steps.at[s], &operand, &counts, &holds, &value);
        }
        if (is != all[i].is ||
            (is && (counts != all[i].counts || holds != all[i].holds || value != all[i].value)))
            fail_msg("%s: %d, counts %d, holds %u, %d", all[i].condition, is, counts, holds, value);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(conditions_are_tests_of_the_processor, fixture_set_up,
                                        fixture_tear_down),
        cmocka_unit_test_setup_teardown(other_statements_are_no_lists, fixture_set_up, fixture_tear_down),
        cmocka_unit_test(lists_of_dense_values_compute_what_the_host_expects),
        cmocka_unit_test_setup_teardown(comparisons_of_bf16_come_out_alike, fixture_set_up,
                                        fixture_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
