/* complete.h - completions of a command line for shells. */
#ifndef ONYX_COMPLETE_H
#define ONYX_COMPLETE_H

/* Prints the completions of the last word, a candidate on a line, with a tab and its meaning if known:
 * `words` are the words of a command line after "onyx", the last one as typed. A line ":files" requests file
 * names, too; ":files T:" file names after this beginning of the word. Returns the exit code. */
int complete_words(int n, const char *const *words);

#endif
