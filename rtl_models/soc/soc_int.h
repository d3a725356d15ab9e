/* soc_int.h - the state of Soc; common to soc.cpp and soc_outside.cpp. */
#ifndef ONYX_COSIM_SOC_INT_H
#define ONYX_COSIM_SOC_INT_H

#include "rtl_models/soc/faults.h"
#include "rtl_models/soc/soc.h"

#include <array>
#include <deque>

#include "Vonyx_glb_tile.h"
#include "Vonyx_glc.h"
#include "verilated.h"

namespace onyx {

constexpr unsigned BANK_BYTES = 0x20000;
constexpr unsigned TAIL = 8; /* cycles a tile is evaluated after its last activity: pulses and pipelines */

/* A direction of a GLB tile: its activity since its start pulse, for reports about a stuck run. */
struct Stream {
    bool open = false;
    uint64_t words = 0;
};

struct ConfigWord {
    uint32_t address, data;
};

struct Soc::State {
    VerilatedContext context;
    Vonyx_glc glc;
    std::array<std::unique_ptr<Vonyx_glb_tile>, TILES> tiles;
    std::array<unsigned, TILES> awake{}; /* cycles left to evaluate */
    std::array<Stream, TILES> loads, stores, configs;
    Array array;
    unsigned width, fault = 0;
    bool gated = false;
    uint32_t clocks[2] = {};       /* enables of the buffer's tiles, as written: of the tile, of its banks */
    std::deque<ConfigWord> config; /* words on their way: the array takes a word a cycle */
    bool in_reset = false;         /* the controller's reset, as of this cycle: of the array and the buffer */
    uint32_t stalled = 0, config_read_data = 0, config_answer = 0;
    unsigned config_reading = 0; /* cycles of the read strobe, all at this address */
    uint32_t config_read_at = 0;
    bool register_reading = false;
    uint64_t cycles = 0, progress = 0;
    uint64_t busy_before = 0, evaluations_before = 0; /* of the array before its last reset */
    uint64_t runs_forgotten = 0;
    std::vector<uint64_t> run_starts, run_cycles;          /* of the runs after those */
    std::array<uint64_t, TILES> run_of{};                  /* by store: its run, or NO_RUN */
    uint64_t busy_since = 0, kernel_cycles = 0, words = 0; /* words since the latest start */
    Switch last_switch;
    std::array<uint32_t, TILES> collided{}; /* bit BANKS * kind + bank */
    std::vector<Collision> collisions;      /* of these bits */
    Watcher watcher;
    dense_side *dense = nullptr; /* in place of the array, in dense programs */
    std::string dense_error;

    State(unsigned w, unsigned h, unsigned mem_period, unsigned mem_phase, const dense_fabric *fabric)
        : glc(&context), array(w, h, mem_period, mem_phase), width(w) {
        for (auto &t : tiles)
            t = std::make_unique<Vonyx_glb_tile>(&context);
        if (fabric != nullptr)
            dense = dense_side_create(fabric, line_of, this);
    }
    /* A model with public memories signs off at the thread's context, which may be the array's, already
     * deleted. */
    ~State() {
        Verilated::threadContextp(&context);
        if (dense != nullptr)
            dense_side_destroy(dense);
    }
    State(const State &) = delete;
    State &operator=(const State &) = delete;

    template <class Model> static void clock(Model &m) {
        m.clk_i = 1;
        m.eval();
        m.clk_i = 0;
        m.eval();
    }
    template <class Model> static void reset(Model &m) {
        for (int level : {1, 0, 1}) {
            m.rst_ni = static_cast<CData>(level);
            m.eval();
        }
    }
    void wake(unsigned t) { awake[t] = TAIL; }
    /* Accesses of the processor wake a tile's clock, its DMAs do not. */
    bool has_clock(unsigned t) const {
        return !gated || ((clocks[0] & clocks[1]) >> t & 1) != 0 ||
               !(loads[t].open || stores[t].open || configs[t].open);
    }
    bool on(unsigned t) const { return awake[t] != 0 || loads[t].open || stores[t].open || configs[t].open; }

    void reset_array();
    void hold_buffer(bool reset);
    void follow_reset();
    void configure_array();
    void configure_word();
    uint32_t faulty(uint32_t address) const;
    void tell_configuration(bool moves) const;
    void tell_streams(unsigned t) const;
    void flush_array();
    void carry_streams(unsigned t);
    void carry_stream_end(unsigned column, bool own_valid, uint16_t own_data, bool own_ready, CData &ready_in,
                          CData &valid_in, SData &data_in, unsigned t);
    void carry_control(unsigned t, const std::array<ConfigWord, TILES> &east,
                       const std::array<bool, TILES> &east_valid);
    static uint64_t *line_of(void *state, uint32_t address);
    void start_dense();
    void note_dense_access(unsigned t);
    uint32_t dense_in_use(unsigned t) const { return dense != nullptr ? dense_side_in_use(dense, t) : 0; }
    void note_start();
    void note_done(unsigned t);
    void note_collisions(unsigned t, uint32_t bits);
    void note_host(uint32_t address, size_t bytes);
    bool any_run_open() const;
    bool is_offered_a_word(unsigned t) const;
    void read_data_to_controller();
    void step();
    QData *bank(uint32_t address) const;
};

} // namespace onyx

#endif
