/* temporaries.h - values of a program that one later statement of the same block reads, and nothing else. */
#ifndef ONYX_PROGRAMS_TEMPORARIES_H
#define ONYX_PROGRAMS_TEMPORARIES_H

#include "programs/programs.h"

/* An assignment whose value one later step of its block reads, and no other step; or the reason why there is
 * no such step. The operands of `from` have the same values at `into`. */
typedef struct {
    const fe_step *from, *into; /* into: NULL with `why` */
    const char *why;
} compile_temporary;
typedef VEC(compile_temporary) compile_temporaries;

/* Lists the assignments of tensors with indices, in the order of the text, without those of final results.
 * Sets `alive` of the plans. O(steps^2). */
compile_temporaries compile_find_temporaries(arena *mem, const compile_application *a);
/* A change of a program's steps: `without` is gone, and `with` stands in front of `at` or in its place. */
typedef struct {
    const fe_step *without, *at, *with;
    bool before;
} compile_edit;
/* Returns a changed copy of the steps. */
fe_steps compile_edit_steps(const fe_steps *steps, const compile_edit *edit, arena *mem);

#endif
