/* machine_watchdog.h - the watchdog of the platform: a CMSDK APB watchdog (ARM DDI 0479). */
#ifndef ONYX_RTL_MODELS_SOC_MACHINE_WATCHDOG_H
#define ONYX_RTL_MODELS_SOC_MACHINE_WATCHDOG_H

#include <cstdint>

namespace onyx {

/* Counts down from LOAD. At 0 the interrupt, the processor's NMI, is raised; at 0 once more the chip is
 * reset. Registers are locked unless LOCK has the key. */
class Watchdog {
  public:
    enum { LOAD = 0x00, VALUE = 0x04, CTRL = 0x08, INTCLR = 0x0C, RIS = 0x10, MIS = 0x14, LOCK = 0xC00 };
    enum { INTERRUPT = 1, RESET = 2 };
    static constexpr uint32_t KEY = 0x1ACCE551;
    static constexpr uint32_t ENTITY = 1u << 14; /* of the platform's clock gates and resets */

    uint32_t read(uint32_t offset) const {
        return offset == LOAD    ? load_
               : offset == VALUE ? value_
               : offset == CTRL  ? control_
               : offset == RIS   ? raised_
               : offset == MIS   ? raised_ & (control_ & INTERRUPT)
               : offset == LOCK  ? locked_
                                 : 0;
    }
    void write(uint32_t offset, uint32_t value) {
        if (offset == LOCK)
            locked_ = value != KEY;
        else if (locked_)
            return;
        else if (offset == LOAD)
            load_ = value_ = value;
        else if (offset == CTRL)
            control_ = value & (INTERRUPT | RESET);
        else if (offset == INTCLR) {
            raised_ = 0;
            value_ = load_;
        }
    }
    /* `cycles` have passed; true if the chip is reset. */
    bool tick(uint32_t cycles) {
        if (!(control_ & INTERRUPT))
            return false;
        if (cycles < value_) {
            value_ -= cycles;
            return false;
        }
        const bool again = raised_ != 0;
        raised_ = 1;
        value_ = load_;
        return again && (control_ & RESET);
    }
    bool interrupt() const { return raised_ & (control_ & INTERRUPT); }

  private:
    uint32_t load_ = UINT32_MAX, value_ = UINT32_MAX, control_ = 0, raised_ = 0, locked_ = 0;
};

} // namespace onyx

#endif
