/* pins.h - the packed types of onyx_pkg.sv at the pins of verilated modules, and their clock. */
#ifndef ONYX_RTL_MODELS_PINS_H
#define ONYX_RTL_MODELS_PINS_H

#include "verilated.h"

namespace onyx {

/* onyx_pkg::stream_t. */
constexpr IData TOKEN = 0x1FFFF, VALID = 1u << 17;

/* The falling edge only prepares the next rising edge in these models. With access to the model's memory of
 * the clock, setting the memory saves the evaluation. */
template <class Model> auto fall(Model &m, int) -> decltype(void(m.rootp->__Vtrigrprev__TOP__clk_i)) {
    m.clk_i = 0;
    m.rootp->__Vtrigrprev__TOP__clk_i = 0;
}
template <class Model> void fall(Model &m, long) {
    m.clk_i = 0;
    m.eval();
}

/* onyx_pkg::control_t of a tile: stall, flush, and its end of the configuration bus. */
class Control {
  public:
    void bind(EData *words, unsigned x, unsigned y) {
        words_ = words;
        words_[2] = (x << 8 | y) << TILE_ID;
    }
    bool stall() const { return (words_[2] >> STALL & 1) != 0; }
    bool flush() const { return (words_[2] >> FLUSH & 1) != 0; }
    void set_stall(bool on) { set(STALL, on); }
    void set_flush(bool on) { set(FLUSH, on); }
    /* A word on the bus, until idle(). */
    void write(uint32_t address, uint32_t data) {
        words_[0] = data;
        words_[1] = address;
        set(WRITE, true);
    }
    void read(uint32_t address) {
        words_[1] = address;
        set(READ, true);
    }
    void idle() {
        set(WRITE, false);
        set(READ, false);
    }

  private:
    enum : unsigned { READ = 0, WRITE = 1, TILE_ID = 2, FLUSH = 18, STALL = 19 }; /* bits of the third word */
    void set(unsigned bit, bool on) {
        words_[2] = (words_[2] & ~(1u << bit)) | static_cast<EData>(on) << bit;
    }
    EData *words_ = nullptr;
};

} // namespace onyx

#endif
