/* record.h - the command of a folder of run or compile: its command.json. */
#ifndef ONYX_CLI_RECORD_H
#define ONYX_CLI_RECORD_H

#include "cli/cli.h"

/* The command recorded in a folder. */
typedef struct {
    option_command command;
    const char *from; /* the base folder of its file names */
    text_vec words;   /* as typed, after the name of the program */
    bool ours;        /* recorded by this user on this machine, and `from` exists: trust.h */
    command_line then;
} cli_record;

const char *record_folder(cli_session *s); /* the current one */
/* Returns a path valid from any folder. */
const char *record_absolute(cli_session *s, const char *path);
/* Returns a folder's record of the current command, for replays. */
const char *record_command(cli_session *s, option_command command);
/* Reads the record of a folder: the command that made its contents; with `last` the last command even if
 * failed, as run or compile; otherwise as run. E0950-not-compiled; E0957-untrusted for another user's command
 * with C. */
bool record_read(cli_session *s, const char *folder, bool last, cli_record *r);

#endif
