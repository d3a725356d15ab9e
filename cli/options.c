/* Options of run, compile and sam: taco's letters, in both spellings -f X:ss and -f=X:ss. */
#include "cli/cli.h"

#include <ctype.h>

enum {
    OPT_ENGINE = CLI_OPT_BOARD + 1,
    OPT_TILE,
    OPT_GLB_TILE,
    OPT_UNROLL,
    OPT_BUFFERS,
    OPT_DISPATCH,
    OPT_DTYPE,
    OPT_VALUES,
    OPT_SEED,
    OPT_NO_CHECK,
    OPT_NO_PIPELINE,
    OPT_NO_BALANCE,
    OPT_TIMING,
    OPT_FIFO,
    OPT_STATS,
    OPT_TRACE,
    OPT_TRACE_EDGE,
    OPT_HAZARDS,
    OPT_DEADLOCK,
    OPT_IO_TRACE,
    OPT_WAVE,
    OPT_JSON
};

enum { MOST_TILE = 1 << 15 }; /* coordinates have 16 bits */

static const struct argp_option option_table[] = {
    {"format", 'f', "T:LEVELS[:ORDER]", 0,
     "Levels of a tensor (d dense, s compressed, u compressed repeating, q singleton, c singleton repeating) "
     "and the index each one holds: -f C:ss:1,0",
     0},
    {"dimension", 'd', "VAR|T:SIZES", 0, "How far an index runs, or all of a tensor's: -d i:100, -d B:100,80",
     0},
    {"type", 't', "T:TYPE", 0, "Type of a tensor, int16 or bf16; all tensors have the same", 0},
    {"schedule", 's', "COMMANDS", 0,
     "Scheduling commands, e.g. reorder(i,j,k), split(i,i0,i1,8), unroll(i,4)", 0},
    {"input", 'i', "T:FILE", 0, "Read an operand from a .mtx or .tns file", 0},
    {"generate", 'g', "T:HOW", 0,
     "Make a random operand: -g B:100x80:0.05[:SEED], sizes and density; or taco's fill -g B:s, one of d, u, "
     "r (full), s (7 %), h "
     "(0.5 %), as large as -d and the other operands say, else 42",
     0},
    {"output", 'o', "DIR|T:FILE", 0,
     "Folder for everything that is produced; or a .mtx or .tns file for the result, besides", 0},
    CLI_OPTION_PROFILE,
    CLI_OPTION_BOARD, /* in the group of the row before */
    {"engine", OPT_ENGINE, "NAME", 0, "What runs the kernel: sam, cycle, rtl or soc (default soc)", 1},
    {"tile", OPT_TILE, "N", 0,
     "Edge of a sub-tile in coordinates (default: the largest that always fits), or edges along loops: "
     "i:3072,k:32 or i:3072,64; sub-tiles that hold too much are split. auto: the powers of two expected to "
     "take the fewest cycles on this data",
     1},
    {"glb-tile", OPT_GLB_TILE, "N", 0,
     "Edge of a tile for the global buffer, whose sub-tiles run one after the other (default 0: the global "
     "buffer is loaded with what comes next), or edges along loops",
     1},
    {"unroll", OPT_UNROLL, "N", 0,
     "Copies of the kernel on the array, each with its own streams (default 1), or auto: as many as fit", 1},
    {"buffers", OPT_BUFFERS, "N", 0,
     "2: no global-buffer tile has a load and a store, so that onyx program can load what comes next while "
     "the array works (default 1: streams stand where routes are shortest)",
     1},
    {"dispatch", OPT_DISPATCH, "NAME", 0,
     "How copies share the sub-tiles: sorted: pairs of like size start together; inorder: all start "
     "together, too; dynamic: each copy takes the next pair as soon as it is free (engines cycle and soc); "
     "auto (default): sorted or dynamic, whichever is expected to take the chip fewer cycles on this data",
     1},
    {"dtype", OPT_DTYPE, "TYPE", 0,
     "int16 (default) or bf16; sums of bf16 need --profile onyx-ext, or engine sam", 1},
    {"values", OPT_VALUES, "KIND", 0, "Values of -i operands: file (default), ones or ramp", 1},
    {"seed", OPT_SEED, "N", 0, "Seed of placement and of -g operands (default 1)", 1},
    {"no-check", OPT_NO_CHECK, NULL, 0, "Do not compare the result with the reference", 2},
    {"no-pipeline", OPT_NO_PIPELINE, NULL, 0, "No SplitFIFO pairs on the routes", 2},
    {"no-balance", OPT_NO_BALANCE, NULL, 0,
     "No longer ways, with more pairs, for the short branches of joins", 2},
    {"hazards", OPT_HAZARDS, "WHAT", 0,
     "Data the fabricated chip would get wrong (array engines): error (default), warn or off", 2},
    {"deadlock", OPT_DEADLOCK, "WHAT", 0,
     "FIFOs that may be too short for fibers as long as the data's: error (default), warn or off", 2},
    {"io-trace", OPT_IO_TRACE, NULL, 0,
     "Write the cycle of every word at the array's edge to DIR/io.trace (engines "
     "cycle and rtl)",
     2},
    {"wave", OPT_WAVE, NULL, 0,
     "Write what every channel does in every cycle to DIR/waves.fst, for GTKWave (engine rtl: every wire of "
     "the netlist)",
     2},
    {"timing", OPT_TIMING, "NAME", 0,
     "Engine sam: ideal (default), or sam, the cycles of the published simulator", 3},
    {"fifo", OPT_FIFO, "N", 0, "Engine sam, timing ideal: tokens a FIFO holds (default 0: no bound)", 3},
    {"stats", OPT_STATS, "FILE.json", 0, "Engine sam: what each primitive and each edge did", 3},
    {"trace", OPT_TRACE, "FILE", 0, "Engine sam: every token with its cycle", 3},
    {"trace-edge", OPT_TRACE_EDGE, "SRC,DST", 0, "Only tokens from one node to another, by their ids", 3},
    {"json", OPT_JSON, NULL, 0, "Print report.json instead of a summary", 4},
    {0},
};

typedef struct {
    cli_session *session;
    cli_options *options;
} parsing;

static void set_dtype(parsing *p, tile_dtype dtype, const char *option) {
    cli_options *o = p->options;
    if (o->dtype_from && o->dtype != dtype) {
        diag_error(&p->session->diag, (src_loc){0}, "E0903-option-value", "%s contradicts %s", option,
                   o->dtype_from);
        diag_hint(&p->session->diag, "all tensors of a kernel have the same type");
    }
    o->dtype = dtype;
    o->dtype_from = option;
}

/* "B:int16", by taco's names for what the hardware computes with. */
static void parse_type(parsing *p, const char *arg) {
    static const char *const known[] = {"int16", "int16_t", "short", "bf16", NULL};
    const char *type = strchr(arg, ':');
    for (int i = 0; type && known[i]; i++) {
        if (strcmp(type + 1, known[i]) != 0)
            continue;
        vec_push(&p->session->mem, &p->options->types, arg);
        set_dtype(p, i < 3 ? TILE_DTYPE_INT16 : TILE_DTYPE_BF16,
                  arena_printf(&p->session->mem, "-t %s", arg));
        return;
    }
    cli_bad_value(p->session, "-t", arg,
                  "a tensor, a colon, and int16 or bf16: the array's words have 16 bits");
}

/* A name, a colon and a file, as taco writes a tensor; anything else is a folder. */
static void parse_output(parsing *p, const char *arg) {
    size_t name = 0;
    while (isalnum((unsigned char)arg[name]))
        name++;
    if (name && isalpha((unsigned char)arg[0]) && arg[name] == ':')
        vec_push(&p->session->mem, &p->options->outputs, arg);
    else
        p->options->out = arg;
}

/* Where an option's text goes as it is: to the end of a list, or alone; NULL for other options. */
static text_vec *list_of(cli_options *o, int key) {
    return key == 'f'              ? &o->formats
           : key == 's'            ? &o->schedule
           : key == 'i'            ? &o->inputs
           : key == 'g'            ? &o->generators
           : key == 'd'            ? &o->dimensions
           : key == OPT_TRACE_EDGE ? &o->trace_edges
                                   : NULL;
}
static const char **text_of(cli_options *o, int key) {
    return key == CLI_OPT_BOARD ? &o->board
           : key == OPT_STATS   ? &o->stats
           : key == OPT_TRACE   ? &o->trace
                                : NULL;
}

/* Options that are one of some words, or a number; false for other options. */
static bool parse_value(parsing *p, int key, const char *arg) {
    static const char *const engines[] = {"sam", "cycle", "rtl", "soc", NULL};
    static const char *const dtypes[] = {"int16", "bf16", NULL};
    static const char *const values[] = {"file", "ones", "ramp", NULL};
    static const char *const timings[] = {"ideal", "sam", NULL};
    /* The fourth and fifth are what the first two used to be called. */
    static const char *const dispatches[] = {"inorder", "sorted", "dynamic", "order", "load", "auto", NULL};
    enum { DISPATCHES = TILE_DISPATCH_DYNAMIC + 1, DISPATCH_AUTO = 5 };
    static const char *const severities[] = {"error", "warn", "off", NULL};
    cli_session *s = p->session;
    cli_options *o = p->options;
    switch (key) {
    case CLI_OPT_PROFILE:
        o->profile = cli_profile(s, arg);
        return true;
    case OPT_ENGINE:
        o->engine = (cli_engine)(cli_choice(s, "--engine", arg, engines) + ENGINE_SAM);
        return true;
    case OPT_TILE:
        o->tile_auto = strcmp(arg, "auto") == 0;
        o->tile = o->tile_auto ? (cli_edges){0} : cli_parse_edges(s, "--tile", arg, 1, MOST_TILE);
        return true;
    case OPT_GLB_TILE:
        o->glb_tile = cli_parse_edges(s, "--glb-tile", arg, 0, UINT32_MAX);
        return true;
    case OPT_UNROLL:
        o->unroll = strcmp(arg, "auto") == 0 ? 0 : (uint32_t)cli_whole(s, "--unroll", arg, 1, 64);
        return true;
    case OPT_BUFFERS:
        o->buffers = (uint32_t)cli_whole(s, "--buffers", arg, 1, FW_BUFFERS_MOST);
        return true;
    case OPT_DISPATCH:
        o->dispatch = (tile_dispatch)(cli_choice(s, "--dispatch", arg, dispatches) % DISPATCHES);
        o->dispatch_auto = strcmp(arg, dispatches[DISPATCH_AUTO]) == 0;
        return true;
    case OPT_DTYPE:
        set_dtype(p, (tile_dtype)cli_choice(s, "--dtype", arg, dtypes),
                  arena_printf(&s->mem, "--dtype %s", arg));
        return true;
    case OPT_VALUES:
        o->values = (tile_values)cli_choice(s, "--values", arg, values);
        return true;
    case OPT_SEED:
        o->seed = cli_whole(s, "--seed", arg, 0, UINT64_MAX);
        return true;
    case OPT_TIMING:
        o->timing = (sam_sim_timing)cli_choice(s, "--timing", arg, timings);
        return true;
    case OPT_FIFO:
        o->fifo_depth = (uint32_t)cli_whole(s, "--fifo", arg, 0, 1u << 30);
        return true;
    case OPT_HAZARDS:
        o->hazards = (cli_severity)cli_choice(s, "--hazards", arg, severities);
        return true;
    case OPT_DEADLOCK:
        o->deadlock = (cli_severity)cli_choice(s, "--deadlock", arg, severities);
        return true;
    default:
        return false;
    }
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
    parsing *p = state->input;
    cli_options *o = p->options;
    if (arg && key > 0 && key < CLI_OPT_PROFILE && *arg == '=')
        arg++; /* taco's -f=X:ss */
    text_vec *list = list_of(o, key);
    const char **text = text_of(o, key);
    if (list)
        vec_push(&p->session->mem, list, arg);
    else if (text)
        *text = arg;
    if (list || text || parse_value(p, key, arg))
        return 0;
    switch (key) {
    case 't':
        parse_type(p, arg);
        return 0;
    case 'o':
        parse_output(p, arg);
        return 0;
    case OPT_NO_CHECK:
        o->check = false;
        return 0;
    case OPT_NO_PIPELINE:
        o->pipeline = false;
        return 0;
    case OPT_NO_BALANCE:
        o->balance = false;
        return 0;
    case OPT_IO_TRACE:
        o->io_trace = true;
        return 0;
    case OPT_WAVE:
        o->wave = true;
        return 0;
    case OPT_JSON:
        o->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (!o->expression) {
            o->expression = arg;
            return 0;
        }
        diag_error(&p->session->diag, (src_loc){0}, "E0904-argument", "unexpected argument '%s'", arg);
        diag_hint(&p->session->diag, "an expression is one argument: put it in quotes");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* An option that the engine at hand does not read is a mistake. */
static void check_engine_options(const char *what, const cli_options *o, cli_session *s) {
    bool runs = strcmp(what, "run") == 0, cycle = runs && o->engine == ENGINE_CYCLE;
    bool simulates = strcmp(what, "sam") == 0 || (runs && o->engine == ENGINE_SAM);
    static const char sam[] = "onyx sam, or onyx run --engine sam", array[] = "onyx run --engine cycle";
    const struct {
        const char *option, *engines, *use;
        bool given, read;
    } options[] = {
        {"--timing", "sam", sam, o->timing != SAM_TIMING_IDEAL, simulates},
        {"--fifo", "sam", sam, o->fifo_depth, simulates},
        {"--stats", "sam", sam, o->stats, simulates},
        {"--trace", "sam", sam, o->trace, simulates},
        {"--trace-edge", "sam", sam, o->trace_edges.len, simulates},
        {"--hazards", "cycle, rtl or soc", array, o->hazards != REPORT_ERROR,
         runs && o->engine != ENGINE_SAM},
        {"--deadlock", "cycle, rtl or soc", array, o->deadlock != REPORT_ERROR, !simulates},
        {"--buffers", "cycle, rtl or soc", array, o->buffers != 1, !simulates},
        {"--io-trace", "cycle or rtl", array, o->io_trace, cycle || (runs && o->engine == ENGINE_RTL)},
        {"--wave", "cycle, rtl or soc", array, o->wave, runs && o->engine != ENGINE_SAM}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (!options[i].given || options[i].read)
            continue;
        diag_error(&s->diag, (src_loc){0}, "E0906-engine-option", "%s is an option of engine %s",
                   options[i].option, options[i].engines);
        diag_hint(&s->diag, "%s", options[i].use);
    }
    if (simulates && o->unroll != 1) {
        diag_error(&s->diag, (src_loc){0}, "E0906-engine-option", "--unroll makes copies on the array");
        diag_hint(&s->diag, "the schedule's unroll(i,n) makes copies in the graph: docs/schedule.md");
    }
    bool apart = o->unroll != 1 && o->dispatch == TILE_DISPATCH_DYNAMIC && !o->dispatch_auto;
    if (apart && runs && (o->engine == ENGINE_RTL || o->io_trace)) {
        diag_error(&s->diag, (src_loc){0}, "E0906-engine-option",
                   "--dispatch dynamic is for engines cycle and soc, without --io-trace");
        diag_hint(&s->diag, "a job file starts all copies together");
    }
    if (o->trace_edges.len && !o->trace)
        diag_error(&s->diag, (src_loc){0}, "E0906-engine-option", "--trace-edge without --trace FILE");
}

bool cli_parse_options(const char *what, int argc, char **argv, cli_session *s, cli_options *o) {
    bool sam = strcmp(what, "sam") == 0;
    const char *does =
        sam ? "Prints the SAM graph of an expression or a file; simulates it where -i or -g gives operands."
        : strcmp(what, "run") == 0
            ? "Compiles an expression, runs it on operands, compares the result with the reference."
            : "Compiles an expression to a bitstream; operands are read where they decide something "
              "(--tile auto, --unroll).";
    const char *doc = arena_printf(&s->mem, "%s Expressions are taco's: \"X(i,j) = B(i,k) * C(k,j)\".", does);
    const struct argp parser = {.options = option_table,
                                .parser = parse_option,
                                .args_doc = sam ? "EXPRESSION\nFILE.gv" : "EXPRESSION",
                                .doc = doc};
    parsing p = {s, o};
    *o = (cli_options){.board = "onyx",
                       .profile = PNR_PROFILE,
                       .engine = ENGINE_SOC,
                       .seed = 1,
                       .runs = strcmp(what, "run") == 0,
                       .check = true,
                       .pipeline = true,
                       .balance = true,
                       .unroll = 1,
                       .buffers = 1,
                       .dispatch = TILE_DISPATCH_LOAD,
                       .dispatch_auto = true};
    if (!cli_parse(&parser, what, argc, argv, s, &p))
        return false;
    if (!o->expression)
        diag_error(&s->diag, (src_loc){0}, "E0904-argument", "an expression is missing");
    check_engine_options(what, o, s);
    return !diag_failed(&s->diag);
}
