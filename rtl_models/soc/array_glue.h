/* array_glue.h - the array as a tile library: registers and core of each kind of tile verilated once, one
 * object per configured tile, joined by the configured routes. Same cycles as onyx_array.sv.
 *
 * Only configured tiles exist: the first configuration word for a site builds its tile, and a site without
 * one carries nothing (its registers are 0, so no output is enabled). Switch boxes and connection boxes are
 * nets made of the configuration words (array_routes.h). A tile in which nothing can happen is not evaluated.
 *
 * Inputs (stall, flush, configuration bus, global-buffer side) are set between steps and hold at the next
 * clock edge; outputs read between steps are settled. Not thread-safe; objects are independent.
 */
#ifndef ONYX_RTL_MODELS_ARRAY_GLUE_H
#define ONYX_RTL_MODELS_ARRAY_GLUE_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace onyx {

/* The channel into a tile's port in a cycle (steps since reset): whether the driver offers the token, the
 * port has room, and it arrives (all the driver feeds has room). Called for every channel that may do
 * something else than before. */
using Watcher = std::function<void(uint64_t cycle, unsigned x, unsigned y, unsigned port, bool offered,
                                   bool room, bool moves, uint32_t token)>;

class Array {
  public:
    /* width 1..32 columns, height 1..255 rows of compute tiles (row 0 is the IO row), which are MEM in the
     * columns with x % mem_period == mem_phase. After it: as reset(). */
    explicit Array(unsigned width = 32, unsigned height = 16, unsigned mem_period = 4,
                   unsigned mem_phase = 3);
    ~Array();
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;

    /* As the chip's reset: registers 0, FIFOs empty, nothing configured. All inputs become 0. */
    void reset();

    /* Puts one word on the configuration bus for the next step(), where it is written (rows above 8: one step
     * later, as on the chip). One word a step. Words for sites outside the array go nowhere. Stall the
     * columns while they are configured. */
    void config_write(uint32_t address, uint32_t data);
    /* The register as it stands, 0 if there is none. Takes no array time. For the SRAM (features 1 and 2 of
     * MEM tiles) each read moves that tile's sequencer of four 16-bit lanes. */
    uint32_t config_read(uint32_t address);

    /* Bit x = 1 stops the tiles of column x, until set again. */
    void set_stall(uint32_t columns);
    /* Bit g = 1 flushes columns 4g..4g+3 at the next step only (rows above 8: one step later). */
    void flush(uint32_t groups);

    /* Global-buffer side of column x. A word goes in at a step if valid and to_array_ready(), out if
     * from_array_valid() and ready, in both cases unless the column is stalled. What is set stays set. */
    void to_array(unsigned column, bool valid, uint16_t data);
    bool to_array_ready(unsigned column) const;
    void from_array_ready(unsigned column, bool ready);
    bool from_array_valid(unsigned column) const;
    uint16_t from_array_data(unsigned column) const;

    /* One clock cycle. False if the routes of the configuration close a loop while some column runs; error()
     * then says where, and every later step is false too until reset(). */
    bool step();
    const std::string &error() const;

    /* Who waits, for a run that does not end: a line per configured tile with outputs that carry a word
     * nobody takes ("x3y4 MEM: east 2 waits"). */
    std::string describe_waiting() const;

    /* What the monitors of a tile have raised since its first flush after reset(): bit n is hazard n of
     * boards/onyx/hazards.def. */
    uint32_t hazards(unsigned x, unsigned y) const;

    void watch(Watcher watcher);

    uint64_t cycles() const;      /* steps since reset() */
    uint64_t busy_cycles() const; /* those in which some tile was evaluated */
    uint64_t evaluations() const; /* tile evaluations since reset(), for measuring */
    unsigned tiles() const;       /* configured tiles */

  private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace onyx

#endif
