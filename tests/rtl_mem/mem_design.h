/* mem_design.h - the verilated core of a MEM tile next to its cycle model (twin.h), and its onyx_fiber_access
 * without port FIFOs, as designs of the bench. Read by C and C++. */
#ifndef ONYX_TESTS_MEM_DESIGN_H
#define ONYX_TESTS_MEM_DESIGN_H

#include "tests/rtl_pe/pe_design.h"

/* New contents of the tile's registers: tile_en, mode and CONFIG_SPACE_0 .. 3. */
typedef void mem_configure(bench_design design, bool tile_en, uint32_t mode, const uint32_t space[4]);

#ifdef __cplusplus
extern "C" {
#endif
bench_design mem_design_new(void);
void mem_design_free(bench_design design);
mem_configure mem_design_configure;
bench_design fiber_design_new(void);
void fiber_design_free(bench_design design);
mem_configure fiber_design_configure; /* tile_en and mode have no effect */
/* One access of the configuration bus to the memory in a stalled cycle: a lane is written, or the lane read
 * is returned. */
void mem_design_sram_write(bench_design design, uint32_t word, uint16_t lane);
uint16_t mem_design_sram_read(bench_design design, uint32_t word);
#ifdef __cplusplus
}
#endif

#endif
