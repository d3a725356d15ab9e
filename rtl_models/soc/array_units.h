/* array_units.h - the tiles of the array without their interconnect, as verilated objects (private to the
 * array glue). A unit's outputs come from registers: a clock edge is a single evaluation, and nothing has to
 * settle inside a cycle.
 */
#ifndef ONYX_RTL_MODELS_ARRAY_UNITS_H
#define ONYX_RTL_MODELS_ARRAY_UNITS_H

#include <cstdint>
#include <memory>
#include <vector>

#include "rtl_models/soc/pins.h"

namespace onyx {

/* A tile's registers and core; its ports by name, for any model. */
struct Unit {
    static constexpr unsigned INPUTS = 4, OUTPUTS = 3;
    struct Port {
        IData *token = nullptr; /* with VALID */
        CData *ready = nullptr;
    };

    unsigned x = 0, y = 0;
    bool memory = false; /* has an SRAM, features 1 and 2 */
    Control control;
    IData *config_result = nullptr;
    Port in[INPUTS], out[OUTPUTS]; /* null: no such port */

    virtual ~Unit() = default;
    virtual const char *kind() const = 0;
    virtual void evaluate() = 0;
    /* Rising and falling edge of the clock. */
    virtual void edge() = 0;
    /* The word of connection box `input`, and bit `bit` of the six words of the switch box. */
    virtual unsigned box_word(unsigned input) const = 0;
    virtual bool switch_bit(unsigned bit) const = 0;
    /* Monitors raised since the last flush, a bit for each of boards/onyx/hazards.def. */
    virtual uint32_t hazards() const { return 0; }
    /* Records a written configuration word. */
    virtual void note(unsigned feature, unsigned reg, uint32_t data) = 0;
    /* All registers and wires. */
    virtual void save(std::vector<char> &to) const = 0;
    virtual bool equals(const std::vector<char> &saved) const = 0;

    /* An input is taken as valid whatever its wire says: its data count in every cycle. */
    bool overridden = false;
    /* Number of edges after which a resting unit repeats its state: 4 if a register of two bits counts for ever
     * (the buffet's turns). */
    unsigned period = 1;

    /* The array's knowledge of the unit between two edges. */
    struct Known {
        uint32_t in_net[INPUTS], out_net[OUTPUTS]; /* whom a changed port concerns */
        CData last_ready[INPUTS] = {};
        IData last[OUTPUTS] = {};
        uint32_t raised = 0;                  /* hazards of earlier runs (a run starts with a flush) */
        bool flushed = false;                 /* since it was built */
        bool asleep = false, touched = false; /* touched: an input has changed since the last edge */
        unsigned quiet = 0;                   /* edges since anything changed at a port */
        uint64_t slept_at = 0;                /* cycle of the array */
        std::vector<char> saved;
    } known;
};

struct IoPort { /* the global-buffer side of an IO unit */
    CData *to_valid, *to_ready, *from_valid, *from_ready;
    SData *to_data, *from_data;
};

/* Units that must see the next edge. A unit sleeps while its inputs stay and its state at every edge equals
 * the state `period` edges ago, with constant outputs: nothing new can happen, and a waking unit makes up for
 * the missed edges (their number modulo `period`).
 *
 * Every port of a unit is a FIFO whose outer side comes from registers. Hence valid and data of an input do
 * not matter while its ready is 0, nor does ready of an output while its valid is 0: changes of such signals
 * wake nobody.
 */
class Awake {
  public:
    uint64_t cycles = 0;      /* edges since the start */
    uint64_t evaluations = 0; /* of units */
    std::vector<Unit *> units;

    void clear() {
        units.clear();
        cycles = evaluations = 0;
    }
    void add(Unit &u) { units.push_back(&u); }
    /* Must be called before a relevant change of an input of u. */
    void wake(Unit &u) {
        u.known.touched = true;
        if (u.known.asleep)
            rouse(u);
    }
    /* Whether u, which has just seen an edge and is in `units`, may sleep. */
    bool may_sleep(Unit &u, bool outputs_changed);

  private:
    void rouse(Unit &u);
};

/* The number in boards/onyx/hazards.def of the first hazard of a MEM tile. */
#define HAZARD(kind, name, tile, what, help) HAZARD_OF_##tile
#define HAZARD_OF_PE +1
#define HAZARD_OF_MEM
constexpr unsigned FIRST_MEM_HAZARD = 0
/* clang-format off */
#include "boards/onyx/hazards.def"
    ;
/* clang-format on */
#undef HAZARD
#undef HAZARD_OF_PE
#undef HAZARD_OF_MEM

/* A unit for a site, reset. Row 0 is IO, lower rows are MEM or PE. *port is set for IO only. */
std::unique_ptr<Unit> make_unit(VerilatedContext *context, unsigned x, unsigned y, bool mem, IoPort *port);

} // namespace onyx

#endif
