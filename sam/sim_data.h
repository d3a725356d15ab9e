/* sim_data.h - operands and results of the simulator. Private to this folder. */
#ifndef ONYX_SAM_SIM_DATA_H
#define ONYX_SAM_SIM_DATA_H

#include "sam/sim_int.h"

/* E0233-operand unless every tensor the graph reads is there, with the levels the graph describes. */
bool sim_check_operands(const sam_graph *g, const sam_tensor_levels *operands, uint32_t n_operands,
                        arena *mem, diagnostics *d);
const sam_tensor_levels *sim_find_operand(const sam_tensor_levels *operands, uint32_t n_operands,
                                          name_id name);
/* Returns the number of fibers of a storage level, which is 1 for the outermost. */
uint32_t sim_fibers(const sam_tensor_levels *t, uint32_t level);
/* The size of an index variable: of the level of an operand that a scanner of that variable reads; 0 if there
 * is none. */
uint32_t sim_dimension_of(const sam_graph *g, name_id index, const sam_tensor_levels *operands,
                          uint32_t n_operands);
/* Makes the result of what the writers recorded, and counts the values that they wrote; E0232-result. */
bool sim_result_of(const sim_machine *m, const sam_tensor_levels *operands, uint32_t n_operands,
                   sam_tensor_levels *out, uint64_t *stored);

#endif
