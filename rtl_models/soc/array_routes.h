/* array_routes.h - the configured interconnect: switch boxes, their SplitFIFOs and connection boxes (private
 * to the array glue).
 *
 * A configuration fixes every route, hence routes are compiled once: a net is the fan-out of a unit output
 * (or of a register without a driver). Its segments end at SplitFIFOs; wires and multiplexers in between have
 * vanished. In a cycle a net is settled by a pass backwards (ready) and a pass forwards (valid, data): this
 * suffices because a net is a tree and ready never depends on valid. The rules are those of
 * onyx_switch_box.sv, onyx_split_fifo.sv, onyx_cb.sv and of the tiles, which offer a unit's output only while
 * all its sinks are ready.
 */
#ifndef ONYX_RTL_MODELS_ARRAY_ROUTES_H
#define ONYX_RTL_MODELS_ARRAY_ROUTES_H

#include <array>
#include <string>
#include <vector>

#include "boards/onyx/fabric.h"
#include "rtl_models/soc/array_glue.h"
#include "rtl_models/soc/array_units.h"

namespace onyx {

class Routes {
  public:
    static constexpr uint32_t NO_NET = UINT32_MAX;
    using Sites = std::vector<std::unique_ptr<Unit>>; /* [y * width + x]; null: not configured */

    /* Nothing configured, registers empty. */
    void reset(unsigned width, unsigned height);
    /* The nets of the words in the units; what stands in registers stays. False, with the place in *error:
     * routes close a loop. O(enabled outputs * length of a route). */
    bool compile(const Sites &sites, Awake &awake, std::string *error);

    /* Has net seen in the next settle_all; NO_NET is nobody. */
    void mark(uint32_t net) {
        if (net == NO_NET || nets_[net].marked)
            return;
        nets_[net].marked = true;
        marked_.push_back(net);
    }
    void mark_all();
    /* A cycle of all marked nets: inputs of units are set, registers in columns not stalled take their
     * edge. */
    void settle_all(uint32_t stalled, Awake &awake);
    bool quiet() const { return marked_.empty(); }

    void watch(Watcher watcher) { watcher_ = std::move(watcher); }

    /* " east 2, south 0": the outputs of a tile's switch box with a word that nobody takes. */
    std::string waiting(Unit &u, const Sites &sites);

  private:
    static constexpr unsigned OUTS = ONYX_OUTPUTS; /* of a switch box; as many wires arrive */
    struct Register {
        bool full = false;
        IData value = 0;
    };
    struct Sink {
        Unit *unit;
        unsigned port;
    };
    /* Fan-out of a driver: a unit's output if `unit`, else the SplitFIFO `reg` (fed by segment `parent`). */
    struct Segment {
        Unit *unit = nullptr;
        unsigned port = 0, x = 0;
        Register *reg = nullptr;
        uint32_t parent = 0;
        bool orphan = false; /* register without a driver */
        bool enabled = true, fifo = false, start = false, end = false;
        bool stuck = false; /* some branch ends where nothing is ever taken */
        uint32_t first_sink = 0, sinks = 0;
        /* of the cycle */
        bool ready = false, take = false, valid = false;
        IData data = 0;
    };
    struct Net {
        uint32_t first = 0, segments = 0; /* a parent stands before its children */
        bool marked = false;
    };
    struct Driver { /* of a wire or of a multiplexer: a unit's port, a register, or nothing */
        Unit *unit = nullptr;
        unsigned port = 0;
        Register *reg = nullptr;
    };
    struct Builder;

    Unit *at(const Sites &sites, unsigned x, unsigned y) const {
        return x < width_ && y <= height_ ? sites[y * width_ + x].get() : nullptr;
    }
    bool settle(Net &net, uint32_t stalled, Awake &awake);
    void tell(const Segment &s, const Sink &sink, uint64_t cycle) const;

    unsigned width_ = 0, height_ = 0;
    std::vector<std::array<Register, OUTS>> registers_; /* by site */
    std::vector<Segment> segments_;
    std::vector<Sink> sinks_;
    std::vector<Net> nets_;
    std::vector<uint32_t> marked_, settling_;
    Watcher watcher_;
};

} // namespace onyx

#endif
