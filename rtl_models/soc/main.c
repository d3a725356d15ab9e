/* main.c - the command onyx-cosim. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

#include "rtl_models/soc/serve.h"

static const char USAGE[] =
    "usage: onyx-cosim --board BOARD --elf app.elf --batches FILE --result FILE\n"
    "                  [--stats FILE] [--waves FOLDER] [--max-cycles N] [--watchdog N] [--more]\n"
    "                  [--jobs N] [--no-verify] [--dense]\n"
    "       onyx-cosim --board BOARD --jtag WHERE [--back-door WHERE] [--elf app.elf]\n"
    "Runs the program and its batches on the processor model and the RTL of the array; or serves the debug\n"
    "port of the whole, until it is told to end by SIGTERM.\n"
    "  --stats FILE       cycles and speed, as JSON\n"
    "  --waves FOLDER     what every channel in FOLDER/channels.json does, for GTKWave (docs/cosim.md)\n"
    "  --max-cycles N     array cycles at most\n"
    "  --watchdog N       array cycles in which nothing moves at most (1000000)\n"
    "  --more             standard input asks for more, each time by three names that end in a zero byte:\n"
    "                     of the batches, the result and the statistics; a line answers\n"
    "  --jobs N           share the batches between N processes, with the same results and statistics\n"
    "  --no-verify        do not have the program check the sums of what is loaded\n"
    "  --dense            the program is of the dense fabric, whose array is the cycle model\n"
    "  --jtag WHERE       JTAG as OpenOCD's remote_bitbang, on a TCP port of 127.0.0.1 (0: any, which is "
    "printed)\n"
    "                     or on the UNIX socket of that path; or fd:N, a listening socket that is inherited\n"
    "  --back-door WHERE  memory contents past the debug port (docs/cosim.md)\n"
    "exit: 0 done, 1 usage or file, 4 the program failed, or (--jtag) E0805-bank-collision, 5 stuck or too "
    "long\n";

static bool number(const char *text, uint64_t *out) {
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 0);
    return errno == 0 && end != text && *end == '\0' && text[0] != '-';
}

/* False: the usage is wrong. */
static bool arguments(int argc, char **argv, cosim_options *o, cosim_serve_options *serve,
                      const char **board) {
    static const struct option options[] = {{"jtag", required_argument, NULL, 'j'},
                                            {"back-door", required_argument, NULL, 'd'},
                                            {"board", required_argument, NULL, 'b'},
                                            {"elf", required_argument, NULL, 'e'},
                                            {"batches", required_argument, NULL, 'i'},
                                            {"result", required_argument, NULL, 'o'},
                                            {"stats", required_argument, NULL, 's'},
                                            {"max-cycles", required_argument, NULL, 'm'},
                                            {"watchdog", required_argument, NULL, 'w'},
                                            {"waves", required_argument, NULL, 'v'},
                                            {"more", no_argument, NULL, 'r'},
                                            {"jobs", required_argument, NULL, 'n'},
                                            {"no-verify", no_argument, NULL, 'u'},
                                            {"dense", no_argument, NULL, 'f'},
                                            {NULL, 0, NULL, 0}};
    uint64_t jobs = 1;
    int c;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (c) {
        case 'b':
            *board = optarg;
            break;
        case 'j':
            serve->jtag = optarg;
            break;
        case 'd':
            serve->back_door = optarg;
            break;
        case 'e':
            o->elf = optarg;
            break;
        case 'i':
            o->batches = optarg;
            break;
        case 'o':
            o->result = optarg;
            break;
        case 's':
            o->stats = optarg;
            break;
        case 'v':
            o->waves = optarg;
            break;
        case 'u':
            o->unchecked = true;
            break;
        case 'f':
            o->dense = true;
            break;
        case 'r':
            o->more = true;
            break;
        case 'm':
            if (!number(optarg, &o->max_cycles))
                return false;
            break;
        case 'w':
            if (!number(optarg, &o->watchdog) || o->watchdog == 0)
                return false;
            break;
        case 'n':
            if (!number(optarg, &jobs) || jobs == 0 || jobs > COSIM_JOBS_MOST)
                return false;
            break;
        default:
            return false;
        }
    }
    o->jobs = (uint32_t)jobs;
    serve->elf = o->elf;
    if (serve->jtag)
        return optind == argc && *board && !o->batches && !o->result && !o->stats;
    return optind == argc && *board && o->elf && o->batches && o->result && !serve->back_door;
}

int main(int argc, char **argv) {
    cosim_options o = {.watchdog = COSIM_WATCHDOG_CYCLES, .uart_out = stderr};
    cosim_serve_options serve = {.uart_out = stderr};
    const char *name = NULL;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(USAGE, stdout);
        return COSIM_OK;
    }
    if (!arguments(argc, argv, &o, &serve, &name)) {
        fputs(USAGE, stderr);
        return COSIM_USAGE;
    }
    arena mem = {0};
    diagnostics d;
    json_begin();
    diag_init(&d, &mem);
    pnr_board board = {0};
    int code = !pnr_board_read(name, &mem, &d, &board) ? COSIM_USAGE
               : serve.jtag                            ? cosim_serve(&serve, &board, &mem, &d)
                                                       : cosim_run(&o, &board, &mem, &d);
    diag_print(&d, 0, stderr, diag_colour(stderr));
    pnr_board_free(&board);
    arena_free(&mem);
    return code;
}
