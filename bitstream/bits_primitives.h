/* bits_primitives.h - the modules of rtl_models that tile modes are, and their monitors. */
#ifndef ONYX_BITS_PRIMITIVES_H
#define ONYX_BITS_PRIMITIVES_H

#include "bitstream/bits_int.h"

/* A constant input of a primitive: the CONFIG_SPACE bits from the first bit of `from` to the last bit of
 * `to`, both without the prefix of the mode. */
typedef struct {
    const char *port, *from, *to;
} bits_config_port;

typedef enum {
    HAZARD_NONE,
#define HAZARD(kind, name, tile, what, help) HAZARD_##kind,
#include "boards/onyx/hazards.def"
#undef HAZARD
    HAZARDS
} bits_hazard;
typedef struct {
    const char *module;
    bool stirs;                  /* has registers with changes while no word moves at a port: stir_o */
    const char *in[4], *out[3];  /* stream names by 17-bit port number */
    bits_config_port config[24]; /* up to the first without a name */
    const char *watch[3];        /* its monitors: ports of a single bit, or a port with a bit for each hazard
                                  */
    bits_hazard hazard[HAZARDS]; /* hazards of the monitors, by bit (docs/errata.md), up to HAZARD_NONE */
} bits_primitive;

extern const bits_primitive bits_primitives[NET_MODES];
extern const char *const bits_hazard_names[HAZARDS];

#endif
