/* choose.h - choices before compiling: orders of the loops, several kernels in place of a single kernel. */
#ifndef ONYX_AUTOSCHEDULE_CHOOSE_H
#define ONYX_AUTOSCHEDULE_CHOOSE_H

#include "autoschedule/search.h"

/* Returns whether an operation of the statement has tables in place of a PE, or may have
 * (lower_onyx/table.h): whether the array computes it depends on how far its loops run. */
bool compile_may_have_tables(const sam_statement *s);
/* Returns whether the kernel's loops may be reordered: no command splits or copies the loops. */
bool compile_loops_are_open(const fe_kernel *kernel);
/* Changes the schedule (made from `in` and the user's statement) to a form that the board can run, first as
 * far as the user leaves the form open, then otherwise, with notes; bound subexpressions are never undone.
 * Kernels without such a form stay unchanged. */
typedef struct {
    const fe_in *in;
    const sam_statement *user;
    const pnr_board *board;
    const compile_data *data; /* operands of the statement, as far as read; or NULL */
} compile_choosing;
void compile_choose(const compile_options *o, compile_context *ctx, const compile_choosing *in,
                    compile_schedule *schedule);
/* Applies a schedule to the user's statement, in kernels that the board can run. Returns false if no such
 * kernels exist. */
bool compile_choose_with(const compile_options *o, compile_context *ctx, const compile_choosing *in,
                         const char *schedule, compile_schedule *out);
/* Tries functions that compute subexpressions of the statement (--search), and takes the form with the least
 * predicted time; the unbound statement competes, too. Records the choice in *out, and lists all forms in
 * *listed. Returns false if no subexpression is bound. */
bool compile_choose_bindings(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                             compile_schedule *out, text_vec *listed);
/* Chooses by the given data what is left open by a schedule that the board can run: separate
 * kernels for products and their sums, and edges of kernels that depend on each other. */
void compile_choose_by_data(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                            compile_schedule *schedule);

/* Chooses for a statement whose operands are in by->data, found by name. Returns the chip's predicted time,
 * INFINITY if the statement is not a single kernel of the array. */
double compile_choose_instead(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                              compile_schedule *out);
/* Chooses for each kernel of the array that reads the user's operands only, in a program with other kernels
 * on the host or the processor. */
void compile_choose_host_overlap(const compile_search_in *by, compile_context *ctx,
                                 const compile_choosing *in, compile_schedule *schedule);
/* Takes the statement written along diagonals or by runs of equal values, if its predicted time is below the
 * time of *out. Returns whether the statement changed. */
bool compile_choose_rewritten(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                              compile_schedule *out);

#endif
