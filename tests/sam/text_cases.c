#include "tests/sam/text_cases.h"

bool parse(fixture *f, const char *text, sam_graph *g) {
    return sam_parse("t.gv", text, strlen(text), &f->names, &f->diag, g);
}

/* parse(dump(g)) is g, and the text is canonical: a second dump is equal. */
void assert_round_trip(fixture *f, const sam_graph *g) {
    sam_graph again;
    const char *text = graph_text(g, &f->mem);
    bool good = parse(f, text, &again);
    if (!good)
        print_error("%s\n", fixture_printed(f));
    assert_true(good);
    assert_true(graphs_equal(g, &again));
    assert_string_equal(graph_text(&again, &f->mem), text);
}
