/* parse_int.h - shared by the two halves of sam_parse. */
#ifndef ONYX_SAM_PARSE_INT_H
#define ONYX_SAM_PARSE_INT_H

#include "sam/dot.h"
#include "sam/sam.h"

typedef struct {
    dot_graph dot; /* node i and edge i become node i + 1 and edge i of the graph */
    sam_graph *g;
    diagnostics *d;
} parser;

/* Sets src_port and dst_port of every edge: from its attributes of these names if present, else from the
 * dialect's conventions (docs/ir_sam.md). E0206-port-number, E0207-port. */
bool parse_ports(parser *p);

#endif
