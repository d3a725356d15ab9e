/* record.h - the command that a folder of run or compile was made by: its command.json. */
#ifndef ONYX_CLI_RECORD_H
#define ONYX_CLI_RECORD_H

#include "cli/cli.h"

/* The command that a folder records. */
typedef struct {
    option_command command;
    const char *from; /* the folder that its files are named from */
    text_vec words;   /* as they were typed, behind the name of the program */
    bool ours;        /* this user recorded it on this machine, and `from` is there: trust.h */
    command_line then;
} cli_record;

const char *record_folder(cli_session *s); /* the current one */
/* Returns a path as it is named from any folder. */
const char *record_absolute(cli_session *s, const char *path);
/* Returns what a folder records of the command at hand, for those that go through it again. */
const char *record_command(cli_session *s, option_command command);
/* Reads the record of a folder: the command that made what is there; with `last` that of the last command
 * even if it failed, as what it was, run or compile, else as run. E0950-not-compiled; E0957-untrusted where
 * the command names C and is somebody else's. */
bool record_read(cli_session *s, const char *folder, bool last, cli_record *r);
/* Reports E0950-not-compiled of a folder. Returns false. */
bool record_missing(cli_session *s, const char *folder);

#endif
