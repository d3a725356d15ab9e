/* Arguments of every command: values of options, and what the tools on files have in common. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>

void cli_bad_value(cli_session *s, const char *option, const char *value, const char *want) {
    diag_error(&s->diag, (src_loc){0}, "E0903-option-value", "%s '%s' must be %s", option, value, want);
}

uint64_t cli_whole(cli_session *s, const char *option, const char *text, uint64_t low, uint64_t high) {
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || end == text || *end || text[0] == '-' || value < low || value > high)
        cli_bad_value(s, option, text,
                      arena_printf(&s->mem, "a whole number from %llu to %llu", (unsigned long long)low,
                                   (unsigned long long)high));
    return value;
}

int cli_choice(cli_session *s, const char *option, const char *text, const char *const *known) {
    const char *all = "";
    for (int i = 0; known[i]; i++) {
        if (strcmp(text, known[i]) == 0)
            return i;
        all = arena_printf(&s->mem, "%s%s%s", all, i ? ", " : "one of ", known[i]);
    }
    cli_bad_value(s, option, text, all);
    return 0;
}

const char *cli_profile(cli_session *s, const char *text) {
    static const char *const known[] = {PNR_PROFILE, "onyx-ext", NULL};
    return known[cli_choice(s, "--profile", text, known)];
}

/* argp accepts abbreviated long options; scripts that rely on them break when an option is added. */
static bool exact_options(const struct argp_option *table, int argc, char **argv, cli_session *s) {
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) != 0 || !argv[i][2])
            continue;
        size_t length = strcspn(argv[i] + 2, "=");
        bool known = strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "--usage") == 0;
        for (const struct argp_option *o = table; (o->name || o->key || o->doc) && !known; o++)
            known = o->name && strlen(o->name) == length && strncmp(o->name, argv[i] + 2, length) == 0;
        if (!known) {
            diag_error(&s->diag, (src_loc){0}, "E0902-option", "there is no option '%.*s'", (int)length + 2,
                       argv[i]);
            return false;
        }
    }
    return true;
}

bool cli_parse(const struct argp *parser, const char *command, int argc, char **argv, cli_session *s,
               void *input) {
    argv[0] = arena_printf(&s->mem, "onyx %s", command);
    if (!exact_options(parser->options, argc, argv, s))
        return false;
    argp_err_exit_status = EXIT_USER;
    argp_parse(parser, argc, argv, 0, NULL, input);
    return !diag_failed(&s->diag);
}

error_t cli_parse_tool(int key, char *arg, struct argp_state *state) {
    cli_tool *o = state->input;
    switch (key) {
    case CLI_OPT_BOARD:
        o->board = arg;
        return 0;
    case CLI_OPT_PROFILE:
        o->profile = cli_profile(o->session, arg);
        return 0;
    case 'o':
        o->out = arg;
        return 0;
    case ARGP_KEY_ARG:
        vec_push(&o->session->mem, &o->arguments, arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

bool cli_want_arguments(const cli_tool *o, uint32_t wanted, const char *usage) {
    if (o->arguments.len == wanted)
        return true;
    diag_error(&o->session->diag, (src_loc){0}, "E0904-argument", "%u arguments given, %u expected: %s",
               o->arguments.len, wanted, usage);
    return false;
}

bool cli_want_folder(cli_session *s, const char *out) {
    if (!out)
        diag_error(&s->diag, (src_loc){0}, "E0905-folder", "-o DIR is missing: where should the results go?");
    return out != NULL;
}
