/* windows.h - index modifiers: parts of a tensor that are operands of their own (sam_window). */
#ifndef ONYX_FE_WINDOWS_H
#define ONYX_FE_WINDOWS_H

#include "frontend/fe_int.h"

/* Reads what may follow an index: "(lo:hi:st)", "+ n", "- n", or nothing; then "::" and a protocol, or
 * nothing. E0102, E0156-modifier. */
bool fe_parse_window(fe_reader *in, sam_window *w, uint8_t *protocol, diagnostics *d);
/* Marks the levels that are walked, and warns where the chip walks in place of another protocol:
 * E0157-walked. Formats must be known; an outermost level that follows and has none is dense. */
void fe_set_protocols(const fe_in *in, sam_statement *s, diagnostics *d);
/* Returns the tensor that is this part of the user's, with that many indices. It is added where no access had
 * it before, and where it permits an index to be outside. */
sam_tensor fe_window_of(sam_statement *s, sam_tensor of, const sam_window *w, uint32_t order);

/* Returns whether "permit(" and an index stand here, and not a slice of an index of that name. */
bool fe_at_permit(const fe_reader *in);
/* Returns whether a number and * stand here. */
bool fe_at_factor(const fe_reader *in);
/* Reads what an index is taken times, if that stands here; 1 where it does not. E0156-modifier. */
bool fe_take_factor(fe_reader *in, uint32_t *times, diagnostics *d);
/* Checks what modifies an index, or the sum of so many. E0156-modifier. */
bool fe_check_index(src_loc loc, const sam_window *w, const sam_var *index, uint32_t addends, diagnostics *d);
/* Refuses an access that may be outside of its tensor where no coalesce is around it: E0162-missing. */
bool fe_check_missing(const sam_statement *s, const sam_expr_data *access, diagnostics *d);
/* Begins coalesce(...) with its first argument, and adds one to it: an access, or a literal. *last is the
 * part of the argument before. E0162-missing. */
bool fe_begin_coalesce(sam_statement *s, const sam_expr_data *first, diagnostics *d);
bool fe_add_beyond(sam_statement *s, const sam_expr_data *first, sam_tensor *last, const sam_expr_data *next,
                   diagnostics *d);
/* Checks that the parts of each coalesce have one fill: E0153-fill. */
bool fe_check_fills(const sam_statement *s, diagnostics *d);
/* Adds the parts that no access has, which fe_compact leaves out. They are the last tensors. */
void fe_keep_spare(const sam_statement *from, sam_statement *s);

#endif
