/* cli.h - the onyx command: options, the stages in order, and the report. Composes the other rooms; decides
 * nothing. */
#ifndef ONYX_CLI_H
#define ONYX_CLI_H

#include "bitstream/bitstream.h"
#include "firmware/firmware.h"
#include "frontend/frontend.h"
#include "host/host.h"
#include "rtl_models/cycle.h"
#include "tiling/tiling.h"

#include <argp.h>

/* Exit codes: scripts depend on them. */
enum { EXIT_OK = 0, EXIT_USER = 1, EXIT_UNMAPPABLE = 2, EXIT_MISMATCH = 3, EXIT_INTERRUPTED = 130 };

typedef enum { ENGINE_NONE, ENGINE_SAM, ENGINE_CYCLE, ENGINE_RTL, ENGINE_SOC, ENGINE_PROGRAM } cli_engine;
typedef enum { REPORT_ERROR, REPORT_WARN, REPORT_OFF } cli_severity; /* of --hazards and --deadlock */

typedef VEC(const char *) text_vec;

typedef struct {
    const char *name;
    tile_tensor data;
} cli_given;

/* --tile, --glb-tile: an edge along some loops, and one along all others. */
typedef struct {
    const char *loop;
    uint32_t edge;
} cli_edge;
typedef struct {
    uint32_t all; /* 0: left open */
    VEC(cli_edge) along;
} cli_edges;

/* Engine program: on what. */
typedef struct {
    pnr_board board;
    host_options host;
} cli_on_board;

typedef struct {
    const char *expression;
    text_vec formats;     /* -f */
    text_vec dimensions;  /* -d "i:100", "B:100,80" */
    text_vec types;       /* -t "B:int16" */
    text_vec schedule;    /* -s */
    text_vec inputs;      /* -i "B:file" */
    text_vec generators;  /* -g "B:dims:density:seed", "B:s" */
    text_vec outputs;     /* -o "X:file" */
    VEC(cli_given) given; /* operands in memory, of programs that link the command */
    const char *board, *profile;
    cli_engine engine;
    cli_severity hazards, deadlock;
    tile_dtype dtype;
    const char *dtype_from; /* the option that stated it, or NULL */
    tile_values values;
    cli_edges tile; /* 0 = by the tensors' orders */
    bool tile_auto; /* by the data instead */
    cli_edges glb_tile;
    uint32_t unroll;  /* copies of the kernel; 0 = as many as fit */
    uint32_t buffers; /* 2: streams have GLB tiles of their own, for fw_columns.buffers */
    tile_dispatch dispatch;
    bool dispatch_auto; /* by the data instead */
    uint64_t seed;
    bool runs;  /* onyx run, which needs operands */
    bool again; /* what the folder holds is this kernel's: cli_command_again */
    bool check, pipeline, balance, io_trace, wave, json;
    const char *out; /* folder */
    /* Engine sam: --timing, --fifo, --stats, --trace, and --trace-edge "SRC,DST". */
    sam_sim_timing timing;
    uint32_t fifo_depth;
    const char *stats, *trace;
    text_vec trace_edges;
    const cli_on_board *on_board;
} cli_options;

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
    const char *programs;       /* folder of onyx and onyx-cosim; NULL: that of this program */
    int folder;                 /* what keeps others from the output folder, plus 1; 0: nothing */
    bool embedded;              /* in somebody else's program, which --help must not end */
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
/* Makes the folder for what is produced, and keeps other commands from it until the session ends:
 * E0007-in-use. */
bool cli_take_folder(cli_session *s, const char *path);
/* The file of a program of the toolchain, "onyx" or "onyx-cosim"; just its name where /proc does not tell. */
const char *cli_program(cli_session *s, const char *name);
/* Where boards, RTL and firmware sources lie: $ONYX_HOME, or beside the installed program, or the tree it was
 * built from. */
const char *cli_home(cli_session *s);
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
cli_severity cli_severity_of(cli_session *s, const char *option, const char *text);
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
    cli_severity hazards; /* judges_hazards: what was said */
} cli_again;
error_t cli_parse_again(int key, char *arg, struct argp_state *state);
/* The whole command: parses, goes through the folder's command again, and calls `action` with the options of
 * then, in which paths hold from the current folder: it becomes that of then, if it is still there.
 * E0950-not-compiled. */
int cli_command_again(const struct argp *parser, cli_command command, int argc, char **argv, cli_again *again,
                      bool (*action)(cli_again *, cli_options *));

/* Every cell at the site a .place file gives it. E0923-not-placed, and what pnr_place has to say. */
bool cli_read_placement(cli_session *s, const char *path, pnr_options *options, const netlist *n,
                        const pnr_board *board, pnr_design *design);

/* Fills `o` from the command line; false after errors. The command is run, compile or sam. */
bool cli_parse_options(cli_command command, int argc, char **argv, cli_session *s, cli_options *o);

/* Wall seconds of each stage. */
typedef struct {
    double frontend, lower, place, route, bitstream, tile, firmware, run, total;
} cli_times;

/* What a run of a kernel yields besides the result. */
typedef struct {
    tile_tensor result;
    uint64_t config_cycles, kernel_cycles, firmware_cycles, total_cycles;
    uint64_t model_cycles; /* of the cycle model: more than the kernel's where copies start apart, since it
                              computes them in turn */
    cycle_model *model;    /* on the array: the cycle model, which ran alone, or ahead of rtl or soc */
    const cycle_design *design;
    bool ahead;
    double build_s, cpu_s; /* engine rtl: building its program, wall; its runs, processor time */
    host_outcome host;     /* engine program */
} cli_outcome;

/* What planning the runs of a kernel came to. */
typedef struct {
    tile_counts counts;
    tile_candidates candidates; /* of --tile auto */
    tile_candidate expected;    /* complete: of the edges it has, before anything runs */
    tile_collected partials;
    uint64_t passes;  /* of the array: each takes as many runs as there are copies */
    uint32_t batches; /* the plan was made in */
} cli_planned;

/* How the copies of a kernel share the pairs of sub-tiles, and where onyx chose, what by. */
typedef struct {
    tile_dispatch how;
    const char *why;        /* a sentence; NULL: nobody chose */
    uint64_t pairs;         /* 0: the data are not known, and so is nothing below */
    double pair;            /* array cycles one is expected to take on average */
    double sorted, dynamic; /* and the chip for all */
} cli_dispatch;

/* What compiling a kernel yields, and running it. */
typedef struct cli_kernel cli_kernel;
struct cli_kernel {
    pnr_board board;
    const char *board_path;
    const char *folder; /* where its files go: the user's, or one in there where there are several kernels */
    /* As written, what the reference evaluates (of a workspace: as scheduled); packed: what is lowered. */
    sam_statement user, statement;
    tile_operands operands;    /* the user's, by tensor handle - 1, if they were read before compiling */
    tile_operands packed;      /* for the statement, once all are known */
    uint32_t *extent;          /* of the user's variables, by handle - 1; once the operands are there */
    VEC(cli_kernel) producers; /* kernels that fill workspaces, in the order in which they run before this */
    sam_graph sam, hardware;   /* as lowered from the statement; after the hardware rewrites */
    uint32_t copies;           /* of the kernel in the netlist */
    bool apart;                /* each copy starts by itself, with its own flush */
    cli_dispatch dispatch;
    const char *chosen;  /* a sentence about loops that are not in the default order, or NULL */
    const char *staged;  /* the same about several kernels that nobody asked for */
    const char *way_out; /* a schedule that would do instead of the user's, or NULL */
    netlist net;
    pnr_design design, decoded; /* as routed; as read back from the bitstream's bytes */
    pnr_timing timing;
    net_liveness liveness; /* of the routed netlist */
    netlist decoded_net;
    bits_map *map;
    bits_stream bits;
    tile_options tiling;
    tile_plan plan; /* the present batch of runs; nothing with engine sam */
    cli_planned planned;
    cli_outcome ran; /* the result is the user's */
    cli_times times;
};

/* What the frontend is told by the options. */
fe_in cli_frontend_input(const cli_options *o);
/* Expression to SAM graphs; the first third of cli_compile (for the chip) and all that engine sam needs. */
bool cli_compile_sam(const cli_options *o, bool chip, cli_session *s, cli_kernel *k);
/* The other way in for `onyx sam`: a SAM graph as a .gv file, instead of an expression. */
bool cli_is_graph(const char *name);
bool cli_read_graph(const cli_options *o, cli_session *s, cli_kernel *k);
/* Expression to a bitstream for each kernel, which was decoded again and found equal to the routed netlist;
 * writes the folder o->out. */
bool cli_compile(const cli_options *o, cli_session *s, cli_kernel *k);

/* ---- edges of sub-tiles (edges.c) ------------------------------------------------------------- */

/* "32", or "i:3072,k:32,64". E0903. */
cli_edges cli_parse_edges(cli_session *s, const char *option, const char *text, uint32_t least,
                          uint32_t most);
/* k->tiling, and that of its producers, from the options; E0903 where none of them has such a loop. */
bool cli_set_tiling(const cli_options *o, cli_session *s, cli_kernel *k);
/* What the lowering of k's graph is told of them. */
void cli_lower_edges(cli_session *s, const cli_kernel *k, lower_options *out);
/* "32", or "i:3072,k:32": edge[] of the loops, by variable; as --tile takes it. */
const char *cli_edges_text(const sam_statement *st, const uint32_t *edge, arena *mem);

/* What --deadlock asks for: an error or a warning if fibers of up to `longest` coordinates may need more
 * FIFO. */
bool cli_check_deadlock(const cli_options *o, cli_session *s, const cli_kernel *k, uint32_t longest);

/* Every -t and -o T:FILE names a tensor it may name. E0910, E0914. */
bool cli_check_names(const cli_options *o, cli_session *s, const sam_statement *st);
/* Operands from -i and -g, in the order of the user's tensors, and how far each variable runs. */
bool cli_read_operands(const cli_options *o, cli_session *s, cli_kernel *k, tile_operands *operands);

/* The kernel's streams in the order of their IO columns; cells by index in the design's netlist. A decoded
 * design has columns and cells only. */
typedef struct {
    tile_copy_stream in[64], out[64];
    uint32_t in_column[64], out_column[64];
    uint32_t in_cell[64], out_cell[64];
    uint32_t n_in, n_out;
} cli_streams;
void cli_streams_of(const pnr_design *design, cli_streams *streams);

/* All of `onyx run`: k->ran.result holds the result, o->out the files. */
bool cli_run(const cli_options *o, cli_session *s, cli_kernel *k);
/* Runs all kernels in turn on the user's operands and on the workspaces of those before, each on the engine
 * of the options; k->ran holds the result. */
bool cli_run_kernels(const cli_options *o, cli_session *s, cli_kernel *k, const tile_operands *in);
/* Lowers one kernel of a schedule to its packed statement and its SAM graph, and that to a netlist of as many
 * copies as the options say, or as fit; k has board and tiling. */
bool cli_lower_sam(const cli_options *o, bool chip, cli_session *s, const fe_kernel *kernel, cli_kernel *k);
bool cli_lower(const cli_options *o, cli_session *s, cli_kernel *k);
/* Packs the user's operands, once, if the kernel has no others and they are there. */
bool cli_pack_known(cli_session *s, cli_kernel *k);
/* The processor that drives the kernel on the chip. */
tile_driver cli_driver(const cli_kernel *k);
/* k->dispatch by the options or by the data, for so many copies that start together or (0: they do not fit)
 * apart. */
bool cli_choose_dispatch(const cli_options *o, cli_session *s, cli_kernel *k, uint32_t together,
                         uint32_t apart);
/* Changes `cin`, which was made of `in`, to what the chip can run, where the user leaves that open; what it
 * cannot stays as it is. chosen: k->chosen of each kernel. Sets k->staged and k->way_out of the last one. */
void cli_choose(const cli_options *o, cli_session *s, const fe_in *in, cli_kernel *k, fe_cin *cin,
                text_vec *chosen);
/* The next of all orders of n numbers, the ascending one first; false after the last. */
bool cli_next_order(uint32_t *place, uint32_t n);
/* Of onyx sweep's --order where it has stars ("all", "i,*;k,i,j"): the orders that can run on one of the
 * boards, or, without any, as a graph; those without a star as they are. E0917-orders. */
bool cli_find_orders(cli_session *s, const cli_options *o, const pnr_board *boards, uint32_t n_boards,
                     const char *list, text_vec *out);
/* "i,j,k" */
const char *cli_loops_text(const sam_statement *st, arena *mem);
/* The options as one kernel's stages see them: its files go to its own folder. */
cli_options cli_options_of(const cli_options *o, const cli_kernel *k);
/* sam_simulate with the options of engine sam; writes the statistics and the trace, also of a run that
 * failed; of several kernels those of the last. E0907-trace-edge. */
bool cli_watched_simulate(const cli_options *o, cli_session *s, const sam_graph *g,
                          const sam_tensor_levels *operands, uint32_t n_operands, sam_sim_result *out);
/* ---- the runs of a kernel, batch by batch (batches.c) ----------------------------------------- */

/* Dealt to the copies of the kernel, so many at a time that host memory stays bounded: by what the global
 * buffer holds. */
typedef struct {
    cli_session *session;
    cli_kernel *kernel;
    const tile_operands *operands; /* packed */
    tile_planner *planner;         /* NULL: ended */
    cli_streams streams;
    tile_stream inputs[TILE_MAX_STREAMS], outputs[TILE_MAX_STREAMS]; /* of one copy */
    uint32_t n_in, n_out;
    tile_dispatch how;
    uint32_t most_words; /* of a batch */
    arena mem;           /* of the present batch */
    bool again;          /* the same ones a second time, which are not counted */
    bool failed;
} cli_batches;
bool cli_begin_batches(cli_session *s, cli_kernel *k, const tile_operands *in, cli_batches *b);
/* The next one, in kernel->plan; false: there is none (kernel->plan has streams, but no runs), or it failed.
 */
bool cli_next_batch(cli_batches *b);
void cli_end_batches(cli_batches *b);

/* For engines that take all runs from a file: every batch goes through the cycle model, for what the chip
 * would get wrong there (E0803), and to `put`, the last one without runs. No planner is left then. */
typedef bool cli_put_plan(void *to, const tile_plan *plan);
bool cli_write_batches(const cli_options *o, cli_batches *b, cli_outcome *out, cli_put_plan *put, void *to);
/* Makes the batches again, to collect what came back of them in a result file; *cycles: of all runs. */
bool cli_collect_batches(cli_batches *b, const char *result, tile_collector *c, uint64_t *cycles);

/* The result of these is that of the packed statement. */
/* FOLDER/channels.json, the channels whose waves onyx-cosim writes; FOLDER/waves.gtkw and tokens.txt, which
 * show the wires of the netlist of engine rtl in GTKWave. */
bool cli_write_channels(const pnr_design *d, const char *folder, cli_session *s);
bool cli_write_netlist_waves(const pnr_design *d, const char *folder, cli_session *s);
bool cli_run_cycle(const cli_options *o, cli_session *s, cli_kernel *k, cli_batches *batches,
                   tile_collector *c, cli_outcome *out);
/* The cycle model ahead of another engine, batch by batch; `out` keeps it. The end reports hazards: E0803. */
typedef struct cli_ahead cli_ahead;
cli_ahead *cli_ahead_begin(cli_session *s, const cli_kernel *k, cli_outcome *out);
bool cli_ahead_batch(cli_session *s, cli_ahead *a, const tile_plan *plan, cli_outcome *out);
bool cli_ahead_end(const cli_options *o, cli_session *s, const cli_outcome *out);
/* Whether the monitor of hazard `kind`, by its name, at `tile` raised it in the model. */
bool cli_model_raised(const cli_outcome *out, const char *kind, const char *tile);
/* A monitor of the array was raised at tile x, y: reported like the model's, unless that has raised the same.
 * E0803; false if it ends the run. */
bool cli_hazard_of_array(const cli_options *o, cli_session *s, const cli_outcome *out, cycle_hazard_kind kind,
                         uint32_t x, uint32_t y);
bool cli_run_rtl(const cli_options *o, cli_session *s, cli_kernel *k, cli_batches *batches, tile_collector *c,
                 cli_outcome *out);
bool cli_run_soc(const cli_options *o, cli_session *s, cli_kernel *k, cli_batches *batches, tile_collector *c,
                 cli_outcome *out);
bool cli_run_program(const cli_options *o, cli_session *s, cli_kernel *k, cli_batches *batches,
                     tile_collector *c, cli_outcome *out);
/* cli_write_batches to a batch file of at most so many buffers. */
bool cli_write_batch_file(const cli_options *o, cli_session *s, cli_kernel *k, uint32_t buffers,
                          const char *path, cli_batches *batches, cli_outcome *out);
/* fw_build, and beside app.elf app.json, which says what it was made of. */
bool cli_build_firmware(cli_session *s, const cli_kernel *k, const char *folder, fw_app *app);
/* The app.elf in the folder is whole, and of this kernel. */
bool cli_firmware_is_there(cli_session *s, const cli_kernel *k, const char *folder);
/* Leaves in the folder what cli_command_again goes through again. */
bool cli_record_command(cli_session *s, int argc, char **argv, const char *folder);
/* Of a path from here, the same from anywhere. */
const char *cli_absolute(cli_session *s, const char *path);

/* Writes the result to each -o T:FILE; NULL: there is none, and asking for it is a mistake. */
bool cli_write_outputs(const cli_options *o, cli_session *s, const tile_tensor *result);
/* Compares a result with the reference: "pass", "fail" (and the session's exit code says so), or "none" with
 * --no-check. */
const char *cli_check(const cli_options *o, cli_session *s, const cli_kernel *k, const tile_operands *in,
                      const tile_tensor *got);
/* The summary on standard output and report.json in the folder; `ran`: after run, not only compiled. */
bool cli_report(const cli_options *o, cli_session *s, const cli_kernel *k, bool ran, const char *check);

void cli_print_json(const cJSON *json);
/* A new object at the end of a list. */
cJSON *cli_add_item(cJSON *list);

/* Where the cycle model ran: "hazards" of report.json. After engine cycle also "stalls" and "bottlenecks",
 * and the lines of the summary. */
void cli_hazards_json(const cli_outcome *outcome, cJSON *report);
void cli_stalls_json(cli_session *s, const cli_outcome *outcome, cJSON *report);
void cli_stalls_print(cli_session *s, const cli_outcome *outcome);

/* Whether `onyx help TOPIC` has a page; of a command's name it then prints that, not the command's --help. */
bool cli_is_page(const char *topic);

/* Runs a program and waits; its standard output goes to `log`. False with E0930-tool when it fails. */
bool cli_spawn(const char *const *argv, const char *log, diagnostics *d);

#endif
