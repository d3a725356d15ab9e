#include "tests/fuzz/statement.h"
#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "frontend/schedules/schedules.h"
#include "tests/frontend/cin_equal.h"

/* The text form of a scheduled statement reads back as the same. */
static void round_trip(fuzz_run *r, const fe_cin *cin) {
    fe_cin again;
    text_out out;
    text_begin(&out);
    fe_cin_dump(cin, out.stream);
    const char *text = text_end(&out, &r->mem);
    seen_text(&fuzz_seen, text);
    FUZZ_CHECK(r, fe_cin_parse(text, &r->names, &r->mem, &r->diag, &again));
    FUZZ_CHECK(r, cins_equal(cin, &again));
}

/* A pass may refuse, but its result is well formed. */
static bool passed(fuzz_run *r, bool ok, const sam_statement *made,
                   bool (*check)(const sam_statement *, diagnostics *)) {
    fuzz_verdict(r, ok);
    if (ok)
        FUZZ_CHECK(r, check(made, &r->diag));
    return ok;
}

/* False when a pass refused. */
static bool build(fuzz_run *r, const fe_kernel *k, const sam_statement *expanded,
                  const fe_lower_options *options) {
    sam_statement packed;
    sam_graph once, g;
    if (!passed(r, fe_build(expanded, options, &r->mem, &r->diag, &packed, &once), &packed, fe_check_packed))
        return false;
    FUZZ_CHECK(r, sam_check(&once, &r->diag));
    bool ok = fe_unroll(k, &once, &r->mem, &r->diag, &g);
    fuzz_verdict(r, ok);
    if (!ok)
        return false;
    FUZZ_CHECK(r, sam_check(&g, &r->diag));
    if (g.nodes.len < 1000)
        fuzz_graph(r, &g);
    return true;
}

void fuzz_kernels(fuzz_run *r, const fe_cin *cin) {
    sam_statement expanded;
    FUZZ_CHECK(r, fe_cin_check(cin, &r->diag));
    round_trip(r, cin);
    for (uint32_t k = 0; k < cin->kernels.len; k++) {
        const fe_kernel *kernel = &cin->kernels.at[k];
        if (!passed(r, fe_expand(kernel, &r->mem, &r->diag, &expanded), &expanded, fe_check))
            return;
        for (int option = 0; option < 4; option++) {
            const fe_lower_options options = {.drop = option & 1, .exact_stops = option < 2};
            if (!build(r, kernel, &expanded, &options))
                return;
        }
    }
}

void fuzz_statement(fuzz_run *r, const fe_in *in) {
    sam_statement user;
    fe_cin cin;
    if (!passed(r, fe_parse(in, &r->names, &r->mem, &r->diag, &user), &user, fe_check))
        return;
    bool ok = fe_schedule(in, &user, &r->mem, &r->diag, &cin);
    fuzz_verdict(r, ok);
    if (ok)
        fuzz_kernels(r, &cin);
}
