/* usage.h - a command line of this program. */
#ifndef ONYX_CLI_USAGE_H
#define ONYX_CLI_USAGE_H

#include "cli/cli.h"

/* Reads the command line into s->options. Returns false after errors, and where all that was asked for is
 * --help, which it prints. */
bool cli_parse(cli_session *s, option_command command, int argc, char **argv);

/* Finds the first option said that is not among these. Returns whether there is one. */
bool cli_unread_option(const command_line *o, const option_key *read, size_t n, option_key *first);
/* Refuses an option that only the action `reader` of a command reads, where another of its actions is at
 * hand: E0902-option if it was given. */
void cli_refuse_option(cli_session *s, option_key key, const char *reader);

/* Checks how many arguments there are: E0904-argument. */
bool cli_want_arguments(cli_session *s, uint32_t wanted, const char *usage);

/* Returns words as they are typed in a shell. */
const char *cli_shell(const text_vec *words, arena *mem);

#endif
