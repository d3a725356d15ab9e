/* absent.h - effects of operands absent from a union, in an Onyx-aware graph. */
#ifndef ONYX_LOWER_ABSENT_H
#define ONYX_LOWER_ABSENT_H

#include "lower_onyx/lower_int.h"

/* Refuses dense scanners that may meet a stop directly behind a stop (E0432-dense-stop), and empty tokens
 * among coordinates and repeat signals, where the chip mistakes them (E0428-empty-token). Every input must
 * have one driver at most, and every cycle of links must pass a memory. */
void lower_check_absent(const onyx_graph *g, diagnostics *d);

#endif
