/* parts.h - the kernels of a statement of several kernels, as separate waiting stages. */
#ifndef ONYX_PROGRAMS_PARTS_H
#define ONYX_PROGRAMS_PARTS_H

#include "programs/queue.h"

/* Gives the kernels of a statement of several, if all of them are on the array, stages of their own, and
 * their workspaces places. */
void compile_find_parts(compile_context *ctx, compile_application *a, compile_stage_of *stage);
/* A waiting run of a statement: its present operands, for a kernel with the earlier workspaces; its value,
 * the chip's result, and whether the run waits (queue.h). */
typedef struct {
    compile_data data;
    tile_tensor value;
    compile_left *left;
    compile_waited waited;
} compile_later_run;
/* Acts like compile_wait for kernel `n` of a statement of several. Workspaces are held in their places; the
 * last kernel's result is the statement's. */
bool compile_wait_part(machine *m, compile_context *ctx, compile_stage_of *stage, uint32_t n,
                       compile_later_run *run);
/* Forgets the workspaces; `all`: all kernels of the statement wait, else the statement is computed
 * otherwise. */
void compile_end_parts(machine *m, compile_stage_of *stage, bool all);

#endif
