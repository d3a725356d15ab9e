/* format_cases.h - shared by the parts of test_tiling_formats; a part runs its tests and returns how many
 * failed. */
#ifndef ONYX_TESTS_TILING_FORMAT_CASES_H
#define ONYX_TESTS_TILING_FORMAT_CASES_H

#include "tests/quota.h"
#include "tests/test.h"
#include "tiling/banks.h"
#include "tiling/formats.h"
#include "tiling/queries.h"

tile_formats shipped(fixture *f);
/* Reads definitions, and returns the last definition. */
tile_format parse(fixture *f, const char *text);
/* "dense 4; compressed 6 pos 0 2 crd 0 1; vals 5 1" */
const char *text_of(fixture *f, const tile_stored *s);
tile_tensor tensor_of(fixture *f, uint32_t order, const uint32_t *dim, uint32_t nnz, const uint32_t *crd,
                      const double *val);
/* The stored tensor is read back as it was. */
void assert_restored(fixture *f, const tile_stored *s, const tile_tensor *t);
bool same_stored(const tile_stored *a, const tile_stored *b);
bool is_direct(const tile_format *f);

int tiling_formats(void);
int format_files(void);

#endif
