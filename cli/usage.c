/* A command line of this program: parsed by options/; argp writes the output of --help and --usage. */
#include "cli/usage.h"
#include "cli/help.h"
#include "cli/log.h"
#include "cli/project.h"
#include "compile/compile.h"
#include "kernel/commit.h"
#include "onyx_version.h" /* made by cmake/version.cmake */
#include "support/poison.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* Prints the rows of the table read by the command. */
static void print_help(cli_session *s, option_command command) {
    enum { NO_LETTER = 256 };
    struct argp_option *table = arena_new_n(&s->mem, struct argp_option, OPTIONS + 1), *end = table;
    for (int i = 0; i < OPTIONS; i++) {
        const option_row *row = &option_rows[i];
        int key = row->letter || !row->name ? row->letter : NO_LETTER + i;
        if (row->commands & 1u << command)
            *end++ =
                (struct argp_option){row->name, key, row->value, 0, options_help(row, &s->mem), row->group};
    }
    const option_command_row *c = &option_commands[command];
    const struct argp all = {.options = table, .args_doc = c->arguments, .doc = c->help};
    argp_help(&all, stdout, s->options.every.help == OPTIONS_LIST ? ARGP_HELP_STD_HELP : ARGP_HELP_USAGE,
              arena_printf(&s->mem, "onyx %s", c->name));
}

static void print_passes(void) {
    for (uint32_t i = 0; compile_pass_at(i).name; i++) {
        const compile_pass_facts pass = compile_pass_at(i);
        printf("%-11s %s\n%-11s reads %s; makes %s\n", pass.name, pass.doc, "", pass.reads, pass.makes);
    }
}

static bool begin_log(cli_session *s, option_command command, int argc, char **argv) {
    text_vec words = {0};
    vec_push(&s->mem, &words, option_commands[command].name);
    for (int i = 1; i < argc; i++)
        vec_push(&s->mem, &words, argv[i]);
    s->log = log_begin(s->options.every.log, cli_shell(&words, &s->mem), &s->mem, &s->diag);
    return s->log != NULL;
}

/* An unknown code is a typing error, and would hide nothing. */
static bool know_codes(cli_session *s) {
    const text_vec *codes = &s->options.every.no_warning;
    for (uint32_t i = 0; i < codes->len; i++) {
        if (help_has_code(s, codes->at[i]))
            continue;
        return compile_bad_value(&s->diag, "--no-warning", codes->at[i],
                                 "the code of a message: onyx help lists them");
    }
    return true;
}

/* Folders of the command line whose last command was interrupted while its files went to their places. */
static bool recover_folders(cli_session *s) {
    const text_vec *given = &s->options.arguments;
    bool ok = true;
    for (uint32_t i = 0; i < given->len && ok; i++)
        ok = compile_folder_recover(&s->compile, given->at[i]);
    const char *const named[] = {s->options.compile.files.out, s->options.design};
    for (size_t i = 0; i < sizeof named / sizeof *named && ok; i++)
        ok = !named[i] || compile_folder_recover(&s->compile, named[i]);
    return ok;
}

/* A command's memory grows with its inputs, and small files may unpack to large ones. At the limit malloc
 * fails, and out_of_memory reports the failure. The sanitizers' own memory would count, too. */
static void limit_memory(uint64_t megabytes) {
#ifndef ARENA_POISONS
    const uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE),
                   most = megabytes ? megabytes << 20 : all / 4 * 3;
    struct rlimit now;
    if (getrlimit(RLIMIT_DATA, &now) == 0 && now.rlim_cur > most) {
        now.rlim_cur = most;
        setrlimit(RLIMIT_DATA, &now);
    }
#else
    (void)megabytes;
#endif
}

bool cli_parse(cli_session *s, option_command command, int argc, char **argv) {
    text_vec words = {0};
    s->options = options_default(command);
    const bool read = project_add_options(s, command, argc, argv, &words);
    bool good = options_parse(command, (int)words.len, words.at, &s->mem, &s->diag, &s->options) && read;
    if (s->options.every.log)
        good = begin_log(s, command, argc, argv) && good;
    if (!good)
        return false;
    limit_memory(s->options.every.memory);
    if (s->options.every.help == OPTIONS_VERSION)
        puts("onyx " ONYX_VERSION " (" ONYX_REVISION ")\n" ONYX_BUILD);
    else if (s->options.every.help == OPTIONS_PASSES)
        print_passes();
    else if (s->options.every.help)
        print_help(s, command);
    else
        cli_progress_begin(s);
    return !s->options.every.help && know_codes(s) && recover_folders(s);
}

void cli_refuse_option(cli_session *s, option_key key, const char *reader) {
    if (s->options.given[key])
        diag_error(&s->diag, (src_loc){0}, "E0902-option", "%s is an option of '%s'",
                   options_spelling(key, &s->mem), reader);
}

bool cli_unread_option(const command_line *o, const option_key *read, size_t n, option_key *first) {
    for (uint32_t i = 0; i < o->in_order.len; i++) {
        bool known = false;
        *first = o->in_order.at[i].key;
        for (size_t k = 0; k < n; k++)
            known = known || read[k] == *first;
        if (!known)
            return true;
    }
    return false;
}

bool cli_want_arguments(cli_session *s, uint32_t wanted, const char *usage) {
    uint32_t given = s->options.arguments.len;
    if (given != wanted)
        diag_error(&s->diag, (src_loc){0}, "E0904-argument", "%u %s given, %u expected: %s", given,
                   plural(given, "argument", "arguments"), wanted, usage);
    return given == wanted;
}

const char *cli_shell(const text_vec *words, arena *mem) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,-+%@";
    const char *line = "";
    for (uint32_t i = 0; i < words->len; i++) {
        const char *word = words->at[i], *quoted = "'";
        for (const char *c = word; *c; c++)
            quoted = arena_printf(mem, *c == '\'' ? "%s'\\''" : "%s%c", quoted, *c);
        line = arena_printf(mem, "%s%s%s%s", line, i ? " " : "",
                            *word && !word[strspn(word, plain)] ? word : quoted,
                            *word && !word[strspn(word, plain)] ? "" : "'");
    }
    return line;
}

const char *cli_temporary_folder(cli_session *s) {
    const char *temporary = getenv("TMPDIR");
    char *folder = arena_printf(&s->mem, "%s/onyx-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (mkdtemp(folder))
        return folder;
    diag_error(&s->diag, (src_loc){0}, "E0004-write", "cannot make a folder such as '%s': %s", folder,
               strerror(errno));
    return NULL;
}
