/* Options of run, compile and sam: taco's letters, in both spellings -f X:ss and -f=X:ss. */
#include "cli/cli.h"

#include <ctype.h>

enum { MOST_TILE = 1 << 15 }; /* coordinates have 16 bits */

typedef struct {
    cli_session *session;
    compile_options *options;
} parsing;

static void set_dtype(parsing *p, tile_dtype dtype, const char *option) {
    compile_options *o = p->options;
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
static text_vec *list_of(compile_options *o, int key) {
    return key == CLI_OPT_FORMAT       ? &o->formats
           : key == CLI_OPT_SCHEDULE   ? &o->schedule
           : key == CLI_OPT_INPUT      ? &o->inputs
           : key == CLI_OPT_GENERATE   ? &o->generators
           : key == CLI_OPT_DIMENSION  ? &o->dimensions
           : key == CLI_OPT_TRACE_EDGE ? &o->trace_edges
                                       : NULL;
}
static const char **text_of(compile_options *o, int key) {
    return key == CLI_OPT_BOARD   ? &o->board
           : key == CLI_OPT_STATS ? &o->stats
           : key == CLI_OPT_TRACE ? &o->trace
                                  : NULL;
}

/* Options that are one of some words, or a number; false for other options. */
static bool parse_value(parsing *p, int key, const char *arg) {
    static const char *const values[] = {"file", "ones", "ramp", NULL};
    static const char *const timings[] = {"ideal", "sam", NULL};
    /* The fourth and fifth are what the first two used to be called. */
    static const char *const dispatches[] = {"inorder", "sorted", "dynamic", "order", "load", "auto", NULL};
    enum { DISPATCHES = TILE_DISPATCH_DYNAMIC + 1, DISPATCH_AUTO = 5 };
    cli_session *s = p->session;
    compile_options *o = p->options;
    switch (key) {
    case CLI_OPT_PROFILE:
        o->profile = cli_profile(s, arg);
        return true;
    case CLI_OPT_ENGINE:
        o->engine = (compile_engine)(cli_choice(s, "--engine", arg, cli_engines) + ENGINE_SAM);
        return true;
    case CLI_OPT_TILE:
        o->tile_auto = strcmp(arg, "auto") == 0;
        o->tile = o->tile_auto ? (compile_edges){0} : cli_parse_edges(s, "--tile", arg, 1, MOST_TILE);
        return true;
    case CLI_OPT_GLB_TILE:
        o->glb_tile = cli_parse_edges(s, "--glb-tile", arg, 0, UINT32_MAX);
        return true;
    case CLI_OPT_UNROLL:
        o->unroll = strcmp(arg, "auto") == 0 ? 0 : (uint32_t)cli_whole(s, "--unroll", arg, 1, 64);
        return true;
    case CLI_OPT_BUFFERS:
        o->buffers = (uint32_t)cli_whole(s, "--buffers", arg, 1, FW_BUFFERS_MOST);
        return true;
    case CLI_OPT_DISPATCH:
        o->dispatch = (tile_dispatch)(cli_choice(s, "--dispatch", arg, dispatches) % DISPATCHES);
        o->dispatch_auto = strcmp(arg, dispatches[DISPATCH_AUTO]) == 0;
        return true;
    case CLI_OPT_DTYPE:
        set_dtype(p, cli_dtype(s, arg), arena_printf(&s->mem, "--dtype %s", arg));
        return true;
    case CLI_OPT_VALUES:
        o->values = (tile_values)cli_choice(s, "--values", arg, values);
        return true;
    case CLI_OPT_SEED:
        o->seed = cli_whole(s, "--seed", arg, 0, UINT64_MAX);
        return true;
    case CLI_OPT_SAM_TIMING:
        o->timing = (sam_sim_timing)cli_choice(s, "--timing", arg, timings);
        return true;
    case CLI_OPT_FIFO:
        o->fifo_depth = (uint32_t)cli_whole(s, "--fifo", arg, 0, 1u << 30);
        return true;
    case CLI_OPT_HAZARDS:
        o->hazards = cli_severity_of(s, "--hazards", arg);
        return true;
    case CLI_OPT_DEADLOCK:
        o->deadlock = cli_severity_of(s, "--deadlock", arg);
        return true;
    default:
        return false;
    }
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
    parsing *p = state->input;
    compile_options *o = p->options;
    if (arg && key > 0 && key < CLI_NO_LETTER && *arg == '=')
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
    case CLI_OPT_TYPE:
        parse_type(p, arg);
        return 0;
    case CLI_OPT_OUTPUT:
        parse_output(p, arg);
        return 0;
    case CLI_OPT_NO_CHECK:
        o->check = false;
        return 0;
    case CLI_OPT_NO_PIPELINE:
        o->pipeline = false;
        return 0;
    case CLI_OPT_NO_BALANCE:
        o->balance = false;
        return 0;
    case CLI_OPT_IO_TRACE:
        o->io_trace = true;
        return 0;
    case CLI_OPT_WAVE:
        o->wave = true;
        return 0;
    case CLI_OPT_JSON:
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

/* An option that the engine of onyx run does not read is a mistake. */
static void check_engine_options(const compile_options *o, cli_session *s) {
    bool sam = o->engine == ENGINE_SAM, traces = o->engine == ENGINE_CYCLE || o->engine == ENGINE_RTL;
    const struct {
        const char *option, *engines;
        bool given, read;
    } options[] = {{"--timing", "sam", o->timing != SAM_TIMING_IDEAL, sam},
                   {"--fifo", "sam", o->fifo_depth, sam},
                   {"--stats", "sam", o->stats, sam},
                   {"--trace", "sam", o->trace, sam},
                   {"--trace-edge", "sam", o->trace_edges.len, sam},
                   {"--hazards", "cycle, rtl or soc", o->hazards != REPORT_ERROR, !sam},
                   {"--deadlock", "cycle, rtl or soc", o->deadlock != REPORT_ERROR, !sam},
                   {"--buffers", "cycle, rtl or soc", o->buffers != 1, !sam},
                   {"--io-trace", "cycle or rtl", o->io_trace, traces},
                   {"--wave", "cycle, rtl or soc", o->wave, !sam}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (!options[i].given || options[i].read)
            continue;
        diag_error(&s->diag, (src_loc){0}, "E0906-engine-option", "%s is an option of engine %s",
                   options[i].option, options[i].engines);
        diag_hint(&s->diag, "onyx run --engine %s", sam ? "cycle" : "sam");
    }
    if (sam && o->unroll != 1) {
        diag_error(&s->diag, (src_loc){0}, "E0906-engine-option", "--unroll makes copies on the array");
        diag_hint(&s->diag, "the schedule's unroll(i,n) makes copies in the graph: docs/schedule.md");
    }
    bool apart = o->unroll != 1 && o->dispatch == TILE_DISPATCH_DYNAMIC && !o->dispatch_auto;
    if (apart && (o->engine == ENGINE_RTL || o->io_trace)) {
        diag_error(&s->diag, (src_loc){0}, "E0906-engine-option",
                   "--dispatch dynamic is for engines cycle and soc, without --io-trace");
        diag_hint(&s->diag, "a job file starts all copies together");
    }
}

bool cli_parse_options(cli_command command, int argc, char **argv, cli_session *s, compile_options *o) {
    static const char *const does[] = {
        [CLI_RUN] = "Compiles an expression, runs it on operands, compares the result with the reference.",
        [CLI_COMPILE] =
            "Compiles an expression to a bitstream; operands are read where they decide something "
            "(--tile auto, --unroll).",
        [CLI_SAM] = "Prints the SAM graph of an expression or a file; simulates it where -i or -g gives "
                    "operands."};
    const struct argp parser = {
        .parser = parse_option,
        .args_doc = command == CLI_SAM ? "EXPRESSION\nFILE.gv" : "EXPRESSION",
        .doc =
            arena_printf(&s->mem, "%s Expressions are taco's: \"X(i,j) = B(i,k) * C(k,j)\".", does[command])};
    parsing p = {s, o};
    *o = (compile_options){.board = "onyx",
                           .profile = PNR_PROFILE,
                           .engine = ENGINE_SOC,
                           .seed = 1,
                           .runs = command == CLI_RUN,
                           .check = true,
                           .pipeline = true,
                           .balance = true,
                           .unroll = 1,
                           .buffers = 1,
                           .dispatch = TILE_DISPATCH_LOAD,
                           .dispatch_auto = true};
    if (!cli_parse(&parser, command, argc, argv, s, &p))
        return false;
    if (!o->expression)
        diag_error(&s->diag, (src_loc){0}, "E0904-argument", "an expression is missing");
    if (o->trace_edges.len && !o->trace)
        diag_error(&s->diag, (src_loc){0}, "E0906-engine-option", "--trace-edge without --trace FILE");
    if (o->runs)
        check_engine_options(o, s);
    return !diag_failed(&s->diag);
}
