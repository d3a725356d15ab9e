/* Any bytes as the text of the Onyx-aware IR: dumped, read and dumped again, the text is unchanged; the
 * checker answers, and an accepted graph is packed or refused. */
#include "lower_onyx/lower_onyx.h"
#include "tests/fuzz/fuzz.h"

static char *dumped(fuzz_run *r, const onyx_graph *g) {
    text_out out;
    text_begin(&out);
    lower_dump(g, out.stream);
    return text_end(&out, &r->mem);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    onyx_graph *g, *again;
    netlist n;
    fuzz_begin(&r);
    const char *text = arena_strndup(&r.mem, (const char *)data, size);
    bool ok = lower_parse("input", text, size, &r.names, &r.diag, &g);
    fuzz_verdict(&r, ok);
    if (ok) {
        const char *one = dumped(&r, g);
        FUZZ_CHECK(&r, lower_parse("dumped", one, strlen(one), &r.names, &r.diag, &again));
        FUZZ_CHECK(&r, strcmp(dumped(&r, again), one) == 0);
        ok = lower_check(g, &r.diag);
        fuzz_answer(&r, ok);
    }
    if (ok)
        fuzz_answer(&r, lower_pack(g, &r.mem, &r.diag, &n));
    arena_free(&r.mem);
    return 0;
}
