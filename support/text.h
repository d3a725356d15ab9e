/* text.h - text in memory. */
#ifndef ONYX_SUPPORT_TEXT_H
#define ONYX_SUPPORT_TEXT_H

#include "support/arena.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Returns the word for n things, where a number is shown to people: plural(n, "copy", "copies"). */
static inline const char *plural(uint64_t n, const char *one, const char *many) {
    return n == 1 ? one : many;
}

/* Returns a number for people, "852,854". */
const char *text_thousands(uint64_t n, arena *mem);

/* Returns whether a character can be of a name: a letter, a digit or '_'. */
static inline bool text_in_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns how many such characters the text begins with. */
static inline size_t text_name_length(const char *text) {
    size_t n = 0;
    while (text_in_name(text[n]))
        n++;
    return n;
}

/* Returns whether a text, as the name of a file, ends with `end`. */
static inline bool text_ends_with(const char *text, const char *end) {
    const size_t length = strlen(text), n = strlen(end);
    return length >= n && strcmp(text + length - n, end) == 0;
}

/* Returns whether the name of a file has an extension, as "/dev/stdin" and "a.b/c" have not. */
static inline bool text_has_extension(const char *path) {
    const char *name = strrchr(path, '/');
    return strchr(name ? name : path, '.') != NULL;
}

/* Returns true if `known` is fewer slips from the text than *distance, which becomes their number:
 * insertions, deletions, replacements, swaps of neighbours (optimal string alignment, O(product of the
 * lengths)). */
enum { TEXT_TOO_FAR = 3 }; /* the distance to begin with */
bool text_nearer(const char *text, size_t length, const char *known, uint32_t *distance);

/* Collects the output printed to `stream` between text_begin and text_end. The struct must not be moved in
 * between. */
typedef struct {
    FILE *stream;
    char *text;
    size_t length; /* after text_end */
} text_out;

void text_begin(text_out *out);
/* Returns the text, ended by 0, in `mem`. */
char *text_end(text_out *out, arena *mem);

/* Prints text with the special characters of XML and HTML. */
void text_put_escaped(const char *text, FILE *out);

/* Returns the first line of a log with "error:", or else its first line; "" for an empty log. */
const char *file_error_line(const char *log, arena *mem);
/* Returns the last `lines` lines of a text. */
const char *text_tail(const char *text, size_t length, uint32_t lines);

#endif
