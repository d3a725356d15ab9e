/* gather.h - results put together of what each run has stored. */
#ifndef ONYX_PROGRAMS_GATHER_H
#define ONYX_PROGRAMS_GATHER_H

#include "programs/layout.h"

typedef struct {
    uint32_t crd_cell, val_cell; /* of the run table, addresses in SRAM; no crd_cell: a dense piece */
    const uint8_t *crd, *val;    /* of the model: coordinates and values only */
    uint32_t n;
    bool follows;         /* no coordinate between the first and the last is left out */
    int64_t origin, size; /* coordinates of its piece */
} compile_source;
typedef VEC(compile_source) compile_sources;
enum { COMPILE_SOURCES_MOST = 1024, COMPILE_COMMANDS_MOST = 1024 };
/* Lists the stored pieces of a vector, by their origins. */
bool compile_list_sources(const compile_resident *resident, arena *mem, compile_sources *out);
/* Applies a command to the words of a block. */
void compile_spread_into(const compile_source *s, int64_t first, int64_t count, const sam_operator *op,
                         uint16_t fill, uint16_t *words);
/* Lists the commands for the segment of a vector; returns whether this is possible. */
bool compile_spread_block(const interpreter *m, const compile_resident *resident, const compile_move_in *in,
                          const fw_segment *g, arena *mem, compile_move *out);
/* Returns the place in the scratch area of a value or a vector on the chip only, as differences from the fill
 * after the block's length, and makes its words; lists the commands that spread the vector out, if needed.
 * The commands may overwrite words without a later read (by alive[]), except operands of the statement. Adds
 * the processor's cycles. NULL: impossible. */
const compile_device_copy *compile_spread_out(interpreter *m, tensor_slot *h, const bool *alive,
                                              compile_listing list, uint16_t **words);
/* Finds the place of a block of one value on the chip only. */
bool compile_scalar_address(const interpreter *m, const tensor_slot *h, uint32_t *address);
/* Returns the output of a copy with this level, or -1. */
int compile_output_of(const tile_plan *plan, uint32_t copy, int level);

#endif
