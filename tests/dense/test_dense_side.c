/* The dense fabric behind the chip's controller: a product of matrices by start pulses, its done pulses, and
 * what a processor can do wrong with it. */
#include "cli/models/dense_fabric.h"
#include "exchange/exchange.h"
#include "rtl_models/soc/dense_side.h"
#include "tests/dense/board.h"

enum { LOADS = 3, STORE = 1u << DENSE_SIDE_STORES, GOLD = 64, LONG = 2000 };
static const uint32_t ALL = UINT32_MAX;                        /* columns */
enum { LOAD_ENDS = 8 + 511, STORE_ENDS = 8 + 513, PULSE = 5 }; /* cycles since the start pulse */

typedef struct {
    dense_board on;
    dense_fabric fabric;
    dense_program program;
    uint16_t *memory;
    dense_side *side;
    uint32_t registers[DENSE_SIDE_TILES * DENSE_SIDE_REGISTERS];
} chip;

static uint64_t *line_of(void *of, uint32_t address) {
    chip *c = of;
    return (uint64_t *)(void *)c->memory + address / 8;
}

/* Configures the array, and releases its columns. */
static void open_chip(fixture *f, chip *c) {
    open_board(f, &c->on);
    if (!exchange_read_dense(ONYX_SOURCE_DIR "/examples/product_8_8_8.json", &f->mem, &f->diag, &c->program))
        fail_msg("%s", fixture_printed(f));
    c->memory = dense_memory_of(&c->program, &f->mem);
    c->fabric = cli_dense_fabric(&c->on.board);
    c->side = dense_side_create(&c->fabric, line_of, c);
    memset(c->registers, 0, sizeof c->registers);
    for (uint32_t i = 0; i < c->program.writes.len; i++)
        c->registers[c->program.writes.at[i].offset / 4] = c->program.writes.at[i].value;
    dense_side_stall(c->side, ALL);
    for (uint32_t i = 0; i < c->program.bits.words.len; i++)
        dense_side_configure(c->side, c->program.bits.words.at[i].address, c->program.bits.words.at[i].data);
    dense_side_stall(c->side, 0);
    assert_string_equal(dense_side_error(c->side), "");
}

static void close_chip(chip *c) {
    dense_side_destroy(c->side);
    pnr_board_free(&c->on.board);
}

/* Runs some cycles; returns those in which a stream's done bit was high, as the first and their number. */
typedef struct {
    uint32_t first, cycles;
} pulse;
static pulse step(const chip *c, uint32_t cycles, uint32_t stream) {
    pulse p = {0};
    for (uint32_t i = 0; i < cycles; i++) {
        const bool high = dense_side_done(c->side) & stream;
        p.first = high && !p.cycles ? i : p.first;
        p.cycles += high;
        dense_side_step(c->side);
    }
    return p;
}

static uint32_t gold_words(const chip *c) {
    uint32_t first;
    return dense_equal_words(&c->program.outputs.at[0], c->memory, &first);
}

/* The run, and a second run by another start pulse alone. */
static void test_run(void **state) {
    fixture *f = *state;
    chip c;
    open_chip(f, &c);
    for (uint32_t run = 0; run < 2; run++) {
        memset(c.memory + 0x10000, 0, 2 * GOLD);
        step(&c, 100 + run, STORE);
        assert_true(gold_words(&c) < GOLD);
        dense_side_start(c.side, LOADS | STORE, 0, c.registers);
        const pulse p = step(&c, LONG, run ? STORE : 1);
        assert_int_equal(p.first, run ? STORE_ENDS + 5 : LOAD_ENDS + 2);
        assert_int_equal(p.cycles, PULSE);
        assert_int_equal(gold_words(&c), GOLD);
    }
    dense_side_stream s;
    assert_true(dense_side_stream_at(c.side, 2, &s) && s.store && s.done);
    assert_int_equal(s.first, 9);
    assert_int_equal(s.last, 513);
    assert_false(dense_side_stream_at(c.side, 3, &s));
    assert_string_equal(dense_side_error(c.side), "");
    close_chip(&c);
}

/* The crossbar's tile must be among the started loads: without a flush no valid bit comes. */
static void test_crossbar(void **state) {
    fixture *f = *state;
    chip c;
    open_chip(f, &c);
    dense_side_start(c.side, LOADS | STORE, 0x55555555, c.registers);
    assert_int_equal(step(&c, LONG, STORE).cycles, 0);
    assert_true(gold_words(&c) < GOLD);
    close_chip(&c);
}

static void test_banks(void **state) {
    fixture *f = *state;
    chip c;
    open_chip(f, &c);
    assert_int_equal(dense_side_in_use(c.side, 0), 0);
    dense_side_start(c.side, LOADS | STORE, 0, c.registers);
    step(&c, 20, 0);
    assert_int_equal(dense_side_in_use(c.side, 0),
                     1u << 4 | 1u << 1); /* a load in bank 0, the store in bank 1 */
    assert_int_equal(dense_side_in_use(c.side, 1), 1u << 4);
    step(&c, LONG, 0);
    assert_int_equal(dense_side_in_use(c.side, 0) | dense_side_in_use(c.side, 1), 0);
    close_chip(&c);
}

/* ---- mistakes ---------------------------------------------------------------------------------- */

static void configure_running(chip *c) {
    dense_side_configure(c->side, c->program.bits.words.at[0].address, 0);
}
static void stall_running(chip *c) {
    dense_side_start(c->side, LOADS | STORE, 0, c->registers);
    step(c, 40, 0);
    dense_side_stall(c->side, ALL);
}
static void stall_some(chip *c) {
    dense_side_stall(c->side, 1);
}
static void start_early(chip *c) {
    dense_side_reset(c->side);
    dense_side_start(c->side, LOADS | STORE, 0, c->registers);
}
static void start_twice(chip *c) {
    dense_side_start(c->side, LOADS | STORE, 0, c->registers);
    step(c, 40, 0);
    dense_side_start(c->side, LOADS | STORE, 0, c->registers);
}
static void start_late(chip *c) {
    dense_side_start(c->side, LOADS, 0, c->registers);
    step(c, 40, 0);
    dense_side_start(c->side, STORE, 0, c->registers);
}
static void start_with(chip *c, uint32_t reg, uint32_t bits) {
    c->registers[reg / 4] |= bits;
    dense_side_start(c->side, LOADS | STORE, 0, c->registers);
}
static void repeat(chip *c) {
    start_with(c, 0x78, 3);
}
static void chain(chip *c) {
    start_with(c, 0x00, 1);
}
static void delay(chip *c) {
    start_with(c, 0x04, 1);
}
static void give_bits(chip *c) {
    start_with(c, 0x78, 4);
}
static void flush_nothing(chip *c) {
    start_with(c, 0x78, 16);
}
static void other_column(chip *c) {
    c->registers[0x178 / 4] = 0x41;
    dense_side_start(c->side, LOADS, 0, c->registers);
}

static const struct {
    void (*make)(chip *c);
    const char *why;
} mistakes[] = {
    {configure_running, "while its column runs"},
    {stall_running, "loses words"},
    {stall_some, "some columns are stalled"},
    {start_early, "before the columns are released"},
    {start_twice, "starts again before its end"},
    {start_late, "before its start"},
    {repeat, "that the dense fabric cannot have"},
    {chain, "that the dense fabric cannot have"},
    {delay, "that the dense fabric cannot have"},
    {give_bits, "that the dense fabric cannot have"},
    {flush_nothing, "that the dense fabric cannot have"},
    {other_column, "its tile is off"},
};

static void make_mistake(fixture *f, uint32_t i, void *of) {
    chip c;
    (void)of;
    open_chip(f, &c);
    mistakes[i].make(&c);
    if (!strstr(dense_side_error(c.side), mistakes[i].why))
        fail_msg("mistake %u: '%s' does not say '%s'", i, dense_side_error(c.side), mistakes[i].why);
    close_chip(&c);
}

static void test_mistakes(void **state) {
    (void)state;
    each_afresh(sizeof mistakes / sizeof *mistakes, make_mistake, NULL);
}

RUN_TESTS(TEST(test_run), TEST(test_crossbar), TEST(test_banks), TEST(test_mistakes))
