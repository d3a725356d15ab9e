/* share.h - kernels of one program on one array: a bitstream with all kernels, one running at a time, without
 * new configuration between kernels. */
#ifndef ONYX_PROGRAMS_SHARE_H
#define ONYX_PROGRAMS_SHARE_H

#include "kernel/kernel.h"

typedef VEC(compile_kernel *) compile_kernels;
/* Returns whether the kernel, with its own array, may share one: all its copies start together, and none of
 * its stores has words before the run. */
bool compile_may_share(compile_context *ctx, const compile_kernel *k);
/* Returns whether the board has the tiles and streams for all kernels at once; `one_of` as in compile_array.
 */
bool compile_fit_together(const compile_options *o, const compile_kernels *all, bool one_of);
/* An edge between two kernels on one array: `to` loads the tensor stored by `from`. Each kernel has its own
 * name for the tensor. */
typedef struct {
    uint32_t from, to;
    name_id stored, loaded;
} compile_colocated;
typedef VEC(compile_colocated) compile_colocated_list;
/* Gives 2 to FW_IMAGE_KERNELS_MOST kernels one array, and each kernel's folder its netlist, routes and
 * bitstream; if placing or routing fails, the kernels stay unchanged. Streams of the pairs are placed beside
 * each other if possible; of several pairs with one stream, the first counts. *times becomes the time of
 * placing and routing. Returns false after errors. */
bool compile_share(const compile_options *o, compile_context *ctx, const compile_kernels *all, bool one_of,
                   const compile_colocated_list *colocated, compile_times *times);
/* Gives the kernel's own array these pairs, and with `one_of` a bitstream kept with others by GLB tile 0:
 * placed and routed again if needed. *times and failures are as in compile_share; k->array.one_of tells the
 * outcome. Returns false after errors. */
bool compile_make_again(const compile_options *o, compile_context *ctx, compile_kernel *k, bool one_of,
                        const compile_colocated_list *colocated, compile_times *times);

#endif
