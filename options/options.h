/* options.h - every option of every command, from a single table (options.def): finds the options of a
 * command line, checks their values and stores them in the table's places. Prints nothing, ends no program,
 * keeps no state between calls. */
#ifndef ONYX_OPTIONS_H
#define ONYX_OPTIONS_H

#include "kernel/kernel.h"

#include <stddef.h>

typedef enum {
#define COMMAND(key, name, arguments, does, help) COMMAND_##key,
#define SUBCOMMAND(key, name, arguments, help) COMMAND_##key,
#include "options/commands.def"
#undef COMMAND
#undef SUBCOMMAND
    COMMANDS
} option_command;

typedef enum {
#define HEADING(key, group, commands, text) OPTION_##key,
#define OPTION(key, name, letter, value, group, commands, engines, type, doc) OPTION_##key,
#include "options/options.def"
#undef HEADING
#undef OPTION
    OPTIONS
} option_key;

enum { OPTIONS_TEXT, OPTIONS_JSON, OPTIONS_SARIF };                        /* diagnostics of a command_line */
enum { OPTIONS_LIST = 1, OPTIONS_USAGE, OPTIONS_VERSION, OPTIONS_PASSES }; /* its help */
enum {
    OPTIONS_EXPORT_AHA,
    OPTIONS_EXPORT_SAM,
    OPTIONS_EXPORT_VERILATOR,
    OPTIONS_EXPORT_SV,
    OPTIONS_EXPORT_COCOTB
};                                                                          /* its export_to */
enum { OPTIONS_IO_CHIP, OPTIONS_IO_COLUMNS, OPTIONS_IO_ANY };               /* its stages.io */
enum { OPTIONS_INPUTS_FILES, OPTIONS_INPUTS_REDUCED, OPTIONS_INPUTS_NONE }; /* its cases.inputs */
enum { OPTIONS_EDGE_MOST = 1 << 15 };                                       /* coordinates have 16 bits */

/* An option as given: NULL without a value. */
typedef struct {
    option_key key;
    const char *value;
} option_given;

/* An edge along every dimension ("32"), or an edge along each ("64x8"). */
typedef struct {
    uint32_t n, edge[SAM_MAX_ORDER];
} option_size;
typedef VEC(option_size) option_sizes;

/* What every command is told. */
typedef struct {
    bool embedded; /* said before parsing: in somebody else's program are no --help and no other commands */
    bool progress, quiet, json, werror, trust;
    bool keyword;        /* onyx help: search for the argument, even if a page has this name */
    text_vec no_warning; /* codes, with their name or without: "E0420" */
    const char *log;     /* NULL: none */
    uint64_t memory;     /* memory limit in MB; 0: three quarters of the machine's memory */
    int diagnostics;     /* OPTIONS_TEXT, OPTIONS_JSON, OPTIONS_SARIF */
    int help; /* OPTIONS_LIST, OPTIONS_USAGE, OPTIONS_VERSION, OPTIONS_PASSES: the only request; nothing else
                 is set */
} option_every;

/* A parsed command line. Members unread by its command have their defaults. */
typedef struct {
    option_every every;
    text_vec arguments;         /* what is no option */
    text_vec words;             /* the whole command line: options, followed by arguments */
    VEC(option_given) in_order; /* all but the options of every command */
    bool given[OPTIONS];        /* the same as a set */
    compile_options compile;    /* of run, compile and sam; board, profile, out, dtype... of every command */
    const char *dtype_from;     /* the source of compile.dtype: an option, or NULL */
    pnr_options pnr;
    host_options host;
    struct {
        const char *fixed, *placed, *routed, *svg, *heat;
        text_vec regions, flushes;
        int io;
    } stages; /* onyx pnr, place, route and sta */
    struct {
        const char *order, *db, *confirm, *csv, *html, *against;
        double tolerance[4]; /* per cent: of cycles, time, tiles and words of configuration */
        uint32_t jobs /* 0: not said */, time_limit, best, array_most;
        bool slurm, keep;
    } sweep;
    struct {
        uint32_t time_limit;
        int inputs; /* OPTIONS_INPUTS_FILES... */
    } cases;        /* onyx reduce, bugreport */
    struct {
        const char *svg, *png;            /* a panel, or NULL */
    } view;                               /* onyx view */
    int export_to;                        /* onyx export: OPTIONS_EXPORT_AHA... */
    const char *export_name;              /* of the module; NULL: by the result */
    text_vec data;                        /* onyx run of a program of the chip: --data */
    bool selftest;                        /* onyx program */
    const char *svd;                      /* onyx boards: a board, or NULL */
    const char *design;                   /* onyx bits verify */
    const char *graph, *graph_1, *layout; /* onyx fabric check */
    const char *levels;                   /* onyx tile: -f */
    option_sizes sizes;                   /* onyx tile stats: --tile */
} command_line;

/* The table's row of an option. */
typedef struct option_row option_row;
typedef struct option_values option_values;
struct option_row {
    const char *name, *value; /* "board", "NAME"; a heading of --help has no name, a flag no value */
    int letter, group;        /* of --help */
    uint32_t commands;        /* commands with the option: 1 << COMMAND_KEY */
    uint32_t engines; /* engines of onyx run with the option: 1 << ENGINE_NAME; 0: independent of engines */
    const char *doc;
    void (*take)(option_values *to, const option_row *row, const char *value);
    size_t member, size; /* of `command_line`: which gets it */
    size_t is_auto;      /* and the member set by "auto", or 0 */
    uint64_t low, high;
    const char *const *words; /* it may be; then NULL */
    option_key axis;          /* the option of onyx run set by the values of this axis of a sweep */
    const char *separators;   /* between values: the second for values with colons; NULL: no axis */
};
extern const option_row option_rows[OPTIONS];

typedef struct {
    const char *name, *arguments, *does, *help; /* does: text in the list of commands, NULL for a subcommand;
                                                   arguments, help: of its --help, or NULL */
} option_command_row;
extern const option_command_row option_commands[COMMANDS];

/* The values before parsing. */
command_line options_default(option_command command);
/* argv[0] is ignored. Long options only in full: abbreviations in scripts would break when an option is
 * added. Options common to every command hold after errors, too. E0902-option, E0903-option-value; of run,
 * compile, sam and sweep E0904-argument, of run and sam E0906-engine-option. */
bool options_parse(option_command command, int argc, const char *const *argv, arena *mem, diagnostics *d,
                   command_line *o);
/* E0905-folder where -o names none. */
bool options_want_folder(const command_line *o, diagnostics *d);
/* Returns how the option is written: "-o", "--tile". */
const char *options_spelling(option_key key, arena *mem);
/* Returns the line of --help of a row. */
const char *options_help(const option_row *row, arena *mem);
/* Returns the index of a text among words; 0 after E0903-option-value. */
uint32_t options_choose(const char *what, const char *text, const char *const *words, arena *mem,
                        diagnostics *d);

#endif
