/* Any bytes as a program. An accepted program is written as concrete index notation, which reads back
 * unchanged. */
#include "frontend/schedules/schedules.h"
#include "tests/fuzz/fuzz.h"

/* Returns the program as concrete index notation, recorded in the list of seen texts. */
static const char *notation_of(fuzz_run *r, const fe_program *p) {
    text_out out;
    text_begin(&out);
    fe_program_cin_dump(p, out.stream);
    const char *text = text_end(&out, &r->mem);
    seen_text(&fuzz_seen, text);
    return text;
}

static void see_tensors(const fe_program *p) {
    for (uint32_t t = 0; t < p->tensors.len; t++) {
        const fe_shared *one = &p->tensors.at[t];
        const uint32_t is[] = {one->order,      one->sized,      one->dim_declared, one->origin,
                               one->values,     one->crd.len,    one->val.len,      one->changes,
                               one->read_first, one->added_first};
        seen_bytes(&fuzz_seen, is, sizeof is);
        seen_text(&fuzz_seen, one->format ? one->format : "none");
        seen_text(&fuzz_seen, one->fill ? one->fill : "none");
        if (one->val.len)
            seen_bytes(&fuzz_seen, one->val.at, sizeof *one->val.at * one->val.len);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    fe_program p, again;
    fuzz_begin(&r);
    const char *text = arena_strndup(&r.mem, (const char *)data, size);
    const fe_program_in in = {.name = "input", .text = text, .length = strlen(text), .integers = true};
    bool ok = fe_program_parse(&in, &r.names, &r.mem, &r.diag, &p);
    fuzz_verdict(&r, ok);
    if (ok) {
        const char *notation = notation_of(&r, &p);
        see_tensors(&p);
        FUZZ_CHECK(&r, fe_program_cin_parse(notation, &r.names, &r.mem, &r.diag, &again));
        FUZZ_CHECK(&r, strcmp(notation_of(&r, &again), notation) == 0);
    }
    arena_free(&r.mem);
    return 0;
}
