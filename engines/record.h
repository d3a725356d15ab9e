/* record.h - what --io-trace keeps: the words of every run of a kernel in job.bin, and the cycle of each in
 * io.trace where the engine writes that. In a program both have all runs of the statement, pass behind pass.
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

/* Before the engine begins; the kernel's folder may have what earlier passes of the command left. */
bool compile_record_begin(const compile_engine_in *in, compile_record *r);
void compile_record_add(compile_record *r, const tile_plan *plan);
/* After it has ended. Returns `good` if there is no error of its own. */
bool compile_record_end(const compile_engine_in *in, compile_record *r, bool good);

#endif
