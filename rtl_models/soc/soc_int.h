/* soc_int.h - the state of Soc; common to soc.cpp and soc_outside.cpp. */
#ifndef ONYX_COSIM_SOC_INT_H
#define ONYX_COSIM_SOC_INT_H

#include "rtl_models/soc/faults.h"
#include "rtl_models/soc/soc.h"

#include <array>
#include <deque>

#include "Vonyx_periphery.h"
#include "verilated.h"

namespace onyx {

constexpr unsigned BANK_BYTES = 0x20000;
constexpr unsigned BANKS = 2;    /* of a tile */
enum { LOADS, STORES, CONFIGS }; /* kinds of start and done pulses, in their order */

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
    Vonyx_periphery chip; /* between steps the clock is high */
    std::array<std::array<QData *, BANKS>, TILES> banks;
    std::array<const IData *, TILES> registers; /* of the tiles of the buffer */
    const IData *crossbar, *read_address;       /* the controller's registers */
    std::array<Stream, TILES> loads, stores, configs;
    Array array;
    unsigned width, fault = 0;
    uint32_t offered = 0, taking = 0; /* what the array's columns have been told: a word is there, has room */
    uint64_t taken_at = UINT64_MAX;   /* evaluations of the array when the pins took its columns */
    std::deque<ConfigWord> config;    /* words on their way: the array takes a word a cycle */
    bool in_reset = false; /* the controller's reset, as of this cycle: of the array and the buffer */
    uint32_t stalled = 0, config_read_data = 0, config_answer = 0;
    unsigned config_reading = 0; /* cycles of the read strobe, all at this address */
    uint32_t config_read_at = 0;
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
    std::vector<std::pair<const uint8_t *, size_t>>
        outside_banks;              /* the bytes of the model but for memories */
    std::vector<uint8_t> kept;      /* these bytes, of an earlier cycle */
    std::array<uint32_t, 4> pins{}; /* the inputs of the latest cycle */
    uint64_t quiet = 0;             /* cycles in which nothing was asked, and no input changed */
    bool still = false;             /* nor did a register */
    std::string dense_error;

    State(unsigned w, unsigned h, unsigned mem_period, unsigned mem_phase, const dense_fabric *fabric);
    /* A model with public memories signs off at the thread's context, which may be the array's, already
     * deleted. */
    ~State() {
        Verilated::threadContextp(&context);
        if (dense != nullptr)
            dense_side_destroy(dense);
    }
    State(const State &) = delete;
    State &operator=(const State &) = delete;

    void *inside(const std::string &scope, const char *variable) const;
    uint32_t starts(unsigned kind) const { return static_cast<uint32_t>(chip.start_o >> 16 * kind) & 0xFFFF; }
    uint32_t done(unsigned kind) const { return static_cast<uint32_t>(chip.done_o >> 16 * kind) & 0xFFFF; }
    bool is_offered(unsigned column) const { return (chip.glb2io_valid_o >> column & 1) != 0; }
    bool has_room(unsigned column) const { return (chip.io2glb_ready_o >> column & 1) != 0; }
    uint16_t load_word(unsigned column) const {
        return static_cast<uint16_t>(chip.glb2io_data_o[column / 2] >> 16 * (column % 2));
    }
    /* The banks that tile t's DMAs use, as of onyx_glb_tile. */
    uint32_t in_use(unsigned t) const { return bits(&chip.in_use_o[0], 6, t); }
    uint32_t collision(unsigned t) const { return bits(&chip.collision_o[0], 14, t); }
    static uint32_t bits(const EData *words, unsigned each, unsigned i);

    void clock();
    void find_outside_banks();
    void keep_registers();
    bool has_registers_kept() const;
    bool is_still();
    void reset_array();
    void follow_reset();
    void configure_array();
    void configure_word();
    uint32_t faulty(uint32_t address) const;
    void break_write(uint32_t &offset, uint32_t &value) const;
    void tell_configuration(bool moves) const;
    void tell_streams(unsigned t) const;
    void stall_array();
    void carry_stream(unsigned column);
    void carry_streams();
    void see_columns();
    void note_words(uint32_t columns, std::array<Stream, TILES> &streams);
    static uint64_t *line_of(void *state, uint32_t address);
    void start_dense();
    void note_dense_access(unsigned t);
    uint32_t dense_in_use(unsigned t) const { return dense != nullptr ? dense_side_in_use(dense, t) : 0; }
    void note_start();
    void note_run();
    void note_done(unsigned t, bool load, bool store, bool configuration);
    void note_dones();
    void note_all_collisions();
    void note_collisions(unsigned t, uint32_t bits);
    void note_host(uint32_t address, size_t bytes);
    bool any_run_open() const;
    void read_data_to_controller();
    void step();
    QData *bank(uint32_t address) const { return banks[address / TILE_BYTES][address / BANK_BYTES % BANKS]; }
};

} // namespace onyx

#endif
