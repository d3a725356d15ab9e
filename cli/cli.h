/* cli.h - the onyx command: options, files, progress, printing. Everything that decides is in compile/. */
#ifndef ONYX_CLI_H
#define ONYX_CLI_H

#include "options/options.h"

/* Exit codes: scripts depend on them. */
enum { EXIT_OK = 0, EXIT_USER = 1, EXIT_UNMAPPABLE = 2, EXIT_MISMATCH = 3, EXIT_INTERRUPTED = 130 };

/* Everything one invocation works on. */
typedef struct {
    arena mem;
    name_table names;
    diagnostics diag;
    command_line options;       /* of the command */
    struct cli_progress *shown; /* progress.c; NULL: nobody looks */
    VEC(pnr_board) boards;      /* read so far; freed at the end */
    compile_context compile;    /* all of this that compile/ is told */
    compile_progress progress;
    int folder; /* what keeps others from the output folder, plus 1; 0: nothing */
} cli_session;

void cli_session_begin(cli_session *s);
/* The programs of the toolchain are in this folder, which ends in '/', and not in that of this program. */
void cli_set_programs(cli_session *s, const char *folder);
/* What is being done now, and how much of it, for whoever waits: a line on standard error for what takes over
 * a second, on a terminal or with --progress. `what` must stay; total 0: not counted. */
void cli_progress_stage(cli_session *s, const char *what, uint64_t total);
void cli_progress_count(cli_session *s, uint64_t done);
/* progress.c: called by the session only. */
void cli_progress_begin(cli_session *s);
void cli_progress_end(cli_session *s);
/* Prints what was diagnosed, frees everything, returns the exit code. */
int cli_session_end(cli_session *s, bool ok);
/* Makes the folder for what is produced, and keeps other commands from it until the session ends:
 * E0007-in-use. */
bool cli_take_folder(cli_session *s, const char *path);
/* The file of a program of the toolchain, "onyx" or "onyx-cosim"; just its name where /proc does not tell. */
const char *cli_program(cli_session *s, const char *name);
/* Names of a folder's files that end so, without that end, in order; none where there is no such folder. */
text_vec cli_names_in(cli_session *s, const char *folder, const char *end);
/* A board by name, or by the path of a .json file; *path is the file, unless path is NULL. The session frees
 * it. */
bool cli_read_board(cli_session *s, const char *name, pnr_board *board, const char **path);

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
/* E0904-argument, E0905-folder. */
bool cli_want_arguments(cli_session *s, uint32_t wanted, const char *usage);
bool cli_want_folder(cli_session *s);

/* A command on a folder of run or compile (again.c): parses, goes through the folder's command again, and
 * calls `action` with the options of then, in which paths hold from the current folder: it becomes that of
 * then, if it is still there. What is said now of checks, waves and hazards takes the place of what was said
 * then. E0950-not-compiled. */
int cli_command_again(option_command command, int argc, char **argv,
                      bool (*action)(cli_session *, compile_options *));

/* Every cell at the site a .place file gives it. E0923-not-placed, and what pnr_place has to say. */
bool cli_read_placement(cli_session *s, const char *path, pnr_options *options, const netlist *n,
                        const pnr_board *board, pnr_design *design);

/* `onyx run` with these options, up to the report: k->ran.result holds the result, o->out the files. */
bool cli_run(const compile_options *o, cli_session *s, compile_kernel *k);
/* Up to the bitstream: takes the folder, reads the board. */
bool cli_compile(const compile_options *o, cli_session *s, compile_kernel *k);
/* Leaves in the folder what cli_command_again goes through again. */
bool cli_record_command(cli_session *s, const char *folder);
/* Writes the result to each -o T:FILE; NULL: there is none, and asking for it is a mistake. */
bool cli_write_outputs(const compile_options *o, cli_session *s, const tile_tensor *result);
/* The summary on standard output and report.json in the folder; `ran`: after run, not only compiled. */
bool cli_report(const compile_options *o, cli_session *s, const compile_kernel *k, bool ran,
                const char *check);

void cli_print_json(const cJSON *json);
/* Where the cycle model ran: "hazards" of report.json. After engine cycle also "stalls" and "bottlenecks",
 * and the lines of the summary. */
void cli_hazards_json(const compile_modelled *met, cJSON *json);
void cli_stalls_json(cli_session *s, const compile_modelled *met, cJSON *json);
void cli_stalls_print(cli_session *s, const compile_modelled *met);

/* Whether `onyx help TOPIC` has a page; of a command's name it then prints that, not the command's --help. */
bool cli_is_page(const char *topic);

#endif
