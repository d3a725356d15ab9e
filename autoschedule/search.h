/* search.h - what is chosen by the data where the user leaves it open, by the time the chip is expected to
 * take.
 */
#ifndef ONYX_AUTOSCHEDULE_SEARCH_H
#define ONYX_AUTOSCHEDULE_SEARCH_H

#include "kernel/kernel.h"

/* Returns how many copies of the kernel with these edges the options and the board have room for; none where
 * nothing can be made of it. */
tile_room compile_kernel_room(const compile_options *o, compile_context *ctx, const pnr_board *board,
                              const compile_lowered *k, const tile_options *edges);
/* Finds the same for the kernel with the streams that it may have. */
void compile_find_room(const compile_options *o, compile_context *ctx, const pnr_board *board,
                       const compile_lowered *k, compile_tiling *tiling);

/* What searches by the same options and board have expected of kernels. All zeros: nothing yet. */
typedef struct {
    VEC(struct compile_foreseen) all;
} compile_searched;

/* Array cycles from the start of a program to its first word of configuration, and back. */
#define COMPILE_BOOT 3000.0
/* Returns what a program is expected to take, in the place of compile_search. */
typedef double compile_cost(const fe_cin *cin);
/* What a search goes by: the user's operands among them. */
typedef struct {
    compile_cost *cost; /* of a test; NULL: what the chip is expected to take */
    const compile_options *options;
    const pnr_board *board;
    const compile_data *data;
    uint32_t share; /* one of so many searches that share the steps of one; 0: the only one */
    double part;    /* of the whole that the data are, where they are a sample; 0: all of it */
    double most;    /* a program that takes more is of no interest, by how much not either; 0: any is */
    compile_searched
        *searched; /* what need not be looked for again, in the memory of the contexts; or NULL */
} compile_search_in;
/* Chooses edges for each kernel of a program, in the order of the kernels: `expected` and `candidates` of
 * each, nothing where it cannot be told what a kernel reads. Returns the array cycles that the chip is
 * expected to take for all of them, configuration and processor included, or INFINITY; none for kernels of
 * the host. */
double compile_search(const compile_search_in *in, compile_context *ctx, const fe_cin *cin,
                      compile_tilings *out);

/* Returns `by` for a program of which nothing is wanted but whether it takes less than `least`. */
compile_search_in compile_below(const compile_search_in *by, double least);
/* Returns what the chip is expected to take, found in one of `share` parts of the steps of a search; *own
 * gets the part of kernel n. */
double compile_expect(const compile_search_in *by, compile_context *ctx, const fe_cin *cin, uint32_t share,
                      uint32_t n, double *own);
/* Returns the same without *own, `least` or more where it is not less than that. */
double compile_expect_below(const compile_search_in *by, compile_context *ctx, const fe_cin *cin,
                            uint32_t share, double least);

/* Finds in k->choices.freed what asks for fewer streams, where these bound the copies of kernel k, one of the
 * kernels of `last`. O(tensors * levels + orders) lowerings. */
void compile_find_freed(const compile_options *o, compile_context *ctx, const compile_kernel *last,
                        compile_kernel *k);
/* Measures the candidates for the kernel's edges that are expected to be best, and takes the one with which
 * the chip is then expected to take least. `build` makes the array of a kernel whose edges are chosen. */
void compile_measure(const compile_options *o, compile_context *ctx, compile_kernel *k,
                     compile_action *build);
#endif
