/* cli.h - the onyx command: options, files, progress, printing. All decisions are in compile/. */
#ifndef ONYX_CLI_H
#define ONYX_CLI_H

#include "options/options.h"
#include "support/progress.h"

/* Everything one invocation works on. */
typedef struct {
    arena mem;
    name_table names;
    diagnostics diag;
    command_line options;      /* of the command */
    struct cli_log *log;       /* log.h; NULL without --log */
    compile_context compile;   /* the part of the session visible to compile/ */
    compile_progress progress; /* to a `struct progress`; NULL where nobody looks */
} cli_session;

void cli_session_begin(cli_session *s);
/* Progress on standard error, on a terminal or with --progress. */
void cli_progress_begin(cli_session *s);
void cli_progress_end(cli_session *s);
/* Prints the diagnostics, frees everything, returns the exit code. */
int cli_session_end(cli_session *s, bool ok);
/* Returns the names of a folder's files with the ending `end`, sorted and without the ending; none for a
 * missing folder. */
text_vec cli_names_in(cli_session *s, const char *folder, const char *end);

/* ---- commands ------------------------------------------------------------------------------------ */

#define SUBCOMMAND(key, name, arguments, help)
#define COMMAND(key, name, arguments, does, help) int command_##name(int argc, char **argv);
#include "options/commands.def"
#undef COMMAND
#undef SUBCOMMAND

/* Runs a command on a folder of run or compile (again.c): parses the options, replays the folder's command,
 * and calls `action` with the recorded options. Recorded paths hold, since the current folder becomes the
 * recorded one, if present. New options of checks, waves and hazards replace the recorded ones.
 * E0950-not-compiled. */
int cli_command_again(option_command command, int argc, char **argv,
                      bool (*action)(cli_session *, command_line *));

/* Puts every cell at its site of a .place file. E0923-not-placed, and the errors of pnr_place. */
bool cli_read_placement(cli_session *s, const char *path, pnr_options *options, const netlist *n,
                        const pnr_board *board, pnr_design *design);

/* Does `onyx run` with these options except the printing. */
bool cli_run(const compile_options *o, cli_session *s, compile_kernel *k);
void cli_print_json(const cJSON *json);

#endif
