/* kernels.h - a bitstream on both the cycle model and the RTL of the array, run by run, compared word by word
 * and cycle by cycle. */
#ifndef ONYX_TESTS_KERNELS_H
#define ONYX_TESTS_KERNELS_H

#include "engines/cycle_load.h"
#include "tests/test.h"

typedef struct {
    pnr_board board;
    bits_map *map;
    bits_stream bits;
    pnr_design decoded;
    cycle_design design;
    u32_vec column; /* by cell */
} kernel;

/* Whether the result that a run of the command left in a folder has no entry. */
bool kernel_gave_nothing(fixture *f, const char *folder);
/* Reads and decodes a bitstream; failure fails the test. */
void kernel_read(const char *path, name_table *names, arena *mem, diagnostics *d, kernel *k);

/* The stream of an IO column in a run. */
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

/* Converts the streams of a run for cycle_run. */
cycle_stream *kernel_streams(const kernel *k, const kernel_stream *streams, uint32_t n, arena *mem);

kernel_pair kernel_start(const kernel *k, arena *mem);
/* One run on both; fails the test at the first difference. Returns the cycles; *outputs are the model's
 * streams, the outputs' words in `got`. */
uint64_t kernel_run(kernel_pair *p, const kernel_stream *streams, uint32_t n, arena *mem,
                    cycle_stream **outputs);
/* A run that must hang on both: fails the test if either finishes, or if their words differ. Compares hazards
 * and closes the pair. */
void kernel_hang(kernel_pair *p, const kernel_stream *streams, uint32_t n, arena *mem,
                 cycle_stream **outputs);
/* `cycles`: of all runs. Each cycle must be in exactly one account of every channel, and the monitors of the
 * RTL must have raised the model's hazards. */
void kernel_stop(kernel_pair *p, uint64_t cycles, arena *mem);

/* The streams of a recorded run, and the expected outputs. */
typedef struct {
    kernel_stream stream[64];
    uint16_t *expected[64]; /* of outputs */
    uint32_t expected_length[64];
    uint32_t n;
} kernel_recording;
/* Adds the streams of a JSON object, lists of words by IO column. */
void kernel_recorded(const cJSON *object, bool output, arena *mem, kernel_recording *r);
/* Fails the test where the words of an output are not the expected ones. */
void kernel_expect(const kernel_recording *r, const cycle_stream *got);

/* A job file (docs/dump.md) being read: the streams in the order of their columns, inputs first. */
typedef struct {
    kernel_stream stream[64];
    uint32_t inputs, n, runs;
    const unsigned char *at, *end;
} kernel_job;
kernel_job kernel_open_job(fixture *f, const kernel *k, const char *path);
/* Reads the inputs' words of the next run. */
void kernel_next_run(kernel_job *j, arena *mem);

typedef struct {
    uint64_t cycles;     /* of all runs */
    uint64_t rtl_clocks; /* processor time of the RTL, as clock() */
    const char *trace;   /* the text io.trace should have */
    const char *result;  /* the expected result file (docs/dump.md) */
    size_t result_length;
} kernel_replayed;

/* Runs a job file (docs/dump.md) on both. */
kernel_replayed kernel_replay(fixture *f, const char *bits, const char *job);

#endif
