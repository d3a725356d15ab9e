/* tile_array.h - the array of whole verilated tiles (onyx_tile, onyx_tile_io), interconnect included, settled
 * until no wire changes. Slow and with no opinion about routes: what onyx::Array is compared with.
 */
#ifndef ONYX_TESTS_TILE_ARRAY_H
#define ONYX_TESTS_TILE_ARRAY_H

#include <memory>

#include "rtl_models/soc/array_pins.h"

namespace onyx {

/* A step is false when the wires do not settle; error() names a tile nearby. MEM tiles stand in columns with
 * x % mem_period == mem_phase. */
std::unique_ptr<ArrayPins> tile_array(unsigned width, unsigned height, unsigned mem_period,
                                      unsigned mem_phase);

} // namespace onyx

#endif
