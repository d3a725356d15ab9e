/* statement.h - the pass chain of the frontend, as the command line runs it, with its invariants. */
#ifndef ONYX_TESTS_FUZZ_STATEMENT_H
#define ONYX_TESTS_FUZZ_STATEMENT_H

#include "frontend/frontend.h"
#include "tests/fuzz/fuzz.h"

/* The text form reads back; lower ok -> the graph passes its check. */
void fuzz_kernels(fuzz_run *r, const fe_cin *cin);
/* parse ok -> check ok; then the scheduled kernels. */
void fuzz_statement(fuzz_run *r, const fe_in *in);

#endif
