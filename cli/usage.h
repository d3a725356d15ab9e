/* usage.h - a command line of this program. */
#ifndef ONYX_CLI_USAGE_H
#define ONYX_CLI_USAGE_H

#include "cli/cli.h"

/* Reads the command line into s->options. Returns false after errors, and after printing a requested
 * --help. */
bool cli_parse(cli_session *s, option_command command, int argc, char **argv);

/* Finds the first given option outside of this list. Returns whether any exists. */
bool cli_unread_option(const command_line *o, const option_key *read, size_t n, option_key *first);
/* Refuses an option read only by the action `reader` of a command, for its other actions: E0902-option if
 * given. */
void cli_refuse_option(cli_session *s, option_key key, const char *reader);

/* Checks the number of arguments: E0904-argument. */
bool cli_want_arguments(cli_session *s, uint32_t wanted, const char *usage);

/* Returns words in shell quoting. */
const char *cli_shell(const text_vec *words, arena *mem);
/* Makes a folder that the command removes at its end, and returns its path; NULL after E0004-write. */
const char *cli_temporary_folder(cli_session *s);

#endif
