/* Any bytes as an expression. */
#include "tests/fuzz/statement.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    fuzz_begin(&r);
    const fe_in in = {.expression = arena_strndup(&r.mem, (const char *)data, size)};
    fuzz_statement(&r, &in);
    arena_free(&r.mem);
    return 0;
}
