/* search.h - the search over open choices, by the data and the chip's predicted time. */
#ifndef ONYX_AUTOSCHEDULE_SEARCH_H
#define ONYX_AUTOSCHEDULE_SEARCH_H

#include "kernel/kernel.h"

/* Returns how many copies of the kernel with the edges fit the options and the board; 0 if the kernel cannot
 * be made. */
tile_room compile_kernel_room(const compile_options *o, compile_context *ctx, const pnr_board *board,
                              const compile_lowered *k, const tile_options *edges);
/* Finds the copies for the kernel with its permitted streams. */
void compile_find_room(const compile_options *o, compile_context *ctx, const pnr_board *board,
                       const compile_lowered *k, compile_tiling *tiling);

/* Predictions of earlier searches with the same options and board. All zeros: empty. */
typedef struct {
    VEC(struct compile_foreseen) all;
} compile_searched;

/* Array cycles from the start of a program to its first word of configuration, and back. */
#define COMPILE_BOOT 3000.0
/* Returns the predicted time of a program, in place of compile_search. */
typedef double compile_cost(const fe_cin *cin);
/* Inputs of a search, including the user's operands. */
typedef struct {
    compile_cost *cost; /* a test's cost function; NULL: the chip's predicted time */
    const compile_options *options;
    const pnr_board *board;
    const compile_data *data;
    uint32_t share;             /* number of searches that share a search's steps; 0: no sharing */
    double fraction;            /* of the whole that a sample has; 0: the data are whole */
    double most;                /* times above this need no exact value; 0: every time does */
    compile_searched *searched; /* predictions to reuse, in the contexts' memory; or NULL */
} compile_search_in;
/* Chooses edges for each kernel of a program, in order: `expected` and `candidates` of each, empty if a
 * kernel's operands cannot be estimated. Returns the chip's predicted array cycles for all kernels, with
 * configuration and processor, or INFINITY; kernels of the host count 0. */
double compile_search(const compile_search_in *in, compile_context *ctx, const fe_cin *cin,
                      compile_tilings *out);

/* Returns `by` for a search that only asks whether a program takes less than `least`. */
compile_search_in compile_below(const compile_search_in *by, double least);
/* Returns the chip's predicted time, found with 1 / `share` of a search's steps; *own gets the time of kernel
 * n. */
double compile_expect(const compile_search_in *by, compile_context *ctx, const fe_cin *cin, uint32_t share,
                      uint32_t n, double *own);
/* Returns the predicted time as compile_expect does, without *own; `least` or more if the time is not below
 * `least`. */
double compile_expect_below(const compile_search_in *by, compile_context *ctx, const fe_cin *cin,
                            uint32_t share, double least);

/* Fills k->choices.freed with forms that ask for fewer streams, if streams bound the copies of kernel k of
 * the program `last`. O(tensors * levels + orders) lowerings. */
void compile_find_stream_relief(const compile_options *o, compile_context *ctx, const compile_kernel *last,
                                compile_kernel *k);
/* Measures the candidates with the best predictions for the kernel's edges, and takes the candidate with the
 * least corrected time. `build` makes the array of a kernel with chosen edges. */
void compile_measure(const compile_options *o, compile_context *ctx, compile_kernel *k,
                     compile_action *build);
#endif
