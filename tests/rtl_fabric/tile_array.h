/* tile_array.h - the array of whole verilated tiles (onyx_tile, onyx_tile_io), interconnect included, settled
 * until no wire changes. Slow and with no opinion about routes: what onyx::Array is compared with. Calls as
 * in rtl_models/soc/array_glue.h.
 */
#ifndef ONYX_TESTS_TILE_ARRAY_H
#define ONYX_TESTS_TILE_ARRAY_H

#include <cstdint>
#include <memory>
#include <string>

namespace onyx {

class TileArray {
  public:
    explicit TileArray(unsigned width = 32, unsigned height = 16);
    ~TileArray();
    TileArray(const TileArray &) = delete;
    TileArray &operator=(const TileArray &) = delete;

    void reset();
    void config_write(uint32_t address, uint32_t data);
    uint32_t config_read(uint32_t address);
    void set_stall(uint32_t columns);
    void flush(uint32_t groups);
    void to_array(unsigned column, bool valid, uint16_t data);
    bool to_array_ready(unsigned column) const;
    void from_array_ready(unsigned column, bool ready);
    bool from_array_valid(unsigned column) const;
    uint16_t from_array_data(unsigned column) const;
    /* False: the wires do not settle; error() says around which tile. */
    bool step();
    const std::string &error() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace onyx

#endif
