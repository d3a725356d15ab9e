/* primitive_cases.h - shared by the parts of test_sam_primitives; a part runs its tests and returns how many
 * failed. */
#ifndef ONYX_TESTS_SAM_PRIMITIVE_CASES_H
#define ONYX_TESTS_SAM_PRIMITIVE_CASES_H

#include "tests/sam/unit_run.h"

typedef VEC(sim_token) stream;

int sam_primitives(void);
int primitive_graphs(void);

#endif
