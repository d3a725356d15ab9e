/* access.h - accesses in index notation. */
#ifndef ONYX_FRONTEND_ACCESS_H
#define ONYX_FRONTEND_ACCESS_H

#include "frontend/language/text.h"

/* The expression of a failure. */
extern const sam_expr fe_no_expr;

typedef struct {
    fe_reader in;
    sam_statement *s;
    diagnostics *d;
    uint32_t depth;
    bool windowed, modified; /* the last access read has windows, or has modifiers of any kind */
    uint32_t addends;        /* indices that the access adds to others */
    sam_window window[SAM_MAX_ORDER];
    VEC(uint32_t) alone; /* positions of names alone in parentheses */
} fe_parser;
src_loc fe_span(src_loc first, src_loc last);
sam_expr fe_push_expr(fe_parser *p, sam_expr_data data);
sam_expr fe_add_binary(fe_parser *p, sam_expr_kind kind, sam_expr a, sam_expr b);
sam_tensor fe_use_tensor(fe_parser *p, name_id name, src_loc loc, uint32_t order);
bool fe_read_access(fe_parser *p, sam_expr_data *access);
/* In _{...} without commas a name of letters is an index for each letter: leaves the first one as token. */
void fe_cut_letter(fe_reader *in);

sam_var fe_use_var(sam_statement *s, const fe_token *t, diagnostics *d); /* v = 0 after E0118-too-large */

#endif
