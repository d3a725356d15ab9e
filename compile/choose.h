/* choose.h - what is tried before anything is compiled: orders of the loops, several kernels in place of one.
 */
#ifndef ONYX_COMPILE_CHOOSE_H
#define ONYX_COMPILE_CHOOSE_H

#include "compile/search.h"

/* ---- trials (attempt.c) ------------------------------------------------------------------------ */

/* What came of a trial. */
typedef struct {
    bool works, mistake; /* mistake: it does not work on any hardware, since the input is wrong */
    const char *why;     /* the first thing that was said against it; NULL: nothing was */
} compile_attempt;
typedef bool compile_trial(compile_context *ctx, void *of);
/* Runs the trial in a context of its own: nobody hears its diagnostics, and what it makes is gone afterwards
 * but for new names. */
compile_attempt compile_try(const compile_context *ctx, compile_trial *trial, void *of);
/* Returns whether a kernel lowers with the edges that the options ask for along its own loops, and one copy
 * of it fits the board; without a board (NULL), whether it lowers to a graph. */
bool compile_lowers(const compile_options *o, compile_context *ctx, const fe_kernel *kernel,
                    const pnr_board *board);
/* Returns whether the kernel's loops may run in another order than they do: nothing splits or copies them. */
bool compile_loops_are_open(const fe_kernel *kernel);
/* Makes of place[] the next of all orders of n numbers, of which the ascending one is the first. Returns
 * false after the last. */
bool compile_next_order(uint32_t *place, uint32_t n);

/* ---- choices (choose.c, choose_by_data.c)
 * ------------------------------------------------------------------------ */

/* A program as kernels, and what onyx decided about them. */
typedef struct {
    fe_cin cin;
    text_vec chosen;         /* compile_choices.chosen of each kernel; none: nobody chose */
    text_vec dense;          /* compile_choices.dense of the only kernel */
    compile_tilings tilings; /* what was chosen for each by the data; none: nothing yet */
    const char *staged;
    const compile_bitstream **given; /* by kernel: bitstreams that compute them (stand_in.h); NULL: none */
} compile_schedule;
/* Another order of the loops, other formats and columns are taken where they are expected to take this part
 * of what the kernel does as it stands; several kernels this: there the model is off by more, and the host
 * has more to do. */
#define COMPILE_WORTH_CHANGING 0.97
#define COMPILE_WORTH_SEVERAL 0.9
/* Changes the schedule, which was made of `in` and the user's statement, to what the board can run, where the
 * user leaves that open; what it cannot stays as it is. */
typedef struct {
    const fe_in *in;
    const sam_statement *user;
    const pnr_board *board;
    const compile_data *data; /* of that statement, as far as they are read; or NULL */
} compile_choosing;
void compile_choose(const compile_options *o, compile_context *ctx, const compile_choosing *in,
                    compile_schedule *schedule);
/* Makes of the user's statement what a schedule says, in kernels that the board can run. Returns false where
 * there is none. */
bool compile_choose_with(const compile_options *o, compile_context *ctx, const compile_choosing *in,
                         const char *schedule, compile_schedule *out);
/* Tries what functions compute parts of the statement (--search), and takes what is expected to take least;
 * as it stands, the statement is one of these. Says so in *out, and lists all in *listed. Returns false where
 * nothing is bound. */
bool compile_choose_bindings(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                             compile_schedule *out, text_vec *listed);
/* Chooses by the data, which are there, what a schedule that the board can run leaves open: whether sums of
 * products are multiplied in one kernel and added up in another, and edges, where several kernels have to be
 * chosen for together. */
void compile_choose_by_data(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                            compile_schedule *schedule);

/* Chooses for a statement, whose operands are among by->data by name. Returns what the chip is expected to
 * take for it, INFINITY where it is not one kernel of the array. */
double compile_choose_instead(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                              compile_schedule *out);
/* Chooses for each kernel of the array that reads the user's operands only, in a program of which the host or
 * the processor computes others. */
void compile_choose_beside_host(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                                compile_schedule *schedule);
/* Returns whether no tensor of the statement has that name. */
bool compile_is_free(const compile_context *ctx, const sam_statement *st, const char *name);

#endif
