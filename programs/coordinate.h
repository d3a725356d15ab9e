/* coordinate.h - the operand that stands for a scalar as a coordinate. */
#ifndef ONYX_PROGRAMS_COORDINATE_H
#define ONYX_PROGRAMS_COORDINATE_H

#include "programs/interpreter.h"

/* Makes a vector with 1 at the coordinate that a scalar has, and with nothing elsewhere. E0961-coordinate. */
bool compile_make_coordinate(interpreter *m, const fe_step *step);

#endif
