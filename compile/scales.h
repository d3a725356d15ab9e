/* scales.h - the scales of int16 operands, by the data. */
#ifndef ONYX_COMPILE_SCALES_H
#define ONYX_COMPILE_SCALES_H

#include "compile/typing.h"

/* Finds scales without a wrapped word in operands and results, and their error (*lost). NULL after an error:
 * E0184-scale, E0183-range, E0305-value. */
const compile_options *typing_scales(const typing *t, double *lost);
/* Finds scales of a program. NULL after E0183-range, E0305-value. */
compile_options *typing_program_scales(const typing *t, const compile_scaling *in, double *lost);
/* Returns the scales as text: "B:8, c:7". */
const char *typing_scales_text(const typing *t, const fe_scales *all);

#endif
