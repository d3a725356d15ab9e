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
 * Sets `alive` of the stages. O(steps^2). */
compile_temporaries compile_find_temporaries(arena *mem, const compile_application *a);
/* Returns a copy of the steps, in which `with` replaces `into`, and `from` is gone. */
fe_steps compile_replace_steps(const fe_steps *steps, const compile_temporary *t, const fe_step *with,
                               arena *mem);
/* Return whether a statement or a condition reads the tensor; whether the step, or a step in it, writes it;
 * whether either does either. */
bool compile_step_reads(const fe_step *step, uint32_t tensor);
bool compile_step_writes(const fe_step *step, uint32_t tensor);
bool compile_step_names(const fe_step *step, uint32_t tensor);

#endif
