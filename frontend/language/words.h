/* words.h - words and numbers common to schedules and CIN. */
#ifndef ONYX_FRONTEND_WORDS_H
#define ONYX_FRONTEND_WORDS_H

#include "frontend/language/cin.h"
#include "frontend/language/text.h"

/* Read words and numbers common to schedules and CIN (words.c), at the reader's position. E0142, E0144. */
bool fe_parse_number(fe_reader *in, uint32_t low, uint32_t high, diagnostics *d, uint32_t *out);
bool fe_parse_bound_type(fe_reader *in, diagnostics *d, fe_bound_type *out);
bool fe_parse_parallel(fe_reader *in, diagnostics *d, fe_tag *tag, bool *parallel); /* "unit, strategy" */
/* Gives units other than lanes as many copies as the loop has iterations; one, if the number exceeds
 * FE_MAX_COPIES or is unknown. */
void fe_count_copies(const fe_kernel *k, fe_tag *tag);
const char *fe_bound_text(fe_bound_type type);
const char *fe_unit_text(fe_unit unit);
const char *fe_strategy_text(fe_races strategy);

/* Returns whether the name is a word before a parenthesis, forbidden for tensors with indices. */
bool fe_is_keyword(const char *name);
/* Reads the name of a variable, or of a tensor, unused in cin; a variable and a tensor may share one.
 * E0140-new-name. */
typedef enum { FE_NEW_VAR, FE_NEW_TENSOR } fe_named;
bool fe_parse_new_name(fe_reader *in, const fe_cin *cin, fe_named what, diagnostics *d, name_id *out);

/* Returns a name not used by an index or a tensor of the statement: the prefix and a number above *n, then
 * stored in *n. */
const char *fe_unused_name(const sam_statement *s, const char *prefix, uint32_t *n, arena *mem);

#endif
