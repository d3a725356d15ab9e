/* load.h - a dense design as an array of the cycle model. */
#ifndef ONYX_DENSE_LOAD_H
#define ONYX_DENSE_LOAD_H

#include "dense/design.h"
#include "rtl_models/cycle/dense.h"

/* Makes the array described by the settings; routes are followed from the inputs of enabled units, registers
 * on them are nodes. Errors: E0631-wire-loop, E0981-dense-stream. */
bool dense_load(const dense_design *design, diagnostics *d, dense_array *out);

#endif
