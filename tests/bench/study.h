/* study.h - common to the studies of chapter 4: kernels from expressions, runs checked against the reference,
 * changes of a graph that trade one kind of iteration for another, and the resulting files. */
#ifndef ONYX_TESTS_BENCH_STUDY_H
#define ONYX_TESTS_BENCH_STUDY_H

#include "sweep/plot.h"
#include "tests/test.h"
#include "tiling/tiling.h"

typedef struct {
    const char *name; /* below docs/notebook/studies */
    char *text;
} study_file;

/* A study program. Errors end the program with a message. */
typedef struct {
    fixture f;
    VEC(study_file) files;
    uint32_t failed; /* expectations that did not hold */
} study;

/* Runs the study. Without arguments the generated .csv files are compared with docs/notebook/studies; with
 * --write all files are written to this folder. Returns the exit code. */
int study_main(int argc, char **argv, void (*run)(study *));
void study_must(study *s, bool good);
/* The ordering shown by the dissertation: a violation is reported, and the program fails. */
void study_expect(study *s, bool holds, const char *what);
void study_add_plot(study *s, const char *name, const plot *p);
/* A plot of bars of cycles, logarithmic, without its series. */
plot study_bars(const char *title, const char *x_label, uint32_t n, const char *const *category);
/* Adds NAME.csv, also printed, and NAME.svg: the bars, with series of p->n cycles, series after series. */
void study_add_cycles(study *s, const char *name, const char *csv, plot *p, uint32_t n_series,
                      const char *const *series, const double *cycles);
void study_add_text(study *s, const char *name, const char *text);

typedef struct {
    sam_statement user, packed;
    sam_graph graph;
} study_kernel;

typedef struct {
    sam_sim_result sim;
    tile_tensor result;
} study_result;

/* The kernel of an expression. NULL ends the formats; schedule may be NULL, which keeps a single kernel. */
study_kernel study_make(study *s, const char *expression, const char *const *formats, const char *schedule);
/* Simulates in the ideal timing with statistics, and ends the program unless the result is the reference's.
 * operand: by tensor of the expression, the result's entry is not read. fifo_depth 0: without bound. */
study_result study_run(study *s, const study_kernel *k, const tile_tensor *operand, uint32_t fifo_depth);

/* ---- other ways to iterate -------------------------------------------------------------------- */

/* Makes every intersecter send skip requests to its scanners. */
void study_skip(sam_graph *g);
/* Every scanner and joiner works on bit vectors of 64 bits. */
void study_use_bits(sam_graph *g);
/* Replaces the intersection of a compressed and a dense level by locating coordinates in the dense level. */
void study_locate(sam_graph *g);

#endif
