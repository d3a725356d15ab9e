#include "pe_design.h"

#include "Vonyx_pe_core.h"
#include "Vonyx_pe_core___024root.h"
#include "twin.h"

#ifdef ONYX_MUTANTS /* the core of tests/rtl_mutation: the environment says which fault is on */
#include <cstdlib>
#define HAZARDS(top) (top)->rootp->onyx_pe_core__DOT__hazard_q
static Vonyx_pe_core *new_core() {
    auto *t = new Vonyx_pe_core;
    const char *mutant = getenv("ONYX_MUTANT");
    t->mutant = static_cast<SData>(mutant ? atoi(mutant) : 0);
    return t;
}
#else
#define HAZARDS(top) (top)->rootp->onyx_pe_core__DOT__g_monitors__DOT__hazard_q
static Vonyx_pe_core *new_core() {
    return new Vonyx_pe_core;
}
#endif

static void settle(void *device, bench_pins *p) {
    auto *t = static_cast<Vonyx_pe_core *>(device);
    t->clk_i = 0;
    t->rst_ni = !p->reset;
    t->en_i = p->enable;
    t->flush_i = p->flush;
    t->in0_data_i = p->in_data[0], t->in0_valid_i = p->in_valid[0];
    t->in1_data_i = p->in_data[1], t->in1_valid_i = p->in_valid[1];
    t->in2_data_i = p->in_data[2], t->in2_valid_i = p->in_valid[2];
    t->in3_data_i = p->in_data[3], t->in3_valid_i = p->in_valid[3];
    t->out0_ready_i = p->out_ready[0];
    t->out1_ready_i = p->out_ready[1];
    t->out2_ready_i = p->out_ready[2];
    t->eval();
    p->in_ready[0] = t->in0_ready_o;
    p->in_ready[1] = t->in1_ready_o;
    p->in_ready[2] = t->in2_ready_o;
    p->in_ready[3] = t->in3_ready_o;
    p->out_data[0] = t->out0_data_o, p->out_valid[0] = t->out0_valid_o;
    p->out_data[1] = t->out1_data_o, p->out_valid[1] = t->out1_valid_o;
    p->out_data[2] = t->out2_data_o, p->out_valid[2] = t->out2_valid_o;
    p->hazards = HAZARDS(t);
}

static void rising_edge(void *device) {
    auto *t = static_cast<Vonyx_pe_core *>(device);
    t->clk_i = 1;
    t->eval();
}

bench_design pe_design_new(void) {
    return twin_new({new_core(), settle, rising_edge}, TWIN_PE);
}

void pe_design_free(bench_design design) {
    delete static_cast<Vonyx_pe_core *>(twin_rtl(design));
    twin_free(design);
}

void pe_design_configure(bench_design design, bool tile_en, uint32_t mode, const uint32_t space[3]) {
    twin_configure(design, tile_en, mode, space, 3);
    auto *t = static_cast<Vonyx_pe_core *>(twin_rtl(design));
    t->tile_en_i = tile_en;
    t->mode_i = mode;
    t->cfg0_i = space[0];
    t->cfg1_i = space[1];
    t->cfg2_i = space[2] & 0x3fffff;
}
