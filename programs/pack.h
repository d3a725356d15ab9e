/* pack.h - compressed vectors, as the chip's processor packs them. */
#ifndef ONYX_PROGRAMS_PACK_H
#define ONYX_PROGRAMS_PACK_H

#include "programs/layout.h"

/* Finds how both inputs of a compressed vector become the load; out[] is by input. */
bool compile_find_pack(interpreter *m, tensor_slot *h, const compile_move_in *in, arena *mem,
                       compile_move *out);
/* Returns whether the batch loads these words in a run, at a cell of its table. */
bool compile_is_loaded(const interpreter *m, const compile_move_in *in, uint32_t input, uint32_t r,
                       const uint16_t *words, uint32_t n);
/* Returns the estimated array cycles of the processor for a load of a compressed vector of `count`
 * coordinates and `entries` entries, from a store. */
double compile_packing_cycles(uint32_t count, double entries);

#endif
