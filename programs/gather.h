/* gather.h - results put together of what each run has stored. */
#ifndef ONYX_PROGRAMS_GATHER_H
#define ONYX_PROGRAMS_GATHER_H

#include "programs/layout.h"

typedef struct {
    uint32_t crd_cell, val_cell; /* of the run table, addresses in SRAM; no crd_cell: a dense part */
    const uint8_t *crd, *val;    /* what the model has found: coordinates and values alone */
    uint32_t n;
    bool follows;         /* no coordinate between the first and the last is left out */
    int64_t origin, size; /* coordinates of its part */
} compile_source;
typedef VEC(compile_source) compile_sources;
enum { COMPILE_SOURCES_MOST = 1024, COMPILE_ITEMS_MOST = 1024 };
/* Lists the parts that the runs have stored, of a vector, by their origins. */
bool compile_list_sources(const compile_left *left, arena *mem, compile_sources *out);
/* Does what an item says, on the words of a block. */
void compile_spread_into(const compile_source *s, int64_t first, int64_t count, const sam_operator *op,
                         uint16_t fill, uint16_t *words);
/* Lists the items that make the segment of a vector, and returns whether they do. */
bool compile_spread_block(const machine *m, const compile_left *left, const compile_move_in *in,
                          const fw_segment *g, arena *mem, compile_move *out);
/* Returns where the scratch area has one value that the chip alone has, or a vector, as values differ from
 * the fill, behind the block's length, and makes its words; lists the items that spread it out there, if it
 * is not yet. What nobody reads after the statement `alive` is of, and is no operand of it, may be spread
 * over. Adds what the processor takes. NULL: it cannot. */
const compile_image *compile_spread_out(machine *m, held *h, const bool *alive, compile_listing list,
                                        uint16_t **words);
/* Finds the place of a block of one value that the chip alone has. */
bool compile_scalar_place(const machine *m, const held *h, uint32_t *place);
/* Returns the output of a copy that has this level, or -1. */
int compile_output_of(const tile_plan *plan, uint32_t copy, int level);

#endif
