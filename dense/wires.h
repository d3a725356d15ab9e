/* wires.h - the configured routing of dense tiles: switch-box outputs, connection boxes, and their sources.
 */
#ifndef ONYX_DENSE_WIRES_H
#define ONYX_DENSE_WIRES_H

#include "dense/design.h"

enum { DENSE_WORD, DENSE_BIT, DENSE_WIDTHS };

/* An output of a switch box. */
typedef struct {
    bool enable, registered, fifo;
    uint8_t select;
} dense_wire;

typedef struct {
    bool enable;
    uint8_t select;
} dense_box;

/* Where a wire or an input takes its value from. */
typedef enum { DENSE_FROM_NONE, DENSE_FROM_ZERO, DENSE_FROM_WIRE, DENSE_FROM_CORE, DENSE_FROM_IO } dense_from;
typedef struct {
    dense_from kind;
    uint32_t x, y;              /* of the driving tile */
    uint32_t side, track, port; /* FROM_WIRE: the output; FROM_CORE: the place in the list of core outputs */
} dense_origin;

/* The inputs of tiles fed by a connection box. */
typedef enum {
#define PORT(key, name, tile, width, feature, box, last) DENSE_PORT_##key,
#include "dense/ports.def"
#undef PORT
    DENSE_PORTS
} dense_port;
/* `last` is the select for constant 0: 20, or 21 if 20 is a link inside the tile. */
typedef struct {
    uint8_t width, feature, last;
    net_tile tile;
    const char *name, *box; /* box: name of the connection box in the register map */
} dense_port_row;
extern const dense_port_row dense_ports[DENSE_PORTS];
/* Names of core outputs by kind of tile, width and place; NULL: none. */
extern const char *const dense_core_outputs[NET_TILE_IO + 1][DENSE_WIDTHS][4];

typedef struct {
    const dense_design *design;
    dense_wire *wires;
    dense_box *boxes;
} dense_wiring;

dense_wiring dense_wire_up(const dense_design *design, arena *mem);
/* Numbers the switch-box outputs of the array, both widths. */
uint32_t dense_wire_number(const pnr_board *b, dense_origin at, uint32_t width);
const dense_wire *dense_wire_at(const dense_wiring *w, dense_origin at, uint32_t width);
dense_box dense_box_of(const dense_wiring *w, const dense_tile *t, dense_port port);
/* Returns the source of a switch-box output, or of an input with this select. */
dense_origin dense_behind_wire(const dense_wiring *w, dense_origin at, uint32_t width);
dense_origin dense_behind_box(const dense_wiring *w, const dense_tile *t, dense_port port, uint32_t select);
/* Connects an input to the source of this select of its connection box. */
void dense_set_box(const bits_map *map, dense_tile *t, dense_port port, uint32_t select, arena *mem);
/* Finds the field of a switch-box output from its name, such as SB_T4_EAST_SB_OUT_B17_sel. */
typedef enum {
    DENSE_WIRE_NONE,
    DENSE_WIRE_ENABLE,
    DENSE_WIRE_SELECT,
    DENSE_WIRE_RMUX,
    DENSE_WIRE_FIFO,
    DENSE_WIRE_START,
    DENSE_WIRE_END,
    DENSE_WIRE_IN
} dense_wire_field;
dense_wire_field dense_wire_field_of(const char *name, dense_origin *at, uint32_t *width);
/* Returns the field of a tile's switch-box output, or NULL. */
const bits_field *dense_find_wire_field(const bits_map *map, net_tile tile, dense_wire_field what,
                                        dense_origin at, uint32_t width);

#endif
