/* dense_tiles.h - tiles of the dense fabric without their interconnect, and registers on routes, as verilated
 * objects: each kind verilated once, an object per configured tile. A tile is made stalled; words configure
 * the tile; then the tile runs.
 */
#ifndef ONYX_RTL_MODELS_DENSE_TILES_H
#define ONYX_RTL_MODELS_DENSE_TILES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { DENSE_RTL_PE, DENSE_RTL_MEM, DENSE_RTL_IO, DENSE_RTL_REGISTER } dense_rtl_kind;
/* Units of a tile, by number; inputs and outputs of each have the places of rtl_models/cycle/dense.h. For the
 * global buffer's side of an IO tile, word and bit are inputs of INPUT and outputs of OUTPUT. */
enum { DENSE_UNIT_PE, DENSE_UNIT_POND };
enum { DENSE_UNIT_UB, DENSE_UNIT_RAM, DENSE_UNIT_VALID };
enum { DENSE_UNIT_INPUT, DENSE_UNIT_OUTPUT };
enum { DENSE_RTL_INS = 6, DENSE_RTL_OUTS = 4 };

typedef struct dense_rtl_tiles dense_rtl_tiles;
typedef struct dense_rtl_tile dense_rtl_tile;
dense_rtl_tiles *dense_rtl_tiles_create(void);
void dense_rtl_tiles_destroy(dense_rtl_tiles *t);
dense_rtl_tile *dense_rtl_tile_add(dense_rtl_tiles *t, dense_rtl_kind kind, unsigned x, unsigned y);
/* Writes a word of the bitstream over the configuration bus, in a cycle. */
void dense_rtl_tile_write(dense_rtl_tile *t, uint32_t address, uint32_t data);
/* Releases the stall. */
void dense_rtl_tile_release(dense_rtl_tile *t);
void dense_rtl_tile_set(dense_rtl_tile *t, unsigned unit, const uint16_t in[DENSE_RTL_INS]);
/* Evaluates what is combinational, after dense_rtl_tile_set. */
void dense_rtl_tile_settle(dense_rtl_tile *t);
void dense_rtl_tile_get(const dense_rtl_tile *t, unsigned unit, uint16_t out[DENSE_RTL_OUTS]);
/* The clock edge that ends a cycle; afterwards outputs that come of the state alone are those of the next. */
void dense_rtl_tile_clock(dense_rtl_tile *t, bool flush);

#ifdef __cplusplus
}
#endif

#endif
