/* kernels.h - a bitstream on both the cycle model and the RTL of the array, run by run, compared word by word
 * and cycle by cycle. */
#ifndef ONYX_TESTS_KERNELS_H
#define ONYX_TESTS_KERNELS_H

#include "compile/cycle_load.h"
#include "tests/test.h"

typedef struct {
    pnr_board board;
    bits_map *map;
    bits_stream bits;
    netlist net;
    pnr_design decoded;
    cycle_design design;
    u32_vec column; /* by cell */
} kernel;

/* Reads and decodes a bitstream; fails the test when it cannot be. */
void kernel_read(const char *path, name_table *names, arena *mem, diagnostics *d, kernel *k);

/* What passes at one IO column in a run. */
typedef struct {
    uint32_t column;
    bool output;
    const uint16_t *words; /* inputs */
    uint32_t length, blocks;
} kernel_stream;

typedef struct {
    cycle_model *model;
    void *array;
    const kernel *k;
    uint64_t array_clocks; /* processor time of the array in its runs, as clock() */
} kernel_pair;

kernel_pair kernel_start(const kernel *k, arena *mem);
/* One run on both; fails the test at the first difference. Returns the cycles; *outputs are the model's
 * streams, the outputs' words in `got`. */
uint64_t kernel_run(kernel_pair *p, const kernel_stream *streams, uint32_t n, arena *mem,
                    cycle_stream **outputs);
/* `cycles`: of all runs. Each of them must be in one of the accounts of every channel, and the monitors of
 * the RTL must have raised the model's hazards. */
void kernel_stop(kernel_pair *p, uint64_t cycles, arena *mem);

typedef struct {
    uint64_t cycles;     /* of all runs */
    uint64_t rtl_clocks; /* processor time of the RTL, as clock() */
    const char *trace;   /* the text io.trace should have */
    const char *result;  /* the result file (docs/dump.md) there should be */
    size_t result_length;
} kernel_replayed;

/* Runs a job file (docs/dump.md) on both. */
kernel_replayed kernel_replay(fixture *f, const char *bits, const char *job);

#endif
