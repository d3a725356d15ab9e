/* onyx: finds the command and runs the command. */
#include "cli/cli.h"
#include "cli/complete.h"
#include "cli/help.h"
#include "support/caller.h"

#include <locale.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

typedef struct {
    const char *name;
    int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
#define SUBCOMMAND(key, name, arguments, help)
#define COMMAND(key, name, arguments, does, help) {#name, command_##name},
#include "options/commands.def"
#undef COMMAND
#undef SUBCOMMAND
};

/* Returns the command of this name, or NULL. */
static const command *find(const char *name) {
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    }
    return NULL;
}

static void print_usage(FILE *out) {
    fputs("Usage: onyx COMMAND [OPTION...]\n\n", out);
    for (int k = 0; k < COMMANDS; k++) {
        if (option_commands[k].does)
            fprintf(out, "  %-9s %s\n", option_commands[k].name, option_commands[k].does);
    }
    fputs("\n'onyx COMMAND --help' lists a command's options.\n"
          "Exit codes: 0 done, 1 mistake in the input, 2 does not fit the hardware, 3 wrong result, 130 "
          "interrupted.\n",
          out);
}

/* A session, since standard output may be full. */
static int answer(void (*print)(FILE *)) {
    cli_session s;
    cli_session_begin(&s);
    print(stdout);
    return cli_session_end(&s, true);
}

static int no_command(int argc, char **argv) {
    cli_session s;
    cli_session_begin(&s);
    const char *const *how = option_rows[OPTION_DIAGNOSTICS].words;
    for (int i = 2; i < argc; i++) {
        for (int k = 0; how[k]; k++) {
            if (strcmp(argv[i], arena_printf(&s.mem, "--diagnostics=%s", how[k])) == 0)
                s.options.every.diagnostics = k;
        }
    }
    diag_error(&s.diag, (src_loc){0}, "E0901-command", "there is no command '%s'", argv[1]);
    const char *nearest = NULL;
    uint32_t distance = TEXT_TOO_FAR;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (text_nearer(argv[1], strlen(argv[1]), commands[i].name, &distance))
            nearest = commands[i].name;
    }
    if (nearest)
        diag_hint(&s.diag, "there is 'onyx %s'", nearest);
    else
        diag_hint(&s.diag, "onyx --help lists them");
    return cli_session_end(&s, false);
}

/* Keeps freed memory: a pass frees its arena where the next pass fills its own, and returning memory to the
 * system took a third of a short run. Blocks beyond 16 MB still go back at once. */
static void keep_what_is_freed(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 16 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    mallopt(M_TOP_PAD, 1 << 20);
#endif
}

int main(int argc, char **argv) {
    keep_what_is_freed();
    setlocale(LC_ALL, "C");
    caller_defaults();
    json_begin();
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USER;
    }
    if (strcmp(argv[1], "--complete") == 0)
        return complete_words(argc - 2, (const char *const *)argv + 2);
    if (strcmp(argv[1], "--version") == 0)
        return command_help(2, (char *[]){argv[0], argv[1]});
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return answer(print_usage);
    char *help[] = {argv[1], "--help", NULL};
    if (argc == 3 && strcmp(argv[1], "help") == 0 && find(argv[2]) && !help_is_page(argv[2]))
        return find(argv[2])->run(2, help);
    if (argc == 2 && strcmp(argv[1], "help") == 0) {
        print_usage(stdout);
        puts("\nPages, 'onyx help PAGE' prints one:");
    }
    const command *c = find(argv[1]);
    return c ? c->run(argc - 1, argv + 1) : no_command(argc, argv);
}
