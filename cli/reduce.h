/* reduce.h - reduces a failing command to the smallest command with the same failure. */
#ifndef ONYX_REDUCE_H
#define ONYX_REDUCE_H

#include "cli/case.h"

/* Reduces the last command of the folder `of`, and leaves its operands and the reduced command's output in
 * `folder`; *line becomes the reduced command, as typed. Reports the result unless --quiet was given.
 * E0950-not-compiled, E0952-no-failure. */
bool reduce_case(cli_session *s, const char *of, const char *folder, const char **line);

#endif
