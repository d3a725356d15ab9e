#include "twin.h"

#include "tests/cycle/one_tile.h"
#include "tests/test.h"

typedef struct {
    bench_design rtl;
    cycle_cell cell;
    arena mem; /* of the model */
    cycle_model *model;
    bench_pins pins;
    bool follows;
    uint64_t cycles;
    uint64_t counts[CYCLE_HAZARD_KINDS]; /* hazards of the model up to the last flush */
} twin;

/* Hazards of the model by kind. */
static void count_hazards(const twin *t, uint64_t counts[CYCLE_HAZARD_KINDS]) {
    const cycle_hazards *met = cycle_hazards_of(t->model);
    memset(counts, 0, CYCLE_HAZARD_KINDS * sizeof *counts);
    for (uint32_t i = 0; i < met->len; i++)
        counts[met->at[i].kind] += met->at[i].count;
}

/* A model of a single tile does not judge the waiting time of its outputs; its other monitors and the RTL's
 * are equal since the last flush. */
static void compare_hazards(const twin *t) {
    uint64_t counts[CYCLE_HAZARD_KINDS];
    count_hazards(t, counts);
    uint32_t raised = t->pins.hazards << (t->cell.kind == CYCLE_MEM ? CYCLE_HAZARD_SECOND_BLOCK : 0);
    for (uint32_t kind = 0; kind <= CYCLE_HAZARD_VALUES_STALLED; kind++) {
        bool rtl = raised >> kind & 1, model = counts[kind] > t->counts[kind];
        if (rtl != model)
            fail_msg("cycle %llu: hazard %s is %d, of the model %d", (unsigned long long)t->cycles,
                     cycle_hazard_name[kind], rtl, model);
    }
}

static void compare(const twin *t, const tile_pins *model) {
    const bench_pins *rtl = &t->pins;
    for (int i = 0; i < BENCH_INS; i++)
        if (rtl->in_ready[i] != model->in_ready[i])
            fail_msg("cycle %llu: in%d ready is %d, of the model %d", (unsigned long long)t->cycles, i,
                     rtl->in_ready[i], model->in_ready[i]);
    for (int o = 0; o < BENCH_OUTS; o++) {
        if (rtl->out_valid[o] != model->out_valid[o])
            fail_msg("cycle %llu: out%d valid is %d, of the model %d", (unsigned long long)t->cycles, o,
                     rtl->out_valid[o], model->out_valid[o]);
        if (rtl->out_valid[o] && rtl->out_data[o] != model->out_data[o])
            fail_msg("cycle %llu: out%d is %05x, of the model %05x", (unsigned long long)t->cycles, o,
                     rtl->out_data[o], model->out_data[o]);
    }
}

static void settle(void *device, bench_pins *pins) {
    twin *t = device;
    t->rtl.settle(t->rtl.device, pins);
    t->pins = *pins;
    tile_pins model;
    if (!t->follows || pins->reset)
        return;
    tile_settle(t->model, &model);
    compare(t, &model);
    compare_hazards(t);
}

static void rebuild(twin *t) {
    arena_free(&t->mem);
    t->model = tile_build(&t->cell, &t->mem);
    memset(t->counts, 0, sizeof t->counts);
}

static void clock_both(void *device) {
    twin *t = device;
    t->rtl.clock(t->rtl.device);
    if (t->pins.reset || (t->pins.flush && !t->follows))
        rebuild(t);
    t->follows |= t->pins.reset || t->pins.flush;
    t->cycles++;
    if (!t->follows || t->pins.reset || !t->pins.enable)
        return;
    tile_pins pins = {.flush = t->pins.flush};
    memcpy(pins.in_data, t->pins.in_data, sizeof pins.in_data);
    memcpy(pins.in_valid, t->pins.in_valid, sizeof pins.in_valid);
    memcpy(pins.out_ready, t->pins.out_ready, sizeof pins.out_ready);
    tile_clock(t->model, &pins);
    if (pins.flush)
        count_hazards(t, t->counts);
}

bench_design twin_new(bench_design rtl, twin_kind kind) {
    twin *t = calloc(1, sizeof *t);
    t->rtl = rtl;
    t->cell.kind = kind == TWIN_PE ? CYCLE_PE : CYCLE_MEM;
    rebuild(t);
    return (bench_design){t, settle, clock_both};
}

void twin_configure(bench_design design, bool tile_en, uint32_t mode, const uint32_t *space, int words) {
    twin *t = design.device;
    t->cell.tile_en = tile_en;
    t->cell.mode = mode;
    for (int w = 0; w < words; w++)
        t->cell.space[w] = space[w];
    t->follows = false;
}

void *twin_rtl(bench_design design) {
    return ((twin *)design.device)->rtl.device;
}

void twin_free(bench_design design) {
    twin *t = design.device;
    arena_free(&t->mem);
    free(t);
}

const cycle_hazards *twin_hazards(bench_design design) {
    return cycle_hazards_of(((twin *)design.device)->model);
}
