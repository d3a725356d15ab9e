/* array_glue.h - the array as a tile library: registers and core of each kind of tile verilated once, an
 * object per configured tile, joined by the configured routes. Same cycles as onyx_array.sv.
 *
 * Only configured tiles exist: the first configuration word for a site builds its tile, and an unconfigured
 * site carries nothing (its registers are 0, hence no output is enabled). Switch boxes and connection boxes
 * are nets made of the configuration words (array_routes.h). An idle tile is not evaluated.
 */
#ifndef ONYX_RTL_MODELS_ARRAY_GLUE_H
#define ONYX_RTL_MODELS_ARRAY_GLUE_H

#include <functional>
#include <memory>

#include "rtl_models/soc/array_pins.h"

namespace onyx {

/* The channel into a tile's port in a cycle (steps since reset): whether the driver offers the token, the
 * port has room, and the token arrives (all sinks of the driver have room). Called for every channel whose
 * activity may have changed. */
using Watcher = std::function<void(uint64_t cycle, unsigned x, unsigned y, unsigned port, bool offered,
                                   bool room, bool moves, uint32_t token)>;

class Array final : public ArrayPins {
  public:
    /* width 1..256 columns, height 1..255 rows of compute tiles (row 0 is the IO row); columns with x %
     * mem_period == mem_phase are MEM. The state afterwards is the state of reset(). as reset(). */
    explicit Array(unsigned width = 32, unsigned height = 16, unsigned mem_period = 4,
                   unsigned mem_phase = 3);
    ~Array() override;

    void reset() override;
    uint32_t config_read(uint32_t address) override;
    void set_stall(uint32_t columns) override;
    bool to_array_ready(unsigned column) const override;
    bool from_array_valid(unsigned column) const override;
    uint16_t from_array_data(unsigned column) const override;
    bool step() override;

    /* Waiting tiles of an endless run: a line per configured tile with outputs whose word nobody takes ("x3y4
     * MEM: east 2 waits"). */
    std::string describe_waiting() const;

    /* Monitors of a tile raised since its first flush after reset(): bit n is hazard n of
     * boards/onyx/hazards.def. */
    uint32_t hazards(unsigned x, unsigned y) const;

    void watch(Watcher watcher);

    uint64_t cycles() const;      /* steps since reset() */
    uint64_t busy_cycles() const; /* cycles with at least one evaluated tile */
    uint64_t evaluations() const; /* tile evaluations since reset(), for measuring */
    unsigned tiles() const;       /* configured tiles */

  private:
    void port_is_set(unsigned column) override;

    struct State;
    std::unique_ptr<State> state_;
};

} // namespace onyx

#endif
