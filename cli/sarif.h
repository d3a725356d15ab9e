/* sarif.h - diagnostics for editors and services that show tools' findings. */
#ifndef ONYX_SARIF_H
#define ONYX_SARIF_H

#include "support/support.h"

/* Writes all diagnostics as a SARIF 2.1.0 log (OASIS): docs/diagnostics.md. `code` is the exit code. */
void sarif_print(const diagnostics *d, int code, arena *mem, FILE *out);

#endif
