/* subject.h - a decoded dense program of the chip, for tests that modify the program. */
#ifndef ONYX_TESTS_DENSE_SUBJECT_H
#define ONYX_TESTS_DENSE_SUBJECT_H

#include "exchange/exchange.h"
#include "tests/dense/board.h"

typedef struct {
    dense_board on;
    dense_streams streams;
    dense_program program;
    dense_design design;
} subject;

static inline void open_subject(fixture *f, const char *name, subject *s) {
    TEST_SHARED("chip_programs");
    const char *path = arena_printf(&f->mem, "%s/data/chip_programs/%s.json.gz", ONYX_SHARED_DIR, name);
    open_board(f, &s->on);
    if (!exchange_read_dense(path, &f->mem, &f->diag, &s->program) ||
        !dense_decode(&s->program.bits, &s->on.board, s->on.map, &f->diag, &s->design) ||
        !dense_streams_of(&s->program, &f->mem, &f->diag, &s->streams))
        fail_msg("%s: %s", name, fixture_printed(f));
}

#endif
