/* alive.h - later reads of a program's tensors. */
#ifndef ONYX_PROGRAMS_ALIVE_H
#define ONYX_PROGRAMS_ALIVE_H

#include "programs/programs.h"

/* Sets `alive` of every stage of an assignment, and of its parts. O(steps * tensors), times the depth of
 * loops. */
void compile_find_alive(arena *mem, const compile_application *a);

#endif
