/* shrink.h - delta debugging (Zeller and Hildebrandt 2002): reduces an input while a test holds. */
#ifndef ONYX_SHRINK_H
#define ONYX_SHRINK_H

#include "kernel/context.h"

/* Tests whether the kept things, of n, still have the property. */
typedef bool shrink_set_test(void *to, const bool *keep);
/* Removes all at once, else halves, quarters and so on down to single things, until no kept thing can be
 * removed alone; keep[] is the argument of the last successful test. O(n log n) tests for few essential
 * things, O(n * n) at worst. */
void shrink_set(uint32_t n, bool *keep, shrink_set_test *test, void *to);

/* Returns the words and signs of a text. */
text_vec shrink_tokens(const char *text, arena *mem);
/* Says whether this shorter text still does the same. */
typedef bool shrink_text_test(void *to, const char *text);
/* Removes text between signs, brackets in pairs: a term and its sign, an argument and its comma, a function's
 * name and brackets around its argument. Returns the shortest text that passed the test; the longest pieces
 * are tried first. */
const char *shrink_text(const char *text, shrink_text_test *test, void *to, arena *mem);

#endif
