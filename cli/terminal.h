/* terminal.h - Markdown for a terminal: headings, tables, code, wrapped to the width. */
#ifndef ONYX_TERMINAL_H
#define ONYX_TERMINAL_H

#include "support/support.h"

#include <stdio.h>

/* Returns the width of text on this stream in columns: the terminal's, at most 110, or 80. */
uint32_t terminal_width(FILE *out);
/* Prints a page of the documentation, in lines of at most `width` columns where words allow it; text in
 * styles is between escape sequences. Understands what the documentation uses: headings, paragraphs, lists,
 * tables, fences and indented code; of the text `code`, *emphasis*, **strong**, [links](target). Comments are
 * left out, and of a picture its description is shown. */
void terminal_print(const char *markdown, uint32_t width, arena *mem, FILE *out);

#endif
