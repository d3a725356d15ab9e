/* masks.h - savings of a kernel's masks, for report.json and --explain. */
#ifndef ONYX_REPORT_MASKS_H
#define ONYX_REPORT_MASKS_H

#include "kernel/kernel.h"

/* Outside of a mask the loops inside of its own loop do not run: the mask saves SCANS. A mask without inner
 * loops (as with a sum outside) saves LOOKUPS of values only. A mask saves NOTHING if another kernel has
 * computed the guarded values, or if the values are computed outside of the mask, too. */
typedef enum { COMPILE_SAVES_SCANS, COMPILE_SAVES_LOOKUPS, COMPILE_SAVES_NOTHING } compile_saving;

typedef struct {
    const char *mask; /* "not struct(m(i))" */
    compile_saving saves;
    const char *why; /* a sentence with the mask's name */
} compile_mask;
typedef VEC(compile_mask) compile_masks;

/* "scans", "lookups", "nothing". */
extern const char *const compile_saving_name[];

/* Lists the masks with an index of a kernel on the array, in the order of its packed statement; operands with
 * a kernel in `last` are workspaces. O(expressions^2). */
compile_masks compile_masks_of(const compile_kernel *last, const compile_kernel *k, arena *mem);

#endif
