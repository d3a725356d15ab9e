/* sim_data.h - operands and results of the simulator. Private to this folder. */
#ifndef ONYX_SAM_SIM_DATA_H
#define ONYX_SAM_SIM_DATA_H

#include "sam/sim_int.h"

/* E0233-operand unless every tensor read by the graph is present, with the described levels. */
bool sim_check_operands(const sam_graph *g, const sam_tensor_levels *operands, uint32_t n_operands,
                        arena *mem, diagnostics *d);
const sam_tensor_levels *sim_find_operand(const sam_tensor_levels *operands, uint32_t n_operands,
                                          name_id name);
/* Returns the number of fibers of a storage level: 1 for the outermost. */
uint32_t sim_fibers(const sam_tensor_levels *t, uint32_t level);
/* The size of an index variable, from the level of an operand scanned by the variable; 0 for none. */
uint32_t sim_dimension_of(const sam_graph *g, name_id index, const sam_tensor_levels *operands,
                          uint32_t n_operands);
/* Makes the result from the writers' records, and counts the written values; E0232-result. */
bool sim_result_of(const sim_machine *m, const sam_tensor_levels *operands, uint32_t n_operands,
                   sam_tensor_levels *out, uint64_t *stored);

#endif
