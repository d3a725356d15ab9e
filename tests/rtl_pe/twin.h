/* twin.h - a verilated PE or MEM core and its cycle model as a single design of the bench: both see the same
 * pins, and the test fails in the first cycle with different output pins. Read by C and C++. */
#ifndef ONYX_TESTS_TWIN_H
#define ONYX_TESTS_TWIN_H

#include "pe_design.h"

typedef enum { TWIN_PE, TWIN_MEM } twin_kind;

#ifdef __cplusplus
extern "C" {
#endif
/* Owns neither. The model follows from the first reset or flush after each twin_configure on. */
bench_design twin_new(bench_design rtl, twin_kind kind);
void twin_configure(bench_design twin, bool tile_en, uint32_t mode, const uint32_t *space, int words);
void *twin_rtl(bench_design twin); /* the device of the verilated core */
void twin_free(bench_design twin);
#ifdef __cplusplus
}
#else
#include "rtl_models/cycle/cycle.h"
/* Hazards met by the model since it began to follow. */
const cycle_hazards *twin_hazards(bench_design twin);
#endif

#endif
