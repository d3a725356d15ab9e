/* record.h - the command that a folder of run or compile was made by: its command.json. */
#ifndef ONYX_CLI_RECORD_H
#define ONYX_CLI_RECORD_H

#include "cli/cli.h"

const char *record_folder(cli_session *s); /* the current one */
/* Returns a path as it is named from any folder. */
const char *record_absolute(cli_session *s, const char *path);
/* Returns what a folder records of the command at hand, for those that go through it again. */
const char *record_command(cli_session *s, option_command command);
/* Reads the record of a folder: what was typed, from which folder on. E0950-not-compiled. */
bool record_read(cli_session *s, const char *folder, option_command *command, const char **where,
                 text_vec *words);
/* Reads what the last run or compile in the folder was told, even if it failed; *where is the folder that its
 * files are named from. E0950-not-compiled. */
bool record_last(cli_session *s, const char *folder, option_command *command, const char **where,
                 command_line *then);
/* Reports E0950-not-compiled of a folder. Returns false. */
bool record_missing(cli_session *s, const char *folder);

#endif
