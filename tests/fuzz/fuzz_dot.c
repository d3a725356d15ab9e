/* Any bytes as a SAM graph: read, checked, printed, rewritten, and run on small operands. */
#include "tests/fuzz/fuzz.h"

enum { DIM = 3, MAX_CYCLES = 3000 };

/* Every compressed fiber has the coordinates 0 and 2, the values count from 1. */
static sam_tensor_levels operand(fuzz_run *r, const sam_graph_tensor *t) {
    sam_tensor_levels out = {.name = t->name, .order = t->order};
    uint32_t fibers = 1;
    for (uint32_t l = 0; l < t->order; l++) {
        sam_level_data *level = &out.level[l];
        *level = (sam_level_data){.format = t->level[l], .dim = DIM};
        if (t->level[l] == SAM_LEVEL_DENSE) {
            fibers *= DIM;
            continue;
        }
        uint32_t *seg = arena_new_n(&r->mem, uint32_t, fibers + 1);
        uint32_t *crd = arena_new_n(&r->mem, uint32_t, 2 * fibers);
        for (uint32_t f = 0; f <= fibers; f++)
            seg[f] = 2 * f;
        for (uint32_t i = 0; i < 2 * fibers; i++)
            crd[i] = i % 2 * 2;
        level->seg = seg;
        level->crd = crd;
        level->n_seg = fibers + 1;
        level->n_crd = fibers *= 2;
    }
    uint16_t *vals = arena_new_n(&r->mem, uint16_t, fibers);
    for (uint32_t i = 0; i < fibers; i++)
        vals[i] = (uint16_t)(i + 1);
    out.vals = vals;
    out.n_vals = fibers;
    return out;
}

/* A graph of three or more operands of high order would only cost time. */
static bool small(const sam_graph *g) {
    for (uint32_t t = 0; t < g->tensors.len; t++)
        if (g->tensors.at[t].order > 4)
            return false;
    return g->tensors.len <= 16;
}

static void run(fuzz_run *r, const sam_graph *g) {
    sam_tensor_levels *operands = arena_new_n(&r->mem, sam_tensor_levels, g->tensors.len + 1);
    for (uint32_t t = 0; t < g->tensors.len; t++)
        operands[t] = operand(r, &g->tensors.at[t]);
    const sam_sim_options options = {.max_cycles = MAX_CYCLES};
    sam_sim_result result;
    bool ok = sam_simulate(g, operands, g->tensors.len, &options, &r->diag, &result);
    fuzz_verdict(r, ok);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    sam_graph g;
    fuzz_begin(&r);
    char *text = arena_strndup(&r.mem, (const char *)data, size);
    bool ok = sam_parse("input", text, size, &r.names, &r.diag, &g);
    fuzz_verdict(&r, ok);
    if (ok) {
        ok = sam_check(&g, &r.diag);
        fuzz_verdict(&r, ok);
    }
    if (ok) {
        fuzz_graph(&r, &g);
        if (small(&g))
            run(&r, &g);
    }
    arena_free(&r.mem);
    return 0;
}
