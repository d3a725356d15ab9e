/* test_collision.c - two accesses to one bank of the global buffer: reported for the processor, for the
 * host's direct access, and for two DMAs; separate by bank and tile; and the answer of onyx-cosim --jtag.
 * Another silent error of the chip: reading a word of the array before its arrival. */
#include <sys/socket.h>

#include "firmware/registers.h"
#include "rtl_models/soc/machine_memory.h"
#include "rtl_models/soc/machine_watch.h"
#include "rtl_models/soc/serve_int.h"
#include "tests/test.h"

#define BUFFER 0x20400000u
#define REGISTERS 0x40010000u
#define PLATFORM 0x40007000u
enum { TILE = 3, TILE_BYTES = 0x40000, BANK_BYTES = 0x20000, WORDS = 300 };

static uint32_t bank_address(uint32_t tile, uint32_t bank) {
    return BUFFER + tile * TILE_BYTES + bank * BANK_BYTES;
}

static void set(machine *m, uint32_t address, uint32_t value) {
    assert_true(machine_bus_write(m, address, 4, value));
}
static uint32_t get(machine *m, uint32_t address) {
    uint32_t value;
    assert_true(machine_bus_read(m, address, 4, &value));
    return value;
}
static void set_dma(machine *m, uint32_t offset, uint32_t value) {
    set(m, REGISTERS + GLB_FROM_GLC + TILE * GLB_TILE_STRIDE + offset, value);
}

/* An array with its clock on. */
static machine *machine_on(void) {
    static const machine_config config = {.array_width = 4,
                                          .array_height = 2,
                                          .mem_period = 4,
                                          .mem_phase = 3,
                                          .code_bytes = 0x20000,
                                          .sram = 0x20000000,
                                          .sram_bytes = 0x20000,
                                          .buffer = BUFFER,
                                          .registers = REGISTERS,
                                          .platform = PLATFORM,
                                          .uart = 0x40002000,
                                          .irq = 9,
                                          .array_cycles_per_cpu_cycle = 2};
    machine *m = machine_create(&config);
    assert_non_null(m);
    set(m, PLATFORM + PLATFORM_CGRA_CLK_SELECT, 0);
    set(m, PLATFORM + PLATFORM_CLK_GATE_EN, 0);
    set(m, PLATFORM + PLATFORM_RESET_REQ, 0);
    return m;
}

/* The configuration DMA of TILE reads a word of the bank in each of the next WORDS cycles. */
static void start_config(machine *m, uint32_t bank) {
    set_dma(m, GLB_PCFG_CTRL, 1);
    set_dma(m, GLB_PCFG_START_ADDR, bank * BANK_BYTES);
    set_dma(m, GLB_PCFG_NUM_WORDS, WORDS);
    set(m, REGISTERS + GLC_PC_START, 1u << TILE);
}

static void let_it_end(machine *m) {
    for (uint32_t i = 0; i < WORDS; i++)
        get(m, REGISTERS);
}

/* A word of the array is read right once the strobe has lasted 128 cycles, and not a cycle before. */
static void a_short_read_of_the_array_is_stale(void **state) {
    (void)state;
    enum { PE_REGISTER = 0x00000101, LEAST = 128 };
    machine *m = machine_on();
    for (uint32_t value = 1; value <= 2; value++) {
        set(m, REGISTERS + GLC_CGRA_STALL, UINT32_MAX);
        set(m, REGISTERS + GLC_CFG_ADDRESS, PE_REGISTER);
        set(m, REGISTERS + GLC_CFG_DATA, value);
        set(m, REGISTERS + GLC_CFG_WRITE, 32);
        let_it_end(m);
        set(m, REGISTERS + GLC_CFG_READ, LEAST - 1);
        let_it_end(m);
        assert_int_equal(get(m, REGISTERS + GLC_CFG_READ_DATA), value - 1);
        set(m, REGISTERS + GLC_CFG_READ, LEAST);
        assert_int_equal(get(m, REGISTERS + GLC_CFG_READ_DATA), value - 1); /* the strobe lasts */
        let_it_end(m);
        assert_int_equal(get(m, REGISTERS + GLC_CFG_READ_DATA), value);
    }
    machine_destroy(m);
}

static void touch(machine *m, uint32_t tile, uint32_t bank) {
    uint8_t bytes[8];
    get(m, bank_address(tile, bank));
    set(m, bank_address(tile, bank) + 4, 5);
    assert_true(machine_dump(m, bank_address(tile, bank), bytes, sizeof bytes));
    assert_true(machine_load(m, bank_address(tile, bank), bytes, sizeof bytes));
}

static void expect(const machine *m, size_t i, uint32_t bank, const char *lost, const char *to) {
    machine_collision c;
    assert_true(machine_collided(m, i, &c));
    assert_int_equal(c.glb_tile, TILE);
    assert_int_equal(c.bank, bank);
    assert_string_equal(c.lost, lost);
    assert_string_equal(c.to, to);
    assert_in_range(c.cycle, 1, machine_count(m).array_cycles);
}
static void expect_no_more(const machine *m, size_t count) {
    machine_collision c;
    assert_true(count == 0 || machine_collided(m, count - 1, &c));
    assert_false(machine_collided(m, count, &c));
}

static void test_a_bank_in_use(void **state) {
    (void)state;
    for (uint32_t bank = 0; bank < 2; bank++) {
        machine *m = machine_on();
        start_config(m, bank);
        touch(m, TILE, 1 - bank);
        touch(m, TILE - 1, bank);
        touch(m, TILE + 1, bank);
        assert_true(machine_load(m, bank_address(TILE, bank) + 2, "", 0));
        expect_no_more(m, 0);
        touch(m, TILE, bank);
        touch(m, TILE, bank);
        expect(m, 0, bank, "configuration DMA", "processor or debug port");
        expect(m, 1, bank, "configuration DMA", "host");
        expect_no_more(m, 2); /* once each */
        let_it_end(m);
        machine_destroy(m);
    }
}

static void test_a_bank_that_is_free_again(void **state) {
    (void)state;
    machine *m = machine_on();
    start_config(m, 1);
    let_it_end(m);
    touch(m, TILE, 1);
    expect_no_more(m, 0);
    machine_destroy(m);
}

/* The host's range begins in the previous bank, and ends in the busy bank. */
static void test_a_range_over_two_banks(void **state) {
    (void)state;
    uint8_t bytes[64] = {0};
    machine *m = machine_on();
    start_config(m, 1);
    assert_true(machine_dump(m, bank_address(TILE, 1) - 32, bytes, 32));
    expect_no_more(m, 0);
    assert_true(machine_dump(m, bank_address(TILE, 1) - 32, bytes, 33));
    expect(m, 0, 1, "configuration DMA", "host");
    set(m, PLATFORM + PLATFORM_RESET_REQ, 0x100); /* ends the DMA, does not forget */
    set(m, PLATFORM + PLATFORM_RESET_REQ, 0);
    touch(m, TILE, 1);
    expect_no_more(m, 1);
    machine_destroy(m);
}

static void start_load(machine *m, uint32_t bank) {
    set_dma(m, GLB_LD_CTRL,
            FIELD(GLB_LD_CTRL_MODE, DMA_ONCE) | FIELD(GLB_LD_CTRL_VALID_MODE, LD_READY_VALID));
    set_dma(m, GLB_LD_DIM, 1);
    set_dma(m, GLB_LD_START_ADDR, bank * BANK_BYTES);
    set_dma(m, GLB_LD_RANGE, WORDS - 2);
    set_dma(m, GLB_LD_STRIDE, 2);
    set(m, REGISTERS + GLC_STREAM_START, FIELD(GLC_STREAM_START_G2F, 1u << TILE));
}

static void test_two_streams(void **state) {
    (void)state;
    for (uint32_t bank = 0; bank < 2; bank++) {
        machine *m = machine_on();
        start_config(m, 1);
        start_load(m, bank);
        let_it_end(m);
        if (bank == 1)
            expect(m, 0, 1, "load DMA", "configuration DMA");
        expect_no_more(m, bank);
        machine_destroy(m);
    }
}

static void ask(server *s, int end, const char *request, const char *want) {
    char got[300];
    assert_int_equal(send(end, request, strlen(request), 0), strlen(request));
    serve_back_door(s);
    ssize_t n = recv(end, got, sizeof got - 1, MSG_DONTWAIT);
    got[n < 0 ? 0 : n] = '\0';
    if (strncmp(got, want, strlen(want)) != 0)
        fail_msg("expected '%s', got '%s'", want, got);
}

static void test_the_back_door_tells(void **state) {
    (void)state;
    int ends[2];
    server s;
    machine *m = machine_on();
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    serve_begin(&s, m);
    s.back.client = ends[1];
    start_config(m, 1);
    ask(&s, ends[0], "write 0x204c0000 4\nabcd", "ok\n");
    ask(&s, ends[0], "collisions\n", "ok\n");
    serve_collisions(&s);
    assert_int_equal(s.collisions, 0);
    ask(&s, ends[0], "write 0x204e0000 4\nabcd", "ok\n");
    ask(&s, ends[0], "read 0x204e0000 4\n", "ok\nabcd");
    ask(&s, ends[0], "collisions\n",
        "no: GLB tile 3, bank 1: on the chip an access of the configuration DMA is lost to the host (array "
        "cycle ");
    ask(&s, ends[0], "read 0x204e0000 4\n", "ok\nabcd"); /* the door is still open */
    serve_collisions(&s);
    assert_int_equal(s.collisions, 1);
    close(ends[0]);
    close(ends[1]);
    machine_destroy(m);
}

RUN_TESTS(TEST(test_a_bank_in_use), TEST(test_a_bank_that_is_free_again), TEST(test_a_range_over_two_banks),
          TEST(test_two_streams), TEST(test_the_back_door_tells), TEST(a_short_read_of_the_array_is_stale))
