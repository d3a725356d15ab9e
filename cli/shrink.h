/* shrink.h - delta debugging (Zeller and Hildebrandt 2002): less of something that still does the same. */
#ifndef ONYX_SHRINK_H
#define ONYX_SHRINK_H

#include "kernel/context.h"

/* Says whether what is kept, of n things, still does the same. */
typedef bool shrink_set_test(void *to, const bool *keep);
/* Leaves out all at once, else halves, quarters and so on down to single things, until none of those that
 * keep[] has can go by itself; keep[] is what the last test that held was given. O(n log n) tests where few
 * things matter, O(n * n) at worst. */
void shrink_set(uint32_t n, bool *keep, shrink_set_test *test, void *to);

/* Returns the words and signs of a text. */
text_vec shrink_tokens(const char *text, arena *mem);
/* Says whether this shorter text still does the same. */
typedef bool shrink_text_test(void *to, const char *text);
/* Leaves out what stands between signs, brackets in pairs: a term and its sign, an argument and its comma, a
 * function's name and brackets around its argument. Returns the shortest text for which the test held; the
 * longest pieces are tried first. */
const char *shrink_text(const char *text, shrink_text_test *test, void *to, arena *mem);

#endif
