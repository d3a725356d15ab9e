/* pe_design.h - the pins of a design with token streams at its ports, and the verilated core of a PE tile in
 * this form, next to its cycle model (twin.h). Read by C and C++. */
#ifndef ONYX_TESTS_PE_DESIGN_H
#define ONYX_TESTS_PE_DESIGN_H

#include <stdbool.h>
#include <stdint.h>

enum { BENCH_INS = 4, BENCH_OUTS = 3 };

typedef struct {
    /* set by the bench */
    bool reset, enable, flush;
    uint32_t in_data[BENCH_INS];
    bool in_valid[BENCH_INS], out_ready[BENCH_OUTS];
    /* set by the design */
    bool in_ready[BENCH_INS];
    uint32_t out_data[BENCH_OUTS];
    bool out_valid[BENCH_OUTS];
    uint32_t hazards; /* hazard_q of the core */
} bench_pins;

/* A design: settle computes its outputs from its inputs, clock is the rising edge afterwards. */
typedef struct {
    void *device;
    void (*settle)(void *device, bench_pins *pins);
    void (*clock)(void *device);
} bench_design;

#ifdef __cplusplus
extern "C" {
#endif
bench_design pe_design_new(void);
void pe_design_free(bench_design design);
/* New contents of the tile's registers: tile_en, mode and CONFIG_SPACE_0 .. 2. */
void pe_design_configure(bench_design design, bool tile_en, uint32_t mode, const uint32_t space[3]);
#ifdef __cplusplus
}
#endif

#endif
