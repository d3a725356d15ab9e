/* parse.h - the graph as DOT text. */
#ifndef ONYX_SAM_PARSE_H
#define ONYX_SAM_PARSE_H

#include "sam/graph.h"

/* Readers and writers of the SAM project's DOT dialect; docs/ir_sam.md is the contract. parse(dump(g)) equals
 * g. */
bool sam_parse(const char *name, const char *text, size_t length, name_table *names, diagnostics *d,
               sam_graph *out);
void sam_dump(const sam_graph *g, FILE *out);

#endif
