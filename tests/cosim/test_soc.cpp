/* test_soc.cpp - the chip of the co-simulation: onyx_periphery around the tile library. Replays the register
 * writes of a program of three images, recorded with the behaviour of the chip's own netlist: without the
 * writes after a reset its second image never arrives. */
#include <string>

#include "firmware/registers.h"
#include "rtl_models/soc/soc.h"
#include "tests/cosim/recorded_switch.h"

namespace {

using onyx::Soc;

constexpr uint32_t PE = 0x00000101; /* a register of the core of the tile at x 1, y 1 */
constexpr uint32_t LOADED = 0x100, STORED = Soc::TILE_BYTES / 2;

struct Chip : Soc {
    Chip() : Soc(4, 4, 4, 3) {}
    void glc(uint32_t offset, uint32_t value) { write_register(offset, value); }
    void glb(uint32_t tile, uint32_t offset, uint32_t value) {
        write_register(GLB_REGISTERS + tile * GLB_TILE_STRIDE + offset, value);
    }
    uint32_t glb(uint32_t tile, uint32_t offset) {
        return read_register(GLB_REGISTERS + tile * GLB_TILE_STRIDE + offset);
    }
    void steps(unsigned n) {
        while (n-- > 0)
            step();
    }
    void word(uint32_t address, uint32_t data) {
        glc(GLC_CFG_ADDRESS, address);
        glc(GLC_CFG_DATA, data);
        glc(GLC_CFG_WRITE, 32);
        steps(32);
    }
    uint32_t word(uint32_t address) {
        glc(GLC_CFG_ADDRESS, address);
        glc(GLC_CFG_READ, 128);
        steps(128);
        return read_register(GLC_CFG_READ_DATA);
    }
    void reset_all(uint32_t cycles) { glc(GLC_GLOBAL_RESET, cycles); }
    /* Column 0 forwards a load of tile 0: `words` words from LOADED. */
    void set_load(uint32_t words) {
        glb(0, GLB_LD_CTRL, 0x29);
        glb(0, GLB_LD_DIM, 1);
        glb(0, GLB_LD_START_ADDR, LOADED);
        glb(0, GLB_LD_RANGE, words - 2);
        glb(0, GLB_LD_STRIDE, 2);
    }
};

void all_are_stalled(Chip &c) {
    c.glc(GLC_CGRA_STALL, UINT32_MAX);
    for (uint32_t ier : {GLC_G2F_IER, GLC_F2G_IER, GLC_PCFG_IER})
        c.glc(ier, 3);
}

/* Registers of the buffer and of the array are 0 behind the controller's reset, its own and the memory are
 * as they were. */
void global_reset_is_that_of_array_and_buffer(void **) {
    Chip c;
    all_are_stalled(c);
    c.word(PE, 7);
    c.glb(0, GLB_PCFG_CTRL, 1);
    c.glb(1, GLB_PCFG_BROADCAST_MUX, 0x28);
    c.write_buffer(LOADED, 4, 0xfeedbeef);
    assert_int_equal(c.word(PE), 7);
    assert_int_equal(c.glb(0, GLB_PCFG_CTRL), 1);
    c.reset_all(16);
    assert_true(c.buffer_in_reset());
    c.steps(16);
    assert_false(c.buffer_in_reset());
    assert_int_equal(c.word(PE), 0);
    assert_int_equal(c.glb(0, GLB_PCFG_CTRL), 0);
    assert_int_equal(c.glb(1, GLB_PCFG_BROADCAST_MUX), 0);
    assert_int_equal(c.read_register(GLC_CGRA_STALL), UINT32_MAX);
    assert_int_equal(c.read_register(GLC_PCFG_IER), 3);
    assert_int_equal(c.read_buffer(LOADED, 4), 0xfeedbeef);
}

/* During a reset, words of the array, registers and memory of the buffer, and starts are lost. */
void what_comes_during_a_reset_is_lost(void **) {
    Chip c;
    all_are_stalled(c);
    c.write_buffer(LOADED, 4, 1);
    c.reset_all(400);
    c.word(PE, 7);
    c.glb(0, GLB_PCFG_CTRL, 1);
    c.write_buffer(LOADED, 4, 2);
    c.steps(400);
    assert_false(c.buffer_in_reset());
    assert_int_equal(c.word(PE), 0);
    assert_int_equal(c.glb(0, GLB_PCFG_CTRL), 0);
    assert_int_equal(c.read_buffer(LOADED, 4), 1);
    c.set_load(2);
    c.reset_all(8);
    c.glc(GLC_STREAM_START, 0x10001);
    c.glc(GLC_PC_START, 1);
    c.steps(400);
    assert_int_equal(c.runs(), 0);
    assert_int_equal(c.read_register(GLC_G2F_ISR), 0);
    assert_int_equal(c.read_register(GLC_PCFG_ISR), 0);
    assert_string_equal(c.describe_stuck().c_str(), "");
}

/* A running stream ends with the reset, without a done bit. */
void a_reset_ends_streams(void **) {
    Chip c;
    all_are_stalled(c);
    c.word(0x00000000, 1u << 23); /* column 0's IO tile is on */
    c.set_load(1000);
    c.glc(GLC_STREAM_START, 1);
    c.steps(20);
    assert_string_not_equal(c.describe_stuck().c_str(), "");
    c.reset_all(4);
    c.steps(2000);
    assert_string_equal(c.describe_stuck().c_str(), "");
    assert_int_equal(c.read_register(GLC_G2F_ISR), 0);
}

/* The IO tile of a stalled column shows the contents of its FIFOs, and has room as long as nothing enters: a
 * load loses its words. In a running column the FIFO is full after two words, which nobody takes. */
void a_stalled_column_loses_the_words_of_a_load(void **) {
    for (bool stalled : {false, true}) {
        Chip c;
        all_are_stalled(c);
        c.word(0x00000000, 1u << 23 | 1u << 15);
        if (!stalled)
            c.glc(GLC_CGRA_STALL, 0);
        c.set_load(100);
        c.glc(GLC_STREAM_START, 1);
        c.steps(400);
        assert_int_equal(c.read_register(GLC_G2F_ISR), stalled);
    }
}

/* Another address while the strobe of a read lasts is another read. */
void a_read_is_of_the_last_address(void **) {
    Chip c;
    all_are_stalled(c);
    c.word(PE, 7);
    c.word(PE + 0x01000000, 9);
    c.glc(GLC_CFG_ADDRESS, PE);
    c.glc(GLC_CFG_READ, 200);
    c.glc(GLC_CFG_ADDRESS, PE + 0x01000000);
    c.steps(200);
    assert_int_equal(c.read_register(GLC_CFG_READ_DATA), 9);
}

/* ---- a program of three images ---------------------------------------------------------------- */

/* A memory tile at work has a counter that runs for ever, of the turns at its memory: idle, it sleeps all the
 * same. */
void an_idle_memory_tile_sleeps(void **) {
    Chip c;
    enum { OTHER_TURNS = 3 };
    all_are_stalled(c);
    c.word(0x2E000301, 1u << 24); /* column 3 has memory tiles: mode 0, enabled */
    c.glc(GLC_CGRA_STALL, 0);
    c.steps(64);
    const uint64_t before = c.evaluations();
    c.steps(1000 + OTHER_TURNS);
    assert_int_equal(c.evaluations(), before);
    c.glc(GLC_CGRA_STALL, UINT32_MAX); /* wakes the tile, which makes up for three turns */
    c.steps(1);
    assert_in_range(c.evaluations() - before, 1, 8);
}

void a_switch_without_registers_hangs(void **) {
    auto *t = new Trace<Chip>;
    const bool there = t->play("global_reset_trace.txt"), hangs = t->hangs == "R 38 1 5135";
    delete t;
    if (!there)
        skip();
    assert_true(hangs); /* the configuration DMA of the second image never ends */
}

void a_switch_with_registers_is_right(void **) {
    auto *t = new Trace<Chip>;
    const bool there = t->play("global_reset_trace_repaired.txt");
    const uint64_t runs = t->chip.runs();
    const bool ends = t->hangs.empty();
    delete t;
    if (!there)
        skip();
    assert_true(ends);
    assert_int_equal(runs, 3);
}

} // namespace

int main() {
    const struct CMUnitTest tests[] = {cmocka_unit_test(global_reset_is_that_of_array_and_buffer),
                                       cmocka_unit_test(what_comes_during_a_reset_is_lost),
                                       cmocka_unit_test(a_reset_ends_streams),
                                       cmocka_unit_test(a_stalled_column_loses_the_words_of_a_load),
                                       cmocka_unit_test(a_read_is_of_the_last_address),
                                       cmocka_unit_test(an_idle_memory_tile_sleeps),
                                       cmocka_unit_test(a_switch_without_registers_hangs),
                                       cmocka_unit_test(a_switch_with_registers_is_right)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
