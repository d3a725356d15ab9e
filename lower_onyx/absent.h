/* absent.h - what operands that a union lacks leave behind in an Onyx-aware graph. */
#ifndef ONYX_LOWER_ABSENT_H
#define ONYX_LOWER_ABSENT_H

#include "lower_onyx/lower_int.h"

/* Refuses dense scanners that may meet a stop right behind a stop (E0432-dense-stop), and the empty token
 * where the chip takes it for something else (E0428-empty-token): among coordinates and repeat signals. Every
 * input must have one driver at most, and the links no cycle but through memories. */
void lower_check_absent(const onyx_graph *g, diagnostics *d);

#endif
