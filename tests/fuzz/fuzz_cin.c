/* Any bytes as concrete index notation. Accepted text reads back, and its kernels go through the passes.
 */
#include "tests/fuzz/statement.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    fe_cin cin;
    fuzz_begin(&r);
    const char *text = arena_strndup(&r.mem, (const char *)data, size);
    bool ok = fe_cin_parse(text, &r.names, &r.mem, &r.diag, &cin);
    fuzz_verdict(&r, ok);
    if (ok)
        fuzz_kernels(&r, &cin);
    arena_free(&r.mem);
    return 0;
}
