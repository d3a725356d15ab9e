/* fuse.h - statements of a program put into the statements that read their results, where the chip is
 * expected to take less time. */
#ifndef ONYX_PROGRAMS_FUSE_H
#define ONYX_PROGRAMS_FUSE_H

#include "programs/interpreter.h"

/* Fuses statements of the program (--fuse-statements), and lists the decisions in a->fusions. The machine has
 * looked ahead (compile_rehearse_stages). If a statement was fused, a->written becomes the program before,
 * with its stages, and the stages of the fused program are listed anew. Returns false after errors. */
bool compile_fuse_statements(const machine *m);

#endif
