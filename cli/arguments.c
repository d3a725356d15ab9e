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

bool cli_nearer(const char *text, size_t length, const char *known, uint32_t *distance) {
    enum { MOST = 24 };
    uint32_t row[3][MOST + 1], *older = row[0], *before = row[1], *now = row[2];
    size_t n = strlen(known);
    if (length > MOST || n > MOST)
        return false;
    for (uint32_t j = 0; j <= n; j++)
        before[j] = j;
    for (size_t i = 1; i <= length; i++) {
        now[0] = (uint32_t)i;
        for (size_t j = 1; j <= n; j++) {
            uint32_t change = before[j - 1] + (text[i - 1] != known[j - 1]);
            uint32_t skip = 1 + (before[j] < now[j - 1] ? before[j] : now[j - 1]);
            now[j] = change < skip ? change : skip;
            bool swapped = i > 1 && j > 1 && text[i - 1] == known[j - 2] && text[i - 2] == known[j - 1];
            if (swapped && older[j - 2] + 1 < now[j])
                now[j] = older[j - 2] + 1;
        }
        uint32_t *free_row = older;
        older = before;
        before = now;
        now = free_row;
    }
    if (before[n] >= *distance || before[n] >= length)
        return false;
    *distance = before[n];
    return true;
}

const char *cli_profile(cli_session *s, const char *text) {
    static const char *const known[] = {PNR_PROFILE, "onyx-ext", NULL};
    return known[cli_choice(s, "--profile", text, known)];
}

/* ---- what every command takes ----------------------------------------------------------------- */

enum { OPT_DIAGNOSTICS = 0x1000, OPT_PROGRESS, OPT_QUIET };

static const struct argp_option common_table[] = {
    {0, 0, 0, 0, "Of every command", 20},
    {"diagnostics", OPT_DIAGNOSTICS, "HOW", 0,
     "text (default), or json: an object a line on standard error (docs/diagnostics.md)", 20},
    {"progress", OPT_PROGRESS, NULL, 0,
     "Say on standard error what takes over a second, even where that is no terminal", 20},
    {"quiet", OPT_QUIET, NULL, 0,
     "No summary: only diagnostics, and what was asked for (a graph, a table, JSON)", 20},
    {0}};

static void take_common(cli_session *s, int key, const char *value) {
    static const char *const forms[] = {"text", "json", NULL};
    if (key == OPT_DIAGNOSTICS)
        s->json = cli_choice(s, "--diagnostics", value, forms) == 1;
    s->report_progress = s->report_progress || key == OPT_PROGRESS;
    s->quiet = s->quiet || key == OPT_QUIET;
}

/* check_options has taken them. */
static error_t parse_common(int key, char *arg, struct argp_state *state) {
    (void)arg;
    (void)state;
    return key >= OPT_DIAGNOSTICS && key <= OPT_QUIET ? 0 : ARGP_ERR_UNKNOWN;
}

/* ---- options before argp sees them ------------------------------------------------------------- */

/* The entry of a long option of `length` characters, or, where length is 0, of the letter; NULL: none. */
static const struct argp_option *find_option(const struct argp_option *table, const char *name,
                                             size_t length) {
    for (const struct argp_option *o = table; o->name || o->key || o->doc; o++) {
        if (length ? o->name && strlen(o->name) == length && strncmp(o->name, name, length) == 0
                   : o->key == (unsigned char)*name)
            return o;
    }
    return NULL;
}

/* A long option of the table that `name` may be a slip of, NULL: none. */
static const char *nearest_option(const struct argp_option *table, const char *name, size_t length,
                                  uint32_t *distance) {
    const char *nearest = NULL;
    for (const struct argp_option *o = table; o->name || o->key || o->doc; o++) {
        if (o->name && cli_nearer(name, length, o->name, distance))
            nearest = o->name;
    }
    return nearest;
}

static void no_option(const struct argp_option *table, cli_session *s, const char *text, size_t length) {
    uint32_t distance = CLI_TOO_FAR;
    diag_error(&s->diag, (src_loc){0}, "E0902-option", "there is no option '%.*s'", (int)length, text);
    if (length <= 2)
        return;
    const char *own = nearest_option(table, text + 2, length - 2, &distance);
    const char *common = nearest_option(common_table, text + 2, length - 2, &distance);
    if (own || common)
        diag_hint(&s->diag, "there is --%s", common ? common : own);
}

/* The option at argv[i] takes a value, and there is none: true. */
static bool lacks_value(cli_session *s, const char *option, size_t length, int i, int argc) {
    if (i + 1 < argc)
        return false;
    diag_error(&s->diag, (src_loc){0}, "E0903-option-value", "%.*s needs a value", (int)length, option);
    return true;
}

/* A long option at argv[i]; the index of its last word. */
static int check_long(const struct argp_option *table, int i, int argc, char **argv, cli_session *s) {
    const char *name = argv[i] + 2, *value = strchr(name, '=');
    size_t length = value ? (size_t)(value - name) : strlen(name);
    if (!s->embedded && (strcmp(name, "help") == 0 || strcmp(name, "usage") == 0))
        return i; /* argp answers, and ends the program */
    const struct argp_option *o = find_option(table, name, length);
    const struct argp_option *common = o ? NULL : find_option(common_table, name, length);
    o = o ? o : common;
    if (!o) {
        no_option(table, s, argv[i], length + 2);
        return i;
    }
    if (!o->arg && value)
        diag_error(&s->diag, (src_loc){0}, "E0903-option-value", "--%s takes no value", o->name);
    if (o->arg && !value) {
        if (lacks_value(s, argv[i], length + 2, i, argc))
            return i;
        value = argv[++i];
    } else if (value) {
        value++;
    }
    if (common)
        take_common(s, common->key, value);
    return i;
}

/* Letters at argv[i]. */
static int check_letters(const struct argp_option *table, int i, int argc, char **argv, cli_session *s) {
    for (const char *letter = argv[i] + 1; *letter; letter++) {
        const struct argp_option *o = find_option(table, letter, 0);
        if (!o && (s->embedded || *letter != '?')) { /* argp's own: help */
            no_option(table, s, arena_printf(&s->mem, "-%c", *letter), 2);
            return i;
        }
        if (o && o->arg)
            return letter[1] || lacks_value(s, arena_printf(&s->mem, "-%c", *letter), 2, i, argc) ? i : i + 1;
    }
    return i;
}

/* Takes the options of every command and finds what argp would accept or answer without a code: abbreviated
 * long options (scripts that rely on them break when an option is added), unknown ones, missing values. */
static bool check_options(const struct argp_option *table, int argc, char **argv, cli_session *s) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--", 2) == 0)
            i = check_long(table, i, argc, argv, s);
        else if (argv[i][0] == '-' && argv[i][1])
            i = check_letters(table, i, argc, argv, s);
    }
    return !diag_failed(&s->diag);
}

static error_t parse_both(int key, char *arg, struct argp_state *state) {
    (void)arg;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = state->input; /* of the command; common_table's parser needs none */
    return 0;
}

bool cli_parse(const struct argp *parser, const char *command, int argc, char **argv, cli_session *s,
               void *input) {
    static const struct argp common = {.options = common_table, .parser = parse_common};
    const struct argp own = {.options = parser->options, .parser = parser->parser};
    const struct argp_child children[] = {{&own, 0, NULL, 0}, {&common, 0, NULL, 0}, {0}};
    const struct argp both = {
        .parser = parse_both, .args_doc = parser->args_doc, .doc = parser->doc, .children = children};
    argv[0] = arena_printf(&s->mem, "onyx %s", command);
    if (!check_options(parser->options, argc, argv, s))
        return false;
    argp_err_exit_status = EXIT_USER;
    if (argp_parse(&both, argc, argv, 0, NULL, input) == ENOMEM)
        out_of_memory(0);
    cli_progress_begin(s);
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
    diag_error(&o->session->diag, (src_loc){0}, "E0904-argument", "%u argument%s given, %u expected: %s",
               o->arguments.len, o->arguments.len == 1 ? "" : "s", wanted, usage);
    return false;
}

bool cli_want_folder(cli_session *s, const char *out) {
    if (!out)
        diag_error(&s->diag, (src_loc){0}, "E0905-folder", "-o DIR is missing: where should the results go?");
    return out != NULL;
}
