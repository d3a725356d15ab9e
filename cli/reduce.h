/* reduce.h - a command that failed, with as little as fails in the same way. */
#ifndef ONYX_REDUCE_H
#define ONYX_REDUCE_H

#include "cli/case.h"

/* Shrinks the last command of the folder `of`, and leaves in `folder` its operands and
 * what the command that is left leaves there; *line becomes that command, as it is typed. Says what became of
 * it unless
 * --quiet was given. E0950-not-compiled, E0952-no-failure. */
bool reduce_case(cli_session *s, const char *of, const char *folder, const char **line);

#endif
