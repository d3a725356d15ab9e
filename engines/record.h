/* record.h - the files of --io-trace: the words of every run of a kernel in job.bin, and the cycle of each
 * word in io.trace if the engine supports it. In a program both have all runs of the statement, pass after
 * pass.
 */
#ifndef ONYX_ENGINES_RECORD_H
#define ONYX_ENGINES_RECORD_H

#include "engines/engine.h"

typedef struct {
    tile_job job;
    const char *job_path, *trace_path; /* NULL: nothing is recorded */
    char *before;                      /* of io.trace, of the passes before */
    size_t length;
    uint32_t first; /* number of this pass's first run */
} compile_record;

/* Called before the engine begins; the kernel's folder may have files of earlier passes of the command. */
bool compile_record_begin(const compile_engine_in *in, compile_record *r);
void compile_record_add(compile_record *r, const tile_plan *plan);
/* Called after the engine's end. Returns `good` unless an error occurs. */
bool compile_record_end(const compile_engine_in *in, compile_record *r, bool good);

#endif
