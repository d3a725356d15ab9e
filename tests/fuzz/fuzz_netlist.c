/* Any bytes as netlist.json: an accepted netlist passes its check, and is written as equal JSON. */
#include "lower_onyx/lower_onyx.h"
#include "tests/fuzz/fuzz.h"

static const char *printed(fuzz_run *r, const netlist *n) {
    cJSON *json = net_to_json(n);
    char *text = cJSON_PrintUnformatted(json);
    const char *kept = arena_strdup(&r->mem, text);
    cJSON_free(text);
    cJSON_Delete(json);
    return kept;
}

static bool read_text(fuzz_run *r, const char *text, size_t length, netlist *n) {
    cJSON *json = json_parse("input", text, length, &r->diag);
    bool ok = json && net_from_json(json, &r->names, &r->mem, &r->diag, n);
    cJSON_Delete(json);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    netlist n, again;
    fuzz_begin(&r);
    const char *text = arena_strndup(&r.mem, (const char *)data, size);
    bool ok = read_text(&r, text, size, &n);
    fuzz_answer(&r, ok);
    if (ok) {
        const char *one = printed(&r, &n);
        FUZZ_CHECK(&r, read_text(&r, one, strlen(one), &again) && strcmp(printed(&r, &again), one) == 0);
        fuzz_answer(&r, net_check(&n, &r.diag));
    }
    arena_free(&r.mem);
    return 0;
}
