/* schedule_cases.h - shared by the parts of test_fe_schedule; a part runs its tests and returns how many
 * failed. */
#ifndef ONYX_TESTS_FRONTEND_SCHEDULE_CASES_H
#define ONYX_TESTS_FRONTEND_SCHEDULE_CASES_H

#include "tests/frontend/dense.h"
#include "tests/frontend/lowered.h"
#include "tests/frontend/scheduled.h"
#include "tests/quota.h"

/* All kernels on random data of every size and density; false if the schedule is right and not lowered. */
bool expect_equal_if_lowered(fixture *f, fe_case c, uint32_t runs);
void expect_equal(fixture *f, fe_case c);
void expect_all_equal(fixture *f, const char *expression, const char *const *schedule, size_t n);

extern quota schedule_data; /* of the runs of all schedules; trivial: a result of one value */

int schedule_loops(void);
int schedule_copies(void);

#endif
