/* hostile.h - what a chip may do at any time, and no program may rely on: contents at power-up, latencies of
 * the interconnect, late interrupts, and stores that wait while later accesses of another port go on. */
#ifndef ONYX_RTL_MODELS_SOC_HOSTILE_H
#define ONYX_RTL_MODELS_SOC_HOSTILE_H

#include <cstddef>
#include <cstdint>
#include <deque>

namespace onyx {

class Hostile {
  public:
    enum { MOST_POSTED = 4, LATE_INTERRUPT = 200 };
    struct Store {
        uint32_t address;
        unsigned size;
        uint32_t value;
    };
    std::deque<Store> posted; /* to the buffer, in their order */

    explicit Hostile(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u), on_(seed != 0) {}
    explicit operator bool() const { return on_; }

    uint32_t next() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<uint32_t>(state_ >> 33);
    }
    void fill(uint8_t *to, size_t bytes) {
        for (size_t i = 0; i < bytes; i++)
            to[i] = static_cast<uint8_t>(next());
    }
    /* Array cycles of an access before its answer: 0 to 28 mostly, up to 252. */
    uint32_t latency() { return next() % 16 == 0 ? next() % 253 : next() % 29; }

    void post(Store s) {
        if (posted.empty())
            due_ = delay();
        posted.push_back(s);
    }
    /* Called once an instruction: whether the oldest store is done now. */
    bool is_due() {
        if (posted.empty() || (due_ != 0 && --due_ != 0))
            return false;
        due_ = delay();
        return true;
    }
    /* The interrupt as the processor sees the line. */
    bool interrupt(bool line) {
        if (line == last_)
            late_ = 0;
        else if (late_ == 0)
            late_ = 1 + next() % LATE_INTERRUPT;
        else if (--late_ == 0)
            last_ = line;
        return last_;
    }

  private:
    /* Instructions that a store waits at most: some 100, or as long as no barrier comes. */
    uint32_t delay() { return 1 + next() % (next() % 4 == 0 ? 100 : 100000); }

    uint64_t state_;
    bool on_, last_ = false;
    uint32_t due_ = 0, late_ = 0;
};

} // namespace onyx

#endif
