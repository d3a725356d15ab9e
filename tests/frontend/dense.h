/* dense.h - a statement on dense arrays: random operands, their levels, and the result by definition. */
#ifndef ONYX_TESTS_DENSE_H
#define ONYX_TESTS_DENSE_H

#include "sam/sam.h"

enum { DENSE_MAX_TENSORS = 24, DENSE_MAX_CELLS = 16384 };

/* Cells row-major in the tensor's indices as written (mode 0 slowest). */
typedef struct {
    uint32_t dim[SAM_MAX_ORDER];
    uint32_t cells;
    uint16_t at[DENSE_MAX_CELLS];
} dense_tensor;

typedef struct {
    uint32_t dim_of_var[64];
    dense_tensor tensor[DENSE_MAX_TENSORS]; /* by tensor handle - 1; the result is [0] */
} dense_data;

/* Dimensions 1..max_dim, and operands with about percent % nonzero cells, at least one each; percent 0: about
 * half of the operands are empty, the rest are not. Cells are 1..9 or -9..-1 as uint16. */
void dense_random(const sam_statement *s, prng *random, uint32_t max_dim, uint32_t percent, dense_data *out);
/* Fills tensor[0] from the operands: sums over whole dimensions, no notion of sparsity. */
void dense_evaluate(const sam_statement *s, dense_data *data);
/* Returns whether the result has one value at all points. */
bool dense_is_constant(const dense_data *data);
/* The levels of a tensor in its storage order. */
sam_tensor_levels dense_to_levels(const sam_statement *s, const dense_data *data, sam_tensor t, arena *mem);

#endif
