/* published.h - 109 measured runs of the published simulator: the kernels, the operands, the results. */
#ifndef ONYX_TESTS_SAM_PUBLISHED_H
#define ONYX_TESTS_SAM_PUBLISHED_H

#include "sam/sam.h"
#include "tests/test.h"
#include "tiling/tiling.h"

enum { PUBLISHED_OPERANDS = 5 };

/* A run. The simulator's own compiler made the graph; CPU seconds are of its cycle loop, in Python, on one
 * core of a shared AMD EPYC. */
typedef struct {
    const char *kernel;
    const char *operand[PUBLISHED_OPERANDS]; /* in the form of -g: dimensions, density; base seed 1 */
    uint32_t nnz[PUBLISHED_OPERANDS];        /* of the operands; 0: not known */
    uint64_t cycles;
    uint32_t stored, nonzeros; /* values written; nonzero values */
    double cpu_s;
} published_row;

extern const published_row published_rows[];
extern const uint32_t n_published_rows;

/* A row ready to be simulated. */
typedef struct {
    sam_statement statement;
    sam_graph graph; /* our graph, in the shape of the published compiler */
    tile_operands operands;
    sam_tensor_levels *levels;
    uint32_t n_levels;
    uint32_t extent[SAM_MAX_ORDER]; /* of the result, by mode */
} published_case;

/* Fails the test where the row cannot be made. */
void published_make(fixture *f, const published_row *row, published_case *out);
/* The published compiler's graph of the row's kernel, from the shared data; false if absent. */
bool published_read(fixture *f, const published_row *row, sam_graph *out);
/* The result as a tensor, without zeros. */
tile_tensor published_result(fixture *f, const published_case *c, const sam_sim_result *r);

#endif
