#include "tests/fuzz/statement.h"

static void print_statement(const sam_statement *s) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    fe_dump(s, out);
    fclose(out);
    free(text);
}

void fuzz_statement(fuzz_run *r, const fe_in *in) {
    sam_statement s;
    bool ok = fe_parse(in, &r->names, &r->mem, &r->diag, &s);
    fuzz_verdict(r, ok);
    if (!ok)
        return;
    FUZZ_CHECK(r, fe_check(&s, &r->diag));
    print_statement(&s);
    for (int drop = 0; drop < 2; drop++) {
        sam_graph g;
        const fe_lower_options options = {.drop = drop};
        ok = fe_lower(&s, &options, &r->mem, &r->diag, &g);
        fuzz_verdict(r, ok);
        if (!ok)
            return;
        FUZZ_CHECK(r, sam_check(&g, &r->diag));
        fuzz_graph(r, &g);
    }
}
