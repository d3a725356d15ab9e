/* figures.h - figures of compiled kernels and their runs, for report.json and for the summary. */
#ifndef ONYX_REPORT_FIGURES_H
#define ONYX_REPORT_FIGURES_H

#include "report/accuracy.h"
#include "report/cpu.h"

/* Figures of one kernel, or of all kernels of a statement: sums, except the tiles and copies (the largest
 * kernel's) and the clock (the slowest kernel's). */
typedef struct {
    uint32_t pe, mem, io, copies, hops;
    VEC(uint32_t) words; /* of the bitstream: address, data */
    uint64_t tile_pairs, tile_pairs_run, skipped, passes;
    uint64_t config, kernel, firmware, total, verify; /* cycles of the array's clock */
    uint64_t lag[2];                                  /* as of compile_outcome */
    uint64_t handed, asked; /* words between host and chip, and batches that the host answers */
    compile_memory_counts memory;
    double build_s, cpu_s;
    double fmax_mhz, time_us;
    compile_times times;
} compile_figures;

void compile_figures_add(const compile_kernel *k, arena *mem, compile_figures *f);
compile_figures compile_figures_of_all(const compile_kernel *k, arena *mem);
/* Returns the array cycles of the host, by the options. */
uint64_t compile_host_cycles(const compile_options *o, const compile_kernel *k, const compile_figures *f);
cpu_chip compile_chip_of(const compile_figures *f);

/* Returns the coordinates of a corner of a split sub-tile, from 1 as in files. */
const char *compile_corner_text(const tile_split *split, uint32_t i, arena *mem);
/* Returns the array cycles that tiling's model predicts, shared evenly by the copies of the kernel. */
double compile_predicted_cycles(const compile_kernel *k);
/* Returns how the kernel shares streams: only results with several stored levels share a store stream. */
sam_sharing compile_find_sharing(const compile_kernel *k);
const char *compile_result_name(const compile_context *ctx, const compile_kernel *k);
compile_accuracy compile_accuracy_of(const compile_options *o, const compile_kernel *k);

#endif
