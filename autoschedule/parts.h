/* parts.h - a kernel for each part of an operand that its format takes apart. */
#ifndef ONYX_AUTOSCHEDULE_PARTS_H
#define ONYX_AUTOSCHEDULE_PARTS_H

#include "autoschedule/choose.h"

/* Makes of the statement a kernel for each part of such an operand that has entries, and one of the host that
 * adds their results, where that is asked for, or expected to take less than *out, the operand put together;
 * else says that the host re-packs it, where it does (E0352). Returns false after errors: E0357-parts. */
bool compile_choose_parts(const compile_search_in *by, compile_context *ctx, const compile_choosing *in,
                          compile_schedule *out);

#endif
