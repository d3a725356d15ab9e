/* Any bytes as a file of functions; accepted functions are printed, and called by an expression. */
#include "frontend/functions/functions.h"
#include "frontend/language/language.h"
#include "tests/fuzz/statement.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    text_out out;
    fe_functions *all = NULL;
    fuzz_begin(&r);
    const char *text = arena_strndup(&r.mem, (const char *)data, size);
    const fe_function_file file = {.name = "input", .text = text, .length = strlen(text)};
    bool ok = fe_read_functions(&file, true, &r.names, &r.mem, &r.diag, &all);
    fuzz_verdict(&r, ok);
    if (ok) {
        text_begin(&out);
        fe_print_functions(all, &r.diag, out.stream);
        seen_text(&fuzz_seen, text_end(&out, &r.mem));
        fuzz_statement(
            &r, &(fe_in){.expression = "y(i) = sum(j, f(A(i,j), x(j)))", .functions = all, .integers = true});
    }
    arena_free(&r.mem);
    return 0;
}
