/* The clock of dense designs: paths by hand, and the chip's programs with registers taken away. */
#include "tests/dense/subject.h"

enum {
    IO = 1000,
    BOX = 240,
    MEM_BOX = 400,
    PE = 700,
    MEM = 1000,
    HOP = 185,
    MEM_HOP = 300,
    RMUX = 230,
    TO_IO = 490
};

typedef struct {
    const char *tiles;
    uint32_t period;
} path;

#define ALU(operands) "  alu adc if=z lut=0 " operands "\n"
#define FROM_IO "tile x1y0 IO\n  stream\ntile x1y1 PE\n"
static const path paths[] = {
    /* An operand's register ends a path that its wire passes. */
    {FROM_IO ALU("a=delay b=1 c=0 d=0 e=0 f=0") "  in0 <- NORTH 0\n", IO + BOX},
    {FROM_IO ALU("a=wire b=1 c=0 d=0 e=0 f=0") "  in0 <- NORTH 0\n  T0 EAST <- out0 register\n",
     IO + BOX + PE},
    /* A register on the wire begins another path, over two hops and another PE. */
    {FROM_IO ALU("a=wire b=1 c=0 d=0 e=0 f=0") "  in0 <- NORTH 0\n  T0 EAST <- out0 register\n"
                                               "tile x2y1 PE\n" ALU(
                                                   "a=wire b=1 c=0 d=0 e=0 f=0") "  in0 <- WEST 0\n  T0 "
                                                                                 "SOUTH <- out0 register\n",
     IO + BOX + PE},
    {FROM_IO ALU("a=wire b=1 c=0 d=0 e=0 f=0") "  in0 <- NORTH 0\n  T0 EAST <- out0\n"
                                               "tile x2y1 PE\n" ALU(
                                                   "a=wire b=1 c=0 d=0 e=0 f=0") "  in0 <- WEST 0\n  T0 "
                                                                                 "SOUTH <- out0 register\n",
     IO + 2 * BOX + 2 * PE},
    /* A generator's bit over the array's network: no hop of its own tile, a hop of a PE tile, the IO tile. */
    {"tile x2y0 IO\n  stream\ntile x2y1 PE\n  B0 NORTH <- EAST 1\ntile x3y1 MEM\n  no_memory\n  valid_bits\n"
     "  valid over 8 at 4 by 1\n  B1 WEST <- bit2\n",
     MEM + HOP + TO_IO},
    {"tile x2y0 IO\n  stream\ntile x2y1 PE\n  B0 NORTH <- EAST 1 register\ntile x3y1 MEM\n  no_memory\n"
     "  valid_bits\n  valid over 8 at 4 by 1\n  B1 WEST <- bit2\n",
     MEM + HOP},
    /* The Pond's word is read within the PE's cycle. */
    {FROM_IO ALU("a=wire b=1 c=0 d=0 e=0 f=0") "  pond\n  in0 <- pond\n  T0 EAST <- out0 register\n",
     MEM + BOX + PE},
};

static void time_path(fixture *f, uint32_t i, void *of) {
    dense_board o;
    dense_design design;
    dense_timing t;
    (void)of;
    open_board(f, &o);
    if (!dense_parse("a.dense", arena_printf(&f->mem, "dense onyx\n%s", paths[i].tiles), &o.board, o.map,
                     &f->diag, &design) ||
        !dense_time(&design, &f->diag, &t))
        fail_msg("path %u: %s", i, fixture_printed(f));
    if (t.period_ps != paths[i].period)
        fail_msg("path %u: %u ps, expected %u ps", i, t.period_ps, paths[i].period);
    assert_int_equal(t.steps.at[t.steps.len - 1].arrival_ps, t.period_ps);
    assert_true(t.corner_ps >= t.period_ps);
    pnr_board_free(&o.board);
}

static void test_ring(void **state) {
    fixture *f = *state;
    dense_timing t;
    dense_design design;
    dense_board o;
    open_board(f, &o);
    assert_true(dense_parse(
        "a.dense",
        "dense onyx\ntile x1y1 PE\n" ALU(
            "a=wire b=1 c=0 d=0 e=0 f=0") "  in0 <- SOUTH 0\n"
                                          "  T0 EAST <- out0\n  T1 EAST <- out0 register\ntile x1y2 PE\n  T0 "
                                          "NORTH <- EAST 1\ntile x2y1 "
                                          "PE\n"
                                          "  T4 SOUTH <- WEST 0\ntile x2y2 PE\n  T1 WEST <- NORTH 4\n",
        &o.board, o.map, &f->diag, &design));
    assert_false(dense_time(&design, &f->diag, &t));
    assert_non_null(strstr(fixture_printed(f), "E0631-wire-loop"));
    clear_diagnostics(f);
    pnr_board_free(&o.board);
}

/* Without a register two paths are one: no period is shorter, and some are longer. */
static void test_registers(void **state) {
    static const char *const names[] = {"conv_3_3", "gaussian_619"};
    fixture *f = *state;
    for (uint32_t p = 0; p < sizeof names / sizeof *names; p++) {
        uint32_t longer = 0, mutants = 0;
        subject s;
        dense_timing before, now;
        open_subject(f, names[p], &s);
        assert_true(dense_time(&s.design, &f->diag, &before));
        for (uint32_t i = 0; i < s.design.tiles.len && mutants < 40; i++) {
            dense_tile *t = &s.design.tiles.at[i];
            for (uint32_t k = 0; k < t->settings.len && mutants < 40; k++) {
                const dense_setting was = t->settings.at[k];
                if (strncmp(was.field->name, "RMUX_", 5) != 0)
                    continue;
                dense_set(t, was.field, 0, &f->mem);
                assert_true(dense_time(&s.design, &f->diag, &now));
                assert_true(now.period_ps >= before.period_ps);
                longer += now.period_ps > before.period_ps;
                dense_set(t, was.field, was.value, &f->mem);
                mutants++;
            }
        }
        print_message("%s: %u ps, longer without %u of %u registers\n", names[p], before.period_ps, longer,
                      mutants);
        assert_true(longer > 0);
        pnr_board_free(&s.on.board);
    }
}

static void test_paths(void **state) {
    (void)state;
    each_afresh(sizeof paths / sizeof *paths, time_path, NULL);
}

RUN_TESTS(TEST(test_paths), TEST(test_ring), TEST(test_registers))
