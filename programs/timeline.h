/* timeline.h - one time line over all runs of a program: DIR/program_timeline.json (docs/programs.md). Every
 * run has a summary; the channel activity (timeline.json, docs/cycle.md) is recorded within a bound on the
 * file's size. */
#ifndef ONYX_PROGRAMS_TIMELINE_H
#define ONYX_PROGRAMS_TIMELINE_H

#include "kernel/kernel.h"

typedef struct compile_timeline compile_timeline;

/* A run of a statement, by its index among the program's statements; a statement on the host takes no cycles.
 */
typedef struct {
    uint32_t statement;
    const char *pass; /* as in compile_execution */
    uint64_t begin, cycles;
    uint64_t config, kernel, firmware;
    uint64_t loaded, kept, collected; /* words, as in compile_outcome */
} compile_timeline_run;

/* Returns an empty line in `mem`. */
compile_timeline *compile_timeline_begin(arena *mem);
/* Adds a run, which begins at the end of the previous run or later. Its text must outlive the line. */
void compile_timeline_add(compile_timeline *l, const compile_timeline_run *run);
/* Returns the *n runs of the line. */
const compile_timeline_run *compile_timeline_runs(const compile_timeline *l, uint32_t *n);
/* Adds the timeline.json of a kernel from `folder`, if present, as the kernel's channel activity from
 * cycle `begin` of the program on. `kernel` is the kernel's name. Sets *cycles to the length of the
 * record, or 0. */
bool compile_timeline_record(compile_timeline *l, const char *kernel, const char *folder, uint64_t begin,
                             diagnostics *d, uint64_t *cycles);
/* Writes FOLDER/program_timeline.json. E0001-file. */
bool compile_timeline_write(const compile_timeline *l, const char *folder, diagnostics *d);

#endif
