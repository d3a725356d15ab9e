/* kernel_plans.h - the kernels of a statement of several kernels, as separate waiting plans. */
#ifndef ONYX_PROGRAMS_KERNEL_PLANS_H
#define ONYX_PROGRAMS_KERNEL_PLANS_H

#include "programs/queue.h"

/* Gives the kernels of a statement of several, if all of them are on the array, plans of their own, and
 * their workspaces places. */
void compile_plan_kernels(compile_context *ctx, compile_application *a, compile_statement_plan *plan);
/* A waiting run: of a statement, whose operands are for a kernel with the earlier workspaces, or of several
 * statements at once (join.h); and whether it waits (queue.h). */
typedef struct {
    compile_member members[COMPILE_MEMBERS_MOST];
    uint32_t n;
    compile_enqueued waited;
} compile_deferred_run;
/* Acts like compile_enqueue for kernel `n` of a statement of several. Workspaces are held in their places;
 * the last kernel's result is the statement's. */
bool compile_enqueue_kernel(interpreter *m, compile_context *ctx, compile_statement_plan *plan, uint32_t n,
                            compile_deferred_run *run);
/* Forgets the workspaces; `all`: all kernels of the statement wait, else the statement is computed
 * otherwise. */
void compile_end_kernels(interpreter *m, compile_statement_plan *plan, bool all);

#endif
