/* bind.h - commands that give a subexpression of the right side to the host, or to a function. */
#ifndef ONYX_FRONTEND_BIND_H
#define ONYX_FRONTEND_BIND_H

#include "frontend/schedules/precompute.h"
#include "frontend/schedules/take_out.h"

/* Reads and applies bind or map after its opening parenthesis. E0167-bind and others. */
bool fe_bind(fe_reader *in, fe_taking how, fe_binding *said, fe_cin *cin, diagnostics *d);
/* Reads an expression of the statement's tensors, as r->want. */
bool fe_parse_subexpr(fe_reader *in, sam_statement *s, fe_subexpr_request *r, diagnostics *d);

#endif
