/* soc.h - the array's side of the chip, cycle by cycle: global controller, global buffer, array.
 *
 * A verilated onyx_periphery (controller, tiles of the buffer and the wires between them) and the array as a
 * tile library (rtl_models/soc/array_glue.h). Accesses of the processor are AXI4-Lite transactions and single
 * accesses to the buffer's port; each takes its cycles and moves the rest of the chip along.
 *
 * GLB tile g feeds columns 2g and 2g+1. A stalled column's IO tile shows its FIFOs' contents and moves
 * nothing: a load's word is lost, and a store takes the same word again. The controller's global reset resets
 * the array and the buffer's registers and DMAs: words and starts in the meantime are lost. Words of all the
 * columns' configuration buses join a common queue to the library's single bus, a word a cycle.
 *
 * An idle GLB tile has no clock, and an idle tile of the array is not evaluated (docs/notebook/array.md);
 * results do not show the difference.
 */
#ifndef ONYX_COSIM_SOC_H
#define ONYX_COSIM_SOC_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rtl_models/soc/array_glue.h"
#include "rtl_models/soc/dense_side.h"

namespace onyx {

/* Two simultaneous accesses to a bank of the buffer: on the chip the access of `lost` never happens. */
struct Collision {
    unsigned tile, bank;
    const char *lost,
        *to;        /* "store DMA", "configuration DMA", "load DMA", "processor or debug port", "host" */
    uint64_t cycle; /* of the first of this kind, by Soc::cycles */
};

/* The latest run started after configuration words; cycles as of Soc::cycles. `stored` is of the latest run
 * of all. */
struct Switch {
    uint64_t words = 0, departed = 0; /* configuration words; the last store of the run before the words */
    uint64_t started = 0;
    uint64_t stored = 0; /* the last store, without an open run */
};

class Soc {
  public:
    static constexpr unsigned TILES = 16;           /* of the global buffer */
    static constexpr uint32_t TILE_BYTES = 0x40000; /* two banks */
    static constexpr uint32_t GLB_BYTES = TILES * TILE_BYTES;
    static constexpr uint32_t REGISTER_BYTES = 0x2000;
    static constexpr uint32_t GLB_REGISTERS = 0x1000; /* from here on the buffer's, before the controller's */

    /* Width (1..32, two columns to a GLB tile) and height of the array without its IO row, and its MEM
     * columns as of Array. In reset. `dense`: of a dense program, which runs on dense_side.h in place of
     * Array; else NULL. */
    Soc(unsigned width, unsigned height, unsigned mem_period, unsigned mem_phase,
        const struct dense_fabric *dense = nullptr);
    ~Soc();
    Soc(const Soc &) = delete;
    Soc &operator=(const Soc &) = delete;

    /* A fault of faults.h; without both of its clock enables a tile of the buffer has a clock for accesses
     * alone. */
    void set_fault(unsigned fault);
    void gate_clocks();

    /* As the reset line: registers 0, nothing configured; the buffer's memory stays. */
    void reset();
    /* One clock cycle. */
    void step();

    /* Register access at a byte offset below REGISTER_BYTES; returns when the controller has answered. */
    void write_register(uint32_t offset, uint32_t value);
    uint32_t read_register(uint32_t offset);
    /* Access to the buffer by its processor port: byte address below GLB_BYTES, 1..8 bytes inside an aligned
     * 64-bit word. */
    void write_buffer(uint32_t address, unsigned bytes, uint64_t value);
    uint64_t read_buffer(uint32_t address, unsigned bytes);

    /* The buffer's memory, without taking time; [address, address + bytes) below GLB_BYTES. Stands for a
     * host's accesses: collides with any DMA at work on the bank. */
    void load(uint32_t address, const uint8_t *from, size_t bytes);
    void dump(uint32_t address, uint8_t *to, size_t bytes) const;

    /* The controller resets array and buffer: writes to the buffer are lost, reads never answer. */
    bool buffer_in_reset() const;
    bool interrupt() const;
    uint64_t cycles() const;       /* steps since construction */
    uint64_t array_cycles() const; /* cycles with an evaluated array */
    uint64_t evaluations() const;  /* of tiles of the array */
    /* Grows with every movement: stream and configuration words, accesses of the processor. */
    uint64_t progress() const;
    uint64_t runs() const; /* start pulses of loads; stores that start alone belong to no run */
    /* Cycles of run i since the start, by start pulse: to the last store started by the run. Only runs after
     * the latest forget_runs. */
    uint64_t run_cycles(uint64_t run) const;
    void forget_runs();
    /* Cycles with a run in progress; less than the sum of all runs if copies of a kernel start
     * independently. */
    uint64_t kernel_cycles() const;
    const Switch &last_switch() const;
    /* As of Array. */
    uint32_t hazards(unsigned x, unsigned y) const;
    /* The first of each kind in each bank since construction, in the order of time. */
    const std::vector<Collision> &collisions() const;
    /* The array's channels, and machine.h's channels of the buffer's streams and of configuration words; the
     * cycle is of cycles(). */
    void watch(Watcher watcher);

    /* As dense_side_stream_at; false without a dense program. */
    bool dense_stream(uint32_t i, dense_side_stream *out) const;

    /* "" or why the array no longer steps: its configuration closes a combinational loop, or
     * dense_side_error. */
    const std::string &error() const;
    /* For an endless run: every open stream, followed by the configured tiles with waiting outputs. Lines. */
    std::string describe_stuck() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace onyx

#endif
