/* alive.h - accesses to a program's tensors: by a step, and later reads. */
#ifndef ONYX_PROGRAMS_ALIVE_H
#define ONYX_PROGRAMS_ALIVE_H

#include "programs/programs.h"

/* Return whether the step itself reads the tensor: a statement, a condition, a print; whether the step, or a
 * step in it, writes it; whether either does either. */
bool compile_step_reads(const fe_step *step, uint32_t tensor);
bool compile_step_writes(const fe_step *step, uint32_t tensor);
bool compile_step_names(const fe_step *step, uint32_t tensor);
/* Returns whether the step, or a step in it, names a tensor of `of`, by number. */
bool compile_step_names_any(const fe_step *step, const bool *of, uint32_t n);
/* Returns why a value ends at a step that names its tensor: "a print names it". */
const char *compile_step_text(const fe_step *step);
/* Returns whether the step, or a step in it, writes an operand of the assignment `of`. */
bool compile_step_changes(const fe_step *step, const fe_step *of);
/* Swapped tensors form a class: class[t] becomes the first tensor of the class of each of n tensors. */
void compile_find_classes(const fe_steps *steps, uint32_t *class, uint32_t n);
/* Sets `alive` of every plan of an assignment, and of its kernels. O(steps * tensors), times the depth of
 * loops. */
void compile_find_alive(arena *mem, const compile_application *a);

#endif
