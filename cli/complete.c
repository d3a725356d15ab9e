/* onyx --complete: the completions of bash, zsh and fish (cmake/completion/) ask the program, and thus know
 * the installed version's options, from the tables of its parser. */
#include "cli/complete.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/project.h"

typedef struct {
    cli_session *s;
    const char *word; /* as far as typed */
    int n;
    const char *const *words;
} completion;

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static void offer(const completion *c, const char *candidate, const char *meaning) {
    if (begins(candidate, c->word))
        printf("%s%s%.*s\n", candidate, meaning ? "\t" : "", meaning ? (int)strcspn(meaning, ":;") : 0,
               meaning ? meaning : "");
}

/* ---- values of options --------------------------------------------------------------------------- */

static void offer_files(const completion *c, const char *prefix) {
    if (begins(c->word, prefix))
        printf(":files%s%s\n", *prefix ? " " : "", prefix);
}

/* Offers the files of the data folder of onyx.toml, by the names that commands find them under. */
static void offer_data(const completion *c, const char *before) {
    const char *folder = project_data(c->s);
    const text_vec names = folder ? cli_names_in(c->s, folder, "") : (text_vec){0};
    for (uint32_t i = 0; i < names.len; i++) {
        if (names.at[i][0] != '.')
            offer(c, arena_printf(&c->s->mem, "%s%s", before, names.at[i]), NULL);
    }
}

/* Offers the names in front of the brackets of the expression, as "B:"; where one is typed, files behind its
 * colon. `before` is the text of the word in front of the value. */
static void offer_tensors(const completion *c, const char *before, const option_row *row) {
    const char *colon = strchr(c->word + strlen(before), ':');
    const option_row *of = row->axis ? &option_rows[row->axis] : row;
    if (colon) {
        const char *typed = arena_strndup(&c->s->mem, c->word, (size_t)(colon + 1 - c->word));
        if (strstr(row->value, "FILE"))
            offer_files(c, typed);
        if (of == &option_rows[OPTION_INPUT])
            offer_data(c, typed);
        return;
    }
    const bool operands = of == &option_rows[OPTION_INPUT] || of == &option_rows[OPTION_GENERATE];
    text_vec seen = {0};
    for (int i = 0; i < c->n - 1; i++) {
        const char *equals = strchr(c->words[i], '=');
        for (const char *at = !equals ? "" : operands ? equals : c->words[i]; *at; at++) {
            const size_t length = text_name_length(at);
            const char *name = arena_strndup(&c->s->mem, at, length);
            bool known = at[length] != '(' || !length;
            for (uint32_t k = 0; k < seen.len && !known; k++)
                known = strcmp(seen.at[k], name) == 0;
            if (!known) {
                vec_push(&c->s->mem, &seen, name);
                offer(c, arena_printf(&c->s->mem, "%s%s:", before, name), NULL);
            }
            at += length ? length - 1 : 0;
        }
    }
}

static void offer_names_in(const completion *c, const char *folder, const char *end, const char *before) {
    const text_vec names = cli_names_in(c->s, folder, end);
    for (uint32_t i = 0; i < names.len; i++)
        offer(c, arena_printf(&c->s->mem, "%s%s", before, names.at[i]), NULL);
}

/* Offers values of an option: `row->value` gives the kind, the table the words. For axes and lists only the
 * last value is completed. */
static void offer_values(const completion *c, const option_row *row, const char *typed) {
    const option_row *of = row->axis ? &option_rows[row->axis] : row;
    const char *separators = row->separators ? row->separators : ",";
    size_t done = 0;
    for (size_t i = 0; typed[i]; i++)
        done = strchr(separators, typed[i]) ? i + 1 : done;
    bool several = row->axis || strstr(row->value, ",...");
    const char *before =
        arena_printf(&c->s->mem, "%.*s%.*s", (int)(typed - c->word), c->word, several ? (int)done : 0, typed);
    for (const char *const *word = of->words; word && *word; word++)
        offer(c, arena_printf(&c->s->mem, "%s%s", before, *word), NULL);
    if (of == &option_rows[OPTION_BOARD])
        offer_names_in(c, arena_printf(&c->s->mem, "%s/boards", c->s->compile.home), ".json", before);
    if (begins(row->value, "T:") || begins(row->value, "VAR|T:"))
        offer_tensors(c, before, row);
    else if (row == &option_rows[OPTION_OUTPUT] && strchr(typed, ':'))
        offer_tensors(c, before, row);
    else if (strstr(row->value, "FILE") || strstr(row->value, "DIR") || of == &option_rows[OPTION_BOARD])
        offer_files(c, before);
}

/* Returns the command's option of this spelling: "--name" of `length` characters, or "-x". */
static const option_row *option_of(option_command command, const char *text, size_t length) {
    for (int i = 0; i < OPTIONS; i++) {
        const option_row *row = &option_rows[i];
        if (!row->name || !(row->commands & 1u << command))
            continue;
        if (length == 2 && row->letter == text[1])
            return row;
        if (begins(text, "--") && strlen(row->name) + 2 == length &&
            strncmp(text + 2, row->name, length - 2) == 0)
            return row;
    }
    return NULL;
}

static void offer_options(const completion *c, option_command command) {
    for (int i = 0; i < OPTIONS; i++) {
        const option_row *row = &option_rows[i];
        if (row->name && row->commands & 1u << command)
            offer(c, arena_printf(&c->s->mem, "--%s", row->name), options_help(row, &c->s->mem));
    }
}

/* ---- arguments ----------------------------------------------------------------------------------- */

/* Offers a command's actions: the words in front of each line of its usage, "explain|stat FILE.bs". Returns
 * whether any exist. */
static bool offer_actions(const completion *c, const char *usage) {
    bool any = false;
    for (const char *line = usage; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyz-|");
        if (!length || (line[length] && line[length] != ' ' && line[length] != '\n'))
            continue;
        for (const char *at = line; at < line + length;) {
            size_t n = strcspn(at, "| \n");
            offer(c, arena_strndup(&c->s->mem, at, n), NULL);
            any = true;
            at += n + 1;
        }
    }
    return any;
}

/* The rows of the tables of errors begin with "| E0301-banner |". */
static void offer_codes(const completion *c, const char *folder) {
    const text_vec pages = cli_names_in(c->s, folder, ".md");
    for (uint32_t i = 0; i < pages.len; i++) {
        size_t length;
        const char *text = file_read_if_there(arena_printf(&c->s->mem, "%s/%s.md", folder, pages.at[i]),
                                              &c->s->mem, &length);
        for (const char *at = text; at && (at = strstr(at, "\n| E")) != NULL; at++) {
            const char *code = arena_strndup(&c->s->mem, at + 3, strcspn(at + 3, " |"));
            const char *meaning = at + 3 + strlen(code) + 3;
            offer(c, code, arena_strndup(&c->s->mem, meaning, strcspn(meaning, "|\n")));
        }
    }
}

static void offer_topics(const completion *c) {
    const char *docs = help_docs_folder(c->s);
    static const char *const below[] = {"", "/notebook"};
    for (size_t i = 0; i < sizeof below / sizeof *below; i++)
        offer_names_in(c, arena_printf(&c->s->mem, "%s%s", docs, below[i]), ".md", "");
    const char *errors = arena_printf(&c->s->mem, "%s/errors", docs);
    offer_names_in(c, errors, ".md", "errors/");
    offer_codes(c, errors);
}

static void offer_commands(const completion *c, bool help) {
    for (int k = 0; k < COMMANDS; k++) {
        if (option_commands[k].does && !(help && help_is_page(option_commands[k].name)))
            offer(c, option_commands[k].name, option_commands[k].does);
    }
}

/* Returns the row of option_commands with this name; COMMANDS if absent. */
static option_command command_of(const char *name) {
    int k = 0;
    while (k < COMMANDS && strcmp(option_commands[k].name, name) != 0)
        k++;
    return (option_command)k;
}

static void complete_in(completion *c, option_command command) {
    const char *word = c->word, *equals = strchr(word, '='), *before = c->n > 2 ? c->words[c->n - 2] : "";
    const option_row *row =
        begins(before, "-") && !strchr(before, '=') ? option_of(command, before, strlen(before)) : NULL;
    if (row && row->value) {
        offer_values(c, row, word);
    } else if (begins(word, "--") && equals) {
        row = option_of(command, word, (size_t)(equals - word));
        if (row && row->value)
            offer_values(c, row, equals + 1);
    } else if (*word == '-') {
        offer_options(c, command);
    } else if (command == COMMAND_HELP) {
        offer_commands(c, true);
        offer_topics(c);
    } else if (c->n != 2 || !option_commands[command].arguments ||
               !offer_actions(c, option_commands[command].arguments)) {
        offer_files(c, "");
    }
}

int complete_words(int n, const char *const *words) {
    cli_session s;
    cli_session_begin(&s);
    completion c = {&s, n ? words[n - 1] : "", n, words};
    if (n < 2) {
        offer_commands(&c, false);
        offer(&c, "--help", NULL);
        offer(&c, "--version", NULL);
    } else {
        option_command command = command_of(words[0]);
        if (command != COMMANDS)
            complete_in(&c, command);
    }
    return cli_session_end(&s, true);
}
