/* main.c - the command onyx-cosim. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>

#include "rtl_models/cosim/session.h"

static const char USAGE[] =
    "usage: onyx-cosim --board BOARD --elf app.elf --batches FILE --result FILE\n"
    "                  [--stats FILE] [--max-cycles N] [--watchdog N]\n"
    "Runs the program and its batches on the processor model and the RTL of the array.\n"
    "  --stats FILE     cycles and speed, as JSON\n"
    "  --max-cycles N   array cycles at most\n"
    "  --watchdog N     array cycles in which nothing moves at most (1000000)\n"
    "exit: 0 done, 1 usage or file, 4 the program failed, 5 stuck or too long\n";

static bool number(const char *text, uint64_t *out) {
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 0);
    return errno == 0 && end != text && *end == '\0' && text[0] != '-';
}

/* False: the usage is wrong. */
static bool arguments(int argc, char **argv, cosim_options *o, const char **board) {
    static const struct option options[] = {
        {"board", required_argument, NULL, 'b'},    {"elf", required_argument, NULL, 'e'},
        {"batches", required_argument, NULL, 'i'},  {"result", required_argument, NULL, 'o'},
        {"stats", required_argument, NULL, 's'},    {"max-cycles", required_argument, NULL, 'm'},
        {"watchdog", required_argument, NULL, 'w'}, {NULL, 0, NULL, 0}};
    int c;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (c) {
        case 'b':
            *board = optarg;
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
        case 'm':
            if (!number(optarg, &o->max_cycles))
                return false;
            break;
        case 'w':
            if (!number(optarg, &o->watchdog) || o->watchdog == 0)
                return false;
            break;
        default:
            return false;
        }
    }
    return optind == argc && *board && o->elf && o->batches && o->result;
}

int main(int argc, char **argv) {
    cosim_options o = {.watchdog = COSIM_WATCHDOG_CYCLES, .uart_out = stderr};
    const char *name = NULL;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(USAGE, stdout);
        return COSIM_OK;
    }
    if (!arguments(argc, argv, &o, &name)) {
        fputs(USAGE, stderr);
        return COSIM_USAGE;
    }
    arena mem = {0};
    diagnostics d;
    json_begin();
    diag_init(&d, &mem);
    pnr_board board = {0};
    int code = pnr_board_read(name, &mem, &d, &board) ? cosim_run(&o, &board, &mem, &d) : COSIM_USAGE;
    diag_print(&d, 0, stderr, diag_colour(stderr));
    pnr_board_free(&board);
    arena_free(&mem);
    return code;
}
