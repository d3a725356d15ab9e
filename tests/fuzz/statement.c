#include "tests/fuzz/statement.h"

/* parse(dump(x)) equals x. */
static void read_back(fuzz_run *r, const fe_cin *cin) {
    char *text = NULL;
    size_t length = 0;
    fe_cin again;
    FILE *out = open_memstream(&text, &length);
    fe_cin_dump(cin, out);
    fclose(out);
    FUZZ_CHECK(r, fe_cin_parse(text, &r->names, &r->mem, &r->diag, &again));
    FUZZ_CHECK(r, fe_cin_equal(cin, &again));
    free(text);
}

/* A pass after the first: it may refuse, but what it makes is well formed. */
static bool next(fuzz_run *r, bool ok, const sam_statement *made) {
    fuzz_verdict(r, ok);
    if (ok)
        FUZZ_CHECK(r, fe_check_packed(made, &r->diag));
    return ok;
}

/* False when a pass refused. */
static bool lower_kernel(fuzz_run *r, const fe_kernel *k) {
    sam_statement expanded, packed, filled;
    bool ok = fe_expand(k, &r->mem, &r->diag, &expanded);
    fuzz_verdict(r, ok);
    if (!ok)
        return false;
    FUZZ_CHECK(r, fe_check(&expanded, &r->diag));
    if (!next(r, fe_pack(&expanded, &r->mem, &r->diag, &packed), &packed) ||
        !next(r, fe_fill(&packed, &r->mem, &r->diag, &filled), &filled))
        return false;
    for (int option = 0; option < 4; option++) {
        sam_graph g, copied;
        const fe_lower_options options = {.drop = option & 1, .exact_stops = option < 2};
        ok = fe_lower(&filled, &options, &r->mem, &r->diag, &g);
        ok = ok && fe_unroll(k, &g, &r->mem, &r->diag, &copied);
        fuzz_verdict(r, ok);
        if (!ok)
            return false;
        FUZZ_CHECK(r, sam_check(&copied, &r->diag));
        if (copied.nodes.len < 1000)
            fuzz_graph(r, &copied);
    }
    return true;
}

void fuzz_kernels(fuzz_run *r, const fe_cin *cin) {
    read_back(r, cin);
    for (uint32_t n = 0; n < cin->kernels.len; n++)
        if (!lower_kernel(r, &cin->kernels.at[n]))
            return;
}

void fuzz_statement(fuzz_run *r, const fe_in *in) {
    sam_statement user;
    fe_cin cin;
    bool ok = fe_parse(in, &r->names, &r->mem, &r->diag, &user);
    fuzz_verdict(r, ok);
    if (!ok)
        return;
    FUZZ_CHECK(r, fe_check(&user, &r->diag));
    ok = fe_schedule(in, &user, &r->mem, &r->diag, &cin);
    fuzz_verdict(r, ok);
    if (!ok)
        return;
    fuzz_kernels(r, &cin);
}
