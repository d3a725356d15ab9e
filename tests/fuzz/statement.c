#include "tests/fuzz/statement.h"

static void print_statement(const sam_statement *s) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    fe_dump(s, out);
    fclose(out);
    free(text);
}

/* A pass after the first: it may refuse, but what it makes is well formed. */
static bool next(fuzz_run *r, bool ok, const sam_statement *made) {
    fuzz_verdict(r, ok);
    if (ok)
        FUZZ_CHECK(r, fe_check_packed(made, &r->diag));
    return ok;
}

void fuzz_statement(fuzz_run *r, const fe_in *in) {
    sam_statement user, packed, filled;
    bool ok = fe_parse(in, &r->names, &r->mem, &r->diag, &user);
    fuzz_verdict(r, ok);
    if (!ok)
        return;
    FUZZ_CHECK(r, fe_check(&user, &r->diag));
    print_statement(&user);
    if (!next(r, fe_pack(&user, &r->mem, &r->diag, &packed), &packed) ||
        !next(r, fe_fill(&packed, &r->mem, &r->diag, &filled), &filled))
        return;
    for (int option = 0; option < 4; option++) {
        sam_graph g;
        const fe_lower_options options = {.drop = option & 1, .exact_stops = option < 2};
        ok = fe_lower(&filled, &options, &r->mem, &r->diag, &g);
        fuzz_verdict(r, ok);
        if (!ok)
            return;
        FUZZ_CHECK(r, sam_check(&g, &r->diag));
        fuzz_graph(r, &g);
    }
}
