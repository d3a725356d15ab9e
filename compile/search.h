/* search.h - what is chosen by the data where the user leaves it open, by the time the chip is expected to
 * take.
 */
#ifndef ONYX_COMPILE_SEARCH_H
#define ONYX_COMPILE_SEARCH_H

#include "compile/stages.h"

/* Returns whether the edges of some loops are to be chosen unasked, and whether the copies are; of a
 * statement of a program, whose data change from step to step, the edges by the fullest that they may be,
 * and the copies where nothing else wants their streams. */
static inline bool compile_edges_open(const compile_options *o) {
    return o->optimize && !o->plain && (!o->statement || o->fullest) && !o->tile.all && !o->tile_auto;
}
static inline bool compile_copies_open(const compile_options *o) {
    return o->optimize && !o->plain && (!o->statement || (o->fullest && o->only)) && o->unroll_open;
}

/* Returns how many copies the options and the board have room for, of a netlist that has been packed, or of
 * the one that edges make of the kernel; none where nothing can be made of it. */
tile_room compile_room_for(const compile_options *o, const netlist *one, const pnr_board *board);
tile_room compile_kernel_room(const compile_options *o, compile_context *ctx, const pnr_board *board,
                              const compile_lowered *k, const tile_options *edges);
/* Finds the same for the kernel with the streams that it may have. */
void compile_find_room(const compile_options *o, compile_context *ctx, const pnr_board *board,
                       const compile_lowered *k, compile_tiling *tiling);

/* What searches by the same options and board have expected of kernels. All zeros: nothing yet. */
typedef struct {
    VEC(struct compile_seen) all;
} compile_searched;

/* Array cycles from the start of a program to its first word of configuration, and back. */
#define COMPILE_BOOT 3000.0
/* What a search goes by: the user's operands among them. */
typedef struct {
    const compile_options *options;
    const pnr_board *board;
    const compile_data *data;
    uint32_t share; /* one of so many searches that share the steps of one; 0: the only one */
    double part;    /* of the whole that the data are, where they are a sample; 0: all of it */
    double most;    /* a program that takes more is of no interest, by how much not either; 0: any is */
    compile_searched
        *searched; /* what need not be looked for again, in the memory of the contexts; or NULL */
} compile_search_in;
typedef VEC(compile_tiling) compile_tilings;
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

/* What is done with options: compiles, or compiles and runs. */
typedef bool compile_action(const compile_options *o, compile_context *ctx, compile_kernel *k);
/* Finds in k->choices.freed what asks for fewer streams, where these bound the copies of kernel k, one of the
 * kernels of `last`. O(tensors * levels + orders) lowerings. */
void compile_find_freed(const compile_options *o, compile_context *ctx, const compile_kernel *last,
                        compile_kernel *k);
/* Measures the candidates for the kernel's edges that are expected to be best, and takes the one with which
 * the chip is then expected to take least. `build` makes the array of a kernel whose edges are chosen. */
void compile_measure(const compile_options *o, compile_context *ctx, compile_kernel *k,
                     compile_action *build);
/* Does it, and where what was chosen by the data is refused, once more without choosing. */
bool compile_retrying(const compile_options *o, compile_context *ctx, compile_kernel *k,
                      compile_action *action);
/* compile_to_bitstream, once. */
bool compile_to_bitstream_once(const compile_options *o, compile_context *ctx, compile_kernel *k);

#endif
