/* The invariants that every harness holds its results to. */
#include "tests/fuzz/fuzz.h"

void fuzz_verdict(fuzz_run *r, bool ok) {
    bool located = false;
    FUZZ_CHECK(r, ok == !diag_failed(&r->diag));
    for (uint32_t i = 0; i < r->diag.list.len; i++) {
        const diagnostic *d = &r->diag.list.at[i];
        uint32_t line, col;
        FUZZ_CHECK(r, d->kind == DIAG_NOTE || (d->code[0] == 'E' && strlen(d->code) > 5));
        located = located || ((d->kind == DIAG_ERROR || d->kind == DIAG_UNMAPPABLE) &&
                              diag_line_col(&r->diag, d->loc, &line, &col));
    }
    FUZZ_CHECK(r, ok || located);
}

static char *print_graph(fuzz_run *r, const sam_graph *g) {
    text_out out;
    text_begin(&out);
    sam_dump(g, out.stream);
    return text_end(&out, &r->mem);
}

static void round_trip(fuzz_run *r, const sam_graph *g) {
    sam_graph again;
    char *text = print_graph(r, g);
    FUZZ_CHECK(r, sam_parse("dumped", text, strlen(text), &r->names, &r->mem, &r->diag, &again));
    FUZZ_CHECK(r, sam_equal(g, &again));
    FUZZ_CHECK(r, strcmp(print_graph(r, &again), text) == 0);
}

void fuzz_graph(fuzz_run *r, const sam_graph *g) {
    sam_graph joined, plain;
    round_trip(r, g);
    FUZZ_CHECK(r, sam_to_binary_joiners(g, &r->mem, &r->diag, &joined));
    FUZZ_CHECK(r, sam_check(&joined, &r->diag));
    FUZZ_CHECK(r, sam_remove_broadcasts(&joined, &r->mem, &r->diag, &plain));
    FUZZ_CHECK(r, sam_check(&plain, &r->diag));
    round_trip(r, &plain);
}
