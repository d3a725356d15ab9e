/* compile_int.h - what the files of compile/ share. */
#ifndef ONYX_COMPILE_INT_H
#define ONYX_COMPILE_INT_H

#include "compile/compile.h"

/* What the frontend is told by the options. */
fe_in compile_frontend_input(const compile_options *o);
/* ---- edges of sub-tiles (edges.c) ------------------------------------------------------------- */

/* k->tiling, and that of its producers, from the options; E0903 where none of them has such a loop. */
bool compile_set_tiling(const compile_options *o, compile_context *ctx, compile_kernel *k);
/* What the lowering of k's graph is told of them. */
void compile_lower_edges(compile_context *ctx, const compile_kernel *k, lower_options *out);
/* What --deadlock asks for: an error or a warning if fibers of up to `longest` coordinates may need more
 * FIFO. */
bool compile_check_deadlock(const compile_options *o, compile_context *ctx, const compile_kernel *k,
                            uint32_t longest);

/* Every -t and -o T:FILE names a tensor it may name. E0910, E0914. */
bool compile_check_names(const compile_options *o, compile_context *ctx, const sam_statement *st);
/* Lowers one kernel of a schedule to its packed statement and its SAM graph, and that to a netlist of as many
 * copies as the options say, or as fit; k has board and tiling. */
bool compile_lower_sam(const compile_options *o, bool chip, compile_context *ctx, const fe_kernel *kernel,
                       compile_kernel *k);
bool compile_lower(const compile_options *o, compile_context *ctx, compile_kernel *k);
/* Packs the user's operands, once, if the kernel has no others and they are there. */
bool compile_pack_known(compile_context *ctx, compile_kernel *k);
/* The processor that drives the kernel on the chip. */
tile_driver compile_driver(const compile_kernel *k);
/* k->dispatch by the options or by the data, for so many copies that start together or (0: they do not fit)
 * apart. */
bool compile_choose_dispatch(const compile_options *o, compile_context *ctx, compile_kernel *k,
                             uint32_t together, uint32_t apart);
/* Changes `cin`, which was made of `in`, to what the chip can run, where the user leaves that open; what it
 * cannot stays as it is. chosen: k->chosen of each kernel. Sets k->staged and k->way_out of the last one. */
void compile_choose(const compile_options *o, compile_context *ctx, const fe_in *in, compile_kernel *k,
                    fe_cin *cin, text_vec *chosen);
/* The next of all orders of n numbers, the ascending one first; false after the last. */
bool compile_next_order(uint32_t *place, uint32_t n);
/* The options as one kernel's stages see them: its files go to its own folder. */
compile_options compile_options_of(const compile_options *o, const compile_kernel *k);
/* What is being done now, and how much of it, for whoever waits; nobody may. */
void compile_stage(const compile_context *ctx, const char *what, uint64_t total);
void compile_count(const compile_context *ctx, uint64_t done);

#endif
