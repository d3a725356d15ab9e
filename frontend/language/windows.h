/* windows.h - index modifiers: windows of a tensor as separate operands (sam_window). */
#ifndef ONYX_FE_WINDOWS_H
#define ONYX_FE_WINDOWS_H

#include "frontend/language/parse.h"

/* Reads the text after an index: "(lo:hi:st)", "+ n", "- n", or nothing; then "::" and a protocol, or
 * nothing. E0102, E0156-modifier. */
bool fe_parse_window(fe_reader *in, sam_window *w, uint8_t *protocol, diagnostics *d);
/* Marks the walked levels, and warns if the chip walks in place of another protocol: E0157-walked. Formats
 * must be known; an outermost level that follows, without a format, is dense. */
void fe_set_protocols(const fe_in *in, sam_statement *s, diagnostics *d);
/* Returns the tensor for this window of the user's, with `order` indices. Adds the tensor on its first
 * access, and for each access that permits an index to be outside. */
sam_tensor fe_window_of(sam_statement *s, sam_tensor of, const sam_window *w, uint32_t order);

/* Returns whether "permit(" and an index follow, as opposed to a slice of an index named permit. */
bool fe_at_permit(const fe_reader *in);
/* Returns whether a number and * stand here. */
bool fe_at_factor(const fe_reader *in);
/* Reads the factor of an index, if present; 1 otherwise. E0156-modifier. */
bool fe_take_factor(fe_reader *in, uint32_t *times, diagnostics *d);
/* The text before an index: a number and + or -, or - alone. */
typedef struct {
    bool said, down;
    int32_t number;
} fe_base;
/* Adds the base to the window of an index, or of a sum of `addends` indices, and checks all modifiers.
 * E0156-modifier. */
bool fe_check_index(src_loc loc, const fe_base *base, sam_window *w, const sam_var *index, uint32_t addends,
                    diagnostics *d);
/* Refuses an access that may be outside of its tensor without a coalesce around: E0162-missing. */
bool fe_check_missing(const sam_statement *s, const sam_expr_data *access, diagnostics *d);
/* Begin coalesce(...) with its first argument, and add an argument: an access, or a literal. *last is the
 * window of the previous argument. E0162-missing. */
bool fe_begin_coalesce(sam_statement *s, const sam_expr_data *first, diagnostics *d);
bool fe_add_beyond(sam_statement *s, const sam_expr_data *first, sam_tensor *last, const sam_expr_data *next,
                   diagnostics *d);
/* Checks that the windows of each coalesce have one fill: E0153-fill. */
bool fe_check_fills(const sam_statement *s, diagnostics *d);
/* Adds the windows without an access, which fe_compact leaves out, as the last tensors. */
void fe_keep_spare(const sam_statement *from, sam_statement *s);

#endif
