/* cli.h - the onyx command: options, files, progress, printing. Everything that decides is in compile/. */
#ifndef ONYX_CLI_H
#define ONYX_CLI_H

#include "compile/compile.h"

#include <argp.h>

/* Exit codes: scripts depend on them. */
enum { EXIT_OK = 0, EXIT_USER = 1, EXIT_UNMAPPABLE = 2, EXIT_MISMATCH = 3, EXIT_INTERRUPTED = 130 };

/* Everything one invocation works on. */
typedef struct {
    arena mem;
    name_table names;
    diagnostics diag;
    bool json;                  /* --diagnostics=json */
    bool quiet;                 /* --quiet: no summary */
    bool report_progress;       /* --progress */
    struct cli_progress *shown; /* progress.c; NULL: nobody looks */
    VEC(pnr_board) boards;      /* read so far; freed at the end */
    compile_context compile;    /* all of this that compile/ is told */
    compile_progress progress;
    int folder;    /* what keeps others from the output folder, plus 1; 0: nothing */
    bool embedded; /* in somebody else's program, which --help must not end */
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

/* ---- arguments (arguments.c, values.c) -------------------------------------------------------- */

typedef enum {
#define COMMAND(key, name, doc) CLI_##key,
#include "cli/commands.def"
#undef COMMAND
    CLI_SWEEP_REPORT,
    CLI_COMMANDS
} cli_command;
#define COMMAND(key, name, doc) int command_##name(int argc, char **argv);
#include "cli/commands.def"
#undef COMMAND

/* What a command's parser gets of an option: its letter, or a number of its own. */
enum {
#define HEADING(group, commands, text)
#define OPTION(key, name, letter, value, group, commands, doc) CLI_ROW_##key,
#include "cli/options.def"
#undef OPTION
};
enum {
    CLI_NO_LETTER = 256,
#define OPTION(key, name, letter, value, group, commands, doc)                                               \
    CLI_OPT_##key = (letter) ? (letter) : (int)CLI_NO_LETTER + (int)CLI_ROW_##key,
#include "cli/options.def"
#undef OPTION
#undef HEADING
};
/* "dtype" */
const char *cli_option_name(int key);

/* Parses with argp the options that options.def gives the command; but takes long ones only in full: scripts
 * that abbreviate break when an option is added. Of `parser` it reads .parser, .args_doc and .doc; `input` is
 * what the callback gets. The options of every command go to the session. False after errors (E0902-option,
 * E0903-option-value); --help ends the program. */
bool cli_parse(const struct argp *parser, cli_command command, int argc, char **argv, cli_session *s,
               void *input);
/* Values of options; E0903-option-value when they are not in range, or not among the NULL-terminated words
 * known (whose index is the answer). */
uint64_t cli_whole(cli_session *s, const char *option, const char *text, uint64_t low, uint64_t high);
int cli_choice(cli_session *s, const char *option, const char *text, const char *const *known);
const char *cli_profile(cli_session *s, const char *text);
tile_dtype cli_dtype(cli_session *s, const char *text);
compile_severity cli_severity_of(cli_session *s, const char *option, const char *text);
extern const char *const cli_engines[]; /* what --engine may be, from ENGINE_SAM on; then NULL */
/* True if `known` is fewer slips from the text than *distance, which it then is: insertions, deletions,
 * replacements, swaps of neighbours (optimal string alignment, O(product of the lengths)). */
enum { CLI_TOO_FAR = 3 }; /* to begin with: two slips are one */
bool cli_nearer(const char *text, size_t length, const char *known, uint32_t *distance);
void cli_bad_value(cli_session *s, const char *option, const char *value, const char *want);

/* The tools on files: first member of their options, which they give to cli_parse. */
typedef struct {
    cli_session *session;
    const char *board, *profile, *out;
    text_vec arguments;
    bool json;
} cli_tool;
error_t cli_parse_tool(int key, char *arg, struct argp_state *state);
/* Of a command with several actions, one of which reads the option, and not the one at hand: E0902-option if
 * it was given. */
void cli_refuse_option(cli_session *s, const char *option, const void *given, const char *reader);
/* E0904-argument, E0905-folder. */
bool cli_want_arguments(const cli_tool *o, uint32_t wanted, const char *usage);
bool cli_want_folder(cli_session *s, const char *out);

/* A command on a folder of run or compile (again.c): first member of its options. What these say takes the
 * place of what the folder's command said. */
typedef struct {
    cli_tool tool;
    bool no_check, wave, judges_hazards;
    compile_severity hazards; /* judges_hazards: what was said */
} cli_again;
error_t cli_parse_again(int key, char *arg, struct argp_state *state);
/* The whole command: parses, goes through the folder's command again, and calls `action` with the options of
 * then, in which paths hold from the current folder: it becomes that of then, if it is still there.
 * E0950-not-compiled. */
int cli_command_again(const struct argp *parser, cli_command command, int argc, char **argv, cli_again *again,
                      bool (*action)(cli_again *, compile_options *));

/* Every cell at the site a .place file gives it. E0923-not-placed, and what pnr_place has to say. */
bool cli_read_placement(cli_session *s, const char *path, pnr_options *options, const netlist *n,
                        const pnr_board *board, pnr_design *design);

/* Fills `o` from the command line; false after errors. The command is run, compile or sam. */
bool cli_parse_options(cli_command command, int argc, char **argv, cli_session *s, compile_options *o);

/* `onyx run` with these options, up to the report: k->ran.result holds the result, o->out the files. */
bool cli_run(const compile_options *o, cli_session *s, compile_kernel *k);
/* Up to the bitstream: takes the folder, reads the board. */
bool cli_compile(const compile_options *o, cli_session *s, compile_kernel *k);
/* "32", or "i:3072,k:32,64". E0903. */
compile_edges cli_parse_edges(cli_session *s, const char *option, const char *text, uint32_t least,
                              uint32_t most);
/* Leaves in the folder what cli_command_again goes through again. */
bool cli_record_command(cli_session *s, int argc, char **argv, const char *folder);
/* Of a path from here, the same from anywhere. */
const char *cli_absolute(cli_session *s, const char *path);

/* Writes the result to each -o T:FILE; NULL: there is none, and asking for it is a mistake. */
bool cli_write_outputs(const compile_options *o, cli_session *s, const tile_tensor *result);
/* The summary on standard output and report.json in the folder; `ran`: after run, not only compiled. */
bool cli_report(const compile_options *o, cli_session *s, const compile_kernel *k, bool ran,
                const char *check);

void cli_print_json(const cJSON *json);
/* Where the cycle model ran: "hazards" of report.json. After engine cycle also "stalls" and "bottlenecks",
 * and the lines of the summary. */
void cli_hazards_json(const compile_outcome *outcome, cJSON *report);
void cli_stalls_json(cli_session *s, const compile_outcome *outcome, cJSON *report);
void cli_stalls_print(cli_session *s, const compile_outcome *outcome);

/* Whether `onyx help TOPIC` has a page; of a command's name it then prints that, not the command's --help. */
bool cli_is_page(const char *topic);

#endif
