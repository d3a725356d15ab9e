#include "mem_design.h"

#include "Vonyx_mem_core.h"
#include "Vonyx_mem_core___024root.h"
#include "tests/rtl_pe/core_design.h"

static uint32_t hazards(const Vonyx_mem_core *t) {
    return CORE_HAZARDS(t, onyx_mem_core);
}
using core = core_design<Vonyx_mem_core, hazards>;

bench_design mem_design_new(void) {
    return core::make(TWIN_MEM);
}

void mem_design_free(bench_design design) {
    core::release(design);
}

void mem_design_configure(bench_design design, bool tile_en, uint32_t mode, const uint32_t space[4]) {
    twin_configure(design, tile_en, mode, space, 4);
    Vonyx_mem_core *t = core::of(design);
    t->tile_en_i = tile_en;
    t->mode_i = mode;
    t->cfg0_i = space[0];
    t->cfg1_i = space[1];
    t->cfg2_i = space[2];
    t->cfg3_i = space[3];
}

static void sram_cycle(Vonyx_mem_core *t, bool write, uint32_t word, uint16_t lane) {
    t->en_i = 0;
    t->flush_i = 0;
    t->clk_i = 0;
    t->sram_we_i = write;
    t->sram_re_i = !write;
    t->sram_addr_i = word;
    t->sram_wdata_i = lane;
    t->eval();
    t->clk_i = 1;
    t->eval();
    t->sram_we_i = t->sram_re_i = 0;
    t->eval();
}

void mem_design_sram_write(bench_design design, uint32_t word, uint16_t lane) {
    sram_cycle(core::of(design), true, word, lane);
}

uint16_t mem_design_sram_read(bench_design design, uint32_t word) {
    Vonyx_mem_core *t = core::of(design);
    sram_cycle(t, false, word, 0);
    return t->sram_rdata_o;
}
