/* masks.h - what the masks of a kernel save: for report.json and --explain. */
#ifndef ONYX_REPORT_MASKS_H
#define ONYX_REPORT_MASKS_H

#include "kernel/kernel.h"

/* Where a mask has nothing, the loops inside of its own do not run: that saves SCANS. If there are none, as
 * where a sum is outside of them, it saves LOOKUPS of values only. What another kernel has computed, or is
 * computed although the mask lacks it, costs the same as without it: it saves NOTHING. */
typedef enum { COMPILE_SAVES_SCANS, COMPILE_SAVES_LOOKUPS, COMPILE_SAVES_NOTHING } compile_saving;

typedef struct {
    const char *mask; /* "not struct(m(i))" */
    compile_saving saves;
    const char *why; /* a sentence, which names the mask */
} compile_mask;
typedef VEC(compile_mask) compile_masks;

/* "scans", "lookups", "nothing". */
extern const char *const compile_saving_name[];

/* Lists the masks of a kernel on the array that have an index, as they stand in its packed statement, from
 * left to right; the operands that `last` has kernels for are workspaces. O(expressions^2). */
compile_masks compile_masks_of(const compile_kernel *last, const compile_kernel *k, arena *mem);

#endif
