#include "mem_design.h"

#include "Vonyx_mem_core.h"
#include "Vonyx_mem_core___024root.h"
#include "tests/rtl_pe/core_design.h"

CORE_DESIGN(mem, TWIN_MEM, 4)

/* A cycle with the access and an idle one, whose edges end the cycle before and the access. */
static void sram_cycle(Vonyx_mem_core *t, bool write, uint32_t word, uint16_t lane) {
    t->en_i = 0;
    t->flush_i = 0;
    t->sram_we_i = write;
    t->sram_re_i = !write;
    t->sram_addr_i = word;
    t->sram_wdata_i = lane;
    for (int edge = 0; edge < 2; edge++) {
        t->clk_i = 1;
        t->eval();
        core::fall(t);
        t->sram_we_i = t->sram_re_i = 0;
    }
}

void mem_design_sram_write(bench_design design, uint32_t word, uint16_t lane) {
    sram_cycle(core::of(design), true, word, lane);
}

uint16_t mem_design_sram_read(bench_design design, uint32_t word) {
    Vonyx_mem_core *t = core::of(design);
    sram_cycle(t, false, word, 0);
    return t->sram_rdata_o;
}
