/* text_cases.h - shared by the parts of test_sam_text; a part runs its tests and returns how many failed. */
#ifndef ONYX_TESTS_SAM_TEXT_CASES_H
#define ONYX_TESTS_SAM_TEXT_CASES_H

#include "tests/sam/graph_equal.h"
#include "tests/sam/illegal.h"
#include "tests/sam/kernels.h"
#include "tests/test.h"
#include <dirent.h>

bool parse(fixture *f, const char *text, sam_graph *g);
/* parse(dump(g)) is g, and the text is canonical: a second dump is equal. */
void assert_round_trip(fixture *f, const sam_graph *g);

int sam_text(void);
int text_checks(void);

#endif
