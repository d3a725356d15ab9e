/* join.h - a kernel with several results, of independent statements of a block with a common operand. */
#ifndef ONYX_PROGRAMS_JOIN_H
#define ONYX_PROGRAMS_JOIN_H

#include "programs/interpreter.h"

/* Joins compiled statements where the chip is expected to take less time (--fuse-statements), and lists the
 * decisions in a->fusions. The first statement has the kernel, with the netlists of all beside each other:
 * statement `p` has the streams of copy `p`. Returns false after errors. */
bool compile_join_statements(const compile_options *o, compile_context *ctx, compile_application *a);
/* Gives the other statements what the first has on the array, whether shared or not. Returns false after
 * errors. */
bool compile_end_joints(compile_context *ctx, const compile_application *a);

#endif
