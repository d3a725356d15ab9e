/* Functions of one word as tables, and quotients of bfloat16: their PEs and memories, computed here from the
 * graph alone, against sam/operations.def and against numbers rounded here. */
#include "functions/values.h"
#include "lower_onyx/quotient.h"
#include "lower_onyx/table.h"
#include "rtl_models/cycle/alu.h"
#include "sam/operators.h"
#include "tests/lower_onyx/lower_test.h"
#include "tests/quota.h"

#include <math.h>
#include <stdio.h>

/* ---- a graph of PEs and tables, computed ------------------------------------------------------- */

enum { MOST_NODES = 256 };

/* Operation of a node: 'x' an operand, 'k' a memory, else the PE's operation. */
typedef struct {
    const onyx_alu_op *op;
    const onyx_node_data *node;
    const sam_table *table;
    int source[2]; /* nodes; -1 - k: operand k */
    bool done;
} cell;

typedef struct {
    cell at[MOST_NODES];
    uint16_t value[MOST_NODES];
    int order[MOST_NODES]; /* operands precede their users */
    uint32_t n;
    int result;
} circuit;

static onyx_node find_load(const onyx_graph *g, name_id tile) {
    for (uint32_t i = 0; i < g->links.len; i++) {
        const onyx_link *l = &g->links.at[i];
        if (l->sink_port == ONYX_PORT_WRITE_SCANNER_BLOCK_WR_IN &&
            name_eq(onyx_node_at(g, l->sink)->tile, tile))
            return l->source;
    }
    fail();
    return (onyx_node){0};
}

static void wire(circuit *c, onyx_node sink, onyx_port port, int source) {
    c->at[sink.v].source[port == ONYX_PORT_ALU_DATA1] = source;
    if (port == ONYX_PORT_READ_SCANNER_US_POS_IN)
        c->at[sink.v].source[0] = source;
}

static bool is_ready(const circuit *c, uint32_t n) {
    bool ready = c->at[n].op || c->at[n].table;
    for (int k = 0; k < 2 && ready; k++)
        ready = c->at[n].source[k] <= 0 || c->at[c->at[n].source[k]].done;
    return ready && !c->at[n].done;
}

static circuit *circuit_of(fixture *f, const onyx_graph *g, const alu_made *made) {
    circuit *c = arena_new(&f->mem, circuit);
    assert_true(g->nodes.len < MOST_NODES);
    for (uint32_t n = 1; n <= g->nodes.len; n++) {
        const onyx_node_data *node = onyx_node_at(g, (onyx_node){n});
        c->at[n].node = node;
        c->at[n].op = node->kind == ONYX_ALU ? node->op : NULL;
        if (node->kind == ONYX_READ_SCANNER)
            c->at[n].table = &onyx_node_at(g, find_load(g, node->tile))->table;
    }
    for (uint32_t i = 0; i < g->links.len; i++) {
        const onyx_link *l = &g->links.at[i];
        if (l->sink_port == ONYX_PORT_ALU_DATA0 || l->sink_port == ONYX_PORT_ALU_DATA1 ||
            l->sink_port == ONYX_PORT_READ_SCANNER_US_POS_IN)
            wire(c, l->sink, l->sink_port, (int)l->source.v);
    }
    for (uint32_t k = 0; k < made->sinks; k++)
        wire(c, made->sink[k].node, made->sink[k].port, -1 - (int)made->sink[k].operand);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t n = 1; n <= g->nodes.len; n++) {
            if (!is_ready(c, n))
                continue;
            c->at[n].done = more = true;
            c->order[c->n++] = (int)n;
        }
    }
    c->result = (int)made->result.v;
    return c;
}

/* The PE with the constants of its instruction. */
static uint16_t operate(const cell *c, const uint16_t in[2]) {
    const onyx_node_data *n = c->node;
    uint16_t word[3] = {in[0], in[1], 0};
    for (uint32_t k = 0; k < 3; k++) {
        if (n->constants >> k & 1)
            word[k] = n->constant[k];
        else if (c->op->constants >> k & 1)
            word[k] = c->op->value[k];
    }
    assert_int_equal(c->op->kind, 0);
    const rtl_operands x = {word[0], word[1], word[2], c->op->bit0};
    return rtl_operate(c->op->opcode, c->op->is_signed, &x);
}

static uint16_t computed(circuit *c, uint16_t a, uint16_t b) {
    for (uint32_t i = 0; i < c->n; i++) {
        const cell *at = &c->at[c->order[i]];
        uint16_t in[2];
        for (int k = 0; k < 2; k++)
            in[k] = at->source[k] == -1 ? a : at->source[k] == -2 ? b : c->value[at->source[k]];
        if (at->table) {
            assert_true(in[0] < at->table->n);
            c->value[c->order[i]] = at->table->word[in[0]];
            continue;
        }
        c->value[c->order[i]] = operate(at, in);
    }
    return c->value[c->result];
}

/* ---- numbers ----------------------------------------------------------------------------------- */

static double number_of(uint16_t word) {
    const uint32_t bits = (uint32_t)word << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

/* The bfloat16 nearest to a number, ties to even, subnormal ones included. */
static uint16_t nearest(double x) {
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    int e;
    if (isnan(x))
        return 0x7fc0;
    if (x == 0 || isinf(x))
        return (uint16_t)(sign | (x == 0 ? 0 : 0x7f80));
    frexp(x, &e);
    const int unit = e - 8 < -133 ? -133 : e - 8;
    const double n = nearbyint(ldexp(fabs(x), -unit));
    const int32_t word = unit == -133 ? (int32_t)n : ((unit + 133) << 7) + (int32_t)n;
    return (uint16_t)(sign | (word > 0x7f80 ? 0x7f80 : word));
}

static onyx_graph *empty_graph(fixture *f) {
    onyx_graph *g = arena_new(&f->mem, onyx_graph);
    g->mem = &f->mem;
    g->names = &f->names;
    return g;
}

static double reciprocal(double x) {
    return 1 / x;
}
static double third(double x) {
    return x / 3;
}

/* Returns how many units of its last place a bfloat16 is off the number that it stands for. */
static double units_off(uint16_t word, double x) {
    int e;
    if (isnan(x) || isinf(x) || isinf(number_of(word)))
        return word == nearest(x) ? 0 : INFINITY;
    frexp(x, &e);
    return fabs(number_of(word) - x) / ldexp(1, e - 8 < -133 ? -133 : e - 8);
}

/* All words of each function: rounded numbers here, the PEs and memories of its form there. Functions that
 * ship are `of`, and what they stand for is `exact`. */
static void functions_are_right_for_all_words(void **state) {
    static const struct {
        const char *name;
        double (*of)(double x), (*exact)(double x);
        uint32_t tiles;
        double most; /* units of the last place */
    } rows[] = {{"1 / x", reciprocal, reciprocal, 1, 0.5},
                {"exp", exp, exp, 5, 0.5},
                {"sqrt", sqrt, sqrt, 1, 0.5},
                {"tanh", tanh, tanh, 2, 0.5},
                {"sigmoid", sigmoid, sigmoid, 4, 0.5},
                {"gelu", gelu, gelu, 5, 0.5},
                {"erf", erf, erf, 2, 0.5},
                {"x / 3", third, third, 1, 0.5},
                {"log", log_in_rows, log, 5, 1},
                {"log, the nearest number", log, log, 0, 0}};
    fixture *f = *state;
    uint16_t *words = arena_new_n(&f->mem, uint16_t, TABLE_DOMAIN);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        table_form form;
        uint32_t shapes, wrong = 0, differ = 0;
        double most = 0;
        for (uint32_t x = 0; x < TABLE_DOMAIN; x++)
            words[x] = nearest(rows[r].of(number_of((uint16_t)x)));
        assert_int_equal(table_find_form(words, &form, &shapes), rows[r].tiles != 0);
        if (!rows[r].tiles)
            continue;
        onyx_graph *g = empty_graph(f);
        const alu_wanted in = {.operation = "f", .operands = 1, .name = "f"};
        const alu_made made = table_make(g, &in, &form);
        circuit *c = circuit_of(f, g, &made);
        for (uint32_t x = 0; x < TABLE_DOMAIN; x++) {
            const double exact = rows[r].exact(number_of((uint16_t)x));
            wrong += computed(c, (uint16_t)x, 0) != words[x];
            differ += words[x] != nearest(exact);
            most = fmax(most, units_off(words[x], exact));
        }
        print_message(
            "%s: %u rows, %u tiles of values; of 65536 words %u are not the nearest number, at most "
            "%.3f units of the last place off\n",
            rows[r].name, shapes, form.tiles, differ, most);
        assert_int_equal(wrong, 0);
        assert_true(most <= rows[r].most);
        assert_int_equal(form.tiles, rows[r].tiles);
    }
}

/* Checks what the PEs and memories of the form give for every word. */
static void check_all_words(fixture *f, const table_form *form, const uint16_t *words) {
    onyx_graph *g = empty_graph(f);
    const alu_wanted in = {.operation = "f", .operands = 1, .name = "f"};
    const alu_made made = table_make(g, &in, form);
    circuit *c = circuit_of(f, g, &made);
    for (uint32_t x = 0; x < TABLE_DOMAIN; x++)
        assert_int_equal(computed(c, (uint16_t)x, 0), words[x]);
}

static void short_functions_are_one_table(void **state) {
    fixture *f = *state;
    uint16_t *words = arena_new_n(&f->mem, uint16_t, TABLE_DOMAIN);
    table_form form;
    uint32_t shapes;
    for (uint32_t x = 0; x < TABLE_DOMAIN; x++)
        words[x] = x < 256 ? (uint16_t)(x * x * 7 + 3) : 9;
    assert_true(table_find_form(words, &form, &shapes));
    assert_true(form.direct);
    assert_int_equal(form.words, 257);
    check_all_words(f, &form, words);
}

/* Lists that are longer than a tile has room for, up to those that eight hold. */
static void lists_have_several_tables(void **state) {
    static const struct {
        uint32_t length, tiles;
        uint16_t last;
    } lists[] = {{1024, 1, 9}, {1025, 2, 9},          {2047, 2, 0},           {2048, 3, 0x8000},
                 {3000, 3, 1}, {TABLE_LIST, 8, 4711}, {TABLE_LIST + 1, 8, 9}, {TABLE_LIST + 2, 0, 9}};
    fixture *f = *state;
    uint16_t *words = arena_new_n(&f->mem, uint16_t, TABLE_DOMAIN);
    prng random = prng_seed(60);
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
        table_form form;
        uint32_t shapes;
        for (uint32_t x = 0; x < TABLE_DOMAIN; x++)
            words[x] = x < lists[l].length - 1 ? (uint16_t)(prng_next(&random) | 1) : lists[l].last;
        words[lists[l].length - 2] = (uint16_t)~lists[l].last;
        assert_int_equal(table_find_form(words, &form, &shapes), lists[l].tiles != 0);
        if (!lists[l].tiles)
            continue;
        assert_int_equal(form.tiles, lists[l].tiles);
        check_all_words(f, &form, words);
    }
}

/* Lists that begin at any word: one value before them and behind them. */
static void lists_begin_anywhere(void **state) {
    static const struct {
        uint32_t start, length, tiles;
        uint16_t around;
    } lists[] = {{8184, 8184, 8, 0},  {57352, 8184, 8, 0}, {65472, 64, 1, 0},    {60000, 5536, 6, 7},
                 {40000, 1023, 1, 3}, {40000, 1024, 2, 3}, {1, 8185, 0, 0x8000}, {65535, 1, 1, 9}};
    fixture *f = *state;
    uint16_t *words = arena_new_n(&f->mem, uint16_t, TABLE_DOMAIN);
    prng random = prng_seed(61);
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
        const uint32_t start = lists[l].start, end = start + lists[l].length;
        table_form form;
        uint32_t shapes;
        for (uint32_t x = 0; x < TABLE_DOMAIN; x++)
            words[x] = x < start || x >= end ? lists[l].around : (uint16_t)(prng_next(&random) << 4 | 10);
        assert_int_equal(table_find_form(words, &form, &shapes), lists[l].tiles != 0);
        if (!lists[l].tiles)
            continue;
        assert_int_equal(form.tiles, lists[l].tiles);
        check_all_words(f, &form, words);
    }
}

/* The k-th pair: significands with all significands at some exponents, all exponents, and random words. */
static void quotient_pair(uint32_t k, prng *random, uint16_t *a, uint16_t *b) {
    static const uint16_t ends[][2] = {{0, 0x3f80},      {0x3f80, 0},      {0x4000, 0x7f00}, {0x0080, 0x4000},
                                       {0x0080, 0x4200}, {0x0080, 0x4380}, {0x0080, 0x4400}, {0x0480, 0x4300},
                                       {0x7f00, 0x3f80}, {0x7f80, 0x3f80}, {0x3f80, 0x7f80}, {0x7f80, 0x7f80},
                                       {0, 0},           {0x8000, 0x3f80}, {0, 0x7f80},      {0x7f80, 0}};
    enum { PAIRS = 1 << 14, ENDS = sizeof ends / sizeof *ends };
    const uint64_t bits = prng_next(random);
    *a = (uint16_t)bits;
    *b = (uint16_t)(bits >> 16);
    if (k < ENDS * PAIRS) {
        *a = ends[k / PAIRS][0] | (k & 127);
        *b = ends[k / PAIRS][1] | (k >> 7 & 127);
    } else if (k < ENDS * PAIRS + (1 << 18)) {
        *a = (uint16_t)((k & 511) << 7 | (*a & 127));
        *b = (uint16_t)((k >> 9 & 511) << 7 | (*b & 127));
    }
}

static void quotients_are_the_nearest_numbers(void **state) {
    enum { ALL = 2000000 };
    fixture *f = *state;
    onyx_graph *g = empty_graph(f);
    const alu_wanted in = {.operation = "div", .bf16 = true, .operands = 2, .name = "fp_div"};
    const alu_made made = quotient_make(g, &in);
    circuit *c = circuit_of(f, g, &made);
    prng random = prng_seed(59);
    sam_operation div;
    assert_true(sam_find_operation("div", &div));
    quota shown = {0};
    uint32_t pes = 0, tables = 0;
    for (uint32_t n = 1; n <= g->nodes.len; n++) {
        pes += c->at[n].op != NULL;
        tables += c->at[n].table != NULL;
    }
    print_message("quotient: %u PEs, %u tables; %d pairs\n", pes, tables, ALL);
    for (uint32_t k = 0; k < ALL; k++) {
        uint16_t a, b;
        quotient_pair(k, &random, &a, &b);
        quota_add(&shown, (b & 0x7fff) <= 0x7f80, !(a & 0x7fff) || !(b & 0x7fff));
        const uint16_t got = computed(c, a, b), want = sam_operator_of(div, true)->apply(a, b);
        if (got != want || want != nearest(number_of(a) / number_of(b)))
            fail_msg("%04x / %04x: %04x, expected %04x", a, b, got, want);
    }
    assert_false(quota_failed(&shown));
}

RUN_TESTS(TEST(functions_are_right_for_all_words), TEST(short_functions_are_one_table),
          TEST(lists_have_several_tables), TEST(lists_begin_anywhere),
          TEST(quotients_are_the_nearest_numbers))
