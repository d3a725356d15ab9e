/* cin_equal.h - equality of concrete index notation, for round trips through text. */
#ifndef ONYX_TESTS_CIN_EQUAL_H
#define ONYX_TESTS_CIN_EQUAL_H

#include "frontend/language/language.h"

/* Whether both have the same kernels, by names; formats, locations and the order of handles do not count. */
bool cins_equal(const fe_cin *a, const fe_cin *b);

#endif
