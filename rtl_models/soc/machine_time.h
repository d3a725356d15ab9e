/* machine_time.h - the processor's time by the table of m3_time.h, with waits for memories and the
 * interconnect. */
#ifndef ONYX_RTL_MODELS_SOC_MACHINE_TIME_H
#define ONYX_RTL_MODELS_SOC_MACHINE_TIME_H

#include <cstdint>

#include "rtl_models/soc/m3_time.h"
#include "rtl_models/soc/machine.h"

namespace onyx {

/* Accesses of a step past the memories: to the array's side, and to all devices. */
struct Accesses {
    uint64_t taken = 0; /* array cycles of all of them */
    unsigned array = 0, devices = 0;
    bool starts = false, looks = false; /* streams or the configuration; at a done register */
};

/* Returns half processor cycles of a step, without the answer's time of the array's side: two halfwords of
 * code are fetched at once. */
inline uint32_t half_cycles(const m3_time &t, unsigned end, const machine_times &of, unsigned devices) {
    const uint32_t refill = end == MACHINE_LEAST ? M3_REFILL_LEAST : M3_REFILL_MOST,
                   words = t.words > devices ? t.words - devices : 0u,
                   wait = t.literal ? of.code_wait[end] : of.sram_wait[end];
    return 2u * (end == MACHINE_LEAST ? t.least : t.most) + of.code_wait[end] * t.halfwords +
           (t.refill ? 2 * (refill + of.code_wait[end]) : 0) + 2 * wait * words;
}

/* Half processor cycles by which a program lags behind its count of an instruction a cycle, at both ends of the
 * range. A lag of work beside a run of the array is made up for while the processor waits for the run's end;
 * earlier lags are not, since the run starts later by as much. */
class Lag {
  public:
    explicit Lag(const machine_times &of, unsigned array_cycles) : times_(of), ratio_(array_cycles) {}

    /* A step of `counted` cycles, of which the instruction itself took `own`. */
    void step(const m3_time &t, const Accesses &a, unsigned own, unsigned counted) {
        if (t.sets_clock)
            forget();
        if (!times_.known || t.sets_clock)
            return;
        for (unsigned e = 0; e < MACHINE_ENDS; e++)
            half_[e] += half_cycles(t, e, times_, a.devices) - int64_t{2} * own +
                        int64_t{4} * a.array * times_.interconnect[e] / ratio_;
        since_ += 2 * counted;
        steps_++;
        if (a.starts)
            for (unsigned e = 0; e < MACHINE_ENDS; e++)
                floor_[e] = half_[e];
        if (a.looks || t.reads_clock)
            look(a.looks ? LOOP : CLOCK_LOOP);
    }
    uint64_t halves(unsigned end) const { return static_cast<uint64_t>(half_[end] > 0 ? half_[end] : 0); }

  private:
    /* The program begins to count. */
    void forget() {
        for (unsigned e = 0; e < MACHINE_ENDS; e++)
            half_[e] = floor_[e] = looked_[e] = 0;
        loop_ = 0;
    }

    /* Instructions of a loop that waits for streams, and for time. */
    enum : uint32_t { LOOP = 48, CLOCK_LOOP = 12 };

    /* Two looks within so many instructions are of a loop that only waits: for streams, or until a time that
     * the program has counted from. */
    void look(uint32_t loop) {
        for (unsigned e = 0; e < MACHINE_ENDS; e++) {
            const int64_t late = loop == LOOP ? looked_[e] - since_ : looked_[e];
            if (steps_ <= loop && loop == loop_)
                half_[e] = loop == LOOP && late < floor_[e] ? floor_[e] : late;
            looked_[e] = half_[e];
        }
        since_ = 0;
        steps_ = 0;
        loop_ = loop;
    }

    machine_times times_;
    unsigned ratio_;
    int64_t half_[MACHINE_ENDS] = {}, floor_[MACHINE_ENDS] = {}, looked_[MACHINE_ENDS] = {}, since_ = 0;
    uint32_t steps_ = 0, loop_ = 0;
};

/* The time of a machine: passed cycles of the processor, the array's clock in the unit of both periods, the
 * accesses of the step under way, the lag, half cycles of the table not yet passed. */
struct Timing {
    uint64_t cpu_cycles = 0;
    int64_t phase = 0;
    Accesses accesses;
    Lag lag;
    unsigned half = 0;

    Timing(const machine_times &of, unsigned array_cycles) : lag(of, array_cycles) {}
};

} // namespace onyx

#endif
