/* fe_case.h - common to the frontend's tests: parses a statement from text in one call. */
#ifndef ONYX_TESTS_FE_CASE_H
#define ONYX_TESTS_FE_CASE_H

#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "frontend/schedules/schedules.h"
#include "tests/test.h"

enum { FE_CASE_FORMATS = 6 };

/* An expression with its options; unused texts are NULL. */
typedef struct {
    const char *expression;
    const char *format[FE_CASE_FORMATS];
    const char *schedule;
} fe_case;

static inline fe_in fe_case_in(const fe_case *c) {
    fe_in in = {.expression = c->expression, .formats = c->format, .schedule = &c->schedule};
    in.n_schedule = c->schedule ? 1 : 0;
    while (in.n_formats < FE_CASE_FORMATS && c->format[in.n_formats])
        in.n_formats++;
    return in;
}

static inline bool fe_in_schedule(fixture *f, const fe_in *in, sam_statement *s, fe_cin *cin) {
    return fe_parse(in, &f->names, &f->mem, &f->diag, s) && fe_schedule(in, s, &f->mem, &f->diag, cin);
}

/* The statement as written and the scheduled kernels. */
static inline bool fe_case_schedule(fixture *f, const fe_case *c, sam_statement *s, fe_cin *cin) {
    const fe_in in = fe_case_in(c);
    return fe_in_schedule(f, &in, s, cin);
}

/* The statement of an input with a single kernel. */
static inline bool fe_in_parse(fixture *f, const fe_in *in, sam_statement *s) {
    fe_cin cin;
    if (!fe_in_schedule(f, in, s, &cin))
        return false;
    assert_int_equal(cin.kernels.len, 1);
    return fe_expand(&cin.kernels.at[0], &f->mem, &f->diag, s) && fe_check(s, &f->diag);
}

static inline bool fe_case_parse(fixture *f, const fe_case *c, sam_statement *s) {
    const fe_in in = fe_case_in(c);
    return fe_in_parse(f, &in, s);
}

/* Parses and packs a case for fe_lower. */
static inline bool fe_case_pack(fixture *f, const fe_case *c, sam_statement *s) {
    sam_statement user;
    return fe_case_parse(f, c, &user) && fe_pack(&user, false, &f->mem, &f->diag, s);
}

/* Random cases, and the number of accepted cases. */
typedef struct {
    prng random;
    uint32_t accepted;
} fe_random;

/* Runs n random cases, each by `one` on an fe_random; more than `least` cases must be accepted. */
static inline void expect_accepted(uint64_t seed, uint32_t n, void (*one)(fixture *f, uint32_t i, void *of),
                                   uint32_t least) {
    fe_random r = {.random = prng_seed(seed)};
    each_afresh(n, one, &r);
    assert_true(r.accepted > least);
}

static inline const char *fe_case_dump(fixture *f, const sam_statement *s) {
    text_out out;
    text_begin(&out);
    fe_dump(s, out.stream);
    return text_end(&out, &f->mem);
}

#endif
