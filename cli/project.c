/* onyx.toml: defaults of options, and a folder for data. */
#include "cli/project.h"
#include "support/toml.h"

#include <glob.h>
#include <unistd.h>

#define PROJECT "onyx.toml"

typedef struct {
    cli_session *s;
    toml_file file;
    command_line given; /* the words' own options */
    const char *said;   /* what was added */
} project;

static bool refuse(const project *p, const cJSON *item, const char *want) {
    return diag_error(&p->s->diag, toml_at(&p->file, item), "E0946-project", "'%s' must be %s", item->string,
                      want);
}

/* Returns the option with this long name read by a command, or by any command for COMMANDS; or NULL. */
static const option_row *option_named(const char *name, option_command command) {
    for (const option_row *row = option_rows; row < option_rows + OPTIONS; row++) {
        const bool reads = command == COMMANDS || row->commands & 1u << command;
        if (row->name && reads && strcmp(row->name, name) == 0)
            return row;
    }
    return NULL;
}

static void add(project *p, const char *name, const char *value, text_vec *words) {
    arena *mem = &p->s->mem;
    const char *option = arena_printf(mem, "--%s", name);
    vec_push(mem, words, option);
    if (value)
        vec_push(mem, words, arena_strdup(mem, value)); /* the file goes */
    p->said = arena_printf(mem, "%s %s%s%s", p->said, option, value ? " " : "", value ? value : "");
}

/* Functions in C are compiled and run: a file of a folder from elsewhere must not name them. */
static bool is_allowed(const char *name, const char *value) {
    return strcmp(name, "functions") != 0 || strcmp(value, "library") == 0 || strcmp(value, "none") == 0;
}

static bool take_option(project *p, option_command command, const cJSON *item, text_vec *words) {
    const option_row *row = option_named(item->string, command);
    if (!option_named(item->string, COMMANDS))
        return refuse(p, item, "an option of a command by its long name");
    if (!row || p->given.given[row - option_rows] || cJSON_IsFalse(item))
        return true;
    if (!row->value) {
        add(p, row->name, NULL, words);
        return cJSON_IsTrue(item) || refuse(p, item, "true or false");
    }
    const cJSON *one = cJSON_IsArray(item) ? item->child : item;
    for (; one; one = cJSON_IsArray(item) ? one->next : NULL) {
        const char *value = cJSON_IsNumber(one) ? arena_printf(&p->s->mem, "%.15g", one->valuedouble)
                                                : cJSON_GetStringValue(one);
        if (!value)
            return refuse(p, item, "a text, a number, or an array of these");
        if (!is_allowed(row->name, value))
            return refuse(p, item, "\"library\" or \"none\": C is named on the command line");
        add(p, row->name, value, words);
    }
    return true;
}

/* Returns where the value of an option for operands begins in a word: "B:FILE", "-iB:FILE", "--input=B:FILE";
 * or NULL.
 */
static const char *operand_in(const text_vec *words, uint32_t i) {
    const char *word = words->at[i], *before = words->at[i - 1];
    if (strcmp(before, "-i") == 0 || strcmp(before, "--input") == 0)
        return word;
    if (strncmp(word, "--input=", 8) == 0)
        return word + 8;
    return strncmp(word, "-i", 2) == 0 && word[2] ? word + 2 : NULL;
}

static bool is_there(const char *path, bool pattern) {
    glob_t found = {0};
    const bool matches = access(path, F_OK) == 0 || (pattern && glob(path, 0, NULL, &found) == 0);
    globfree(&found);
    return matches;
}

/* Returns the files with the folder in front of those missing from the current folder. A sweep takes lists
 * and patterns. */
static const char *in_folder(arena *mem, const char *folder, const char *files, bool sweep) {
    const bool list = sweep && !is_there(files, false);
    const char *all = "";
    for (const char *at = files; at;) {
        const size_t length = list ? strcspn(at, ",") : strlen(at);
        const char *file = arena_strndup(mem, at, length), *there = arena_printf(mem, "%s/%s", folder, file);
        const bool moved = !is_there(file, list) && is_there(there, list);
        all = arena_printf(mem, "%s%s%s", all, *all ? "," : "", moved ? there : file);
        at = at[length] ? at + length + 1 : NULL;
    }
    return all;
}

/* Puts the data folder in front of operands missing from the current folder. */
static void find_data(project *p, option_command command, const char *folder, text_vec *words) {
    arena *mem = &p->s->mem;
    for (uint32_t i = 1; i < words->len; i++) {
        const char *value = operand_in(words, i), *colon = value ? strchr(value, ':') : NULL;
        const char *files = colon ? in_folder(mem, folder, colon + 1, command == COMMAND_SWEEP) : NULL;
        if (!files || strcmp(files, colon + 1) == 0)
            continue;
        const char *name = arena_strndup(mem, value, (size_t)(colon + 1 - value));
        p->said = arena_printf(mem, "%s -i %s%s", p->said, name, files);
        words->at[i] = arena_printf(mem, "%.*s%s%s", (int)(value - words->at[i]), words->at[i], name, files);
    }
}

static bool take_all(project *p, option_command command, text_vec *words, text_vec *own) {
    const char *folder = NULL;
    for (const cJSON *table = p->file.root->child; table; table = table->next) {
        if (strcmp(table->string, "data") == 0 && cJSON_IsString(table))
            folder = table->valuestring;
        else if (strcmp(table->string, "options") != 0 || !cJSON_IsObject(table))
            return refuse(p, table, "data = \"FOLDER\", or the table [options]");
        const cJSON *item = cJSON_IsObject(table) ? table->child : NULL;
        for (; item; item = item->next) {
            if (!take_option(p, command, item, words))
                return false;
        }
    }
    if (folder)
        find_data(p, command, folder, own);
    return true;
}

bool project_add_options(cli_session *s, option_command command, int argc, char **argv, text_vec *words) {
    project p = {.s = s, .given = options_default(command), .said = ""};
    diagnostics unheard;
    text_vec own = {0};
    for (int i = 0; i < argc; i++)
        vec_push(&s->mem, &own, argv[i]);
    vec_push(&s->mem, words, own.at[0]);
    const bool readable = access(PROJECT, R_OK) == 0;
    diag_init(&unheard, &s->mem);
    if (readable)
        options_parse(command, argc, (const char *const *)argv, &s->mem, &unheard, &p.given);
    const bool there = readable && !p.given.every.help;
    p.file = there ? toml_read(PROJECT, &s->diag) : (toml_file){0};
    const bool good = !there || (p.file.root && take_all(&p, command, words, &own));
    for (uint32_t i = 1; i < own.len; i++)
        vec_push(&s->mem, words, own.at[i]);
    if (good && *p.said)
        diag_note(&s->diag, (src_loc){0}, PROJECT " adds%s", p.said);
    cJSON_Delete(p.file.root);
    return good;
}

const char *project_data(cli_session *s) {
    diagnostics unheard;
    diag_init(&unheard, &s->mem);
    const toml_file file = access(PROJECT, R_OK) == 0 ? toml_read(PROJECT, &unheard) : (toml_file){0};
    const char *folder = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(file.root, "data"));
    folder = folder ? arena_strdup(&s->mem, folder) : NULL;
    cJSON_Delete(file.root);
    return folder;
}
