/* cli.h - the onyx command: options, files, progress, printing. Everything that decides is in compile/. */
#ifndef ONYX_CLI_H
#define ONYX_CLI_H

#include "compile/report.h"
#include "options/options.h"

/* Everything one invocation works on. */
typedef struct {
    arena mem;
    name_table names;
    diagnostics diag;
    command_line options;       /* of the command */
    struct cli_progress *shown; /* progress.c; NULL: nobody looks */
    compile_context compile;    /* all of this that compile/ is told */
    compile_progress progress;
} cli_session;

void cli_session_begin(cli_session *s);
/* What is being done now, and how much of it, for whoever waits: a line on standard error for what takes over
 * a second, on a terminal or with --progress. `what` must stay; total 0: not counted. */
void cli_progress_stage(cli_session *s, const char *what, uint64_t total);
void cli_progress_count(cli_session *s, uint64_t done);
/* progress.c: called by the session only. */
void cli_progress_begin(cli_session *s);
void cli_progress_end(cli_session *s);
/* Prints what was diagnosed, frees everything, returns the exit code. */
int cli_session_end(cli_session *s, bool ok);
/* Names of a folder's files that end so, without that end, in order; none where there is no such folder. */
text_vec cli_names_in(cli_session *s, const char *folder, const char *end);

/* ---- arguments (usage.c) ----------------------------------------------------------------------- */

#define SUBCOMMAND(key, name, arguments, help)
#define COMMAND(key, name, arguments, does, help) int command_##name(int argc, char **argv);
#include "options/commands.def"
#undef COMMAND
#undef SUBCOMMAND

/* Into s->options. False after errors, and where all that was asked for is --help, which it prints. */
bool cli_parse(cli_session *s, option_command command, int argc, char **argv);
/* Of a command with several actions, one of which reads the option, and not the one at hand: E0902-option if
 * it was given. */
void cli_refuse_option(cli_session *s, option_key key, const char *reader);
/* E0904-argument. */
bool cli_want_arguments(cli_session *s, uint32_t wanted, const char *usage);

/* A command on a folder of run or compile (again.c): parses, goes through the folder's command again, and
 * calls `action` with the options of then, in which paths hold from the current folder: it becomes that of
 * then, if it is still there. What is said now of checks, waves and hazards takes the place of what was said
 * then. E0950-not-compiled. */
int cli_command_again(option_command command, int argc, char **argv,
                      bool (*action)(cli_session *, compile_options *));

/* Every cell at the site a .place file gives it. E0923-not-placed, and what pnr_place has to say. */
bool cli_read_placement(cli_session *s, const char *path, pnr_options *options, const netlist *n,
                        const pnr_board *board, pnr_design *design);

/* `onyx run` with these options, up to what is printed. */
bool cli_run(const compile_options *o, cli_session *s, compile_kernel *k);
/* Leaves in the folder what cli_command_again goes through again. */
bool cli_record_command(cli_session *s, const char *folder);
void cli_print_json(const cJSON *json);

/* Whether `onyx help TOPIC` has a page; of a command's name it then prints that, not the command's --help. */
bool cli_is_page(const char *topic);

#endif
