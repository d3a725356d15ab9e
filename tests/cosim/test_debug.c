/* test_debug.c - the processor's debug registers through the JTAG wires, on a program of a few instructions.
 */
#include "rtl_models/soc/debug.h"
#include "rtl_models/soc/machine_memory.h"
#include "rtl_models/soc/machine_watch.h"
#include "tap.h"

#define DHCSR 0xE000EDF0u
#define DCRSR 0xE000EDF4u
#define DCRDR 0xE000EDF8u
#define DEMCR 0xE000EDFCu
#define DFSR 0xE000ED30u
#define AIRCR 0xE000ED0Cu
#define FP_CTRL 0xE0002000u
#define DWT_COMP0 0xE0001020u
#define SRAM 0x20000000u
#define KEY 0xA05F0000u
enum { HALT = 3, RUN = 1, STEP = 5, STEP_MASKED = 13 };
enum { S_HALT = 1 << 17, S_SLEEP = 1 << 18, S_LOCKUP = 1 << 19, S_RESET_ST = 1 << 25 };
enum { COUNTER = 0x20000040 };

/* Counts in r0 and stores it, for ever:
 *   100 movs r0, #0; ldr r1, [pc, #8]
 *   104 adds r0, #1; str r0, [r1]; nop; b 104
 *   10c (padding) 110 .word COUNTER; the handler of SVC at 120: movs r2, #9; bx lr */
static const uint16_t program[] = {0x2000, 0x4903, 0x3001, 0x6008,           0xBF00,
                                   0xE7FB, 0,      0,      COUNTER & 0xFFFF, COUNTER >> 16};
enum { LOOP = 0x104, STORE = 0x106 };

typedef struct {
    machine *m;
    debug_unit debug;
    jtag_port port;
} bench;

static void load_program(machine *m, const uint16_t *code, size_t bytes) {
    const uint32_t vectors[] = {SRAM + 0x1000, 0x101, 0, 0x105}; /* hard fault: the third instruction */
    assert_true(machine_load(m, 0, vectors, sizeof vectors));
    assert_true(machine_load(m, 0x100, code, bytes));
}

static bench *bench_new(fixture *f, const uint16_t *code, size_t bytes) {
    static const machine_config config = {.array_width = 4,
                                          .array_height = 2,
                                          .mem_period = 4,
                                          .mem_phase = 3,
                                          .code_bytes = 0x20000,
                                          .sram = SRAM,
                                          .sram_bytes = 0x20000,
                                          .buffer = 0x20400000,
                                          .registers = 0x40010000,
                                          .platform = 0x40007000,
                                          .uart = 0x40002000,
                                          .irq = 9,
                                          .array_cycles_per_cpu_cycle = 2};
    bench *b = arena_new(&f->mem, bench);
    b->m = machine_create(&config);
    assert_non_null(b->m);
    load_program(b->m, code, bytes);
    machine_reset(b->m);
    debug_begin(&b->debug, b->m);
    tap_begin(&b->port, (jtag_bus){&b->debug, debug_read, debug_write});
    dp_write(&b->port, DP_CTRL_STAT, POWER_UP);
    ap_write(&b->port, AP_CSW, CSW_WORD);
    return b;
}
static bench *counting(void **state) {
    return bench_new(*state, program, sizeof program);
}

static void run(bench *b, unsigned steps) {
    for (unsigned i = 0; i < steps; i++)
        debug_step(&b->debug);
}
static void control(bench *b, uint32_t bits) {
    mem_write(&b->port, DHCSR, KEY | bits);
}
static bool halted(bench *b) {
    return mem_read(&b->port, DHCSR) & S_HALT;
}
static uint32_t reg(bench *b, unsigned n) {
    mem_write(&b->port, DCRSR, n);
    return mem_read(&b->port, DCRDR);
}
static void set_reg(bench *b, unsigned n, uint32_t value) {
    mem_write(&b->port, DCRDR, value);
    mem_write(&b->port, DCRSR, 0x10000 | n);
}

/* UART 0 transmits and keeps words once clock and reset allow. */
static void test_uart_needs_its_clock(void **state) {
    enum { UART = 0x40002000, CONTROL = UART + 8, GATES = 0x40007044, RESETS = 0x4000704C };
    const uint32_t uart_0 = 1 << 12;
    bench *b = counting(state);
    const uint32_t gates = mem_read(&b->port, GATES), resets = mem_read(&b->port, RESETS);
    const uint32_t rows[][3] = {
        {gates, resets, 0}, {gates & ~uart_0, resets, 0}, {gates & ~uart_0, resets & ~uart_0, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mem_write(&b->port, GATES, rows[i][0]);
        mem_write(&b->port, RESETS, rows[i][1]);
        mem_write(&b->port, CONTROL, 1);
        assert_int_equal(mem_read(&b->port, CONTROL), rows[i][2]);
    }
    mem_write(&b->port, GATES, gates);
    assert_int_equal(mem_read(&b->port, CONTROL), 0);
    machine_destroy(b->m);
}

static void test_halt_step_resume(void **state) {
    bench *b = counting(state);
    run(b, 102);
    assert_int_equal(mem_read(&b->port, DHCSR) & S_HALT, 0);
    mem_write(&b->port, DHCSR, HALT); /* without the key */
    assert_false(halted(b));
    control(b, HALT);
    assert_true(halted(b));
    assert_int_equal(mem_read(&b->port, DFSR), 1);
    uint32_t pc = reg(b, 15), count = reg(b, 0);
    assert_int_equal(count, 25);
    run(b, 100);
    assert_int_equal(reg(b, 15), pc);
    for (unsigned i = 0; i < 4; i++) { /* once around */
        control(b, STEP);
        run(b, 10);
        assert_true(halted(b));
    }
    assert_int_equal(reg(b, 15), pc);
    assert_int_equal(reg(b, 0), count + 1);
    assert_int_equal(mem_read(&b->port, COUNTER), count + 1);
    control(b, RUN);
    run(b, 400);
    assert_false(halted(b));
    assert_int_equal(mem_read(&b->port, COUNTER), count + 101);
    machine_destroy(b->m);
}

static void test_registers(void **state) {
    bench *b = counting(state);
    control(b, HALT);
    for (unsigned n = 0; n < 13; n++)
        set_reg(b, n, 0x01010101u * (n + 1));
    set_reg(b, 17, SRAM + 0x800);
    set_reg(b, 18, SRAM + 0x700);
    set_reg(b, 20, 0x00004001); /* BASEPRI and PRIMASK */
    for (unsigned n = 0; n < 13; n++)
        assert_int_equal(reg(b, n), 0x01010101u * (n + 1));
    assert_int_equal(reg(b, 13), SRAM + 0x800);
    assert_int_equal(reg(b, 17), SRAM + 0x800);
    assert_int_equal(reg(b, 18), SRAM + 0x700);
    assert_int_equal(reg(b, 20), 0x00004001);
    assert_int_equal(reg(b, 16) & 0x01000000, 0x01000000);
    set_reg(b, 15, STORE);
    set_reg(b, 1, COUNTER);
    control(b, STEP);
    run(b, 1);
    assert_int_equal(mem_read(&b->port, COUNTER), 0x01010101);
    control(b, RUN);
    uint32_t before = mem_read(&b->port, DCRDR);
    mem_write(&b->port, DCRSR, 3); /* not while it runs */
    assert_int_equal(mem_read(&b->port, DCRDR), before);
    machine_destroy(b->m);
}

static void test_breakpoint(void **state) {
    bench *b = counting(state);
    assert_int_equal(mem_read(&b->port, FP_CTRL) >> 4 & 15, DEBUG_BREAKPOINTS);
    control(b, RUN);
    mem_write(&b->port, FP_CTRL, 3);
    mem_write(&b->port, FP_CTRL + 8, (STORE & ~3u) | 0x80000001u); /* upper halfword */
    run(b, 100);
    assert_true(halted(b));
    assert_int_equal(reg(b, 15), STORE);
    assert_int_equal(mem_read(&b->port, DFSR), 2);
    assert_int_equal(reg(b, 0), 1);
    mem_write(&b->port, DFSR, 2);
    assert_int_equal(mem_read(&b->port, DFSR), 0);
    control(b, RUN); /* still there: halts at once */
    run(b, 100);
    assert_int_equal(reg(b, 0), 1);
    mem_write(&b->port, FP_CTRL + 8, 0);
    mem_write(&b->port, FP_CTRL + 12, LOOP | 0x40000001u);
    control(b, RUN);
    run(b, 100);
    assert_int_equal(reg(b, 15), LOOP);
    mem_write(&b->port, FP_CTRL, 2); /* all off */
    control(b, RUN);
    run(b, 100);
    assert_false(halted(b));
    machine_destroy(b->m);
}

static void test_watchpoint(void **state) {
    bench *b = counting(state);
    control(b, RUN);
    mem_write(&b->port, DWT_COMP0 + 4, 2);
    mem_write(&b->port, DWT_COMP0, COUNTER);
    mem_write(&b->port, DWT_COMP0 + 8, 5); /* reads: there are none */
    run(b, 100);
    assert_false(halted(b));
    mem_write(&b->port, DWT_COMP0 + 8, 6); /* writes */
    run(b, 100);
    assert_true(halted(b));
    assert_int_equal(mem_read(&b->port, DFSR), 4);
    assert_int_equal(mem_read(&b->port, DWT_COMP0 + 8) >> 24, 1);
    assert_int_equal(mem_read(&b->port, DWT_COMP0 + 8) >> 24, 0); /* reading clears it */
    assert_int_equal(mem_read(&b->port, COUNTER), reg(b, 0));
    mem_write(&b->port, DWT_COMP0 + 8, 0);
    control(b, RUN);
    run(b, 100);
    assert_false(halted(b));
    machine_destroy(b->m);
}

static void test_bkpt_instruction(void **state) {
    static const uint16_t code[] = {0x2007, 0xBEAB, 0x2008, 0xE7FE};
    bench *b = bench_new(*state, code, sizeof code);
    control(b, RUN);
    run(b, 10);
    assert_true(halted(b));
    assert_int_equal(reg(b, 15), 0x102);
    assert_int_equal(reg(b, 0), 7);
    assert_int_equal(mem_read(&b->port, DFSR), 2);
    set_reg(b, 15, 0x104);
    control(b, RUN);
    run(b, 10);
    assert_false(halted(b));
    control(b, HALT);
    assert_int_equal(reg(b, 0), 8);
    machine_destroy(b->m);
}

/* A reset through AIRCR, with and without a stop before the first instruction; memory stays. */
static void test_reset(void **state) {
    bench *b = counting(state);
    run(b, 50);
    mem_write(&b->port, AIRCR, 4); /* without the key */
    assert_int_equal(mem_read(&b->port, DHCSR) & S_RESET_ST, 0);
    control(b, HALT);
    mem_write(&b->port, DEMCR, 0x01000001);
    uint32_t count = mem_read(&b->port, COUNTER);
    mem_write(&b->port, AIRCR, 0x05FA0004);
    uint32_t status = mem_read(&b->port, DHCSR);
    assert_int_equal(status & (S_RESET_ST | S_HALT), S_RESET_ST | S_HALT);
    assert_int_equal(mem_read(&b->port, DHCSR) & S_RESET_ST, 0);
    assert_int_equal(reg(b, 15), 0x100);
    assert_int_equal(reg(b, 13), SRAM + 0x1000);
    assert_int_equal(mem_read(&b->port, DFSR) & 8, 8);
    assert_int_equal(mem_read(&b->port, COUNTER), count);
    mem_write(&b->port, DEMCR, 0x01000000);
    mem_write(&b->port, AIRCR, 0x05FA0004);
    run(b, 4);
    assert_false(halted(b));
    assert_int_equal(mem_read(&b->port, COUNTER), 1);
    machine_destroy(b->m);
}

/* The processor executes newly loaded instructions, also in place of executed instructions. */
static void test_loading_over_a_program(void **state) {
    bench *b = counting(state);
    run(b, 50);
    control(b, HALT);
    mem_write(&b->port, LOOP, 0x60083005); /* adds r0, #5 */
    set_reg(b, 0, 0);
    set_reg(b, 15, LOOP);
    control(b, RUN);
    run(b, 8);
    assert_int_equal(mem_read(&b->port, COUNTER), 10);
    mem_write(&b->port, LOOP, 0x60083009); /* and while it runs */
    run(b, 4);
    assert_int_equal(mem_read(&b->port, COUNTER), 19);
    machine_destroy(b->m);
}

static void test_sleep_and_lockup(void **state) {
    static const uint16_t code[] = {0xBF30, 0x2003, 0xDE00}; /* wfi; movs; udf, also as handler */
    bench *b = bench_new(*state, code, sizeof code);
    control(b, RUN);
    run(b, 10);
    assert_int_equal(mem_read(&b->port, DHCSR) & S_SLEEP, S_SLEEP);
    control(b, HALT);
    assert_int_equal(reg(b, 15), 0x102);
    assert_int_equal(mem_read(&b->port, DHCSR) & S_SLEEP, 0);
    control(b, RUN);
    unsigned stops = 0;
    for (unsigned i = 0; i < 20; i++)
        stops += !debug_step(&b->debug);
    assert_int_equal(stops, 1);
    assert_int_equal(mem_read(&b->port, DHCSR) & S_LOCKUP, S_LOCKUP);
    control(b, HALT);
    assert_true(halted(b));
    assert_int_equal(reg(b, 0), 3);
    machine_destroy(b->m);
}

/* Register and buffer accesses of the port wait for nobody's instruction, and are refused like the program's.
 */
static void test_array_side(void **state) {
    bench *b = counting(state);
    assert_int_equal(mem_read(&b->port, 0x40007000), 0x5A5A5A5A);
    mem_read(&b->port, 0x20400000);
    assert_int_equal(dp_read(&b->port, DP_CTRL_STAT) & 0x20, 0x20);
    assert_string_equal(machine_refused(b->m), "access to 0x20400000: the array has no clock or is in reset");
    dp_write(&b->port, DP_CTRL_STAT, POWER_UP | 0x20);
    mem_write(&b->port, 0x40007028, 0);
    mem_write(&b->port, 0x40007044, 0);
    mem_write(&b->port, 0x4000704C, 0);
    mem_write(&b->port, 0x20400010, 0x12345678);
    assert_int_equal(mem_read(&b->port, 0x20400010), 0x12345678);
    mem_write(&b->port, 0x40010000, 0xCAFE); /* the scratch register of the controller */
    assert_int_equal(mem_read(&b->port, 0x40010000), 0xCAFE);
    assert_int_equal(dp_read(&b->port, DP_CTRL_STAT) & 0x20, 0);
    uint64_t before = machine_count(b->m).array_cycles;
    control(b, HALT);
    run(b, 100); /* the array goes on while the processor is halted */
    assert_true(machine_count(b->m).array_cycles >= before + 150);
    machine_destroy(b->m);
}

static void test_identification(void **state) {
    bench *b = counting(state);
    assert_int_equal(mem_read(&b->port, 0xE000ED00), 0x412FC230);
    static const uint32_t bases[] = {0xE000E000, 0xE0001000, 0xE0002000};
    for (unsigned i = 0; i < 3; i++) {
        uint32_t entry = mem_read(&b->port, 0xE00FF000 + 4 * i);
        assert_int_equal(entry & 3, 3);
        assert_int_equal(0xE00FF000 + (entry & ~3u), bases[i]);
        assert_int_equal(mem_read(&b->port, bases[i] + 0xFF0), 0x0D);
        assert_int_equal(mem_read(&b->port, bases[i] + 0xFFC), 0xB1);
    }
    assert_int_equal(mem_read(&b->port, 0xE00FF000 + 4 * 5), 0); /* end of the table */
    assert_int_equal(mem_read(&b->port, 0xE00FFFE0), 0xC3);
    machine_destroy(b->m);
}

RUN_TESTS(TEST(test_halt_step_resume), TEST(test_registers), TEST(test_breakpoint), TEST(test_watchpoint),
          TEST(test_bkpt_instruction), TEST(test_reset), TEST(test_loading_over_a_program),
          TEST(test_sleep_and_lockup), TEST(test_array_side), TEST(test_identification),
          TEST(test_uart_needs_its_clock))
