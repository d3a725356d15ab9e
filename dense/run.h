/* run.h - a dense program on the cycle model. */
#ifndef ONYX_DENSE_RUN_H
#define ONYX_DENSE_RUN_H

#include "dense/program.h"
#include "rtl_models/cycle/dense.h"
#include "support/json.h"

enum { DENSE_GLB_BYTES = 0x400000 };

/* What a stream did. */
typedef struct {
    dense_stream stream;
    dense_stream_state state;
    /* The array's last output to a store, the output a cycle before the first stored word, and a cycle behind
     * the last stored word: the word, and its bit at 16. */
    uint32_t departed, before, behind;
} dense_ran_stream;

typedef struct {
    bool done;       /* all streams ended */
    uint32_t cycles; /* of the array, to the last stored word */
    VEC(dense_ran_stream) streams;
    uint16_t *memory; /* the global buffer, in words */
} dense_outcome;

/* Returns a global buffer with the program's inputs. */
uint16_t *dense_memory_of(const dense_program *p, arena *mem);
/* Runs the streams on the design from reset until all have ended, or nothing can move any more. Errors:
 * E0631-wire-loop, E0981-dense-stream. */
bool dense_run(const dense_design *design, const dense_streams *streams, uint16_t *memory, diagnostics *d,
               dense_outcome *out);
/* Does the same on a machine made of the array. */
bool dense_run_machine(const dense_machine *machine, const dense_array *array, const dense_streams *streams,
                       uint16_t *memory, diagnostics *d, dense_outcome *out);
/* Reports that a node of a ring feeds itself. E0631-wire-loop. */
void dense_report_ring(const dense_array *array, uint32_t ring, diagnostics *d);
/* A global buffer as a file: words of 16 bits, little-endian. E0001-file, E0004-write. */
bool dense_write_memory(const uint16_t *memory, const char *path, diagnostics *d);
bool dense_read_memory(const char *path, diagnostics *d, uint16_t *memory);
/* Reads "dense_streams" of a file into *out: what each of these streams did. */
bool dense_read_streams(const char *path, const dense_streams *streams, diagnostics *d, dense_outcome *out);
/* Does the same, and writes waves and a time line into a folder (dense/waves.h). */
bool dense_run_waves(const dense_design *design, const dense_streams *streams, uint16_t *memory,
                     const char *folder, diagnostics *d, dense_outcome *out);
/* Does the same with an array made of a design; waves with `folder` (dense/waves.h), none with NULL. */
bool dense_run_array(const dense_array *array, const dense_streams *streams, uint16_t *memory,
                     const char *folder, diagnostics *d, dense_outcome *out);
/* Compares the buffer with the expected output. Returns the number of equal words; *first is the first
 * different word. */
uint32_t dense_equal_words(const dense_words *expected, const uint16_t *memory, uint32_t *first);

#endif
