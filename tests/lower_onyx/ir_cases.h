/* ir_cases.h - shared by the parts of test_onyx_ir; a part runs its tests and returns how many failed. */
#ifndef ONYX_TESTS_LOWER_ONYX_IR_CASES_H
#define ONYX_TESTS_LOWER_ONYX_IR_CASES_H

#include "tests/lower_onyx/lower_test.h"

char *identity(fixture *f);
#define STREAM " data[17]> valid[1]> ready[1]<\n"
/* Processing primitives alone: their inputs stay open; find the expected message among the rest. */
const diagnostic *message_with_code(fixture *f, const char *code);

int onyx_ir(void);
int ir_rules(void);

#endif
