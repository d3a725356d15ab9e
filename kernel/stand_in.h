/* stand_in.h - kernels that bitstreams at hand compute (`bitstream` of a description): nothing of them is
 * placed or routed. What the passes before that make of the kernel has to be the netlist that the bitstream
 * was made of, and the bitstream has to decode to the design in its folder. */
#ifndef ONYX_KERNEL_STAND_IN_H
#define ONYX_KERNEL_STAND_IN_H

#include "frontend/described.h"
#include "kernel/kernel.h"

/* A kernel that is computed so. */
struct compile_bitstream {
    const char *folder;
    bool emit;               /* it is not there yet: the kernel is compiled, and kept there */
    name_id name;            /* of the function */
    src_loc loc;             /* where the description names the folder */
    compile_options options; /* with which it is compiled: those of the command, its edges and copies */
};

/* Puts in place of every kernel that is bound to a bitstream the one that the bitstream computes, and says so
 * in schedule->given. Those that are there already stay. E0177-bitstream. */
bool compile_stand_in(const compile_options *o, compile_context *ctx, compile_schedule *schedule);
/* These do for such a kernel what compile_route and compile_encode do for others, with the files in its
 * folder. E0177-bitstream at the description, and errors of what reads the files. */
bool compile_take_design(compile_context *ctx, compile_kernel *k);
bool compile_take_bits(compile_context *ctx, compile_kernel *k);

/* Keeps what was compiled for a generator where the next call finds it; the bitstream is written last. */
bool compile_emit(compile_context *ctx, const compile_kernel *k);

/* Returns the lines of a description of the kernel's bitstream but for its name, one in a line, or NULL where
 * it is no function of whole operands: which report.json of its folder keeps. Its capability has a limit for
 * each operand, the words of a memory tile, or where edges were chosen by the data what these can come to;
 * and the edges along loops of dense levels. */
const char *compile_describe(const compile_options *o, const compile_context *ctx, const compile_kernel *k);

#endif
