/* illegal.h - readable graphs that the check refuses. */
#ifndef ONYX_TESTS_ILLEGAL_H
#define ONYX_TESTS_ILLEGAL_H

#include "sam/sam.h"
#include "tests/test.h"

typedef struct {
    const char *text, *code, *message;
} illegal_graph;

/* The first message about graph i, and its place in the text, are those of its row: for each_afresh. */
static inline void expect_illegal(fixture *f, uint32_t i, void *of) {
    const illegal_graph *bad = (const illegal_graph *)of + i;
    sam_graph g;
    uint32_t line, column;
    if (!sam_parse("t.gv", bad->text, strlen(bad->text), &f->names, &f->diag, &g))
        fail_msg("%s", fixture_printed(f));
    assert_false(sam_check(&g, &f->diag));
    const diagnostic *first = &f->diag.list.at[0];
    assert_string_equal(first->message, bad->message);
    assert_string_equal(first->code, bad->code);
    assert_true(diag_line_col(&f->diag, first->loc, &line, &column));
}

#endif
