/* onyx: finds the command and runs it. */
#include "cli/cli.h"
#include "onyx_version.h" /* made by cmake/version.cmake */

#include <locale.h>

typedef struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *doc;
} command;

static const command commands[] = {
    {"run", command_run, "compile an expression, run it on data, check the result"},
    {"compile", command_compile, "compile an expression to a bitstream"},
    {"sam", command_sam, "print the SAM graph of an expression, or simulate it on data"},
    {"sweep", command_sweep,
     "run an expression over tile sizes, copies, loop orders...; report what was found"},
    {"pnr", command_pnr, "place and route a .packed netlist"},
    {"place", command_place, "place it only"},
    {"route", command_route, "route what was placed"},
    {"sta", command_sta, "time what was routed"},
    {"fabric", command_fabric, "check, count or write out a board's routing fabric"},
    {"bitgen", command_bitgen, "make a bitstream of a routed netlist's files"},
    {"bits", command_bits, "verify, explain, compare and count bitstreams"},
    {"tile", command_tile, "say how full the sub-tiles of a tensor are; store it in another format"},
    {"view", command_view, "write one page that shows what a run left in its folder"},
    {"firmware", command_firmware, "build the Cortex-M3 program of what run or compile left in a folder"},
    {"cosim", command_cosim, "run that folder on the co-simulated chip"},
    {"program", command_program, "run on a board what run or compile left in a folder"},
    {"boards", command_boards, "list the boards and what they hold"},
    {"help", command_help, "print a page of the documentation, or what an error code means"},
};

/* NULL: none of that name. */
static const command *find(const char *name) {
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    }
    return NULL;
}

static int usage(FILE *out, int code) {
    fputs("Usage: onyx COMMAND [OPTION...]\n\n", out);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].doc);
    fputs("\n'onyx COMMAND --help' lists a command's options.\n"
          "Exit codes: 0 done, 1 mistake in the input, 2 does not fit the hardware, 3 wrong result, 130 "
          "interrupted.\n",
          out);
    return code;
}

static int no_command(int argc, char **argv) {
    cli_session s;
    cli_session_begin(&s);
    for (int i = 2; i < argc; i++)
        s.json = s.json || strcmp(argv[i], "--diagnostics=json") == 0;
    diag_error(&s.diag, (src_loc){0}, "E0901-command", "there is no command '%s'", argv[1]);
    const char *nearest = NULL;
    uint32_t distance = CLI_TOO_FAR;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (cli_nearer(argv[1], strlen(argv[1]), commands[i].name, &distance))
            nearest = commands[i].name;
    }
    if (nearest)
        diag_hint(&s.diag, "there is 'onyx %s'", nearest);
    else
        diag_hint(&s.diag, "onyx --help lists them");
    return cli_session_end(&s, false);
}

int main(int argc, char **argv) {
    setlocale(LC_ALL, "C");
    if (argc < 2)
        return usage(stderr, EXIT_USER);
    if (strcmp(argv[1], "--help") == 0)
        return usage(stdout, EXIT_OK);
    char *help[] = {argv[1], "--help", NULL};
    if (argc == 3 && strcmp(argv[1], "help") == 0 && find(argv[2]) && !cli_is_page(argv[2]))
        return find(argv[2])->run(2, help);
    if (argc == 2 && strcmp(argv[1], "help") == 0)
        usage(stdout, EXIT_OK), puts("\nPages, 'onyx help PAGE' prints one:");
    if (strcmp(argv[1], "--version") == 0) {
        puts("onyx " ONYX_VERSION " (" ONYX_REVISION ")");
        return EXIT_OK;
    }
    const command *c = find(argv[1]);
    return c ? c->run(argc - 1, argv + 1) : no_command(argc, argv);
}
