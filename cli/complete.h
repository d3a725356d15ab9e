/* complete.h - what a shell may complete a command line to. */
#ifndef ONYX_COMPLETE_H
#define ONYX_COMPLETE_H

/* Prints what the last one of the words may become, each candidate on a line, with a tab and what it means
 * where that is known: `words` are those of a command line behind "onyx", the last one as far as it is typed.
 * A line ":files" asks for the names of files too; ":files T:" for those of files behind that much of the
 * word. Returns the exit code. */
int complete_words(int n, const char *const *words);

#endif
