/* cosim.c - the command onyx-cosim. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

#include "cli/models/dense_fabric.h"
#include "rtl_models/soc/faults.h"
#include "rtl_models/soc/serve.h"

static const char USAGE[] =
    "usage: onyx-cosim --board BOARD --elf app.elf --batches FILE --result FILE\n"
    "                  [--stats FILE] [--waves FOLDER] [--max-cycles N] [--watchdog N] [--more]\n"
    "                  [--jobs N] [--no-verify] [--dense] [--hostile SEED] [--time WORD]\n"
    "       onyx-cosim --board BOARD --jtag WHERE [--back-door WHERE] [--elf app.elf] [--fault NAME]\n"
    "                  [--hostile SEED]\n"
    "Runs the program and its batches on the processor model and the RTL of the array; or serves the debug\n"
    "port of the whole, until it is told to end by SIGTERM.\n"
    "  --stats FILE       cycles and speed, as JSON\n"
    "  --waves FOLDER     what every channel in FOLDER/channels.json does, for GTKWave (docs/cosim.md)\n"
    "  --max-cycles N     array cycles at most\n"
    "  --watchdog N       array cycles in which nothing moves at most (1000000)\n"
    "  --more             standard input asks for more, each time by three names that end in a zero byte:\n"
    "                     of the batches, the result and the statistics; a line answers\n"
    "  --jobs N           share the batches between N processes, with the same results and statistics\n"
    "  --no-verify        do not have the program check the sums of loaded operands\n"
    "  --dense            the program is of the dense fabric, whose array is the cycle model\n"
    "  --hostile SEED     random contents at power-up, latencies, late interrupts and posted stores; "
    "without\n"
    "                     the option the seed is ONYX_HOSTILE of the environment, 0 for none\n"
    "  --time WORD        of the processor: count (an instruction a cycle), least or most (a table of\n"
    "                     instructions and the board's waits: docs/cosim.md)\n"
    "  --jtag WHERE       JTAG as OpenOCD's remote_bitbang, on a TCP port of 127.0.0.1 (0: any, which is "
    "printed)\n"
    "                     or on the UNIX socket of that path; or fd:N, a listening socket that is inherited\n"
    "  --back-door WHERE  memory contents past the debug port (docs/cosim.md)\n"
    "  --fault NAME       with --jtag: the chip has this fault, for a self test to find (docs/cosim.md)\n"
    "exit: 0 done, 1 usage or file, 4 the program failed, or (--jtag) E0805-bank-collision, 5 stuck or too "
    "long\n";

static bool number(const char *text, uint64_t *out) {
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 0);
    return errno == 0 && end != text && *end == '\0' && text[0] != '-';
}

typedef struct {
    cosim_options run;
    cosim_serve_options serve;
    const char *board, *fault, *time;
    uint64_t jobs;
    bool dense;
} command;

typedef enum { TEXT, FLAG, NUMBER } value_kind;
#define TEXT_OF(name, member)                                                                                \
    { name, TEXT, offsetof(command, member), 0, 0 }
#define FLAG_OF(name, member)                                                                                \
    { name, FLAG, offsetof(command, member), 0, 0 }
static const struct {
    const char *name;
    value_kind kind;
    size_t member;
    uint64_t least, most;
} rows[] = {
    TEXT_OF("board", board),
    TEXT_OF("elf", run.elf),
    TEXT_OF("batches", run.batches),
    TEXT_OF("result", run.result),
    TEXT_OF("stats", run.stats),
    TEXT_OF("waves", run.waves),
    {"max-cycles", NUMBER, offsetof(command, run.max_cycles), 0, UINT64_MAX},
    {"watchdog", NUMBER, offsetof(command, run.watchdog), 1, UINT64_MAX},
    {"hostile", NUMBER, offsetof(command, run.hostile), 0, UINT64_MAX},
    TEXT_OF("time", time),
    FLAG_OF("more", run.more),
    {"jobs", NUMBER, offsetof(command, jobs), 1, COSIM_JOBS_MOST},
    FLAG_OF("no-verify", run.unchecked),
    FLAG_OF("dense", dense),
    TEXT_OF("jtag", serve.jtag),
    TEXT_OF("back-door", serve.back_door),
    TEXT_OF("fault", fault),
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Puts the value of an option into its member; false for a number out of its range. */
static bool take(command *c, size_t row, const char *value) {
    char *member = (char *)c + rows[row].member;
    uint64_t n = 0;
    if (rows[row].kind == TEXT)
        memcpy(member, &value, sizeof value);
    else if (rows[row].kind == FLAG)
        *(bool *)member = true;
    else if (!number(value, &n) || n < rows[row].least || n > rows[row].most)
        return false;
    else
        memcpy(member, &n, sizeof n);
    return true;
}

/* Finds the word of --time. */
static bool take_time(command *c) {
    static const char *const words[] = {"count", "least", "most"};
    size_t i = 0;
    while (c->time && i < sizeof words / sizeof *words && strcmp(words[i], c->time) != 0)
        i++;
    c->run.clocking = (machine_clocking)i;
    return i < sizeof words / sizeof *words;
}

/* Whether the options say what to do. */
static bool is_whole(command *c) {
    const cosim_options *o = &c->run;
    c->run.jobs = (uint32_t)c->jobs;
    c->serve.elf = o->elf;
    c->serve.fault = c->fault ? fault_find(c->fault) : FAULT_NONE;
    c->serve.hostile = o->hostile;
    if (!take_time(c) || !c->board || (c->fault && (!c->serve.fault || !c->serve.jtag)))
        return false;
    if (c->serve.jtag)
        return !o->batches && !o->result && !o->stats && !c->time;
    return o->elf && o->batches && o->result && !c->serve.back_door;
}

/* False: the usage is wrong. */
static bool arguments(int argc, char **argv, command *c) {
    struct option options[ROWS + 1] = {{0}};
    int row;
    for (size_t i = 0; i < ROWS; i++)
        options[i] = (struct option){rows[i].name, rows[i].kind == FLAG ? no_argument : required_argument,
                                     NULL, (int)i};
    while ((row = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (row == '?' || !take(c, (size_t)row, optarg))
            return false;
    }
    return optind == argc && is_whole(c);
}

/* The seed of a session without --hostile: tests set the variable. */
static uint64_t seed_of_environment(void) {
    const char *text = getenv("ONYX_HOSTILE");
    uint64_t seed = 0;
    return text && number(text, &seed) ? seed : 0;
}

int main(int argc, char **argv) {
    command c = {
        .run = {.watchdog = COSIM_WATCHDOG_CYCLES, .hostile = seed_of_environment(), .uart_out = stderr},
        .serve = {.uart_out = stderr},
        .jobs = 1};
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(USAGE, stdout);
        return COSIM_OK;
    }
    if (!arguments(argc, argv, &c)) {
        fputs(USAGE, stderr);
        return COSIM_USAGE;
    }
    arena mem = {0};
    diagnostics d;
    json_begin();
    diag_init(&d, &mem);
    pnr_board board = {0};
    const dense_fabric fabric = cli_dense_fabric(&board);
    c.run.dense = c.dense ? &fabric : NULL;
    int code = !pnr_board_read(c.board, &mem, &d, &board) ? COSIM_USAGE
               : c.serve.jtag                             ? cosim_serve(&c.serve, &board, &mem, &d)
                                                          : cosim_run(&c.run, &board, &mem, &d);
    diag_print(&d, 0, stderr, diag_colour(stderr));
    pnr_board_free(&board);
    arena_free(&mem);
    return code;
}
