/* packed.h - dense netlists in the files of the chip's own flow: .packed, .place, .route, .id_to_name. */
#ifndef ONYX_DENSE_PACKED_H
#define ONYX_DENSE_PACKED_H

#include "dense/design.h"

/* A block of the files: a PE with its Pond (p), a MEM tile (m), the words (I) or the bits (i) of an IO tile.
 * Registers on wires (r) are made of routes, and have no block here. */
typedef struct {
    char tag;
    uint32_t number, x, y;
    const char *name;
} dense_block;
typedef VEC(dense_block) dense_blocks;

/* A netlist of blocks as a design fed by links: the used units of each tile are on, idle, and without
 * schedules. */
typedef struct {
    dense_design design;
    dense_blocks blocks; /* on the sites of the design's tiles */
} dense_packed;

/* Returns whether a .packed file has ports, registers or bits of the dense fabric. */
bool dense_is_packed(const char *path, diagnostics *d);
/* Reads a .packed file, with the sites of a .place file, or with placed NULL on any sites. Links take over
 * the registers on their way. Errors: those of pnr_read_packed and pnr_read_place, E0510-too-large. */
bool dense_read_packed(const char *path, const char *placed, const dense_design *board, diagnostics *d,
                       dense_packed *out);
/* Names blocks for the units of a design that no file has named. */
dense_blocks dense_name_blocks(const dense_design *design, arena *mem);
/* Writes the routed design's netlist, sites, routes and names as design.packed, .place, .route and
 * .id_to_name in a folder; nets begin and end at registers. */
bool dense_write_packed(const dense_design *design, const dense_blocks *blocks, const char *folder,
                        diagnostics *d);
/* Sets the switch boxes, connection boxes and registers of a .route file in the tiles of a design. Error:
 * E0544-route-syntax. */
bool dense_read_routes(const char *path, dense_design *design, diagnostics *d);

#endif
