/* test_jtag.c - the debug port, scanned bit by bit: TAP, JTAG-DP and AHB-AP on a bus of the test's own. */
#include "tap.h"

enum { MEMORY = 0x3000 };

/* Memory at 0; accesses beyond its end are errors. */
typedef struct {
    uint8_t bytes[MEMORY];
    unsigned reads, writes;
} bus_model;

static bool bus_read(void *context, uint32_t address, unsigned size, uint32_t *value) {
    bus_model *b = context;
    b->reads++;
    assert_int_equal(address % size, 0);
    *value = 0;
    for (unsigned i = 0; i < size && address < MEMORY; i++)
        *value |= (uint32_t)b->bytes[address + i] << 8 * i;
    return address < MEMORY;
}

static bool bus_write(void *context, uint32_t address, unsigned size, uint32_t value) {
    bus_model *b = context;
    b->writes++;
    assert_int_equal(address % size, 0);
    for (unsigned i = 0; i < size && address < MEMORY; i++)
        b->bytes[address + i] = (uint8_t)(value >> 8 * i);
    return address < MEMORY;
}

typedef struct {
    bus_model bus;
    jtag_port port;
} bench;

static bench *bench_new(fixture *f, bool powered) {
    bench *b = arena_new(&f->mem, bench);
    tap_begin(&b->port, (jtag_bus){&b->bus, bus_read, bus_write});
    if (powered)
        dp_write(&b->port, DP_CTRL_STAT, POWER_UP);
    return b;
}

static void test_idcode_after_reset(void **state) {
    bench *b = bench_new(*state, false);
    assert_int_equal(tap_scan(&b->port, false, 0, 32), 0x4BA00477);
    tap_scan(&b->port, true, JTAG_BYPASS, 4);
    assert_int_equal(tap_scan(&b->port, false, 0, 1), 0);
    tap_move(&b->port, 0x1F, 6);
    assert_int_equal(tap_scan(&b->port, false, 0, 32), 0x4BA00477);
    jtag_trst(&b->port);
    tap_move(&b->port, 0, 1);
    assert_int_equal(tap_scan(&b->port, false, 0, 32), 0x4BA00477);
}

static void test_instruction_capture_ends_in_01(void **state) {
    bench *b = bench_new(*state, false);
    assert_int_equal(tap_scan(&b->port, true, JTAG_READ_IDCODE, 4), 1);
}

/* BYPASS and every unknown instruction are a bit of delay. */
static void test_bypass(void **state) {
    bench *b = bench_new(*state, false);
    static const unsigned bypassed[] = {JTAG_BYPASS, 0, 1, 2, 7, 9, 12, 13};
    for (unsigned i = 0; i < sizeof bypassed / sizeof *bypassed; i++) {
        tap_scan(&b->port, true, bypassed[i], 4);
        assert_int_equal(tap_scan(&b->port, false, 0x2B5, 12), 0x2B5 << 1);
    }
}

/* A scan may rest in Pause-DR. */
static void test_pause(void **state) {
    bench *b = bench_new(*state, false);
    uint32_t id = 0;
    tap_move(&b->port, 1, 3);
    for (unsigned i = 0; i < 32; i++) {
        id |= (uint32_t)jtag_tdo(&b->port) << i;
        jtag_clock(&b->port, i == 15 || i == 31 ? JTAG_TMS : 0);
        if (i == 15)
            tap_move(&b->port, 0x8, 5); /* Pause-DR for three clocks, Exit2-DR, Shift-DR */
    }
    assert_int_equal(id, 0x4BA00477);
}

static void test_power(void **state) {
    bench *b = bench_new(*state, false);
    assert_int_equal(dp_read(&b->port, DP_CTRL_STAT), 0);
    ap_read(&b->port, 0xFC); /* without power: an error, and nothing reaches the bus */
    assert_int_equal(dp_read(&b->port, DP_CTRL_STAT) & 0x20, 0x20);
    dp_write(&b->port, DP_CTRL_STAT, POWER_UP | 0x20);
    assert_int_equal(dp_read(&b->port, DP_CTRL_STAT), 0xF0000000);
    assert_int_equal(ap_read(&b->port, 0xFC), 0x24770011);
    assert_int_equal(ap_read(&b->port, 0xF8), 0xE00FF003);
}

static void test_other_access_ports_are_not_there(void **state) {
    bench *b = bench_new(*state, true);
    ap_select(&b->port, 1, 0xF0);
    tap_access(&b->port, JTAG_APACC, true, 0xC, 0);
    assert_int_equal(dp_read(&b->port, DP_RDBUFF), 0);
    assert_int_equal(dp_read(&b->port, DP_CTRL_STAT) & 0x20, 0);
}

static void test_control_word(void **state) {
    bench *b = bench_new(*state, true);
    ap_write(&b->port, AP_CSW, 0x23000000 | CSW_WORD | CSW_INCREMENT);
    assert_int_equal(ap_read(&b->port, AP_CSW), 0x23000052);
    ap_write(&b->port, AP_CSW, CSW_HALF | CSW_PACKED); /* not supported: reads back as none */
    assert_int_equal(ap_read(&b->port, AP_CSW) & 0x37, CSW_HALF);
    ap_write(&b->port, AP_CSW, 5); /* 32 bytes are no size of this bus */
    assert_int_equal(ap_read(&b->port, AP_CSW) & 7, CSW_WORD);
}

static void test_lanes(void **state) {
    bench *b = bench_new(*state, true);
    ap_write(&b->port, AP_CSW, CSW_BYTE | CSW_INCREMENT);
    ap_write(&b->port, AP_TAR, 0x101);
    ap_write(&b->port, AP_DRW, 0xAABBCCDD);
    ap_write(&b->port, AP_DRW, 0x11223344);
    ap_write(&b->port, AP_CSW, CSW_HALF | CSW_INCREMENT);
    ap_write(&b->port, AP_TAR, 0x106);
    ap_write(&b->port, AP_DRW, 0x55667788);
    ap_write(&b->port, AP_CSW, CSW_WORD);
    assert_int_equal(mem_read(&b->port, 0x100), 0x0022CC00);
    assert_int_equal(mem_read(&b->port, 0x104), 0x55660000);
    ap_write(&b->port, AP_CSW, CSW_BYTE);
    assert_int_equal(mem_read(&b->port, 0x102), 0x220000);
}

static void test_increment_wraps_at_4_kb(void **state) {
    bench *b = bench_new(*state, true);
    ap_write(&b->port, AP_CSW, CSW_WORD | CSW_INCREMENT);
    ap_write(&b->port, AP_TAR, 0x1FF8);
    for (uint32_t i = 0; i < 3; i++)
        tap_access(&b->port, JTAG_APACC, false, AP_DRW, 100 + i);
    assert_int_equal(ap_read(&b->port, AP_TAR), 0x1004);
    ap_write(&b->port, AP_CSW, CSW_WORD);
    assert_int_equal(mem_read(&b->port, 0x1FFC), 101);
    assert_int_equal(mem_read(&b->port, 0x1000), 102);
}

static void test_banked_data(void **state) {
    bench *b = bench_new(*state, true);
    ap_write(&b->port, AP_TAR, 0x204); /* registers BD0..3 cover its block of 16 bytes */
    for (uint32_t i = 0; i < 4; i++)
        ap_write(&b->port, 0x10 + 4 * i, 7 * i + 1);
    assert_int_equal(ap_read(&b->port, 0x18), 15);
    assert_int_equal(mem_read(&b->port, 0x20C), 22);
}

/* After an error nothing more is done, until the sticky bit is cleared. */
static void test_sticky_error(void **state) {
    bench *b = bench_new(*state, true);
    mem_write(&b->port, 0x10, 1);
    assert_int_equal(dp_read(&b->port, DP_CTRL_STAT) & 0x20, 0);
    mem_read(&b->port, MEMORY);
    assert_int_equal(dp_read(&b->port, DP_CTRL_STAT) & 0x20, 0x20);
    unsigned writes = b->bus.writes;
    mem_write(&b->port, 0x10, 2);
    assert_int_equal(b->bus.writes, writes);
    dp_write(&b->port, DP_CTRL_STAT, POWER_UP | 0x20);
    assert_int_equal(dp_read(&b->port, DP_CTRL_STAT) & 0x20, 0);
    assert_int_equal(mem_read(&b->port, 0x10), 1);
}

/* Answers come a scan later: a row of reads gives each result with the next request. */
static void test_pipelined_reads(void **state) {
    bench *b = bench_new(*state, true);
    for (uint32_t i = 0; i < 8; i++)
        mem_write(&b->port, 0x400 + 4 * i, 1000 + i);
    ap_write(&b->port, AP_CSW, CSW_WORD | CSW_INCREMENT);
    ap_write(&b->port, AP_TAR, 0x400);
    unsigned reads = b->bus.reads;
    tap_access(&b->port, JTAG_APACC, true, AP_DRW, 0);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(tap_access(&b->port, JTAG_APACC, true, AP_DRW, 0), 1000 + i);
    assert_int_equal(dp_read(&b->port, DP_RDBUFF), 1007);
    assert_int_equal(b->bus.reads - reads, 8);
}

RUN_TESTS(TEST(test_idcode_after_reset), TEST(test_instruction_capture_ends_in_01), TEST(test_bypass),
          TEST(test_pause), TEST(test_power), TEST(test_other_access_ports_are_not_there),
          TEST(test_control_word), TEST(test_lanes), TEST(test_increment_wraps_at_4_kb),
          TEST(test_banked_data), TEST(test_sticky_error), TEST(test_pipelined_reads))
