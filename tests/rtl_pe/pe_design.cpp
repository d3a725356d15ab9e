#include "pe_design.h"

#include "Vonyx_pe_core.h"
#include "Vonyx_pe_core___024root.h"
#include "core_design.h"

static uint32_t hazards(const Vonyx_pe_core *t) {
    return CORE_HAZARDS(t, onyx_pe_core);
}
using core = core_design<Vonyx_pe_core, hazards>;

bench_design pe_design_new(void) {
    return core::make(TWIN_PE);
}

void pe_design_free(bench_design design) {
    core::release(design);
}

void pe_design_configure(bench_design design, bool tile_en, uint32_t mode, const uint32_t space[3]) {
    twin_configure(design, tile_en, mode, space, 3);
    Vonyx_pe_core *t = core::of(design);
    t->tile_en_i = tile_en;
    t->mode_i = mode;
    t->cfg0_i = space[0];
    t->cfg1_i = space[1];
    t->cfg2_i = space[2] & 0x3fffff;
}
