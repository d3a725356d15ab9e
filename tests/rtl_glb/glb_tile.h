/* glb_tile.h - onyx_glb_tile alone, with what tests do to it: registers, memory, loads and stores. */
#ifndef TESTS_RTL_GLB_GLB_TILE_H
#define TESTS_RTL_GLB_GLB_TILE_H

#include <random>
#include <utility>
#include <vector>

#include "Vonyx_glb_tile.h"
#include "Vonyx_glb_tile___024root.h"
#include "verilated.h"

#include "firmware/registers.h"
#include "tests/rtl_fabric/cmocka_cpp.h"

struct Word {
    uint32_t address, data;
    bool operator==(const Word &o) const { return address == o.address && data == o.data; }
};

struct Tile {
    VerilatedContext context;
    Vonyx_glb_tile m{&context};
    int flushes = 0, ld_done = 0, st_done = 0, pc_done = 0; /* pulses */
    std::vector<uint16_t> even, odd;                        /* taken from the load */
    std::vector<Word> south, east;
    unsigned collisions = 0; /* all of collision_o so far */

    Tile() {
        for (int level : {1, 0, 1}) {
            m.rst_ni = static_cast<CData>(level);
            m.eval();
        }
    }
    /* A model with public memories signs off at the thread's context. */
    ~Tile() { Verilated::threadContextp(&context); }

    void step() {
        m.eval();
        if (m.even_valid_o && m.even_ready_i)
            even.push_back(m.even_data_o);
        if (m.odd_valid_o && m.odd_ready_i)
            odd.push_back(m.odd_data_o);
        bool was_ld_done = m.ld_done_o, was_st_done = m.st_done_o, was_pc_done = m.pc_done_o;
        m.clk_i = 1;
        m.eval();
        m.clk_i = 0;
        m.eval();
        flushes += m.flush_o;
        ld_done += m.ld_done_o && !was_ld_done;
        st_done += m.st_done_o && !was_st_done;
        pc_done += m.pc_done_o && !was_pc_done;
        collisions |= m.collision_o;
        if (m.cfg_south_valid_o)
            south.push_back({m.cfg_south_addr_o, m.cfg_south_data_o});
        if (m.cfg_east_valid_o)
            east.push_back({m.cfg_east_addr_o, m.cfg_east_data_o});
    }
    void set(uint32_t offset, uint32_t value) {
        m.reg_we_i = 1;
        m.reg_addr_i = static_cast<CData>(offset);
        m.reg_wdata_i = value;
        step();
        m.reg_we_i = 0;
    }
    uint32_t get(uint32_t offset) {
        m.reg_addr_i = static_cast<CData>(offset);
        m.eval();
        return m.reg_rdata_o;
    }
    void write(uint32_t address, uint64_t value, unsigned strobes) {
        m.proc_addr_i = address;
        m.proc_wdata_i = value;
        m.proc_strb_i = static_cast<CData>(strobes);
        m.proc_we_i = 1;
        step();
        m.proc_we_i = 0;
    }
    uint64_t read(uint32_t address) {
        m.proc_addr_i = address;
        m.proc_re_i = 1;
        step();
        m.proc_re_i = 0;
        return m.proc_rdata_o;
    }
    uint16_t read16(uint32_t address) {
        return static_cast<uint16_t>(read(address & ~7u) >> 8 * (address & 6));
    }
    /* A cycle of the start pulses: load, store, configuration. */
    void start(bool ld, bool st, bool pc) {
        m.ld_start_i = ld;
        m.st_start_i = st;
        m.pc_start_i = pc;
        step();
        m.ld_start_i = m.st_start_i = m.pc_start_i = 0;
    }
    /* Words 0, 1, 2.. times 3 + 7 from the byte address on. */
    void fill(uint32_t address, unsigned words) {
        for (unsigned i = 0; i < words; i++)
            write((address + 2 * i) & ~7u, uint64_t{value(i)} << 8 * ((address + 2 * i) & 6),
                  3u << ((address + 2 * i) & 6));
    }
    static uint16_t value(unsigned i) { return static_cast<uint16_t>(3 * i + 7); }
};

using Random = std::mt19937;

constexpr uint32_t LD_ON = DMA_ONCE << GLB_LD_CTRL_MODE_LSB | LD_READY_VALID << GLB_LD_CTRL_VALID_MODE_LSB;
constexpr uint32_t ST_ON = DMA_ONCE << GLB_ST_CTRL_MODE_LSB | ST_READY_VALID << GLB_ST_CTRL_VALID_MODE_LSB;

inline void setup_load(Tile &t, uint32_t column, uint32_t address,
                       const std::vector<std::pair<uint32_t, int32_t>> &loops) {
    t.set(GLB_LD_CTRL, LD_ON | column << GLB_LD_CTRL_DATA_MUX_LSB);
    t.set(GLB_LD_DIM, static_cast<uint32_t>(loops.size()));
    t.set(GLB_LD_START_ADDR, address);
    for (unsigned i = 0; i < loops.size(); i++) {
        t.set(GLB_LD_RANGE + 12 * i, loops[i].first - 2);
        t.set(GLB_LD_STRIDE + 12 * i, static_cast<uint32_t>(loops[i].second));
    }
}

/* A store of `blocks` blocks with the firmware's settings, and stride 0 on request. */
inline void setup_store(Tile &t, uint32_t column, uint32_t address, uint32_t blocks, uint32_t stride = 2) {
    t.set(GLB_ST_CTRL, ST_ON | column << GLB_ST_CTRL_DATA_MUX_LSB);
    t.set(GLB_ST_NUM_BLOCKS, blocks);
    t.set(GLB_ST_START_ADDR, address);
    t.set(GLB_ST_DIM, 1);
    t.set(GLB_ST_RANGE, 65534);
    t.set(GLB_ST_STRIDE, stride);
}

/* Runs until the load is done; the sink is ready in `percent` of the cycles, the processor reads bank `busy`
 * (0, 1; -1 none) in half of them. */
inline void drain(Tile &t, unsigned percent, int busy, Random &random) {
    for (int i = 0; i < 20000 && t.ld_done == 0; i++) {
        t.m.even_ready_i = t.m.odd_ready_i = random() % 100 < percent;
        t.m.proc_re_i = busy >= 0 && random() % 2;
        t.m.proc_addr_i = busy > 0 ? 0x20000 : 0;
        t.step();
    }
    t.m.proc_re_i = 0;
    assert_int_equal(t.ld_done, 1);
    for (int i = 0; i < 10; i++)
        t.step();
    assert_int_equal(t.ld_done, 1);
}

#endif
