/* Any bytes as a module of MLIR. The expression and the formats of an accepted one go through the frontend.
 */
#include "tests/fuzz/statement.h"

enum { MOST_FORMATS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    const char *formats[MOST_FORMATS], *all;
    fuzz_begin(&r);
    fe_in in = {.formats = formats};
    const char *text = arena_strndup(&r.mem, (const char *)data, size);
    const bool ok = fe_mlir_expression("fuzz", text, &r.mem, &r.diag, &in.expression, &all);
    fuzz_verdict(&r, ok);
    char *rest = NULL;
    for (char *one = ok ? strtok_r(arena_strdup(&r.mem, all), " ", &rest) : NULL;
         one && in.n_formats < MOST_FORMATS; one = strtok_r(NULL, " ", &rest))
        formats[in.n_formats++] = one;
    if (ok)
        fuzz_statement(&r, &in);
    arena_free(&r.mem);
    return 0;
}
