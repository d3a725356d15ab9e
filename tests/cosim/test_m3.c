/* test_m3.c - exceptions, interrupts, sleep, SysTick, cycle counter and faults of the processor model, tested
 * by a program on the model. */
#include "m3_program.h"
#include "rtl_models/soc/m3_debug.h"
#include "tests/test.h"

enum { MEMORY_BYTES = 0x20000 };

typedef struct {
    m3 *core;
    uint8_t code[MEMORY_BYTES], sram[MEMORY_BYTES];
    bool lines[M3_INTERRUPTS];
    uint32_t later;
    uint64_t cycles;
} host;

static bool read_device(void *context, uint32_t address, unsigned size, uint32_t *value) {
    (void)context;
    (void)size;
    *value = 0;
    return address != M3_REFUSED;
}

static bool write_device(void *context, uint32_t address, unsigned size, uint32_t value) {
    host *h = context;
    (void)size;
    if (address == M3_LATER)
        h->later = value;
    else if ((address - M3_LINES) / 4 < M3_INTERRUPTS)
        h->lines[(address - M3_LINES) / 4] = value != 0;
    return address != M3_REFUSED;
}

static m3_log *log_of(host *h) {
    return (m3_log *)(void *)h->sram;
}

static host *host_new(fixture *f, uint32_t which) {
    size_t length;
    host *h = arena_new(&f->mem, host);
    const char *program = file_read(ONYX_M3_PROGRAM, &f->mem, &length, &f->diag);
    assert_non_null(program);
    assert_in_range(length, 100, MEMORY_BYTES);
    memcpy(h->code, program, length);
    h->core = m3_create((m3_bus){h, read_device, write_device});
    assert_non_null(h->core);
    assert_true(m3_map_ram(h->core, 0, h->code, MEMORY_BYTES));
    assert_true(m3_map_ram(h->core, M3_LOG, h->sram, MEMORY_BYTES));
    assert_true(m3_map_device(h->core, M3_LINES, 0x1000));
    log_of(h)->which = which;
    m3_reset(h->core);
    return h;
}

/* Until the program is done or the core stops; at most 20000 steps. */
static void run(host *h) {
    for (int i = 0; i < 20000 && !log_of(h)->done; i++) {
        unsigned cycles;
        if (m3_step(h->core, &cycles) == M3_STOPPED)
            return;
        h->cycles += cycles;
        m3_tick(h->core, cycles);
        if (h->later && --h->later == 0)
            h->lines[9] = true;
        for (unsigned n = 0; n < M3_INTERRUPTS; n++)
            m3_irq(h->core, n, h->lines[n]);
    }
}

#define EXPECT_LOG(state, which, ...)                                                                        \
    do {                                                                                                     \
        const uint32_t expected_[] = {__VA_ARGS__};                                                          \
        expect_log(state, which, expected_, sizeof expected_ / sizeof *expected_);                           \
    } while (0)
static void expect_log(void **state, uint32_t which, const uint32_t *expected, size_t n) {
    host *h = host_new(*state, which);
    run(h);
    assert_string_equal(m3_stop_reason(h->core), "");
    assert_int_equal(log_of(h)->done, 1);
    for (uint32_t i = 0; i < n && i < log_of(h)->len; i++)
        if (log_of(h)->value[i] != expected[i])
            fail_msg("entry %u is 0x%x, not 0x%x", i, log_of(h)->value[i], expected[i]);
    assert_int_equal(log_of(h)->len, n);
    m3_destroy(h->core);
}

static void an_interrupt_keeps_registers(void **state) {
    EXPECT_LOG(state, CASE_IRQ, 16 + 9, 0x90, 15, 0);
}
static void a_stronger_interrupt_nests(void **state) {
    EXPECT_LOG(state, CASE_NESTED, 16 + 3, 16 + 9, 0x90, 0x30, 0);
}
static void an_equal_interrupt_waits(void **state) {
    EXPECT_LOG(state, CASE_NOT_NESTED, 16 + 3, 0x30, 16 + 9, 0x90, 0);
}
static void sleep_ends_though_interrupts_are_masked(void **state) {
    EXPECT_LOG(state, CASE_SLEEP, 1, 16 + 9, 0x90, 2);
}
static void supervisor_call_then_pendsv(void **state) {
    EXPECT_LOG(state, CASE_SVC, 11, 7, 0x50, 14, 42);
}
static void base_priority_holds_back(void **state) {
    EXPECT_LOG(state, CASE_BASE_PRIORITY, 1, 16 + 9, 0x90, 2);
}
static void an_unmapped_address_is_a_hard_fault(void **state) {
    EXPECT_LOG(state, CASE_UNMAPPED, 3, 0x8200, 1u << 30, M3_NOWHERE, 77);
}
static void a_refused_access_is_a_hard_fault(void **state) {
    EXPECT_LOG(state, CASE_REFUSED, 3, 0x8200, 1u << 30, M3_REFUSED, 77);
}
static void or_a_bus_fault_where_enabled(void **state) {
    EXPECT_LOG(state, CASE_BUS_FAULT, 5, 0x8200, 0, M3_REFUSED, 77);
}
static void an_undefined_instruction_is_a_fault(void **state) {
    EXPECT_LOG(state, CASE_UNDEFINED, 3, 0x10000, 1u << 30, 0, 78);
}
static void exceptions_leave_the_process_stack_as_it_was(void **state) {
    EXPECT_LOG(state, CASE_PROCESS_STACK, 11, 9, 0x50, 14, M3_PROCESS_STACK);
}

static void a_fault_in_the_fault_handler_stops(void **state) {
    host *h = host_new(*state, CASE_LOCKUP);
    run(h);
    assert_int_equal(log_of(h)->done, 0);
    assert_non_null(strstr(m3_stop_reason(h->core), "lockup"));
    m3_destroy(h->core);
}

/* An unwritten memory: the reset vector has no Thumb bit, and nothing executes before a program is loaded. */
static void an_empty_memory_locks_up(void **state) {
    host *h = host_new(*state, CASE_SVC);
    uint8_t vectors[8];
    unsigned cycles;
    memcpy(vectors, h->code, sizeof vectors);
    memset(h->code, 0, sizeof vectors);
    m3_reset(h->core);
    uint64_t before = m3_instructions(h->core);
    assert_int_equal(m3_step(h->core, &cycles), M3_STOPPED);
    assert_non_null(strstr(m3_stop_reason(h->core), "lockup: the reset vector"));
    assert_int_equal(m3_instructions(h->core), before);
    memcpy(h->code, vectors, sizeof vectors);
    m3_reset(h->core);
    run(h);
    assert_int_equal(log_of(h)->done, 1);
    assert_int_equal(log_of(h)->len, 5);
    m3_destroy(h->core);
}

static void ticks_come_at_their_period(void **state) {
    host *h = host_new(*state, CASE_TICK);
    m3_catch_breakpoints(h->core, true); /* a debugger keeps the clock on during sleep */
    run(h);
    const m3_log *l = log_of(h);
    assert_int_equal(l->len, 4);
    for (int i = 0; i < 3; i++)
        assert_int_equal(l->value[i], 15);
    assert_in_range(l->value[3], 3000, 3100); /* cycles of three periods */
    assert_in_range(h->cycles, l->value[3], l->value[3] + 100);
    assert_in_range(m3_instructions(h->core), 50, 200); /* it slept the rest */
    m3_destroy(h->core);
}

RUN_TESTS(TEST(an_interrupt_keeps_registers), TEST(a_stronger_interrupt_nests),
          TEST(an_equal_interrupt_waits), TEST(sleep_ends_though_interrupts_are_masked),
          TEST(supervisor_call_then_pendsv), TEST(base_priority_holds_back),
          TEST(an_unmapped_address_is_a_hard_fault), TEST(a_refused_access_is_a_hard_fault),
          TEST(or_a_bus_fault_where_enabled), TEST(an_undefined_instruction_is_a_fault),
          TEST(exceptions_leave_the_process_stack_as_it_was), TEST(a_fault_in_the_fault_handler_stops),
          TEST(an_empty_memory_locks_up), TEST(ticks_come_at_their_period))
