/* trial.h - trials: lower a kernel silently, for a result or for the reason of a refusal. */
#ifndef ONYX_KERNEL_TRIAL_H
#define ONYX_KERNEL_TRIAL_H

#include "kernel/kernel.h"

/* The first message against a kernel. */
typedef struct {
    const char *why;  /* without its code; NULL: no message */
    const char *hint; /* NULL: none */
    diag_refusal refusal;
} compile_reason;

/* The outcome of a trial. */
typedef struct {
    bool works, mistake; /* mistake: no hardware can run the kernel, since the input is wrong */
    compile_reason against;
} compile_trial_result;
typedef bool compile_trial(compile_context *ctx, void *of);
/* Runs the trial in a context of its own: its diagnostics are dropped, and its results freed, except new
 * names. */
compile_trial_result compile_try(const compile_context *ctx, compile_trial *trial, void *of);
/* Returns whether a kernel lowers with the options' edges along its own loops, and a copy fits the board;
 * without a board (NULL), whether the kernel lowers to a graph. */
bool compile_lowers(const compile_options *o, compile_context *ctx, const fe_kernel *kernel,
                    const pnr_board *board);
/* Makes place[] the next of all orders of n numbers; the ascending order is the first. Returns false after
 * the last. */
bool compile_next_order(uint32_t *permutation, uint32_t n);

#endif
