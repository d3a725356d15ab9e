/* share.h - kernels of one program on one array: a bitstream that has them all, of which one runs at a time,
 * so that the array is not configured anew between them. */
#ifndef ONYX_PROGRAMS_SHARE_H
#define ONYX_PROGRAMS_SHARE_H

#include "kernel/kernel.h"

typedef VEC(compile_kernel *) compile_kernels;
/* Returns whether the kernel, which has an array of its own, may share one: all its copies start together,
 * and none of its stores has words before it runs. */
bool compile_may_share(compile_context *ctx, const compile_kernel *k);
/* Returns whether the board has the tiles and streams for all of them at once; `one_of` as in compile_array.
 */
bool compile_fit_together(const compile_options *o, const compile_kernels *all, bool one_of);
/* An edge between two kernels on one array: `from` stores the tensor that `to` loads. Each kernel has a name
 * for the tensor. */
typedef struct {
    uint32_t from, to;
    name_id stored, loaded;
} compile_pair;
typedef VEC(compile_pair) compile_pairs;
/* Gives all the kernels, 2 to FW_PARTS_MOST of them, one array, and each one's folder its netlist, routes and
 * bitstream; where that cannot be placed or routed they stay as they are. Streams of the pairs stand
 * beside each other where that can be placed and routed, of several pairs of a stream those of the first.
 * *times becomes what placing and routing took. Returns false after errors. */
bool compile_share(const compile_options *o, compile_context *ctx, const compile_kernels *all, bool one_of,
                   const compile_pairs *pairs, compile_times *times);
/* Makes the kernel's own array one with these pairs, and with `one_of` one whose bitstream GLB tile 0 keeps
 * with others: it is placed and routed again if it has to be. *times and what cannot be placed as in
 * compile_share, which k->array.one_of tells. Returns false after errors. */
bool compile_make_again(const compile_options *o, compile_context *ctx, compile_kernel *k, bool one_of,
                        const compile_pairs *pairs, compile_times *times);

#endif
