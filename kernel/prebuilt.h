/* prebuilt.h - kernels computed by existing bitstreams (`bitstream` of a description), without placement and
 * routing. The earlier passes' netlist of the kernel must equal the bitstream's, and the bitstream must
 * decode to the design in its folder. */
#ifndef ONYX_KERNEL_PREBUILT_H
#define ONYX_KERNEL_PREBUILT_H

#include "kernel/kernel.h"

/* A kernel computed by an existing bitstream. */
struct compile_bitstream {
    const char *folder;
    bool emit;               /* not made yet: the kernel is compiled, and kept there */
    name_id name;            /* of the function */
    src_loc loc;             /* where the description names the folder */
    compile_options options; /* compile options: the command's, with the bitstream's edges and copies */
};

/* Replaces every kernel bound to a bitstream by the bitstream's kernel, and records this in
 * schedule->prebuilt. Existing entries stay. E0177-bitstream. */
bool compile_use_prebuilt(const compile_options *o, compile_context *ctx, compile_schedule *schedule);
/* Replace compile_route and compile_encode for a kernel with a bitstream, by the files in its folder.
 * E0177-bitstream at the description, and errors of the files' readers. */
bool compile_take_design(compile_context *ctx, compile_kernel *k);
/* Takes sites and routes from the folder of --reuse, and sets *reused, if its netlist has the same wires. */
bool compile_reuse_design(const compile_options *o, compile_context *ctx, compile_kernel *k, bool *reused);
bool compile_take_bits(compile_context *ctx, compile_kernel *k);

/* Stores a generator's compiled bitstream for the next call; the bitstream is written last. */
bool compile_emit(compile_context *ctx, const compile_kernel *k);

/* Returns the lines of a description of the kernel's bitstream except its name, a line each, or NULL if not a
 * function of whole operands: kept in report.json of its folder. Its capability has a limit for each operand,
 * the words of a memory tile or, with edges chosen by the data, the edges' largest contents; and the edges
 * along loops of dense levels. */
const char *compile_describe(const compile_options *o, const compile_context *ctx, const compile_kernel *k);

#endif
