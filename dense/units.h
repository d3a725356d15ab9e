/* units.h - the units of a dense tile as numbers, for models and checks. */
#ifndef ONYX_DENSE_UNITS_OF_TILES_H
#define ONYX_DENSE_UNITS_OF_TILES_H

#include "dense/wires.h"
#include "rtl_models/cycle/dense_units.h"

typedef enum {
#define GENERATOR(key, name, tile, feature, dims, suffix, loops, schedule, address, second)                  \
    DENSE_GENERATOR_##key,
#include "dense/generators.def"
#undef GENERATOR
    DENSE_GENERATORS
} dense_generator_key;

/* The fields of a generator; NULL: absent. */
enum { DENSE_MAP_LOOPS = 6 };
typedef struct {
    const char *name;
    net_tile tile;
    uint32_t dims;
    const bits_field *enable, *delay, *dim, *range[DENSE_MAP_LOOPS];
    const bits_field *at, *at_stride[DENSE_MAP_LOOPS];
    const bits_field *address[2], *stride[2][DENSE_MAP_LOOPS];
} dense_generator_fields;

/* Finds the fields of a generator in the map. */
dense_generator_fields dense_fields_of(const bits_map *map, dense_generator_key key);
/* Returns the generator of the tile's settings. */
dense_generator dense_generator_of(const dense_design *design, const dense_tile *t, dense_generator_key key);
void dense_ub_of(const dense_design *design, const dense_tile *t, dense_ub *out);
void dense_pond_of(const dense_design *design, const dense_tile *t, dense_pond *out);
void dense_instruction_of(const dense_design *design, const dense_tile *t, dense_instruction *out);

/* Units in a tile. A MEM tile may have a buffer or a RAM, and a generator of valid bits. */
typedef enum {
    DENSE_HAS_PE = 1,
    DENSE_HAS_POND = 2,
    DENSE_HAS_UB = 4,
    DENSE_HAS_RAM = 8,
    DENSE_HAS_VALID = 16,
    DENSE_HAS_IO = 32
} dense_unit;
/* Returns the unit that a generator belongs to. */
dense_unit dense_unit_of_generator(dense_generator_key key);
/* Returns a set of dense_unit. */
uint32_t dense_units_of(const dense_design *design, const dense_tile *t);
/* Returns whether a unit of the tile, of the set `units`, reads the port. */
bool dense_takes(const dense_design *design, const dense_tile *t, uint32_t units, dense_port port);
/* Returns whether the tile is flushed by the hard wire, as the model flushes tiles: neither by a constant nor
 * by a bit of the 1-bit network. */
bool dense_flush_is_hard(const dense_design *design, const dense_tile *t);
/* Returns whether the port is a bit replaced by a constant. */
bool dense_is_constant(const dense_design *design, const dense_tile *t, dense_port port);

#endif
