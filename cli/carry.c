/* Files of a report about a command. Functions keep their folder structure: a description's source, headers
 * and libraries are named relative to this folder, and so are the C includes. */
#include "cli/carry.h"
#include "support/inputs.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char *in_report(const carry *to, const char *name) {
    return arena_printf(&to->s->mem, "%s/%s", to->folder, name);
}

bool carry_write(const carry *to, const char *name, const char *bytes, size_t length) {
    file_out f;
    if (!file_create(&f, in_report(to, name), &to->s->mem, &to->s->diag))
        return false;
    fwrite(bytes, 1, length, f.stream);
    return file_commit(&f, &to->s->diag);
}

static bool is_listed(const carry *to, const char *name) {
    const cJSON *one;
    cJSON_ArrayForEach(one, to->files) {
        const char *was = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(one, "file"));
        if (was && strcmp(was, name) == 0)
            return true;
    }
    return false;
}

/* Lists a file, and copies the file. Returns its bytes; NULL: unreadable. */
static const char *take(const carry *to, const char *path, const char *name) {
    cli_session *s = to->s;
    size_t length = 0;
    const char *bytes = file_read_if_there(path, &s->mem, &length);
    cJSON *one = json_add_item(to->files);
    cJSON_AddStringToObject(one, "file", name);
    if (!bytes)
        return NULL;
    inputs_note(&s->diag, path);
    cJSON_AddNumberToObject(one, "bytes", (double)length);
    cJSON_AddStringToObject(one, "xxh64",
                            arena_printf(&s->mem, "%016llx", (unsigned long long)hash_bytes(bytes, length)));
    return carry_write(to, name, bytes, length) ? bytes : NULL;
}

/* ---- functions ---------------------------------------------------------------------------------------- */

/* A folder of functions, of the user's and of the report's. */
typedef struct {
    const carry *to;
    const char *from, *name;
} function_folder;

static void warn_outside(const carry *to, const char *of, const char *path) {
    diag_warning(&to->s->diag, (src_loc){0}, "E0958-incomplete",
                 "'%s' names '%s', outside of its folder: the report does not have that", of, path);
}

static void take_named(const function_folder *f, const char *name);

/* Takes the C includes in quotation marks, from the source's folder and from the functions' folder. */
static void take_included(const function_folder *f, const char *text, const char *of) {
    arena *mem = &f->to->s->mem;
    const char *slash = strrchr(of, '/');
    for (const char *at = strstr(text, "#include"); at; at = strstr(at + 1, "#include")) {
        const char *quote = at + 8 + strspn(at + 8, " \t");
        const size_t n = *quote == '"' ? strcspn(quote + 1, "\"\n") : 0;
        const char *name = arena_strndup(mem, quote + (n != 0), n);
        if (!n)
            continue;
        take_named(f, name);
        if (slash)
            take_named(f, arena_printf(mem, "%.*s/%s", (int)(slash - of), of, name));
    }
}

/* Makes the folders on the path of a relative name. */
static void make_folders(const function_folder *f, const char *name) {
    const char *slash = strrchr(name, '/');
    arena *mem = &f->to->s->mem;
    make_folder(
        in_report(f->to, slash ? arena_printf(mem, "%s/%.*s", f->name, (int)(slash - name), name) : f->name),
        &f->to->s->diag);
}

static bool ends_in(const char *name, const char *end) {
    const size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

/* Takes the headers and sources of a folder on the compiler's search path. */
static void take_headers(const function_folder *f, const char *folder) {
    cli_session *s = f->to->s;
    static const char *const ends[] = {".h", ".inc", ".def"};
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
        const text_vec names = cli_names_in(s, arena_printf(&s->mem, "%s/%s", f->from, folder), ends[e]);
        for (uint32_t i = 0; i < names.len; i++)
            take_named(f, arena_printf(&s->mem, "%s/%s%s", folder, names.at[i], ends[e]));
    }
}

/* Takes a file or a folder of headers named relative to the functions' folder; a missing file is not ours,
 * for example a system header. */
static void take_named(const function_folder *f, const char *name) {
    cli_session *s = f->to->s;
    const char *path = arena_printf(&s->mem, "%s/%s", f->from, name),
               *there = arena_printf(&s->mem, "%s/%s", f->name, name);
    struct stat info;
    const bool outside = *name == '/' || strstr(name, "..");
    if (outside || stat(path, &info) != 0 || is_listed(f->to, there))
        return;
    if (S_ISDIR(info.st_mode)) {
        take_headers(f, name);
        return;
    }
    if (!S_ISREG(info.st_mode))
        return;
    make_folders(f, name);
    const char *text = take(f->to, path, there);
    if (text && (ends_in(name, ".c") || ends_in(name, ".h") || ends_in(name, ".inc")))
        take_included(f, text, name);
}

/* Takes a description with every file named by its words. */
static void take_description(const function_folder *f, const char *name) {
    cli_session *s = f->to->s;
    make_folders(f, name);
    const char *text = take(f->to, arena_printf(&s->mem, "%s/%s", f->from, name),
                            arena_printf(&s->mem, "%s/%s", f->name, name));
    while (text && *text) {
        const size_t n = strcspn(text, " \t\r\n,:()\"");
        const char *word = arena_strndup(&s->mem, text, n);
        const bool slash = strchr(word, '/');
        if (n && slash && (*word == '/' || strstr(word, "..")) && strncmp(word, "//", 2) != 0)
            warn_outside(f->to, name, word);
        else if (n &&
                 (slash || strchr(word, '.') || is_folder(arena_printf(&s->mem, "%s/%s", f->from, word))))
            take_named(f, word);
        text += n + (text[n] != '\0');
    }
}

/* Returns the value of --functions in the report, for the option's number. */
static const char *take_functions(const carry *to, const char *path, uint32_t number) {
    arena *mem = &to->s->mem;
    const char *name = number ? arena_printf(mem, "functions%u", number + 1) : "functions";
    if (is_folder(path)) {
        static const char *const ends[] = {".fn", ".xf"};
        const function_folder f = {to, path, name};
        make_folders(&f, "");
        for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
            const text_vec names = cli_names_in(to->s, path, ends[e]);
            for (uint32_t i = 0; i < names.len; i++)
                take_description(&f, arena_printf(mem, "%s%s", names.at[i], ends[e]));
        }
        return name;
    }
    const char *slash = strrchr(path, '/');
    const function_folder f = {to, arena_strndup(mem, path, (size_t)(slash - path)), name};
    take_description(&f, slash + 1);
    return arena_printf(mem, "%s/%s", name, slash + 1);
}

/* ---- all ------------------------------------------------------------------------------------------------
 */

static const char *extension_of(const char *path) {
    const char *name = strrchr(path, '/'), *dot = strchr(name ? name : path, '.');
    return dot ? dot : "";
}

/* "B.stored/1" is part 1 of the file B.stored. Returns the option's text for the tensor in the report. */
static const char *take_operand(const carry *to, const char *tensor, const char *path) {
    arena *mem = &to->s->mem;
    const char *slash = strrchr(path, '/'), *part = "";
    if (slash && slash[1] && !slash[1 + strspn(slash + 1, "0123456789")] && slash - path > 7 &&
        strncmp(slash - 7, ".stored", 7) == 0) {
        part = slash;
        path = arena_strndup(mem, path, (size_t)(slash - path));
    }
    const char *name = arena_printf(mem, "%s%s", tensor, extension_of(path));
    take(to, path, name);
    return arena_printf(mem, "%s:%s%s", tensor, name, part);
}

/* Takes the tables of a board's register map, in a folder next to the document. */
static void take_board(const carry *to, const char *path) {
    cli_session *s = to->s;
    const char *slash = strrchr(path, '/'), *text = take(to, path, "board.json");
    cJSON *json = text ? json_parse(path, text, strlen(text), NULL) : NULL;
    const char *tables = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "register_map"));
    if (tables && *tables && !strchr(tables, '/') && *tables != '.') {
        const char *folder = arena_printf(&s->mem, "%.*s/%s", (int)(slash - path), path, tables);
        const text_vec names = cli_names_in(s, folder, ".csv");
        if (names.len)
            make_folder(in_report(to, tables), &s->diag);
        for (uint32_t i = 0; i < names.len; i++)
            take(to, arena_printf(&s->mem, "%s/%s.csv", folder, names.at[i]),
                 arena_printf(&s->mem, "%s/%s.csv", tables, names.at[i]));
    }
    cJSON_Delete(json);
}

static void take_option(const carry *to, option_given *o, uint32_t number) {
    arena *mem = &to->s->mem;
    const bool absolute = o->value && *o->value == '/';
    const size_t tensor = o->value ? strcspn(o->value, ":") : 0;
    if (o->key == OPTION_INPUT && o->value[tensor]) {
        o->value = take_operand(to, arena_strndup(mem, o->value, tensor), o->value + tensor + 1);
    } else if (o->key == OPTION_BOARD && absolute) {
        take_board(to, o->value);
        o->value = "board.json";
    } else if (o->key == OPTION_FORMATS) {
        const char *name = number ? arena_printf(mem, "own%u.formats", number + 1) : "own.formats";
        take(to, o->value, name);
        o->value = name;
    } else if (o->key == OPTION_FUNCTIONS && absolute) {
        o->value = take_functions(to, o->value, number);
    }
}

void carry_files(carry *to, cli_case *c) {
    to->files = cJSON_CreateArray();
    if (*c->expression == '/') {
        take(to, c->expression, "graph.gv");
        c->expression = "graph.gv";
    }
    uint32_t given[OPTIONS] = {0};
    for (uint32_t i = 0; i < c->options.len; i++)
        take_option(to, &c->options.at[i], given[c->options.at[i].key]++);
}

void carry_remove_operands(const carry *to, const cli_case *c) {
    for (uint32_t i = 0; i < c->options.len; i++) {
        const option_given *o = &c->options.at[i];
        const char *colon = o->key == OPTION_INPUT ? strchr(o->value, ':') : NULL;
        if (colon)
            remove(in_report(to, arena_strndup(&to->s->mem, colon + 1, strcspn(colon + 1, "/"))));
    }
}
