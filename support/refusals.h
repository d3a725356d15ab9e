/* refusals.h - refusals with a remedy for the caller. */
#ifndef ONYX_SUPPORT_REFUSALS_H
#define ONYX_SUPPORT_REFUSALS_H

#include "support/support.h"

/* Reports a refusal as an error, as unmappable, or as a warning, with the code of refusals.def. */
bool diag_refuse(diagnostics *d, diag_kind kind, diag_refusal what, src_loc loc, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
