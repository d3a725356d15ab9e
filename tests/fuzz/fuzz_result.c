/* Any bytes as what a simulator or the firmware streamed out of X(i,j) = B(i,j), cut into four sub-tiles: the
 * result is refused, or a tensor within its extents. */
#include "frontend/language/language.h"
#include "frontend/lowering/lowering.h"
#include "frontend/schedules/schedules.h"
#include "tests/fuzz/fuzz.h"
#include "tiling/tiling.h"

typedef struct {
    sam_statement statement;
    tile_plan plan;
    uint32_t *extent;
} job;

static void make_job(fuzz_run *r, job *j) {
    const fe_in in = {.expression = "X(i,j) = B(i,j)"};
    const tile_options options = {.tile = 4, .mem_words = 1024};
    sam_statement user;
    fe_cin cin;
    tile_tensor data[2] = {{.order = 0}};
    FUZZ_CHECK(r, fe_parse(&in, &r->names, &r->mem, &r->diag, &user) &&
                      fe_schedule(&in, &user, &r->mem, &r->diag, &cin) &&
                      fe_expand(&cin.kernels.at[0], &r->mem, &r->diag, &j->statement));
    const name_id x = names_intern(&r->names, "X"), b = names_intern(&r->names, "B");
    const tile_stream inputs[] = {
        {.tensor = b, .level = 0}, {.tensor = b, .level = 1}, {.tensor = b, .level = SAM_MODE_VALS}};
    const tile_stream outputs[] = {
        {.tensor = x, .level = 0}, {.tensor = x, .level = 1}, {.tensor = x, .level = SAM_MODE_VALS}};
    FUZZ_CHECK(r, tile_generate("8x8:0.5", b, 1, 1, TILE_DTYPE_INT16, &r->mem, &r->diag, &data[1]));
    const tile_operands operands = {data, 2, TILE_DTYPE_INT16};
    FUZZ_CHECK(r, tile_extents(&j->statement, &operands, &r->mem, &r->diag, &j->extent));
    tile_planner *p =
        tile_plan_begin(&j->statement, &operands, &options, inputs, 3, outputs, 3, &r->mem, &r->diag);
    FUZZ_CHECK(r, p && tile_plan_next(p, 0, &r->mem, &j->plan) != TILE_FAILED);
    tile_plan_end(p);
}

static const job *the_job(void) {
    static fuzz_run once;
    static job j;
    if (!j.extent) {
        fuzz_begin(&once);
        make_job(&once, &j);
    }
    return &j;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_run r;
    tile_tensor result;
    tile_results results;
    const job *j = the_job();
    fuzz_begin(&r);
    tile_collector *c = tile_collect_begin(&j->statement, &j->plan, j->extent, TILE_DTYPE_INT16, &r.mem);
    bool ok = tile_results_open(&results, fuzz_file(&r, ".bin", data, size), j->plan.runs.len, &r.diag);
    if (ok)
        ok = tile_results_close(&results, tile_results_collect(&results, &j->plan, c, &r.diag), &r.diag);
    fuzz_answer(&r, ok);
    bool ended = tile_collect_end(c, &r.mem, &result);
    for (uint64_t e = 0; ended && e < result.nnz; e++)
        FUZZ_CHECK(&r, result.crd[2 * e] < 8 && result.crd[2 * e + 1] < 8);
    arena_free(&r.mem);
    return 0;
}
