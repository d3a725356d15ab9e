/* spans.h - spans of a text, for notations that have no tokens of their own. */
#ifndef ONYX_FE_SPANS_H
#define ONYX_FE_SPANS_H

#include "sam/sam.h"

#include <stddef.h>

typedef struct fe_span fe_span;
struct fe_span {
    const char *at;
    size_t n;
};

/* Returns the span without blanks at its ends. */
fe_span fe_trimmed(fe_span s);
/* Returns what is behind the first n characters. */
fe_span fe_behind(fe_span s, size_t n);
/* Returns the length up to the first of `ends` outside of brackets, which are pairs such as "()[]"; the > of
 * an arrow closes none. */
size_t fe_length_to(fe_span s, const char *ends, const char *brackets);
/* Takes an item off a list with commas. */
fe_span fe_next_item(fe_span *list, const char *brackets);

#endif
