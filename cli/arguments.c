/* Arguments of every command: the options that options.def gives it, and what the tools on files have in
 * common. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>

/* ---- the table of options -------------------------------------------------------------------- */

enum {
#define COMMAND(key, name, doc) key = 1 << CLI_##key,
#include "cli/commands.def"
#undef COMMAND
    SWEEP_REPORT = 1 << CLI_SWEEP_REPORT,
    EVERY = (1 << CLI_COMMANDS) - 1
};

static const char *const command_names[CLI_COMMANDS] = {
#define COMMAND(key, name, doc) [CLI_##key] = #name,
#include "cli/commands.def"
#undef COMMAND
    [CLI_SWEEP_REPORT] = "sweep report"};

static const struct {
    struct argp_option option;
    int commands; /* that read it */
} rows[] = {
#define HEADING(group, commands, text) {{NULL, 0, NULL, 0, text, group}, commands},
#define OPTION(key, name, letter, value, group, commands, doc)                                               \
    {{name, CLI_OPT_##key, value, 0, doc, group}, commands},
#include "cli/options.def"
#undef OPTION
#undef HEADING
};
enum { ROWS = sizeof rows / sizeof *rows };

const char *cli_option_name(int key) {
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].option.key == key && rows[i].option.name)
            return rows[i].option.name;
    }
    BUG("no option has the key %d", key);
}

/* ---- options before argp sees them ------------------------------------------------------------- */

typedef struct {
    cli_session *session;
    cli_command command;
    const struct argp_option *table; /* of the command */
    int argc;
    char **argv;
    int help; /* CLI_OPT_HELP or CLI_OPT_USAGE: that is all that is asked for */
} checking;

static bool asks_for_help(int key) {
    return key == CLI_OPT_HELP || key == CLI_OPT_USAGE;
}

/* The rows of a command. In somebody else's program nobody asks for help. */
static const struct argp_option *table_of(cli_command command, cli_session *s) {
    struct argp_option *table = arena_new_n(&s->mem, struct argp_option, ROWS + 1), *end = table;
    for (size_t i = 0; i < ROWS; i++) {
        bool has = rows[i].commands & 1 << command;
        if (has && !(s->embedded && asks_for_help(rows[i].option.key)))
            *end++ = rows[i].option;
    }
    return table;
}

/* An option of every command, which its own parser does not get. */
static bool is_common(int key) {
    return key == CLI_OPT_DIAGNOSTICS || key == CLI_OPT_PROGRESS || key == CLI_OPT_QUIET ||
           asks_for_help(key);
}

static void take_common(checking *c, int key, const char *value) {
    static const char *const forms[] = {"text", "json", NULL};
    cli_session *s = c->session;
    if (key == CLI_OPT_DIAGNOSTICS)
        s->json = cli_choice(s, "--diagnostics", value, forms) == 1;
    s->report_progress = s->report_progress || key == CLI_OPT_PROGRESS;
    s->quiet = s->quiet || key == CLI_OPT_QUIET;
    c->help = asks_for_help(key) ? key : c->help;
}

static bool is_named(const struct argp_option *o, const char *name, size_t length) {
    return o->name && strlen(o->name) == length && strncmp(o->name, name, length) == 0;
}

/* The entry of a long option of `length` characters, or, where length is 0, of the letter; NULL: none. */
static const struct argp_option *find_option(const struct argp_option *table, const char *name,
                                             size_t length) {
    for (const struct argp_option *o = table; o->name || o->doc; o++) {
        if (length ? is_named(o, name, length) : o->key == (unsigned char)*name)
            return o;
    }
    return NULL;
}

/* The commands that have such an option, as a sentence begins with them; NULL: none. */
static const char *readers(const checking *c, const char *name, size_t length) {
    const char *text = NULL;
    int commands = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if (length ? is_named(&rows[i].option, name, length) : rows[i].option.key == (unsigned char)*name)
            commands |= rows[i].commands;
    }
    for (int k = 0; k < CLI_COMMANDS; k++) {
        if (commands & 1 << k)
            text = arena_printf(&c->session->mem, "%s%sonyx %s", text ? text : "", text ? ", " : "",
                                command_names[k]);
    }
    return text;
}

/* `name`, without the dashes: long, of `length` characters, or a letter (0). */
static void no_option(const checking *c, const char *name, size_t length) {
    diagnostics *d = &c->session->diag;
    const char *nearest = NULL, *others = c->session->embedded ? NULL : readers(c, name, length);
    const char *dashes = length ? "--" : "-";
    int shown = length ? (int)length : 1;
    uint32_t distance = CLI_TOO_FAR;
    if (others) {
        diag_error(d, (src_loc){0}, "E0902-option", "onyx %s does not read '%s%.*s'",
                   command_names[c->command], dashes, shown, name);
        diag_hint(d, "it is an option of %s", others);
        return;
    }
    diag_error(d, (src_loc){0}, "E0902-option", "there is no option '%s%.*s'", dashes, shown, name);
    for (const struct argp_option *o = c->table; length && (o->name || o->doc); o++) {
        if (o->name && cli_nearer(name, length, o->name, &distance))
            nearest = o->name;
    }
    if (nearest)
        diag_hint(d, "there is --%s", nearest);
}

/* The option at argv[i] takes a value, and there is none: true. */
static bool lacks_value(const checking *c, const char *option, size_t length, int i) {
    if (i + 1 < c->argc)
        return false;
    diag_error(&c->session->diag, (src_loc){0}, "E0903-option-value", "%.*s needs a value", (int)length,
               option);
    return true;
}

/* A long option at argv[i]; the index of its last word. */
static int check_long(checking *c, int i) {
    const char *text = c->argv[i], *name = text + 2, *value = strchr(name, '=');
    size_t length = value ? (size_t)(value - name) : strlen(name);
    const struct argp_option *o = find_option(c->table, name, length);
    if (!o || !length) {
        no_option(c, name, length);
        return i;
    }
    if (!o->arg && value)
        diag_error(&c->session->diag, (src_loc){0}, "E0903-option-value", "--%s takes no value", o->name);
    if (o->arg && !value) {
        if (lacks_value(c, text, length + 2, i))
            return i;
        value = c->argv[++i];
    } else if (value) {
        value++;
    }
    take_common(c, o->key, value);
    return i;
}

/* Letters at argv[i]; the index of the last one's value. */
static int check_letters(checking *c, int i) {
    for (const char *letter = c->argv[i] + 1; *letter; letter++) {
        const struct argp_option *o = find_option(c->table, letter, 0);
        const char option[] = {'-', *letter, '\0'};
        if (!o) {
            no_option(c, letter, 0);
            return i;
        }
        if (o->arg)
            return letter[1] || lacks_value(c, option, 2, i) ? i : i + 1;
        take_common(c, o->key, NULL);
    }
    return i;
}

/* Takes the options of every command and finds what argp would accept or answer without a code: abbreviated
 * long options (scripts that rely on them break when an option is added), unknown ones, missing values. */
static bool check_options(checking *c) {
    for (int i = 1; i < c->argc && strcmp(c->argv[i], "--") != 0; i++) {
        if (strncmp(c->argv[i], "--", 2) == 0)
            i = check_long(c, i);
        else if (c->argv[i][0] == '-' && c->argv[i][1])
            i = check_letters(c, i);
    }
    return !diag_failed(&c->session->diag);
}

/* ---- argp -------------------------------------------------------------------------------------- */

/* The command's parser, without the options that check_options has taken. */
typedef struct {
    argp_parser_t parse;
    void *input;
} own_parser;

static error_t parse_own(int key, char *arg, struct argp_state *state) {
    own_parser *own = state->input;
    if (is_common(key))
        return 0;
    state->input = own->input;
    error_t result = own->parse(key, arg, state);
    state->input = own;
    return result;
}

bool cli_parse(const struct argp *parser, cli_command command, int argc, char **argv, cli_session *s,
               void *input) {
    checking c = {s, command, table_of(command, s), argc, argv, 0};
    own_parser own = {parser->parser, input};
    const struct argp whole = {
        .options = c.table, .parser = parse_own, .args_doc = parser->args_doc, .doc = parser->doc};
    argv[0] = arena_printf(&s->mem, "onyx %s", command_names[command]);
    if (!check_options(&c))
        return false;
    if (c.help) {
        argp_help(&whole, stdout, c.help == CLI_OPT_HELP ? ARGP_HELP_STD_HELP : ARGP_HELP_USAGE, argv[0]);
        exit(cli_session_end(s, true));
    }
    argp_err_exit_status = EXIT_USER;
    if (argp_parse(&whole, argc, argv, ARGP_NO_HELP, NULL, &own) == ENOMEM)
        out_of_memory(0);
    cli_progress_begin(s);
    return !diag_failed(&s->diag);
}

/* ---- the tools on files ------------------------------------------------------------------------ */

error_t cli_parse_tool(int key, char *arg, struct argp_state *state) {
    cli_tool *o = state->input;
    switch (key) {
    case CLI_OPT_JSON:
        o->json = true;
        return 0;
    case CLI_OPT_BOARD:
        o->board = arg;
        return 0;
    case CLI_OPT_PROFILE:
        o->profile = cli_profile(o->session, arg);
        return 0;
    case CLI_OPT_OUTPUT:
        o->out = arg;
        return 0;
    case ARGP_KEY_ARG:
        vec_push(&o->session->mem, &o->arguments, arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void cli_refuse_option(cli_session *s, const char *option, const void *given, const char *reader) {
    if (given)
        diag_error(&s->diag, (src_loc){0}, "E0902-option", "%s is an option of '%s'", option, reader);
}

bool cli_want_arguments(const cli_tool *o, uint32_t wanted, const char *usage) {
    if (o->arguments.len == wanted)
        return true;
    diag_error(&o->session->diag, (src_loc){0}, "E0904-argument", "%u %s given, %u expected: %s",
               o->arguments.len, plural(o->arguments.len, "argument", "arguments"), wanted, usage);
    return false;
}

bool cli_want_folder(cli_session *s, const char *out) {
    if (!out)
        diag_error(&s->diag, (src_loc){0}, "E0905-folder", "-o DIR is missing: where should the results go?");
    return out != NULL;
}
