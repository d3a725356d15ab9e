/* scheduled.h - common to the tests of schedules: expressions, kernels as graphs, and the text form of
 * concrete index notation. */
#ifndef ONYX_TESTS_SCHEDULED_H
#define ONYX_TESTS_SCHEDULED_H

#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "tests/frontend/cin_equal.h"
#include "tests/frontend/fe_case.h"

static const char spmm[] = "X(i,j) = B(i,k) * C(k,j)", spmv[] = "x(i) = B(i,j) * c(j)";
static const char sddmm[] = "X(i,j) = B(i,j) * C(i,k) * D(k,j)", residual[] = "x(i) = b(i) - C(i,j) * d(j)";
static const char mttkrp[] = "X(i,j) = B(i,k,l) * C(j,k) * D(j,l)", plus[] = "X(i,j) = B(i,j) + C(i,j)";

static inline const char *scheduled_text(fixture *f, const fe_cin *cin) {
    text_out out;
    text_begin(&out);
    fe_cin_dump(cin, out.stream);
    char *text = text_end(&out, &f->mem);
    text[out.length - 1] = '\0'; /* the end of its line */
    return text;
}

/* A scheduled statement reads back from its text, which is `expected`; NULL: any text. */
static inline void scheduled_reads_back(fixture *f, const char *expression, const char *schedule,
                                        const char *expected) {
    sam_statement s;
    fe_cin cin, again;
    fe_case c = {.expression = expression, .schedule = schedule};
    if (!fe_case_schedule(f, &c, &s, &cin))
        fail_msg("%s", fixture_printed(f));
    const char *text = scheduled_text(f, &cin);
    if (expected)
        assert_string_equal(text, expected);
    if (!fe_cin_parse(text, &f->names, &f->mem, &f->diag, &again))
        fail_msg("%s\n%s", text, fixture_printed(f));
    if (!cins_equal(&cin, &again) || !cins_equal(&again, &cin))
        fail_msg("not equal: %s", text);
    assert_string_equal(scheduled_text(f, &again), text);
}

/* One kernel, lowered. */
typedef struct {
    sam_statement s;
    sam_graph g;
} scheduled_kernel;

static inline bool scheduled_lower(fixture *f, const fe_kernel *k, scheduled_kernel *out) {
    const fe_lower_options options = {.drop = true, .exact_stops = true};
    sam_statement expanded;
    sam_graph once;
    return fe_expand(k, &f->mem, &f->diag, &expanded) && fe_check(&expanded, &f->diag) &&
           fe_build(&expanded, &options, &f->mem, &f->diag, &out->s, &once) && sam_check(&once, &f->diag) &&
           fe_unroll(k, &once, &f->mem, &f->diag, &out->g) && sam_check(&out->g, &f->diag);
}

#endif
