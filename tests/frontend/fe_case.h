/* fe_case.h - what the frontend's tests share: a statement from text in one call. */
#ifndef ONYX_TESTS_FE_CASE_H
#define ONYX_TESTS_FE_CASE_H

#include "frontend/frontend.h"
#include "tests/test.h"

enum { FE_CASE_FORMATS = 6 };

/* One expression with its options; unused texts are NULL. */
typedef struct {
    const char *expression;
    const char *format[FE_CASE_FORMATS];
    const char *schedule;
} fe_case;

static inline bool fe_case_parse(fixture *f, const fe_case *c, sam_statement *s) {
    fe_in in = {.expression = c->expression, .formats = c->format, .schedule = &c->schedule};
    while (in.n_formats < FE_CASE_FORMATS && c->format[in.n_formats])
        in.n_formats++;
    in.n_schedule = c->schedule ? 1 : 0;
    return fe_parse(&in, &f->names, &f->mem, &f->diag, s);
}

/* Parsed and packed, as fe_lower wants it. */
static inline bool fe_case_pack(fixture *f, const fe_case *c, sam_statement *s) {
    sam_statement user;
    return fe_case_parse(f, c, &user) && fe_pack(&user, &f->mem, &f->diag, s);
}

static inline const char *fe_case_dump(fixture *f, const sam_statement *s) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    fe_dump(s, out);
    fclose(out);
    const char *kept = arena_strdup(&f->mem, text);
    free(text);
    return kept;
}

#endif
