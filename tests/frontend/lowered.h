/* lowered.h - lowers a statement and checks its graph: on random data, through each engine, against the
 * statement evaluated by definition before sparse storage.
 */
#ifndef ONYX_TESTS_LOWERED_H
#define ONYX_TESTS_LOWERED_H

#include "frontend/lowering/lowering.h"
#include "tests/frontend/fe_case.h"

typedef struct {
    sam_statement packed, filled;
    sam_graph g;
} lowered;

bool lowered_from_packed(fixture *f, const sam_statement *packed, fe_lower_options options, lowered *l);
bool lowered_try(fixture *f, const fe_case *c, fe_lower_options options, lowered *l);
void lowered_must(fixture *f, const fe_case *c, fe_lower_options options, lowered *l); /* or the test fails */
uint32_t lowered_count(const sam_graph *g, sam_primitive kind);

/* Whole streams under the chip's writers and droppers; the timed simulator on the graph as it is; on the
 * graph with binary joiners. */
typedef enum { CHIP, TIMED, TIMED_BINARY, ENGINES } lowered_engine;

/* Random data of growing size and density through every engine from `first` on. Empty operands only where
 * stops are exact. Returns how many runs are trivial, their result of one value. */
uint32_t lowered_check(fixture *f, const lowered *l, lowered_engine first, bool empty_operands,
                       uint32_t runs);

#endif
