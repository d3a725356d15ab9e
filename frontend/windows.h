/* windows.h - index modifiers: parts of a tensor that are operands of their own (sam_window). */
#ifndef ONYX_FE_WINDOWS_H
#define ONYX_FE_WINDOWS_H

#include "frontend/fe_int.h"

/* Reads what may follow an index: "(lo:hi:st)", "+ n", "- n", or nothing; then "::" and a protocol, or
 * nothing. E0102, E0156-modifier. */
bool fe_parse_window(fe_reader *in, sam_window *w, uint8_t *protocol, diagnostics *d);
/* Marks the levels that are walked, and warns where the chip walks in place of another protocol:
 * E0157-walked. Formats must be known. */
void fe_set_protocols(sam_statement *s, diagnostics *d);
/* Returns the tensor that is this part of the user's, which is added where no access had it before. */
sam_tensor fe_window_of(sam_statement *s, sam_tensor of, const sam_window *w);

#endif
