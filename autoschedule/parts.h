/* parts.h - a kernel for each part of an operand whose format has parts. */
#ifndef ONYX_AUTOSCHEDULE_PARTS_H
#define ONYX_AUTOSCHEDULE_PARTS_H

#include "autoschedule/choose.h"

/* Makes a kernel for each part with entries, and a kernel of the host that adds their results, if requested
 * or if the predicted time is below the time of *out (the operand put together). Otherwise notes that the
 * host re-packs the operand (E0352). Returns false after errors: E0357-parts. */
bool compile_choose_parts(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                          compile_schedule *out);

#endif
