/* schedule.h - the schedule language. */
#ifndef ONYX_FRONTEND_SCHEDULE_H
#define ONYX_FRONTEND_SCHEDULE_H

#include "frontend/language/cin.h"
#include "frontend/language/parse.h"

/* Applies the commands of in->schedule in turn to s, which fe_parse made of the rest of `in`. Without
 * commands the result is s as its only kernel. Errors E0113, E0114, E0140 to E0151, located in the schedule.
 */
bool fe_schedule(const fe_in *in, const sam_statement *s, arena *mem, diagnostics *d, fe_cin *out);

#endif
