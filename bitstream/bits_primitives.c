/* The modules that tile modes are, of lower_onyx/tiles.def. */
#include "bitstream/bits_primitives.h"
#include "bitstream/bits_verilog.h"

const char *const bits_hazard_names[HAZARDS] = {
#define HAZARD(kind, name, tile, what, help) [HAZARD_##kind] = name,
#include "boards/onyx/hazards.def"
#undef HAZARD
};

/* clang-format off */
#define MODULE(name, clock) name, clock
#define NO_MODULE NULL, RESTS
#define STIRS true
#define RESTS false
#define FIELD(port, field) {port, field, field}
#define FIELDS(port, first, last) {port, first, last}
#define HAZARD(kind) HAZARD_##kind
#define NO_FIELD {0}
#define NOTHING 0
#define LIST(...) {__VA_ARGS__}
#define TILE_MODE(constant, name, tile, value, prefix, early, flow, module, in, out, constants, monitors, hazards, what) \
    [NET_MODE_##constant] = {module, LIST in, LIST out, LIST constants, LIST monitors, LIST hazards},
const bits_primitive bits_primitives[NET_MODES] = {
#include "lower_onyx/tiles.def"
};
/* clang-format on */

const char *bits_module_of(net_mode mode) {
    return bits_primitives[mode].module;
}
