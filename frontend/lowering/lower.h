/* lower.h - from a packed statement to a SAM graph. */
#ifndef ONYX_FRONTEND_LOWER_H
#define ONYX_FRONTEND_LOWER_H

#include "sam/sam.h"

typedef struct {
    /* Also drops coordinates whose scalar reduction is over nothing, instead of storing a zero. Droppers
     * needed for agreement of the result's levels are always present. */
    bool drop;
    /* The engine's stops tell the fibers that were never opened, as in sam_simulate. Without, graphs beyond
     * plain streams (the chip's) are refused: E0124, E0126. */
    bool exact_stops;
    bool pad;    /* fe_build: fe_pad before lowering */
    bool locate; /* fe_build: fe_locate before lowering */
    bool counts; /* scalar reducers add: `or` of truth values is a sum unequal to 0; of int16 */
} fe_lower_options;
/* Makes a SAM graph of a statement (section 4.7 of the dissertation): per variable and operand a scanner or a
 * repeater, a joiner for several operands, then the compute tree, reducers, and the writers. Joiners have any
 * number of operands. The statement must satisfy fe_check_packed and come from fe_fill. Precondition on the
 * data, without exact stops: every operand has at least one stored value (an empty one may store an explicit
 * zero), and every stored coordinate of a compressed level has something below, or a dense level. Then each
 * coordinate at a level writer has a non-empty fiber below and a value for each innermost coordinate, also
 * with writers that merge runs of stops; only a result without any coordinate may come with one stray zero.
 * With exact stops any data is right; with empty operands a stored coordinate may have nothing below. Errors
 * E0118 to E0130 for statements without a graph. */
bool fe_lower(const sam_statement *s, const fe_lower_options *options, arena *mem, diagnostics *d,
              sam_graph *out);

#endif
