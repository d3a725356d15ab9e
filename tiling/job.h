/* job.h - a plan as a file for an array simulator, and the file of its results. */
#ifndef ONYX_TILING_JOB_H
#define ONYX_TILING_JOB_H

#include "tiling/collect.h"

/* Little-endian 32-bit words, docs/dump.md: "ONXJ", 1, inputs, outputs, num_blocks of each output, runs;
 * then per run and input: length in 16-bit words, the words, padded to a multiple of 4 bytes. Written plan by
 * plan, the shares of a whole that is too large for memory; at least one, which may have no runs. */
typedef struct {
    file_out file;
    uint32_t outputs, plans, runs; /* of a plan; so far */
} tile_job;
/* `more`: appends to the runs of the file, if present, written by these functions for the same streams. */
bool tile_job_begin(tile_job *j, const char *path, bool more, diagnostics *d);
void tile_job_add(tile_job *j, const tile_plan *plan);
/* Ends the file, which is created only with `keep`. */
bool tile_job_end(tile_job *j, bool keep, diagnostics *d);

/* The answer: "ONXR", 1, runs, outputs; then per run: cycles (64 bits), and per output: length, words,
 * padding. Read plan by plan, a run in memory at a time. Errors E0342-job-result, of all of these. */
typedef struct {
    file_in file;
    const char *path;
    uint32_t outputs;
    uint64_t cycles; /* of the runs so far */
} tile_results;
bool tile_results_open(tile_results *r, const char *path, uint64_t runs, diagnostics *d); /* runs: of all */
/* Takes the words of the next run, in `mem`: words[o] and lengths[o] of each of r->outputs outputs, at most
 * TILE_MAX_STREAMS. */
bool tile_results_take(tile_results *r, const uint16_t **words, uint32_t *lengths, arena *mem,
                       diagnostics *d);
/* Feeds the runs of the next plan to the collector. */
bool tile_results_collect(tile_results *r, const tile_plan *plan, tile_collector *c, diagnostics *d);
/* Closes the file, required after every opening; without errors (`good`) nothing may be left in the file. */
bool tile_results_close(tile_results *r, bool good, diagnostics *d);

#endif
