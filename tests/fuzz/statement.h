/* statement.h - the pass chain of the frontend, in the command line's order, with its invariants. */
#ifndef ONYX_TESTS_FUZZ_STATEMENT_H
#define ONYX_TESTS_FUZZ_STATEMENT_H

#include "frontend/language/language.h"
#include "tests/fuzz/fuzz.h"

/* Every pass refuses with a located error or makes a result that its check accepts; text forms read back
 unchanged.
 */
void fuzz_statement(fuzz_run *r, const fe_in *in);
void fuzz_kernels(fuzz_run *r, const fe_cin *cin); /* from the schedule on */

#endif
