/* coordinate.h - operands that stand for scalars as coordinates, in slices and in shifts. */
#ifndef ONYX_PROGRAMS_COORDINATE_H
#define ONYX_PROGRAMS_COORDINATE_H

#include "programs/interpreter.h"

/* Makes the operand of the step, from what its scalars have. E0961-coordinate. */
bool compile_make_coordinate(interpreter *m, const fe_step *step);

#endif
