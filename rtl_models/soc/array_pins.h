/* array_pins.h - the pins of an array, whatever computes it: inputs (stall, flush, configuration bus,
 * global-buffer side) are set between steps and hold at the next clock edge; outputs read between steps are
 * settled. Not thread-safe; objects are independent. Row 0 is the IO row; rows of the far bus, those above
 * ONYX_NEAR_ROWS, see bus and flush a step later.
 */
#ifndef ONYX_RTL_MODELS_ARRAY_PINS_H
#define ONYX_RTL_MODELS_ARRAY_PINS_H

#include <cstdint>
#include <string>
#include <vector>

#include "boards/onyx/fabric.h"

namespace onyx {

/* Whether a mask has column or group n. A register of the chip has a bit for each of 32; in wider arrays a
 * bit stands for every 32nd, and only all of them, or none, are set. */
constexpr bool in_mask(uint32_t mask, unsigned n) {
    return (mask >> n % 32 & 1) != 0;
}

class ArrayPins {
  public:
    virtual ~ArrayPins() = default;
    ArrayPins(const ArrayPins &) = delete;
    ArrayPins &operator=(const ArrayPins &) = delete;

    /* As the chip's reset: registers 0, FIFOs empty, nothing configured. All inputs become 0. */
    virtual void reset() = 0;

    /* Puts a word on the configuration bus for the next step(), which writes the word (far rows: a step
     * later, as on the chip). A single word a step. Words for sites outside the array go nowhere. Stall the
     * columns during configuration. */
    void config_write(uint32_t address, uint32_t data) { bus = {address, data, true, bus.flush}; }
    /* The register's value, 0 if absent. Takes no array time. For the SRAM (features 1 and 2 of MEM tiles)
     * each read moves the tile's sequencer of four 16-bit lanes. */
    virtual uint32_t config_read(uint32_t address) = 0;

    /* Bit x = 1 stops the tiles of column x (in_mask), until set again. */
    virtual void set_stall(uint32_t columns) = 0;
    /* Bit g = 1 flushes columns 4g..4g+3 (in_mask) at the next step only (far rows: a step later). */
    void flush(uint32_t groups) { bus.flush = groups; }

    /* Global-buffer side of column x. A word goes in at a step if valid and to_array_ready(), out if
     * from_array_valid() and ready, in both cases unless the column is stalled. What is set stays set. */
    void to_array(unsigned column, bool valid, uint16_t data) {
        ports[column].valid = valid;
        ports[column].data = data;
        port_is_set(column);
    }
    virtual bool to_array_ready(unsigned column) const = 0;
    void from_array_ready(unsigned column, bool ready) {
        ports[column].ready = ready;
        port_is_set(column);
    }
    virtual bool from_array_valid(unsigned column) const = 0;
    virtual uint16_t from_array_data(unsigned column) const = 0;

    /* A clock cycle. False if the routes of the configuration close a loop while some column runs; error()
     * names the place, and every later step is false, too, until reset(). */
    virtual bool step() = 0;
    const std::string &error() const { return failure; }

  protected:
    struct Bus {
        uint32_t address = 0, data = 0;
        bool write = false;
        uint32_t flush = 0;

        unsigned x() const { return address >> 8 & 0xFF; }
        unsigned y() const { return address & 0xFF; }
        unsigned feature() const { return address >> 16 & 0xFF; }
        unsigned reg() const { return address >> 24; }
        bool is_far() const { return y() > ONYX_NEAR_ROWS; }
    };
    struct Port {
        bool valid = false, ready = false;
        uint16_t data = 0;
    };

    ArrayPins() = default;
    virtual void port_is_set(unsigned column) = 0;
    void clear_pins(unsigned width) {
        bus = far_bus = Bus();
        stalled = 0;
        ports.assign(width, Port());
        failure.clear();
    }
    void end_of_step() {
        far_bus = bus;
        bus = Bus();
    }

    Bus bus, far_bus; /* for the next edge */
    uint32_t stalled = 0;
    std::vector<Port> ports; /* [x] */
    std::string failure;
};

} // namespace onyx

#endif
