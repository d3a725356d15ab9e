/* subscripts.h - coordinates computed of indices, as i*4+k-1, read from a text. */
#ifndef ONYX_FRONTEND_SUBSCRIPTS_H
#define ONYX_FRONTEND_SUBSCRIPTS_H

#include "frontend/language/spans.h"

/* An index: times[] of the variables, plus `more`, or what the tensor `read` holds at the variables. */
typedef struct {
    fe_span var[SAM_MAX_ORDER], read;
    long times[SAM_MAX_ORDER], more;
    uint32_t n;
} fe_subscript;

/* Reads "i*4+k-1", a sum of multiples of indices; false if the text is another, or without an index. */
bool fe_read_subscript(fe_span argument, fe_subscript *out);
/* Returns the length of the word at the start; 0: none. */
size_t fe_word_length(fe_span s);
/* Returns whether a text has the word. */
bool fe_has_word(const char *text, fe_span word);
/* Returns whether both are the same text. */
bool fe_same(fe_span a, fe_span b);
/* Returns whether the span is the text. */
bool fe_is(fe_span a, const char *text);
const char *fe_text_of(fe_span span, arena *mem);
/* Splits "name(inside)" off a text; false if the text has something else. *rest is behind, in either case
 * behind the name. */
bool fe_split_call(fe_span s, fe_span *name, fe_span *inside, fe_span *rest);

/* Takes the next command "name(inside)" off a schedule; *all is the whole command. False at the end, or at
 * other text, still in *text then. */
bool fe_next_command(fe_span *text, fe_span *all, fe_span *name, fe_span *inside);

#endif
