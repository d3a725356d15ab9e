/* cli.h - the onyx command: options, files, progress, printing. Everything that decides is in compile/. */
#ifndef ONYX_CLI_H
#define ONYX_CLI_H

#include "options/options.h"

/* Everything one invocation works on. */
typedef struct {
    arena mem;
    name_table names;
    diagnostics diag;
    command_line options;       /* of the command */
    struct cli_progress *shown; /* progress.c; NULL where nobody looks */
    struct cli_log *log;        /* log.h; NULL without --log */
    compile_context compile;    /* all of this that compile/ is told */
    compile_progress progress;
} cli_session;

void cli_session_begin(cli_session *s);
/* Tell whoever waits what is being done now, and how much of it is done: a line on standard error for what
 * takes over a second, on a terminal or with --progress. `what` must outlive the stage; a total of 0 means
 * that it is not counted. */
void cli_progress_stage(cli_session *s, const char *what, uint64_t total);
void cli_progress_count(cli_session *s, uint64_t done);
/* These two are in progress.c and are called by the session only. */
void cli_progress_begin(cli_session *s);
void cli_progress_end(cli_session *s);
/* Prints what was diagnosed, frees everything, returns the exit code. */
int cli_session_end(cli_session *s, bool ok);
/* Returns the names of a folder's files that end with `end`, sorted and without that end; none where there is
 * no such folder. */
text_vec cli_names_in(cli_session *s, const char *folder, const char *end);

/* ---- commands ------------------------------------------------------------------------------------ */

#define SUBCOMMAND(key, name, arguments, help)
#define COMMAND(key, name, arguments, does, help) int command_##name(int argc, char **argv);
#include "options/commands.def"
#undef COMMAND
#undef SUBCOMMAND

/* Runs a command on a folder that run or compile left (again.c): it parses the options, goes through the
 * folder's command again, and calls `action` with the options of then. Their paths hold, since the current
 * folder becomes that of then, if it is still there. What is said now of checks, waves and hazards takes the
 * place of what was said then. E0950-not-compiled. */
int cli_command_again(option_command command, int argc, char **argv,
                      bool (*action)(cli_session *, compile_options *));

/* Puts every cell at the site that a .place file gives it. E0923-not-placed, and what pnr_place has to say.
 */
bool cli_read_placement(cli_session *s, const char *path, pnr_options *options, const netlist *n,
                        const pnr_board *board, pnr_design *design);

/* Does all of `onyx run` with these options but the printing. */
bool cli_run(const compile_options *o, cli_session *s, compile_kernel *k);
void cli_print_json(const cJSON *json);

#endif
