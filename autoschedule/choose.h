/* choose.h - what is tried before anything is compiled: orders of the loops, several kernels in place of one.
 */
#ifndef ONYX_AUTOSCHEDULE_CHOOSE_H
#define ONYX_AUTOSCHEDULE_CHOOSE_H

#include "autoschedule/search.h"

/* Returns whether the kernel's loops may run in another order than they do: nothing splits or copies them. */
bool compile_loops_are_open(const fe_kernel *kernel);
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
/* Takes the statement as it can be written along diagonals, or of runs of equal values, where the chip is
 * expected to take less for that than for *out. Returns whether it did. */
bool compile_choose_rewritten(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                              compile_schedule *out);

#endif
